"""The verbs about what a memory holds: facts, their dates and history; segments and topics; what was said when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone

from memoryos_core.api.access import Gate, require_role
from memoryos_core.api.engine import Engine
from memoryos_core.errors import ConflictError, InvalidInputError, NotFoundError
from memoryos_core.ports.browsing import BrowseStore
from memoryos_core.ports.capabilities import capability
from memoryos_core.rules import validation as accepting
from memoryos_core.rules.knowledge.cancellations import calls_off
from memoryos_core.rules.knowledge.lines import Book
from memoryos_core.rules.knowledge.times import held_at, next_time
from memoryos_core.rules.paging.heat import Heat, heat
from memoryos_core.rules.paging.topics import titles
from memoryos_core.values.commands import FactChange, Learning, PageQuery, Promotion
from memoryos_core.values.dialogue import Hit, Page, Scope, Segment, Topic
from memoryos_core.values.facts import About, Dispute, Fact, FactStatus, KnownValue, Profile
from memoryos_core.values.queries import FactList
from memoryos_core.values.reports import FactCount, MonthCount, SessionSpan, Stats

_DAYS_AHEAD = 36_500  # a hundred years
_ANY_DAY = datetime(2000, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True, slots=True)
class FactQuery:
    """A choice of facts: those with these ids, with this text, or replaced by one of these; else all."""

    ids: Sequence[str] | None = None
    text: str | None = None
    replaced_by: Sequence[str] | None = None


def find_facts(
    engine: Engine, scope: Scope, query: FactQuery, *, about: About | None, current: bool, at: datetime | None
) -> list[Fact]:
    """Return facts, oldest first; see `UserMemory.facts`."""
    if sum(given is not None for given in (query.ids, query.text, query.replaced_by)) > 1:
        raise InvalidInputError("pass only one of ids=, text= and replaced_by=")
    wanted = None if about is None else accepting.side("about", about)
    moment = accepting.moment("at", at)
    facts = engine.parts.store.facts(
        scope,
        ids=None if query.ids is None else accepting.ids("ids", query.ids),
        text=None if query.text is None else accepting.text("text", query.text),
        replaced_by=None if query.replaced_by is None else accepting.ids("replaced_by", query.replaced_by),
        current=accepting.flag("current", current) and moment is None,
    )
    return [f for f in facts if (wanted is None or f.about == wanted) and (moment is None or held_at(f, moment))]


def find_profile(engine: Engine, scope: Scope) -> Profile:
    """Return the profile as the facts have it; see `UserMemory.profile`."""
    return _describe(engine, scope, engine.parts.clock())


def _describe(engine: Engine, scope: Scope, now: datetime) -> Profile:
    profile = engine.parts.store.profile(scope)
    if not engine.parts.config.recall.knowledge_share:
        return profile
    called = profile.get("name")
    return engine.knowledge.book(scope, () if called is None else (called,)).describe(profile, now)


def find_stats(engine: Engine, scope: Scope) -> Stats:
    """Return the counts of a scope, with as many fields of the profile as it shows; see `UserMemory.stats`."""
    fields = _describe(engine, scope, _ANY_DAY).fields  # at any time as many
    return replace(engine.parts.store.stats(scope), profile_fields=len(fields))


def find_history(engine: Engine, scope: Scope, name: str) -> list[KnownValue]:
    """Return the values of an attribute in order; see `UserMemory.history`."""
    asked = accepting.text("name", name)
    called = engine.parts.store.profile(scope).get("name")
    facts = engine.parts.store.facts(scope, current=False)
    book = Book(facts, () if called is None else (called,))
    # Imported facts may call the user by the user's id alone: "Eve lives in Lisbon".
    return book.history(asked) or book.history(f"{scope.user_id}'s {asked}")


def list_disputes(engine: Engine, scope: Scope) -> list[Dispute]:
    """Return the facts that contradict each other; see `UserMemory.disputes`."""
    called = engine.parts.store.profile(scope).get("name")
    return [*engine.knowledge.disputes(scope, () if called is None else (called,))]


def find_upcoming(engine: Engine, scope: Scope, days: int) -> list[Fact]:
    """Return what lies ahead, soonest first; see `UserMemory.upcoming`."""
    now = engine.parts.clock()
    until = now + timedelta(days=accepting.count("days", days, most=_DAYS_AHEAD))
    facts = engine.parts.store.facts(scope)
    off = [fact for fact in facts if calls_off(fact.text)]
    ahead = [(when, fact) for fact in facts if (when := next_time(fact, now, off)) is not None]
    soonest = sorted(ahead, key=lambda pair: (pair[0], pair[1].seq))
    return [replace(fact, event_time=when) for when, fact in soonest if when.replace(hour=0, minute=0) <= until]


def retire_facts(engine: Engine, scope: Scope, what: Hit | Fact | str, *, wrong: bool) -> list[Fact]:
    """End facts that no longer hold, and return them as they were; see `UserMemory.retire`."""
    store, now = engine.parts.store, engine.parts.clock()
    if isinstance(what, Hit) and what.kind == "page":
        ending = [f for f in store.facts(scope) if f.about == what.about and what.id in f.page_ids]
    else:
        ids = accepting.ids("what", [what.id if isinstance(what, Hit) else what])
        ending = [f for f in store.facts(scope, ids=ids) if f.status == "current"]
    if ending:
        changes = tuple(FactChange(f.id, "retired", _end_of(f, now, wrong=wrong)) for f in ending)
        with suppress(ConflictError):  # they were current a moment ago
            store.promote(Promotion(scope, Learning((), changes=changes), now, current=tuple(f.id for f in ending)))
            return ending
    raise NotFoundError("no current fact is meant by that; facts() lists those that can be retired")


def note_useful(engine: Engine, scope: Scope, what: Hit | Fact | str) -> list[Fact]:
    """Count a visit of a hit, fact or page that was useful, and return the facts behind it; see `UserMemory.useful`."""
    (wanted,) = accepting.ids("what", [what.id if isinstance(what, Hit) else what])
    store = engine.parts.store
    known = store.facts(scope)
    told = [fact for fact in known if fact.id == wanted]
    cited = {page_id for fact in told for page_id in fact.page_ids} or {wanted}
    pages = store.pages(PageQuery(scope, ids=tuple(sorted(cited))))
    if not (told or pages):
        raise NotFoundError("no page or current fact is meant by that; search() and facts() list those there are")
    behind = told or [fact for fact in known if wanted in fact.page_ids]
    segments = dict.fromkeys(page.segment_id for page in pages if page.segment_id)
    engine.visits.note_useful(scope, tuple(segments), [fact.id for fact in behind])
    engine.worker.notify_visits(scope)
    return behind


def settle_facts(engine: Engine, scope: Scope) -> None:
    """Let the facts of a scope end in the order of what was said, after an archive was restored beside them."""
    if changes := engine.long_term.settled(scope):
        engine.parts.store.promote(Promotion(scope, Learning((), changes=changes), engine.parts.clock()))


def _end_of(fact: Fact, now: datetime, *, wrong: bool) -> datetime:
    return fact.valid_from if wrong else max(now, fact.valid_from)


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
