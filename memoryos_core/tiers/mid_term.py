"""Mid-term memory: pages grouped in topic segments, each with a heat (paper §3.2)."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from memoryos_core.config import MemoryConfig
from memoryos_core.ports import Clock, Store
from memoryos_core.rules.paging.heat import coldest, hot
from memoryos_core.rules.paging.topics import absorb, best, centroid
from memoryos_core.values.commands import Eviction, Move, PageOut
from memoryos_core.values.dialogue import Page, Scope, Segment, Vector


@dataclass(frozen=True, slots=True)
class TopicPages:
    """The incoming pages of one topic, with their vectors and the topic's description."""

    pages: tuple[Page, ...]
    vectors: tuple[Vector, ...]
    summary: str
    keywords: tuple[str, ...]


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
        self._merge = merge_summary

    def place(
        self, scope: Scope, topics: Sequence[TopicPages], chain_of: Mapping[str, str], *, reread: bool
    ) -> Placement:
        """Join each topic to the segment with the best F > θ, or open one (paper Eq. 2-3). Writes nothing."""
        known = {s.id: s for s in self._store.segments(scope)}
        changed: dict[str, Segment] = {}
        opened: list[str] = []
        moves: list[Move] = []
        for topic in topics:
            segment = self._home(topic, list(known.values()))
            if segment.id not in known:
                opened.append(segment.id)
            known[segment.id] = changed[segment.id] = segment
            moves.extend(Move(p.id, segment.id, chain_of[p.id], reread) for p in topic.pages)
        move = PageOut(scope, tuple(moves), tuple(changed.values()), (), self._clock())
        return Placement(move, tuple(opened), len(known))

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

    def _home(self, topic: TopicPages, segments: Sequence[Segment]) -> Segment:
        config = self._config.mid_term
        vector = centroid(topic.vectors)
        found = best(segments, vector, topic.keywords, config.join_threshold)
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
        return replace(joined, summary=self._merge(found.summary, topic.summary), last_access=last)
