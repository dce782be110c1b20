"""The laws that every memory keeps: each is a query for the rows that break it, so nothing is trusted but SQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    BindParameter,
    Column,
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    exists,
    func,
    or_,
    select,
    union_all,
)

from memoryos_core.errors import StoreCorruptError
from memoryos_core.stores.sql.audit import check as check_chain
from memoryos_core.stores.sql.damage import Plain
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.tables import (
    citations,
    facts,
    notes,
    pages,
    persona,
    postings,
    scopes,
    segments,
    units,
    vectors,
)
from memoryos_core.stores.sql.writing.exporting import Export
from memoryos_core.stores.sql.writing.vectors import read_vectors, stamp
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.reports import CheckFinding

_MOST_IDS = 20
_OWNERS_AT_ONCE = 1000
_SOUND = "the database itself is sound"

_p, _s, _f, _v, _c = pages.c, segments.c, facts.c, vectors.c, citations.c
_heirs = facts.alias().c
_here: BindParameter[str] = bindparam("scope")


def _missing(row: Column[Any], table_scope: Column[Any], column: Column[Any]) -> ColumnElement[bool]:
    """Return the condition that no row of this scope has the value of `row` in this column."""
    return ~exists().where(table_scope == _here, column == row)


_of_a_tier = _p.tier.in_(("mid_term", "archive"))
_ELSEWHERE = (
    select(_p.id)
    .select_from(pages.outerjoin(segments, and_(_s.scope == _p.scope, _s.id == _p.segment_id)))
    .where(_p.scope == _here, _of_a_tier, or_(_s.id.is_(None), and_(_p.tier == "mid_term", _s.archived)))
)
# Retention archives single pages, which stay in their segment: the segment follows once it has no other pages.
_ALL_ARCHIVED = select(_s.id).where(
    _s.scope == _here, ~_s.archived, ~exists().where(_p.scope == _here, _p.segment_id == _s.id, _p.tier == "mid_term")
)
_UNCITABLE = select(_c.item_id).where(
    _c.scope == _here,
    or_(
        and_(_c.kind == "fact", _missing(_c.item_id, _f.scope, _f.id)),
        and_(_c.kind == "persona", _missing(_c.item_id, persona.c.scope, persona.c.id)),
    ),
)
_revisions = union_all(
    select(_p.id, _p.rev).where(_p.scope == _here),
    select(_f.id, _f.rev).where(_f.scope == _here),
    select(_s.id, _s.rev).where(_s.scope == _here),
).subquery()
_ABOVE = (
    select(_revisions.c.id)
    .select_from(scopes.join(_revisions, _revisions.c.rev > scopes.c.version))
    .where(scopes.c.scope == _here)
)
_BEYOND = (
    select(_p.id)
    .select_from(pages.join(scopes, and_(scopes.c.scope == _p.scope, _p.seq > scopes.c.last_seq)))
    .where(_p.scope == _here)
)

_OF_VECTORS = "an embedded page has a vector"  # where vectors are stored at all
_LAWS: Mapping[str, Select[Any]] = {
    "a page of mid-term memory is in a segment there, and one of the archive in any segment": _ELSEWHERE,
    "a segment of mid-term memory has a page there": _ALL_ARCHIVED,
    "a page of short-term memory is in no segment": select(_p.id).where(
        _p.scope == _here, _p.tier == "short_term", or_(_p.segment_id.is_not(None), _p.chain_id.is_not(None))
    ),
    "a page is in one of the tiers": select(_p.id).where(
        _p.scope == _here, _p.tier.not_in(("short_term", "mid_term", "archive"))
    ),
    "a segment has pages": select(_s.id).where(_s.scope == _here, _missing(_s.id, _p.scope, _p.segment_id)),
    "a cited item exists": _UNCITABLE,
    "a vector belongs to a page or a fact": select(_v.owner_id).where(
        _v.scope == _here, _missing(_v.owner_id, _p.scope, _p.id), _missing(_v.owner_id, _f.scope, _f.id)
    ),
    "a fact was replaced by one that exists": select(_f.id).where(
        _f.scope == _here,
        _f.superseded_by.is_not(None),
        _missing(_f.superseded_by, _heirs.scope, _heirs.id),
    ),
    "a note's fact exists": select(notes.c.key).where(
        notes.c.scope == _here, notes.c.fact_id.is_not(None), _missing(notes.c.fact_id, _f.scope, _f.id)
    ),
    "no revision is above the version of its scope": _ABOVE,
    "no page is beyond the last of its scope": _BEYOND,
    "a unit belongs to a page or a fact": select(units.c.owner_id).where(
        units.c.scope == _here,
        _missing(units.c.owner_id, _p.scope, _p.id),
        _missing(units.c.owner_id, _f.scope, _f.id),
    ),
    "a posting belongs to a unit": select(postings.c.unit).where(
        postings.c.scope == _here, _missing(postings.c.unit, units.c.scope, units.c.unit)
    ),
    _OF_VECTORS: select(_p.id).where(_p.scope == _here, _p.embedded.is_(True), _missing(_p.id, _v.scope, _v.owner_id)),
}
_FIRST = {law: Plain(rows.order_by(rows.selected_columns[0]).limit(_MOST_IDS)) for law, rows in _LAWS.items()}
_OWNERS = Plain(
    select(_v.owner_id)
    .where(_v.scope == _here, _v.owner_id > bindparam("after"))
    .distinct()
    .order_by(_v.owner_id)
    .limit(_OWNERS_AT_ONCE)
)


def check_database(database: Database, *, deep: bool) -> Iterator[CheckFinding]:
    """Yield what the database says of itself; with `deep`, of every page of its file."""
    try:
        with database.reading(None) as connection:
            for law, rows in database.examine(connection, deep=deep).items():
                yield from _finding(None, law, rows)
    except StoreCorruptError:
        yield CheckFinding(None, _SOUND, 1)


def check_scope(database: Database, scope: Scope, *, deep: bool) -> Iterator[CheckFinding]:
    """Yield the laws that rows of one scope break; with `deep`, every row is read and decoded."""
    try:
        with database.reading(scope) as connection:
            yield from _check_rows(connection, scope)
            chain = check_chain(connection, database.secret, scope.key)
        if not chain.ok:
            yield CheckFinding(scope, "the audit log is unbroken", 1, (str(chain.broken),))
        if deep:
            yield from _check_reading(database, scope)
    except StoreCorruptError:
        yield CheckFinding(scope, _SOUND, 1)


def _check_rows(connection: Connection, scope: Scope) -> Iterator[CheckFinding]:
    is_embedded = stamp(connection) is not None
    for law, first in _FIRST.items():
        if law == _OF_VECTORS and not is_embedded:
            continue
        ids = tuple(str(row[0]) for row in first.rows(connection, {"scope": scope.key}))
        if len(ids) < _MOST_IDS:
            yield from _finding(scope, law, ids)
            continue
        count = select(func.count()).select_from(_LAWS[law].subquery())
        yield CheckFinding(scope, law, connection.scalar(count, {"scope": scope.key}) or len(ids), ids)


def _check_reading(database: Database, scope: Scope) -> Iterator[CheckFinding]:
    """Decode every row, as an export and a recall do: what cannot be decoded is in the tally of damage afterwards."""
    database.damage.clear(scope.key)
    for _ in Export(database, scope).records():
        pass
    after = ""
    while True:
        with database.reading(scope) as connection:
            ids = [row[0] for row in _OWNERS.rows(connection, {"scope": scope.key, "after": after})]
            read_vectors(connection, scope, ids)
        if len(ids) < _OWNERS_AT_ONCE:
            break
        after = ids[-1]
    for kind, damaged in database.damage.kinds(scope.key).items():
        yield from _finding(scope, f"a {kind} can be read", damaged)


def _finding(scope: Scope | None, law: str, ids: Sequence[str]) -> Iterator[CheckFinding]:
    if ids:
        yield CheckFinding(scope, law, len(ids), tuple(ids[:_MOST_IDS]))
