"""The verbs about the middle tier: segments, their heat, and topics as people read them; and what was said when."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memoryos_core.api.access import Gate, require_role
from memoryos_core.api.engine import Engine
from memoryos_core.errors import InvalidInputError
from memoryos_core.ports.browsing import BrowseStore
from memoryos_core.ports.capabilities import capability
from memoryos_core.rules import validation as accepting
from memoryos_core.rules.paging.heat import Heat, heat
from memoryos_core.rules.paging.topics import titles
from memoryos_core.values.commands import PageQuery
from memoryos_core.values.dialogue import Page, Scope, Segment, Topic
from memoryos_core.values.facts import About, Fact, FactStatus
from memoryos_core.values.queries import FactList
from memoryos_core.values.reports import FactCount, MonthCount, SessionSpan


class Timeline:
    """Turns by time and place, and facts, in parts, so that a long memory is shown as fast as a short one.

    Every verb may raise AccessError, StoreError, and UnsupportedError with a store that cannot count pages.
    """

    def __init__(self, engine: Callable[[], Engine], scope: Scope, actor: str | None = None) -> None:
        self._open = engine
        self.scope = scope
        self.gate = Gate(engine, scope, actor)

    @require_role
    def months(self, segments: Sequence[str] | None = None) -> list[MonthCount]:
        """Count the pages of each month and tier, oldest first; with ids of segments, of each month and segment."""
        named = None if segments is None else accepting.ids("segments", segments)
        return list(self._parts_of().months(self.scope, named))

    @require_role
    def sessions(self, ids: Sequence[str] | None = None, *, limit: int = 25, offset: int = 0) -> list[SessionSpan]:
        """Return all sessions, or those of these ids, with the number and the dates of their pages, newest first."""
        named = None if ids is None else accepting.ids("ids", ids)
        most, skip = accepting.count("limit", limit), accepting.whole_number("offset", offset)
        return list(self._parts_of().session_spans(self.scope, named, limit=most, offset=skip))

    @require_role
    def pages(
        self, *, session: str | None = None, segment: str | None = None, limit: int = 25, offset: int = 0
    ) -> tuple[Page, ...]:
        """Return pages of one session or one segment, oldest first. Raises InvalidInputError for neither or both."""
        if (session is None) == (segment is None):
            raise InvalidInputError("pass either session= or segment=")
        most, skip = accepting.count("limit", limit), accepting.whole_number("offset", offset)
        of = None if session is None else accepting.text("session", session)
        place = None if segment is None else accepting.text("segment", segment)
        ids = self._parts_of().page_ids(self.scope, session_id=of, segment_id=place, limit=most, offset=skip)
        return self._open().parts.store.pages(PageQuery(self.scope, ids=ids)) if ids else ()

    @require_role
    def facts(
        self,
        statuses: Sequence[FactStatus] = ("current",),
        *,
        about: About | None = None,
        pages: Sequence[Page | str] | None = None,
        limit: int = 25,
        offset: int = 0,
    ) -> list[Fact]:
        """Return facts with one of these statuses, newest first; with `pages`, those that were learnt from one."""
        wanted, most = accepting.statuses(statuses), accepting.count("limit", limit)
        skip, side = accepting.whole_number("offset", offset), about and accepting.side("about", about)
        named = None if pages is None else accepting.ids("pages", pages)
        ids = self._parts_of().fact_ids(FactList(self.scope, wanted, most, skip, side, named))
        return [*reversed(self._open().parts.store.facts(self.scope, ids=ids, current=False))] if ids else []

    @require_role
    def fact_counts(self) -> list[FactCount]:
        """Count the facts of each status about each side."""
        return list(self._parts_of().fact_counts(self.scope))

    def _parts_of(self) -> BrowseStore:
        return capability(self._open().parts.store, BrowseStore)


def find_segments(engine: Engine, scope: Scope, ids: Sequence[str] | None = None, *, archived: bool) -> list[Segment]:
    """Return segments, hottest first; see `UserMemory.segments`."""
    named, evicted = None if ids is None else accepting.ids("ids", ids), accepting.flag("archived", archived)
    found = engine.visits.add_waiting(scope, engine.parts.store.segments(scope, ids=named, archived=evicted))
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
