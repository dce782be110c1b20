"""Mid-term memory: pages grouped in topic segments, each with a heat (paper §3.2).

Visits wait here until a worker counts them: a read does not write (design §1.6).

What waits is added to the counters that a recall reads. So a recall does not depend on whether a worker came by between
two questions (ADR 0023).
"""

from __future__ import annotations

import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memoryos_core.config import MemoryConfig
from memoryos_core.ports import Clock, Store
from memoryos_core.ports.forks import Lock, renew_in_child
from memoryos_core.rules.paging.heat import absorb, centroid, coldest, hot
from memoryos_core.rules.paging.topics import SegmentIndex
from memoryos_core.values.commands import Eviction, Move, PageOut, PageQuery, Visit
from memoryos_core.values.dialogue import HeatCounters, Page, Recall, Scope, Segment, Vector


@dataclass(frozen=True, slots=True)
class TopicPages:
    """The incoming pages of one topic, with their vectors and the topic's description.

    `follows` is the segment of the page before, when the topic goes on with what it was about. `turns_away`: the talk
    turned to the topic from the one before it, or for the first from the segment `after`.
    """

    pages: tuple[Page, ...]
    vectors: tuple[Vector, ...]
    summary: str
    keywords: tuple[str, ...]
    follows: str | None = None
    turns_away: bool = False
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Placement:
    """The placement of a batch: the move to make, the segments it opens, and the new number of segments."""

    page_out: PageOut
    opened: tuple[str, ...]
    segments: int


class MidTerm:
    """Finds each topic its segment, and says which segments are hot and which are coldest."""

    def __init__(
        self, store: Store, config: MemoryConfig, clock: Clock, merge_summary: Callable[[str, str], str]
    ) -> None:
        self._store = store
        self._config = config
        self._clock = clock
        self.merge_summary = merge_summary

    def place(
        self, scope: Scope, known: Known, topics: Sequence[TopicPages], chain_of: Mapping[str, str], *, reread: bool
    ) -> Placement:
        """Join each topic to the segment with the best F > θ, or open one (paper Eq. 2-3). Writes nothing.

        `known` takes the segments that the pages are placed in, so that the next topic finds them.
        """
        index = known.index
        changed: dict[str, Segment] = {}
        opened: list[str] = []
        moves: list[Move] = []
        segment: Segment | None = None
        for topic in topics:
            before = topic.after if segment is None else segment.id
            segment = self._home(topic, index, before if topic.turns_away else None)
            if index.get(segment.id) is None:
                opened.append(segment.id)
            index.put(segment)
            changed[segment.id] = segment
            moves.extend(Move(p.id, segment.id, chain_of[p.id], reread) for p in topic.pages)
        known.changed = tuple(changed)
        move = PageOut(scope=scope, moves=tuple(moves), segments=tuple(changed.values()), chains=(), at=self._clock())
        return Placement(move, tuple(opened), len(index))

    def hot(self, scope: Scope, among: Sequence[str] | None = None) -> tuple[Segment, ...]:
        """Every segment that was hot enough at its last access and has unread pages, hottest first (paper Eq. 4, τ).

        `among` narrows it to segments of these ids.
        """
        return hot(self._store.segments(scope, ids=among), self._config.heat)

    def overfull(self, scope: Scope) -> Eviction | None:
        """The coldest segments beyond capacity, or None."""
        segments = self._store.segments(scope)
        config = self._config.mid_term
        if len(segments) <= config.capacity_segments:
            return None
        ids = tuple(s.id for s in coldest(segments, config.capacity_segments, self._config.heat))
        return Eviction(scope, ids, self._clock(), config.archive)

    def _home(self, topic: TopicPages, index: SegmentIndex, left: str | None) -> Segment:
        """Return the segment that a topic joins, or a new one; hardly the one that the talk has just `left`."""
        config = self._config.mid_term
        vector = centroid(topic.vectors)
        found = index.get(topic.follows) if topic.follows else None
        if found is None:
            found = self._closest(index, vector, topic.keywords, left)
        # Access in conversation time, so that importing an old conversation does not make it hot today.
        access = max(p.timestamp for p in topic.pages)
        if found is None:
            return Segment(
                id=uuid.uuid4().hex,
                summary=topic.summary,
                keywords=topic.keywords[: config.max_keywords],
                centroid=vector,
                last_access=access,
                page_count=len(topic.pages),
            )
        joined = absorb(found, topic.vectors, topic.keywords, config.max_keywords)
        last = max(found.last_access, access) if found.last_access else access
        return replace(joined, summary=self.merge_summary(found.summary, topic.summary), last_access=last)

    def _closest(
        self, index: SegmentIndex, vector: Vector, keywords: tuple[str, ...], left: str | None
    ) -> Segment | None:
        config = self._config.mid_term
        if config.segments == "chains" or index.pages < _FEWEST_PAGES:
            return index.closest(vector, keywords, config.join_threshold, left)
        return index.closest_in_scope(vector, keywords, config.closeness, left)


class Known:
    """The segments of a scope during one run: read once, then only those that the run changes."""

    def __init__(self, store: Store, scope: Scope) -> None:
        self._store = store
        self._scope = scope
        self._epoch: int | None = None
        self._newest_seq: int | None = None
        self.index = SegmentIndex()
        self.changed: tuple[str, ...] = ()

    def refresh(self, epoch: int) -> None:
        """Read what the last batch changed, or everything when something was forgotten since, or after `drop`."""
        if epoch != self._epoch:
            self.index = SegmentIndex(self._store.segments(self._scope))
            self._epoch = epoch
        elif self.changed:
            for segment in self._store.segments(self._scope, ids=self.changed):
                self.index.put(segment)
        self.changed = ()

    def drop(self) -> None:
        """Read everything next time: others changed segments, or some were evicted or dissolved."""
        self._epoch = self._newest_seq = None

    def pass_seq(self, seq: int) -> tuple[int, int]:
        """Return the seq of the newest page outside short-term memory, before and after a page of this one leaves."""
        if self._newest_seq is None:
            newest = PageQuery(self._scope, tiers=("mid_term", "archive"), newest_first=True, limit=1)
            self._newest_seq = max((page.seq for page in self._store.pages(newest)), default=-1)
        before, self._newest_seq = self._newest_seq, max(self._newest_seq, seq)
        return before, self._newest_seq


# The middle of fewer pages is no middle: until then the paper's F decides.
_FEWEST_PAGES = 16
# An uncounted visit is worth little: beyond this many the oldest are dropped.
_WAITING_AT_MOST = 1000
# Of so many best hits a segment has so many when the question was about it, unless it has the best one of all.
# Relevance tells less: the best hit of the second segment has 99 % of the best of all, needed or not (ADR 0030).
_BEST_HITS, _SEVERAL = 8, 2
# How long a recall waits for a visit that is being written. A locked database may take longer: the recall goes on then.
_PATIENCE_SECONDS = 0.2
_LOOK_AGAIN_SECONDS = 0.001


class Visits:
    """The segments and facts that recalls returned, as long as their visits are not counted in the store."""

    def __init__(self, store: Store, clock: Clock, most: int | None = None) -> None:
        self._store = store
        self._clock = clock
        self._most = most
        self._lock = Lock()
        self._turn = Lock()  # a recall holds it, so it waits for the visit that is being written and for no other
        self._writing = Lock()
        self._in_flight = False
        self._waiting: deque[Visit] = deque()
        self._times: dict[tuple[Scope, str], list[datetime]] = {}  # of the waiting visits, by segment
        renew_in_child(self)

    def renew_after_fork(self) -> None:
        """Drop the waiting visits in a forked child: the parent counts them."""
        self._waiting.clear()
        self._times.clear()
        self._in_flight = False

    def note(self, scope: Scope, recall: Recall) -> None:
        """Store the visits of a recall. Each segment and fact counts once a recall.

        With `most`, as many segments as that: those that the best hits are of. The others were packed because there was
        room.
        """
        filed = [h for h in recall.hits if h.segment_id]
        homes = [str(h.segment_id) for h in filed]
        if self._most is not None:
            best = sorted(filed, key=lambda h: -h.score)[:_BEST_HITS]
            counted = Counter(str(h.segment_id) for h in best)
            homes = [i for n, i in enumerate(counted) if n == 0 or counted[i] >= _SEVERAL]
        segments = tuple(dict.fromkeys(homes))[: self._most]
        facts = tuple(h.id for h in recall.hits if h.kind == "fact")
        if segments or facts:
            self._add(Visit(scope, segments, self._clock(), facts))

    def note_useful(self, scope: Scope, segment_ids: Collection[str], fact_ids: Collection[str]) -> None:
        """Store one more visit of these segments and facts: somebody said that they were useful."""
        self._add(Visit(scope, tuple(segment_ids), self._clock(), tuple(fact_ids)))

    def heat_counters(self, scope: Scope, segment_ids: Sequence[str]) -> dict[str, HeatCounters]:
        """Return the counters of segments by id, with the visits that still wait; unknown ids are left out."""
        # Locks are only taken by `with`, which no interrupt leaves locked.
        with self._turn:
            until = time.monotonic() + _PATIENCE_SECONDS
            while self._in_flight and time.monotonic() < until:
                time.sleep(_LOOK_AGAIN_SECONDS)
            counters = self._store.heat_counters(scope, segment_ids)
            with self._lock:
                waiting = {i: tuple(times) for i in counters if (times := self._times.get((scope, i)))}
        for i, later in waiting.items():
            stored = counters[i]
            last = max(later) if stored.last_access is None else max(stored.last_access, *later)
            counters[i] = replace(stored, n_visit=stored.n_visit + len(later), last_access=last)
        return counters

    def add_waiting(self, scope: Scope, segments: Sequence[Segment]) -> list[Segment]:
        """Return segments with the visits that still wait, so that their heat does not depend on a worker."""
        counters = self.heat_counters(scope, [s.id for s in segments])
        known = ((s, counters.get(s.id)) for s in segments)
        return [s if c is None else replace(s, n_visit=c.n_visit, last_access=c.last_access) for s, c in known]

    def count(self, scope: Scope | None = None) -> int:
        """Write the visits of one scope, or of all; says how many recalls were counted."""
        counted = 0
        while True:
            with self._writing:
                try:
                    visit = self._begin_next(scope)
                    if visit is None:
                        return counted
                    self._store.visit(visit)
                    counted += 1
                    with self._lock:
                        if visit in self._waiting:  # not dropped meanwhile by newer ones
                            self._drop(visit)
                finally:
                    self._in_flight = False

    def _add(self, visit: Visit) -> None:
        with self._lock:
            if len(self._waiting) >= _WAITING_AT_MOST:
                self._drop(self._waiting[0])
            self._waiting.append(visit)
            for segment in visit.segment_ids:
                self._times.setdefault((visit.scope, segment), []).append(visit.at)

    def _drop(self, visit: Visit) -> None:
        self._waiting.remove(visit)
        for segment in visit.segment_ids:
            times = self._times[visit.scope, segment]
            times.remove(visit.at)
            if not times:
                del self._times[visit.scope, segment]

    def _begin_next(self, scope: Scope | None) -> Visit | None:
        with self._turn, self._lock:
            visit = next((v for v in self._waiting if scope is None or v.scope == scope), None)
            self._in_flight = visit is not None
            return visit
