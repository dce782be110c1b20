"""The verbs about the middle tier: segments, their heat, and topics as people read them."""

from __future__ import annotations

from memoryos_core.api.engine import Engine
from memoryos_core.rules import validation as accepting
from memoryos_core.rules.paging.heat import Heat, heat
from memoryos_core.rules.paging.titles import titles
from memoryos_core.values.dialogue import Scope, Segment, Topic


def find_segments(engine: Engine, scope: Scope, *, archived: bool) -> list[Segment]:
    """Return segments, hottest first; see `UserMemory.segments`."""
    found = engine.visits.add_waiting(scope, engine.parts.store.segments(scope, archived=archived))
    return sorted(found, key=lambda segment: -heat_of(engine, segment))


def heat_of(engine: Engine, segment: Segment) -> Heat:
    """Return the heat of a segment now; see `UserMemory.heat`."""
    parts, known = engine.parts, accepting.instance("segment", segment, Segment)
    return heat(known, parts.config.heat, parts.clock())


def find_topics(engine: Engine, scope: Scope) -> list[Topic]:
    """Return topics, hottest first; see `UserMemory.topics`."""
    segments = find_segments(engine, scope, archived=False)
    title_of = titles(segments)
    return [
        Topic(s.id, title_of[s.id], s.summary, s.keywords, s.page_count, heat_of(engine, s), s.since, s.until)
        for s in segments
    ]
