"""The verbs about knowledge: facts of a date, the history of an attribute, and what lies ahead."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from memoryos_core.api.engine import Engine
from memoryos_core.errors import ConflictError, InvalidInputError, NotFoundError
from memoryos_core.rules import validation as accepting
from memoryos_core.rules.knowledge.lines import Book
from memoryos_core.rules.knowledge.supersession import held_at, next_time
from memoryos_core.values.commands import FactChange, Learning, PageQuery, Promotion
from memoryos_core.values.dialogue import Hit, Scope
from memoryos_core.values.facts import About, Dispute, Fact, KnownValue, Profile

_DAYS_AHEAD = 36_500  # a hundred years


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
    profile = engine.parts.store.profile(scope)
    if not engine.parts.config.recall.knowledge_share:
        return profile
    called = profile.get("name")
    return engine.knowledge.book(scope, () if called is None else (called,)).describe(profile)


def find_history(engine: Engine, scope: Scope, name: str) -> list[KnownValue]:
    """Return the values of an attribute in order; see `UserMemory.history`."""
    asked = accepting.text("name", name)
    called = engine.parts.store.profile(scope).get("name")
    facts = engine.parts.store.facts(scope, current=False)
    return Book(facts, () if called is None else (called,)).history(asked)


def list_disputes(engine: Engine, scope: Scope) -> list[Dispute]:
    """Return the facts that contradict each other; see `UserMemory.disputes`."""
    called = engine.parts.store.profile(scope).get("name")
    return [*engine.knowledge.disputes(scope, () if called is None else (called,))]


def find_upcoming(engine: Engine, scope: Scope, days: int) -> list[Fact]:
    """Return what lies ahead, soonest first; see `UserMemory.upcoming`."""
    now = engine.parts.clock()
    until = now + timedelta(days=accepting.count("days", days, most=_DAYS_AHEAD))
    ahead = [(when, fact) for fact in engine.parts.store.facts(scope) if (when := next_time(fact, now)) is not None]
    return [fact for when, fact in sorted(ahead, key=lambda pair: (pair[0], pair[1].seq)) if when <= until]


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
