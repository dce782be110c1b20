"""Visits wait here until a worker counts them: a read does not write (design §1.6).

What waits is added to the counters that a recall reads. So a recall does not depend on whether a worker came by between
two questions (ADR 0023).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from memoryos_core.ports import Clock, Store
from memoryos_core.ports.forks import Lock, renew_in_child
from memoryos_core.values.commands import Visit
from memoryos_core.values.dialogue import HeatCounters, Recall, Scope

# An uncounted visit is worth little: beyond this many the oldest are dropped.
_WAITING_AT_MOST = 1000
# How long a recall waits for a visit that is being written. A locked database may take longer: the recall goes on then.
_PATIENCE_SECONDS = 0.2


class Visits:
    """The segments and facts that recalls returned, as long as their visits are not counted in the store."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._lock = Lock()
        self._turn = Lock()  # who waits for `_writing`; so a recall waits for one visit, not for all of them
        self._writing = Lock()
        self._waiting: deque[Visit] = deque(maxlen=_WAITING_AT_MOST)
        renew_in_child(self)

    def renew_after_fork(self) -> None:
        """Drop the waiting visits in a forked child: the parent counts them."""
        self._waiting.clear()

    def note(self, scope: Scope, recall: Recall) -> None:
        """Store the visits of a recall. Each segment and fact counts once a recall."""
        segments = tuple(dict.fromkeys(h.segment_id for h in recall.hits if h.segment_id))
        facts = tuple(h.id for h in recall.hits if h.kind == "fact")
        if segments or facts:
            with self._lock:
                self._waiting.append(Visit(scope, segments, self._clock(), facts))

    def heat_counters(self, scope: Scope, segment_ids: Sequence[str]) -> dict[str, HeatCounters]:
        """Return the counters of segments by id, with the visits that still wait; unknown ids are left out."""
        with self._unwritten():
            counters = self._store.heat_counters(scope, segment_ids)
            with self._lock:
                waiting = [v for v in self._waiting if v.scope == scope]
        for visit in waiting:
            for i in visit.segment_ids:
                if (stored := counters.get(i)) is not None:
                    last = max(visit.at, stored.last_access or visit.at)
                    counters[i] = replace(stored, n_visit=stored.n_visit + 1, last_access=last)
        return counters

    def count(self, scope: Scope | None = None) -> int:
        """Write the visits of one scope, or of all; says how many recalls were counted."""
        counted = 0
        while True:
            with self._turn:
                self._writing.acquire()
            try:
                with self._lock:
                    visit = next((v for v in self._waiting if scope is None or v.scope == scope), None)
                if visit is None:
                    return counted
                self._store.visit(visit)
                counted += 1
                with self._lock:
                    if visit in self._waiting:  # not dropped meanwhile by newer ones
                        self._waiting.remove(visit)
            finally:
                self._writing.release()

    @contextmanager
    def _unwritten(self) -> Generator[None, None, None]:
        """Keep visits from being written for a moment, if that does not take too long."""
        with self._turn:
            is_calm = self._writing.acquire(timeout=_PATIENCE_SECONDS)
        try:
            yield
        finally:
            if is_calm:
                self._writing.release()
