"""Retention in the store: marks of pages and facts, archiving, vacuum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import BigInteger, Column, Connection, Engine, Integer, Select, bindparam, case, select, update

from memoryos_core.config import RetentionKind
from memoryos_core.errors import StoreBusyError
from memoryos_core.stores.sql.audit import record
from memoryos_core.stores.sql.damage import sound, sound_up_to
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.scopes import advance
from memoryos_core.stores.sql.tables import facts, metadata, pages, scopes, segments
from memoryos_core.stores.sql.writing.pages import batches
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.queries import Mark

_p, _f, _s = pages.c, facts.c, segments.c


def _after(columns: tuple[Column[Any], ...], scope: Column[str], seq: Column[int]) -> Select[Any]:
    return (
        select(*columns)
        .where(scope == bindparam("of"))
        .where(seq > bindparam("after"))
        .order_by(seq)
        .limit(bindparam("limit", type_=Integer))
    )


_MARKED: dict[RetentionKind, tuple[Column[Any], ...]] = {
    "pages": (_p.id, _p.seq, _p.timestamp, _p.trust, _p.tier),
    "facts": (_f.id, _f.seq, _f.valid_from, _f.trust, _f.status),
}
_MARKS: dict[RetentionKind, Select[Any]] = {
    "pages": _after(_MARKED["pages"], _p.scope, _p.seq),
    "facts": _after(_MARKED["facts"], _f.scope, _f.seq),
}
_MEMBERS: tuple[Column[Any], ...] = (_p.id, _p.tier, _p.segment_id, _p.analysed)
# Mark them as analysed: their segment must neither read them into long-term memory nor wait for that.
_ARCHIVE = (
    update(pages)
    .where(_p.scope == bindparam("of"), _p.id == bindparam("page"))
    .values(tier="archive", analysed=True, rev=bindparam("rev_"))
)
_unread = bindparam("unread", type_=BigInteger)
_COOL = (
    update(segments)
    .where(_s.scope == bindparam("of"), _s.id == bindparam("segment"))
    .values(l_interaction=case((_s.l_interaction > _unread, _s.l_interaction - _unread), else_=0))
)
_CLOSE = (
    update(segments)
    .where(_s.scope == bindparam("of"), _s.id == bindparam("segment"), ~_s.archived)
    .values(archived=True, rev=bindparam("rev_"))
)

_CURRENT = select(_f.id).where(
    _f.scope == bindparam("of"), _f.id.in_(bindparam("ids", expanding=True)), _f.status == "current"
)
_EVICT = (
    update(facts)
    .where(_f.scope == bindparam("of"), _f.id == bindparam("fact"))
    .values(status="evicted", rev=bindparam("rev_"))
)


class Retaining:
    """Implements `ports.capabilities.RetentionStore` for the SQL store."""

    _database: Database

    def marks(self, scope: Scope, kind: RetentionKind, *, after: int = 0, limit: int = 5000) -> tuple[Mark, ...]:
        """Return times and sources, without content, of pages or facts with a seq above `after`, in that order."""
        with self._database.reading(scope) as connection:
            rows = sound_up_to(
                connection,
                kind[:-1],
                _MARKED[kind],
                lambda n: (_MARKS[kind], {"of": scope.key, "after": after, "limit": n}),
                limit,
            )
            return tuple(Mark(*row) for row in rows)

    def archive(self, scope: Scope, kind: RetentionKind, ids: Sequence[str]) -> int:
        """Take pages out of mid-term memory, or facts out of the current ones; return their number."""
        with self._database.writing(scope) as connection:
            if advance(connection, scope, 0) is None:
                return 0
            went = (_archive_pages if kind == "pages" else _evict_facts)(connection, scope, ids)
            if went:
                record(self._database, connection, scope, "archive", None, **{kind: went})
            return went

    def scopes_of(self, user_id: str) -> tuple[Scope, ...]:
        """Every scope of one user, by assistant."""
        wanted = select(scopes.c.assistant_id).where(scopes.c.user_id == user_id).order_by(scopes.c.assistant_id)
        with self._database.reading(None) as connection:
            return tuple(Scope(user_id, assistant) for assistant in connection.scalars(wanted))

    def vacuum(self, *, full: bool = False) -> None:
        """Free the space of erased rows; with `full`, leave no old image of them in the files of the tables."""
        tables = [table.name for table in metadata.sorted_tables]
        self._database.outside(lambda engine: vacuum(engine, tables, full=full))


def _archive_pages(connection: Connection, scope: Scope, page_ids: Sequence[str]) -> int:
    """Archive those of some pages that are in mid-term memory."""
    moving: list[str] = []
    unread: Counter[str] = Counter()
    for some in batches(page_ids):
        wanted = select(*_MEMBERS).where(_p.scope == scope.key, _p.id.in_(some))
        for row in sound(connection, "page", _MEMBERS, wanted.order_by(_p.seq)):
            if row.tier == "mid_term":
                moving.append(row.id)
                unread[row.segment_id] += not row.analysed
    numbers = advance(connection, scope, len(moving)) if moving else None
    if numbers is None:
        return 0
    revs = range(numbers.first, numbers.last + 1)
    rows = [{"of": scope.key, "page": i, "rev_": rev} for i, rev in zip(moving, revs, strict=True)]
    connection.execute(_ARCHIVE, rows)
    connection.execute(_COOL, [{"of": scope.key, "segment": i, "unread": n} for i, n in sorted(unread.items())])
    close_empty(connection, scope, unread)
    return len(moving)


def _evict_facts(connection: Connection, scope: Scope, fact_ids: Sequence[str]) -> int:
    """Evict those of some facts that are current, as capacity does."""
    there = [row for some in batches(fact_ids) for row in connection.scalars(_CURRENT, {"of": scope.key, "ids": some})]
    numbers = advance(connection, scope, len(there)) if there else None
    if numbers is None:
        return 0
    revs = range(numbers.first, numbers.last + 1)
    rows = [{"of": scope.key, "fact": i, "rev_": rev} for i, rev in zip(there, revs, strict=True)]
    connection.execute(_EVICT, rows)
    return len(rows)


def close_empty(connection: Connection, scope: Scope, segment_ids: Iterable[str]) -> None:
    """Archive those of these segments that have no page of mid-term memory left."""
    empty = set(segment_ids)
    for some in batches(sorted(empty)):
        members = select(_p.segment_id).where(_p.scope == scope.key, _p.segment_id.in_(some), _p.tier == "mid_term")
        empty.difference_update(connection.scalars(members.distinct()))
    numbers = advance(connection, scope, len(empty)) if empty else None
    if numbers is not None:
        revs = range(numbers.first, numbers.last + 1)
        rows = [{"of": scope.key, "segment": i, "rev_": rev} for i, rev in zip(sorted(empty), revs, strict=True)]
        connection.execute(_CLOSE, rows)


def vacuum(engine: Engine, tables: Sequence[str], *, full: bool) -> None:
    """Vacuum outside any transaction. Raises StoreBusyError while another connection blocks it."""
    # Skip our BEGIN on a file; a server's connection has no transaction before its first statement.
    with engine.execution_options(memoryos_begin="SELECT 1").connect() as connection:
        if engine.dialect.name == "sqlite":
            _rewrite(connection)
        else:
            _of_server(connection, tables, full=full)


def _rewrite(connection: Connection) -> None:
    """Write a SQLite file anew, and empty its log. `secure_delete` has overwritten what was erased before this."""
    connection.exec_driver_sql("VACUUM")
    held_up = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar_one()
    if held_up:
        raise StoreBusyError("another connection reads the file, so its log could not be emptied; run vacuum again")


def _of_server(connection: Connection, tables: Sequence[str], *, full: bool) -> None:
    """Vacuum PostgreSQL: plain frees the space that autovacuum would free later; `full` rewrites each table.

    ANALYZE comes with both: the planner's statistics are samples of what is there.
    """
    waits = connection.get_execution_options().get("memoryos_lock", "30s")
    connection.detach()  # its settings go with it
    connection.exec_driver_sql("SELECT set_config('lock_timeout', %s, false)", (waits,))
    connection.exec_driver_sql("SET statement_timeout = 0")
    for table in tables:  # one statement per table, so that each lock is held only for its table
        connection.exec_driver_sql(f"VACUUM ({'FULL, ' if full else ''}ANALYZE) {table}")
