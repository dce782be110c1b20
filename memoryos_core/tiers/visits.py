"""Visits wait here until somebody off the caller's path counts them: a read does not write (design §1.6)."""

from __future__ import annotations

from collections import deque

from memoryos_core.forking import Lock, renew_in_child
from memoryos_core.models import Recall, Scope
from memoryos_core.moves import Visit
from memoryos_core.ports import Clock, Store

# A visit that nobody counted is worth little: beyond this many the oldest are dropped rather than kept for ever.
_WAITING_AT_MOST = 1000


class Visits:
    """Which segments and facts recalls brought back and were not counted yet."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._lock = Lock()
        self._waiting: deque[Visit] = deque(maxlen=_WAITING_AT_MOST)
        renew_in_child(self)

    def renew_after_fork(self) -> None:
        """Leave what waits to the parent, which counts it."""
        self._waiting.clear()

    def note(self, scope: Scope, recall: Recall) -> None:
        """Remember what a recall brought back. Each segment and fact counts once a recall."""
        segments = tuple(dict.fromkeys(h.segment_id for h in recall.hits if h.segment_id))
        facts = tuple(h.id for h in recall.hits if h.kind == "fact")
        if segments or facts:
            with self._lock:
                self._waiting.append(Visit(scope, segments, self._clock(), facts))

    def count(self, scope: Scope | None = None) -> int:
        """Write the visits of one scope, or of all; says how many recalls were counted."""
        with self._lock:
            mine = [v for v in self._waiting if scope is None or v.scope == scope]
            rest = [v for v in self._waiting if scope is not None and v.scope != scope]
            self._waiting.clear()
            self._waiting.extend(rest)
        counted = 0
        try:
            for visit in mine:
                self._store.visit(visit)
                counted += 1
        finally:
            with self._lock:
                self._waiting.extend(mine[counted:])
        return counted
