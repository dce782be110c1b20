"""Mid-term memory: moving pages into segments, and describing segments anew.

Counters of heat: written by visits, and read without loading whole segments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BindParameter,
    Column,
    ColumnElement,
    Connection,
    bindparam,
    case,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import Insert

from memoryos_core.errors import ConflictError, InvalidInputError
from memoryos_core.stores.sql.columns import Instant
from memoryos_core.stores.sql.damage import Plain, sound
from memoryos_core.stores.sql.dialects import ByDialect
from memoryos_core.stores.sql.scopes import advance, cursor
from memoryos_core.stores.sql.tables import chains, facts, pages, segments
from memoryos_core.stores.sql.writing.pages import batches
from memoryos_core.stores.sql.writing.promotion import count_revs, learn
from memoryos_core.values.commands import PageOut, Redescription, Regrouping, Visit
from memoryos_core.values.dialogue import Chain, HeatCounters, Scope, Segment

_s, _p, _c = segments.c, pages.c, chains.c
_ONE_SEGMENT = (_s.scope == bindparam("of"), _s.id == bindparam("segment"))

_COLUMNS: tuple[Column[Any], ...] = (
    *(_s.id, _s.summary, _s.keywords, _s.centroid, _s.n_visit, _s.l_interaction, _s.last_access),
    *(_s.archived, _s.rev, _s.seq),
)


def _no_less(count: ColumnElement[int]) -> ColumnElement[int]:
    return case((count < 0, 0), else_=count)


CHAIN_COLUMNS: tuple[Column[Any], ...] = (_c.id, _c.summary)
_INSERT = Plain(insert(segments))
_DESCRIBE = Plain(
    update(segments)
    .where(*_ONE_SEGMENT)
    .values(summary=bindparam("summary"), keywords=bindparam("keywords"), centroid=bindparam("centroid"))
    .values(rev=bindparam("rev"))
)
_WARM = Plain(
    update(segments)
    .where(*_ONE_SEGMENT)
    .values(n_visit=_no_less(_s.n_visit + bindparam("visits")))
    .values(l_interaction=_no_less(_s.l_interaction + bindparam("moved")), last_access=bindparam("last_access"))
)
_MOVE = Plain(
    update(pages)
    .where(_p.scope == bindparam("of"), _p.id == bindparam("page"))
    .values(tier="mid_term", segment_id=bindparam("segment"), chain_id=bindparam("chain"))
    .values(reread=bindparam("again"), rev=bindparam("rev_"))
)
_REGROUP = Plain(
    update(pages)
    .where(_p.scope == bindparam("of"), _p.id == bindparam("page"))
    .values(segment_id=bindparam("segment"), rev=bindparam("rev_"))
)
_CLEAR_REREAD = (
    update(pages)
    .where(_p.scope == bindparam("of"), _p.id == bindparam("page"))
    .values(reread=False, rev=bindparam("rev_"))
)


def _upsert(chain: Insert) -> Insert:
    return chain.on_conflict_do_update(index_elements=[_c.scope, _c.id], set_={"summary": chain.excluded.summary})


_IDS: BindParameter[Any] = bindparam("ids", expanding=True)
_PAGES_OF_SEGMENTS = (
    select(
        _p.segment_id,
        func.count().label("page_count"),
        func.sum(case((_p.analysed, 0), else_=1)).label("unread"),
        func.min(_p.timestamp).label("since"),
        func.max(_p.timestamp).label("until"),
    )
    .where(_p.scope == bindparam("of"))
    .group_by(_p.segment_id)
)
# Each with the one condition: with both, SQLite looks through all segments of the scope for a few.
_COUNT_PAGES = {
    False: Plain(_PAGES_OF_SEGMENTS.where(_p.segment_id.is_not(None))),
    True: Plain(_PAGES_OF_SEGMENTS.where(_p.segment_id.in_(_IDS))),
}
_SEGMENTS = {
    archived: select(*_COLUMNS).where(_s.scope == bindparam("of"), _s.archived if archived else ~_s.archived)
    for archived in (False, True)
}
_READ = {
    (named, archived): Plain(wanted.where(_s.id.in_(_IDS)) if named else wanted)
    for named in (False, True)
    for archived, wanted in _SEGMENTS.items()
}
_REVS = Plain(select(_s.id, _s.rev, _s.archived, _s.last_access).where(_s.scope == bindparam("of"), _s.id.in_(_IDS)))
_CHAINS = Plain(select(*CHAIN_COLUMNS).where(_c.scope == bindparam("of"), _c.id.in_(_IDS)))
_TIERS = Plain(select(_p.id, _p.tier).where(_p.scope == bindparam("of"), _p.id.in_(_IDS)))
_SAVE_CHAIN = ByDialect(lambda insert_into: Plain(_upsert(insert_into(chains))))
_OPEN_CHAIN = ByDialect(lambda insert_into: Plain(insert_into(chains).on_conflict_do_nothing()))


def page_out(connection: Connection, secret: bytes, move: PageOut) -> None:
    """Move pages from short-term memory into segments; `secret` is as in `facts.add`."""
    learnt, regrouping = count_revs(move.learning), move.regrouping
    changes = (move.segments, move.moves, regrouping.moves)
    numbers = advance(connection, move.scope, learnt + sum(map(len, changes)), holder=move.holder)
    if numbers is None:
        raise ConflictError("this scope holds no pages any more; read again")
    if move.epoch not in (None, cursor(connection, move.scope).epoch):
        raise ConflictError("something was forgotten since this batch was read; read again")
    known = _check_segments(connection, move.scope, (*move.segments, *regrouping.dissolved), archived_too=False)
    _check_moves(connection, move)
    revs = iter(range(numbers.first, numbers.last + 1))
    _save_segments(connection, move, known, revs)
    _save_chains(connection, move.scope, move.chains, (m.chain_id for m in move.moves))
    learn(connection, secret, move.scope, move.learning, revs)
    _regroup_pages(connection, move.scope, regrouping, revs)
    _move_pages(connection, move, revs)


def _save_segments(
    connection: Connection, move: PageOut, known: Mapping[str, datetime | None], revs: Iterator[int]
) -> None:
    moved = Counter(m.segment_id for m in move.moves)
    described: list[dict[str, object]] = []
    warmed: list[dict[str, object]] = []
    opened: list[dict[str, object]] = []
    for segment in move.segments:
        rev, (visits, interaction) = next(revs), move.regrouping.heat.get(segment.id, (0, 0))
        gained = moved[segment.id] + interaction
        if segment.id in known:
            described.append(_description(move.scope, segment, rev))
            access = _latest(known[segment.id], segment.last_access or move.at)
            key = {"of": move.scope.key, "segment": segment.id}
            warmed.append({**key, "visits": visits, "moved": gained, "last_access": access})
        else:
            opened.append(_row(move, segment, visits, gained, rev))
    for statement, rows in ((_DESCRIBE, described), (_WARM, warmed), (_INSERT, opened)):
        statement.write(connection, rows)


def redescribe(connection: Connection, redescription: Redescription) -> None:
    """Replace the descriptions of segments and chains."""
    scope, ids = redescription.scope, redescription.page_ids
    numbers = advance(connection, scope, len(ids) + len(redescription.segments), holder=redescription.holder)
    if numbers is None:
        raise ConflictError("this scope holds no segments any more; read again")
    if any(segment.rev == 0 for segment in redescription.segments):
        raise InvalidInputError("a segment with rev 0 was never stored and cannot be redescribed; use page_out")
    _check_segments(connection, scope, redescription.segments, archived_too=True)
    read = {*ids, *redescription.read}
    if _pages_in_tier(connection, scope, read, short_term=False) != read:
        raise ConflictError("pages of this re-reading are gone; read again")
    described = enumerate(redescription.segments, start=numbers.first)
    _DESCRIBE.write(connection, [_description(scope, segment, rev) for rev, segment in described])
    _save_chains(connection, scope, redescription.chains, ())
    if ids:
        revs = range(numbers.last - len(ids) + 1, numbers.last + 1)
        rows = [{"of": scope.key, "page": i, "rev_": rev} for i, rev in zip(ids, revs, strict=True)]
        connection.execute(_CLEAR_REREAD, rows)


def read_segments(
    connection: Connection, scope: Scope, ids: Sequence[str] | None, *, archived: bool
) -> tuple[Segment, ...]:
    """Segments with the counts of their pages, oldest first."""
    found: list[tuple[int, Segment]] = []
    for some in [None] if ids is None else batches(ids):
        named = {"of": scope.key} if some is None else {"of": scope.key, "ids": some}
        counting, reading = _COUNT_PAGES[some is not None], _READ[some is not None, archived]
        rows = sound(connection, "segment id of a page", (_p.segment_id,), counting, named)
        counted = {segment: (int(n), int(unread), since, until) for segment, n, unread, since, until in rows}
        for row in sound(connection, "segment", _COLUMNS, reading, named):
            pages_of, unread, since, until = counted.get(row.id, (0, 0, None, None))
            described = (row.id, row.summary, row.keywords, row.centroid)
            heat_of = (row.n_visit, row.l_interaction, row.last_access)
            segment = Segment(*described, *heat_of, pages_of, unread, row.archived, row.rev, since, until)
            found.append((row.seq, segment))
    found.sort(key=lambda entry: entry[0])
    return tuple(segment for _, segment in found)


def read_chains(connection: Connection, scope: Scope, ids: Sequence[str]) -> tuple[Chain, ...]:
    """Chains, in the order they were asked for."""
    found: dict[str, str] = {}
    for some in batches(ids):
        rows = sound(connection, "chain", CHAIN_COLUMNS, _CHAINS, {"of": scope.key, "ids": some})
        found.update((row.id, row.summary) for row in rows)
    return tuple(Chain(i, found[i]) for i in dict.fromkeys(ids) if i in found)


def _check_segments(
    connection: Connection, scope: Scope, given: Sequence[Segment], *, archived_too: bool
) -> dict[str, datetime | None]:
    """Return the last access of the stored segments; raise ConflictError when one changed since it was read."""
    accessed: dict[str, datetime | None] = {}
    rev: dict[str, int] = {}
    for some in batches(segment.id for segment in given):
        for row in _REVS.rows(connection, {"of": scope.key, "ids": some}):
            accessed[row.id] = row.last_access
            rev[row.id] = -1 if row.archived and not archived_too else row.rev
    if any(rev.get(segment.id, 0) != segment.rev for segment in given):
        raise ConflictError("a segment changed since it was read; read again")
    return accessed


def _check_moves(connection: Connection, move: PageOut) -> None:
    carried = {segment.id for segment in move.segments}
    named = [*(m.segment_id for m in move.moves), *(m.to_id for m in move.regrouping.moves)]
    if not carried.issuperset(named):
        raise InvalidInputError("a move names a segment that is not in PageOut.segments; add the segment")
    ids = {m.page_id for m in move.moves}
    if len({*ids, *(m.page_id for m in move.regrouping.moves)}) != len(named):
        raise InvalidInputError("a page occurs in two moves; move each page once")
    if _pages_in_tier(connection, move.scope, ids, short_term=True) != ids:
        raise ConflictError("pages have left short-term memory meanwhile; read again")
    homes = {m.page_id: m.from_id for m in move.regrouping.moves}
    for some in batches(homes):
        inside = select(_p.id, _p.segment_id).where(_p.scope == move.scope.key, _p.id.in_(some), _p.tier == "mid_term")
        found = {row.id: row.segment_id for row in connection.execute(inside)}
        if any(found.get(page_id) != homes[page_id] for page_id in some):
            raise ConflictError("pages to be regrouped have left their segment meanwhile; read again")


def _pages_in_tier(connection: Connection, scope: Scope, ids: Iterable[str], *, short_term: bool) -> set[str]:
    """Return those of these pages that are in short-term memory, or, when False, those outside it."""
    found: set[str] = set()
    for some in batches(ids):
        # Filter tiers here: with a tier in the query, the planner would scan the whole tier.
        rows = _TIERS.rows(connection, {"of": scope.key, "ids": some})
        found.update(row.id for row in rows if (row.tier == "short_term") == short_term)
    return found


def _description(scope: Scope, segment: Segment, rev: int) -> dict[str, object]:
    described = {"summary": segment.summary, "keywords": segment.keywords, "centroid": segment.centroid}
    return {"of": scope.key, "segment": segment.id, "rev": rev, **described}


def _row(move: PageOut, segment: Segment, visits: int, moved: int, rev: int) -> dict[str, object]:
    return {
        "scope": move.scope.key,
        "id": segment.id,
        "seq": rev,
        "summary": segment.summary,
        "keywords": segment.keywords,
        "centroid": segment.centroid,
        "n_visit": max(0, visits),
        "l_interaction": max(0, moved),
        "last_access": segment.last_access or move.at,
        "archived": False,
        "rev": rev,
    }


def _latest(stored: datetime | None, given: datetime) -> datetime:
    return given if stored is None else max(stored, given)


def _save_chains(connection: Connection, scope: Scope, given: Sequence[Chain], named: Iterable[str]) -> None:
    rows = [{"scope": scope.key, "id": chain.id, "summary": chain.summary} for chain in given]
    _SAVE_CHAIN[connection.dialect.name].write(connection, rows)
    # A chain without a summary is stored too, since it holds its pages together.
    plain = [{"scope": scope.key, "id": i, "summary": ""} for i in dict.fromkeys(named)]
    _OPEN_CHAIN[connection.dialect.name].write(connection, plain)


def _move_pages(connection: Connection, move: PageOut, revs: Iterator[int]) -> None:
    rows = [
        {
            "of": move.scope.key,
            "page": m.page_id,
            "segment": m.segment_id,
            "chain": m.chain_id,
            "again": m.reread,
            "rev_": next(revs),
        }
        for m in move.moves
    ]
    _MOVE.write(connection, rows)


def _regroup_pages(connection: Connection, scope: Scope, regrouping: Regrouping, revs: Iterator[int]) -> None:
    """Give the pages their new segments, and delete the dissolved ones; ConflictError when pages are left in one."""
    rows = [{"of": scope.key, "page": m.page_id, "segment": m.to_id, "rev_": next(revs)} for m in regrouping.moves]
    _REGROUP.write(connection, rows)
    for some in batches(segment.id for segment in regrouping.dissolved):
        inside = select(_p.id).where(_p.scope == scope.key, _p.segment_id.in_(some)).limit(1)
        if connection.execute(inside).first() is not None:
            raise ConflictError("a segment that was to be dissolved has pages; read again")
        connection.execute(delete(segments).where(_s.scope == scope.key, _s.id.in_(some)))


_at = bindparam("at", type_=Instant())
_VISIT = (
    update(segments)
    .where(_s.scope == bindparam("of"), _s.id == bindparam("segment"))
    .values(
        n_visit=_s.n_visit + 1,
        last_access=case((_s.last_access > _at, _s.last_access), else_=_at),
    )
)
_VISIT_FACT = (
    update(facts)
    .where(facts.c.scope == bindparam("of"), facts.c.id == bindparam("fact"))
    .values(visits=facts.c.visits + 1)
)
_COUNTERS = (_s.id, _s.n_visit, _s.l_interaction, _s.last_access)
_OF_SEGMENTS = (_s.scope == bindparam("of"), _s.id.in_(bindparam("ids", expanding=True)))
_READ_COUNTERS = Plain(select(*_COUNTERS).where(*_OF_SEGMENTS))


def visit(connection: Connection, visit: Visit) -> None:
    """Count a visit. No rev changes, since caches do not hold these counters."""
    if advance(connection, visit.scope, 0) is None:
        return
    key = visit.scope.key
    if visit.segment_ids:
        connection.execute(
            _VISIT, [{"of": key, "segment": i, "at": visit.at} for i in dict.fromkeys(visit.segment_ids)]
        )
    if visit.fact_ids:
        connection.execute(_VISIT_FACT, [{"of": key, "fact": i} for i in dict.fromkeys(visit.fact_ids)])


def counters(connection: Connection, scope: Scope, ids: Sequence[str]) -> dict[str, HeatCounters]:
    """The counters of segments by id, archived ones too; unknown ids are left out."""
    found: dict[str, HeatCounters] = {}
    for some in batches(ids):
        for row in sound(connection, "segment", _COUNTERS, _READ_COUNTERS, {"of": scope.key, "ids": some}):
            found[row.id] = HeatCounters(row.n_visit, row.l_interaction, row.last_access)
    return found
