"""Promotion: store what was learnt, mark the pages that were read, cool the segment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import BigInteger, Connection, bindparam, case, select, update

from memoryos_core.errors import ConflictError
from memoryos_core.stores.sql.damage import Plain
from memoryos_core.stores.sql.scopes import claim, cursor
from memoryos_core.stores.sql.tables import pages, segments
from memoryos_core.stores.sql.writing import facts, notes, vectors
from memoryos_core.stores.sql.writing import facts as persona
from memoryos_core.stores.sql.writing.facts import Support
from memoryos_core.stores.sql.writing.pages import batches, stored_ids
from memoryos_core.values.commands import FactChange, Learning, Promotion
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.facts import FactStatus

_p, _s = pages.c, segments.c
_cooled = bindparam("cooled", type_=BigInteger)
_COOL = Plain(
    update(segments)
    .where(_s.scope == bindparam("of"), _s.id == bindparam("segment"))
    .values(l_interaction=case((_s.l_interaction > _cooled, _s.l_interaction - _cooled), else_=0))
)
_READ = (
    update(pages)
    .where(_p.scope == bindparam("of"), _p.id == bindparam("page"))
    .values(analysed=True, rev=bindparam("rev_"))
)
_MARK, _MARK_FOR_REREADING, _MARK_AS_REREAD = map(Plain, (_READ, _READ.values(reread=True), _READ.values(reread=False)))
_FIRST_READ = Plain(
    select(_p.id).where(_p.scope == bindparam("of"), _p.id.in_(bindparam("ids", expanding=True)), _p.analysed).limit(1)
)


def promote(connection: Connection, secret: bytes, promotion: Promotion) -> None:
    """Store one reading. Items that cite only erased pages are left out; `secret` is as in `facts.add`."""
    scope, learning = promotion.scope, promotion.learning
    steps = 1 + count_revs(learning) + len(promotion.page_ids)
    numbers = claim(connection, scope, steps, holder=promotion.holder)
    revs = iter(range(numbers.first, numbers.last + 1))
    if promotion.epoch is not None and (
        promotion.epoch != cursor(connection, scope).epoch
        or len(stored_ids(connection, scope, promotion.page_ids)) < len(promotion.page_ids)
    ):
        raise ConflictError("something was forgotten since these pages were read; read again")
    if not promotion.again:
        _check_unread(connection, scope, promotion.page_ids)
    _check_status(connection, scope, promotion.current, "current")
    _check_status(connection, scope, promotion.quarantined, "quarantined")
    learn(connection, secret, scope, learning, revs)
    if learning.notes:
        notes.write(connection, scope, learning.notes, promotion.at, learning.embedder)
    if promotion.page_ids:
        marks = [{"of": scope.key, "page": i, "rev_": next(revs)} for i in promotion.page_ids]
        fresh = _MARK_AS_REREAD if promotion.again else _MARK
        (_MARK_FOR_REREADING if promotion.reread else fresh).write(connection, marks)
    if promotion.segment_id is not None:
        cooled = {"of": scope.key, "segment": promotion.segment_id, "cooled": promotion.cooled}
        _COOL.write(connection, [cooled])


def _check_unread(connection: Connection, scope: Scope, page_ids: Sequence[str]) -> None:
    """Raise ConflictError for pages read by another process: only the first reader stores its result."""
    for some in batches(page_ids):
        if _FIRST_READ.rows(connection, {"of": scope.key, "ids": some}):
            raise ConflictError("these pages were read into long-term memory meanwhile; read again")


def _check_status(connection: Connection, scope: Scope, fact_ids: Sequence[str], status: FactStatus) -> None:
    """Raise ConflictError when another process has replaced, released or forgotten a fact meanwhile."""
    found = facts.read_facts(connection, b"", scope, facts.FactFilter(fact_ids, current=False)) if fact_ids else ()
    if sum(fact.status == status for fact in found) < len(set(fact_ids)):
        raise ConflictError("a fact was replaced, released or forgotten meanwhile; read again")


def count_revs(learning: Learning) -> int:
    """Return how many revs `learn` takes."""
    return sum(map(len, (learning.facts, learning.changes, learning.traits, learning.profile)))


def learn(connection: Connection, secret: bytes, scope: Scope, learning: Learning, revs: Iterator[int]) -> None:
    """Store facts, changes, traits and fields, each with the next rev."""
    support = Support(connection, scope, learning)
    unsupported = {fact.id for fact in learning.facts if not support.holds(fact.page_ids)}
    supported = [fact for fact in learning.facts if fact.id not in unsupported]
    facts.add(connection, secret, scope, [(fact, support.left(fact.page_ids), next(revs)) for fact in supported])
    vectors.write(connection, scope, [row for row in learning.vectors if row.owner_id not in unsupported])
    for change in learning.changes:
        if change.superseded_by in unsupported:
            # The replacement was left out, so the old fact stays current.
            change = FactChange(change.fact_id, add_page_ids=change.add_page_ids)
        facts.change(connection, scope, change, support.left(change.add_page_ids), next(revs))
    entries = [
        *(persona.from_trait(t, support.left(t.page_ids)) for t in learning.traits if support.holds(t.page_ids)),
        *(persona.from_field(f, support.left(f.page_ids)) for f in learning.profile if support.holds(f.page_ids)),
    ]
    persona.learn(connection, scope, entries, revs)
