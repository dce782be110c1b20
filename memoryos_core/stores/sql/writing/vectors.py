"""Vectors as rows, and the stamp that says which embedder wrote them.

The change feed, through which a cache follows a scope.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Executable,
    Table,
    bindparam,
    delete,
    insert,
    select,
    text,
    union_all,
    update,
)

from memoryos_core.errors import EmbedderMismatchError
from memoryos_core.stores.sql import vector_column as near
from memoryos_core.stores.sql.damage import Plain, leave_out, sound
from memoryos_core.stores.sql.scopes import advance, cursor, due_now
from memoryos_core.stores.sql.tables import chunks, embedder, facts, notes, pages, scopes, segments, vectors
from memoryos_core.stores.sql.vector_column import check
from memoryos_core.stores.sql.writing import facts as known_facts
from memoryos_core.stores.sql.writing.pages import PAGE_COLUMNS, batches, page_of, stored_ids
from memoryos_core.values.commands import Cursor, EmbedderStamp, Feed, VectorRow
from memoryos_core.values.dialogue import Scope, Vector

_v, _p = vectors.c, pages.c
_FACT = "fact"
VECTOR_COLUMNS: tuple[Column[Any], ...] = (_v.owner_id, _v.part, _v.vector)

_INSERT = insert(vectors)
_MARK_PAGE = (
    update(pages)
    .where(_p.scope == bindparam("of"), _p.id == bindparam("owner"))
    .values(embedded=True, rev=bindparam("rev_"))
)
_MARK_FACT = (
    update(facts)
    .where(facts.c.scope == bindparam("of"), facts.c.id == bindparam("owner"))
    .values(rev=bindparam("rev_"))
)


def save(connection: Connection, scope: Scope, rows: Sequence[VectorRow]) -> None:
    """Replace the vectors of pages and facts that are still there."""
    owners = list(dict.fromkeys(row.owner_id for row in rows))
    numbers = advance(connection, scope, len(owners))
    if numbers is None or not owners:
        return
    in_facts = {row.owner_id for row in rows if row.part == _FACT}
    known_facts = stored_ids(connection, scope, in_facts, table=facts)
    sizes = {row.owner_id: row.tokens for row in rows if row.owner_id not in in_facts}
    known_pages = _unchanged_pages(connection, scope, sizes)
    erase(connection, scope, known_pages | known_facts)
    write(connection, scope, (row for row in rows if row.owner_id in known_pages | known_facts))
    for statement, kept in ((_MARK_PAGE, known_pages), (_MARK_FACT, known_facts)):
        marks = [
            {"of": scope.key, "owner": owner, "rev_": rev}
            for rev, owner in enumerate(owners, start=numbers.first)
            if owner in kept
        ]
        if marks:
            connection.execute(statement, marks)


def _unchanged_pages(connection: Connection, scope: Scope, sizes: Mapping[str, int | None]) -> set[str]:
    """The pages that are still there and no larger than when they were embedded."""
    found: set[str] = set()
    for some in batches(sizes):
        for page_id, tokens in connection.execute(
            select(_p.id, _p.tokens).where(_p.scope == scope.key, _p.id.in_(some))
        ):
            if sizes[page_id] in (None, tokens):
                found.add(page_id)
    return found


def write(connection: Connection, scope: Scope, rows: Iterable[VectorRow]) -> None:
    """Insert rows of owners that have none. Raises EmbedderMismatchError."""
    rows = list(rows)
    _check_embedder(connection, {row.embedder for row in rows} - {None})
    if connection.dialect.name == "postgresql":
        for row in rows:
            check(row.vector)
    values = [{"scope": scope.key, "owner_id": row.owner_id, "part": row.part, "vector": row.vector} for row in rows]
    if values:
        connection.execute(_INSERT, values)


def _check_embedder(connection: Connection, names: set[str | None]) -> None:
    """Raise EmbedderMismatchError when the store has another embedder, as after a reindex elsewhere."""
    if names:
        current = stamp(connection)
        if current is not None and names != {current.name}:
            raise EmbedderMismatchError(
                f"these vectors are not of the store's embedder, {current.name!r}; open the memory with that one, "
                "or call memory.reindex(embedder=…)"
            )


def erase(connection: Connection, scope: Scope, owner_ids: Iterable[str]) -> int:
    """Delete the vectors of some owners; returns how many rows went."""
    gone = 0
    for some in batches(owner_ids):
        gone += connection.execute(delete(vectors).where(_v.scope == scope.key, _v.owner_id.in_(some))).rowcount
    return gone


_OF_OWNERS = Plain(
    select(*VECTOR_COLUMNS).where(_v.scope == bindparam("of"), _v.owner_id.in_(bindparam("ids", expanding=True)))
)


def read_vectors(connection: Connection, scope: Scope, owner_ids: Iterable[str]) -> dict[str, dict[str, Vector]]:
    """Vectors by owner and part."""
    return vectors_of(connection, *((_OF_OWNERS, {"of": scope.key, "ids": some}) for some in batches(owner_ids)))


def vectors_of(
    connection: Connection, *asked: tuple[Executable | Plain, Mapping[str, object] | None]
) -> dict[str, dict[str, Vector]]:
    """Vectors by owner and part, from statements for VECTOR_COLUMNS; those that are not the embedder's are left out."""
    rows = [
        row for statement, values in asked for row in sound(connection, "vector", VECTOR_COLUMNS, statement, values)
    ]
    current = stamp(connection) if rows else None
    found: dict[str, dict[str, Vector]] = {}
    for owner, part, vector in rows:
        if current is None or len(vector) == current.dimension:
            found.setdefault(owner, {})[part] = vector
        else:
            leave_out(connection, "vector", owner)
    return found


_STAMP = Plain(select(embedder.c.name, embedder.c.dimension))


def stamp(connection: Connection) -> EmbedderStamp | None:
    """Return the stamp of the embedder that wrote the vectors."""
    row = next(iter(_STAMP.rows(connection)), None)
    return None if row is None else EmbedderStamp(row.name, row.dimension)


def restamp(connection: Connection, new: EmbedderStamp | None) -> None:
    """Record another embedder and delete all vectors in every scope. The only change across scopes."""
    if new is not None and stamp(connection) == new:
        return
    if connection.dialect.name == "postgresql":
        # Two processes may stamp a new store at once: the second must see the first stamp.
        connection.execute(text("LOCK TABLE memoryos_embedder IN SHARE ROW EXCLUSIVE MODE"))
        if new is not None and stamp(connection) == new:
            return
    # First, to keep all writers out: the index is created while no other transaction holds rows.
    connection.execute(update(scopes).values(epoch=scopes.c.epoch + 1, version=scopes.c.version + 1, due=due_now))
    connection.execute(delete(embedder))
    if new is not None:
        connection.execute(insert(embedder), {"id": 1, "name": new.name, "dimension": new.dimension})
    connection.execute(delete(vectors))
    connection.execute(delete(chunks))
    near.drop_index(connection)
    connection.execute(update(pages).where(_p.embedded).values(embedded=False))
    connection.execute(update(notes).where(notes.c.vector.is_not(None)).values(vector=None))
    # An empty centroid matches no page until it is computed again from new vectors.
    connection.execute(update(segments).values(centroid=np.zeros(0, dtype=np.float32), rev=segments.c.rev + 1))


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
