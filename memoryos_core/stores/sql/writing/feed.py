"""The change feed, through which a cache follows a scope."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, Table, bindparam, select, union_all

from memoryos_core.stores.sql.damage import sound
from memoryos_core.stores.sql.scopes import cursor
from memoryos_core.stores.sql.tables import facts, pages, vectors
from memoryos_core.stores.sql.writing import facts as known_facts
from memoryos_core.stores.sql.writing.pages import PAGE_COLUMNS, page_of
from memoryos_core.stores.sql.writing.vectors import VECTOR_COLUMNS, vectors_of
from memoryos_core.values.commands import Cursor, Feed
from memoryos_core.values.dialogue import Scope

_p, _f, _v = pages.c, facts.c, vectors.c


def _between(table: Table) -> tuple[ColumnElement[bool], ...]:
    rev = table.c.rev
    return (table.c.scope == bindparam("of"), rev > bindparam("after"), rev <= bindparam("to"))


_CHANGES = union_all(
    select(_p.rev).where(_p.scope == bindparam("of"), _p.rev > bindparam("after")),
    select(_f.rev).where(_f.scope == bindparam("of"), _f.rev > bindparam("after")),
)
_BOUNDARY = _CHANGES.order_by("rev").limit(1).offset(bindparam("skipped"))
_PAGES = select(*PAGE_COLUMNS).where(*_between(pages)).order_by(_p.rev, _p.seq)
_FACTS = select(*known_facts.COLUMNS).where(*_between(facts)).order_by(_f.rev, _f.seq)
_PAGE_VECTORS = (
    select(*VECTOR_COLUMNS)
    .join(pages, (_p.scope == _v.scope) & (_p.id == _v.owner_id))
    .where(_v.scope == bindparam("of"), *_between(pages))
)
_FACT_VECTORS = (
    select(*VECTOR_COLUMNS)
    .join(facts, (_f.scope == _v.scope) & (_f.id == _v.owner_id))
    .where(_v.scope == bindparam("of"), *_between(facts), _f.status == "current")
)


def read_feed(connection: Connection, scope: Scope, after: Cursor, limit: int) -> Feed:
    """Return the changes after a cursor, up to `limit` rows; one rev is never split, so no row is lost."""
    now = cursor(connection, scope)
    start = after.version if after.epoch == now.epoch else 0
    last = connection.scalar(_BOUNDARY, {"of": scope.key, "after": start, "skipped": max(limit, 1) - 1})
    end = now.version if last is None else int(last)
    span = {"of": scope.key, "after": start, "to": end}
    found = sound(connection, "page", PAGE_COLUMNS, _PAGES, span)
    told = sound(connection, "fact", known_facts.COLUMNS, _FACTS, span)
    changed = tuple(known_facts.built(connection, scope, told))
    return Feed(
        cursor=Cursor(now.epoch, end),
        pages=tuple(map(page_of, found)),
        facts=tuple(fact for fact in changed if fact.status == "current"),
        retired_fact_ids=tuple(fact.id for fact in changed if fact.status != "current"),
        vectors=vectors_of(connection, (_PAGE_VECTORS, span), (_FACT_VECTORS, span)),
        more=end < now.version,
    )
