"""Chunks of the resident index as rows, and all vectors of a scope in bulk (ADR 0032)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np
from sqlalchemy import Connection, Executable, LargeBinary, bindparam, delete, insert, literal, select, text, update
from sqlalchemy import cast as cast_to
from sqlalchemy.exc import OperationalError

from memoryos_core.ports.capabilities import Prune
from memoryos_core.stores.sql.columns import unescape
from memoryos_core.stores.sql.damage import is_undecodable
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.scopes import advance, cursor, erase_chunks
from memoryos_core.stores.sql.tables import chunks, facts, pages
from memoryos_core.stores.sql.writing.vectors import stamp
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.queries import IndexChunk, IndexOwners, VectorBlock

_c = chunks.c
_HEAD = (_c.number, _c.made_by, _c.epoch, _c.after, _c.last, _c.checksum, _c.size)
_DAMAGED = IndexChunk(0, "", 0, 0, 0, "", 0)
"""Stands for a row that cannot be read."""
_KINDS = (int, str, int, int, int, str, int, bytes)
_MARK = "\x1a"  # of what `escape` has changed
# Rows are copied while they are in the processor's cache, and given away in blocks as the resident index keeps them.
_ROWS = 512
_BLOCK = 4096
# SQLite and pgvector keep the numbers in another order of bytes, and pgvector has a header.
_WRITTEN = {"sqlite": (0, "<f4"), "postgresql": (4, ">f4")}
# Without the types of the columns: a processor for each value takes as long as reading it. Rows come in the order in
# which they lie on the disk, and PostgreSQL's from a cursor on the server, since its driver would hold all of them.
_SQLITE_BULK = text(
    "SELECT v.owner_id, v.part, v.vector FROM (SELECT rowid AS place FROM memoryos_vectors WHERE scope = :of "
    "ORDER BY rowid) AS k CROSS JOIN memoryos_vectors AS v ON v.rowid = k.place"
)
_POSTGRES_BULK = "SELECT owner_id, part, vector_send(vector) FROM memoryos_vectors WHERE scope = %(of)s"


_OPTION = "memoryos_prune"
_PAGE_IDS = select(pages.c.id).where(pages.c.scope == bindparam("of"))
_FACT_IDS = select(facts.c.id).where(facts.c.scope == bindparam("of"))
_REPLACE = (
    update(chunks)
    .where(_c.scope == bindparam("of"), _c.number == bindparam("n"))
    .values(epoch=bindparam("epoch_"), checksum=bindparam("sum"), size=bindparam("size_"), content=bindparam("new"))
)


class Keeping:
    """Implements `ports.capabilities.IndexStore` for the SQL store."""

    _database: Database

    def _prune_with(self, prune: Prune | None) -> None:
        """Prune chunks from now on where rows are erased, instead of erasing them all."""
        if prune is not None:
            self._database.write_with({_OPTION: prune})

    def index_owners(self, scope: Scope) -> IndexOwners:
        """Return the pages and facts that are there, so that an index drops the others when something was erased."""
        with self._database.reading(scope) as connection:
            found = (_ids(connection, wanted, scope) for wanted in (_PAGE_IDS, _FACT_IDS))
            return IndexOwners(cursor(connection, scope), stamp(connection), *found)

    def index_chunks(self, scope: Scope, *, after: int = 0, heads: bool = False) -> tuple[IndexChunk, ...]:
        """Return the chunks with a greater number than `after`, in order; with `heads` without their content."""
        with self._database.reading(scope) as connection:
            return _read_chunks(connection, scope, after, heads=heads)

    def write_index_chunk(self, scope: Scope, chunk: IndexChunk, *, seen: Sequence[str]) -> bool:
        """Store a chunk in place of all with its number or a greater one; return True when it was written."""
        with self._database.writing(scope) as connection:
            if advance(connection, scope, 0) is None:  # it locks the scope
                return False
            now = cursor(connection, scope)
            there = select(_c.checksum).where(_c.scope == scope.key).order_by(_c.number)
            if chunk.epoch != now.epoch or chunk.last > now.version:
                return False
            if list(map(_text_of, connection.scalars(there))) != list(seen):
                return False
            connection.execute(delete(chunks).where(_c.scope == scope.key, _c.number >= chunk.number))
            values = {column.name: getattr(chunk, column.name) for column in (*_HEAD, _c.content)}
            connection.execute(insert(chunks), {"scope": scope.key, **values})
        return True

    def read_index_vectors(self, scope: Scope, take: Callable[[VectorBlock], None]) -> bool:
        """Give all vectors of the store's embedder away, block by block; False without one, or for a damaged vector."""
        with self._database.reading(scope) as connection:
            current = stamp(connection)
            if current is None:
                return False
            block = _Block(connection.dialect.name, current.dimension)
            try:
                for rows in _read_rows(connection, scope):
                    if not block.add(rows):
                        return False
                    if len(block.parts) == _BLOCK:
                        take(block.done())
            except OperationalError as error:  # SQLite's driver refuses a text that is not UTF-8, with all rows
                if not is_undecodable(error):
                    raise
                return False
            if block.parts:
                take(block.done())
        return True


def _ids(connection: Connection, wanted: Executable, scope: Scope) -> frozenset[str]:
    rows = cast("Any", connection.execute(wanted, {"of": scope.key}).cursor).fetchall()
    # An id that damage made no text belongs to a row that nothing reads, and the index holds nothing of it.
    found = (row_id for (row_id,) in rows if isinstance(row_id, str))
    return frozenset(unescape(row_id) if _MARK in row_id else row_id for row_id in found)


def _read_chunks(
    connection: Connection, scope: Scope, after: int = 0, *, heads: bool = False
) -> tuple[IndexChunk, ...]:
    # Cast: by damage it may be a text that is not UTF-8, and for that SQLite's driver refuses all rows.
    content = literal(b"", LargeBinary()) if heads else cast_to(_c.content, _c.content.type)
    wanted = select(*_HEAD, content).where(_c.scope == scope.key, _c.number > after).order_by(_c.number)
    try:
        rows = connection.execute(wanted).all()
    except OperationalError as error:
        if not is_undecodable(error):
            raise
        return (_DAMAGED,)
    return tuple(
        IndexChunk(*row) if all(map(isinstance, row, _KINDS)) else replace(_DAMAGED, checksum=_text_of(row.checksum))
        for row in rows
    )


def prune_chunks(connection: Connection, scope: Scope, page_ids: Collection[str], fact_ids: Collection[str]) -> None:
    """Take pages and facts, which are erased in this transaction, out of the chunks that hold them.

    All chunks are erased where one of them cannot be read, or without a `Prune`: they are made again from the rows.
    """
    prune: Prune | None = connection.get_execution_options().get(_OPTION)
    there = () if prune is None else _read_chunks(connection, scope)
    pruned = [] if prune is None else [(chunk, prune(scope, chunk, page_ids, fact_ids)) for chunk in there]
    if not pruned or any(after is None for _, after in pruned):
        erase_chunks(connection, scope)
        return
    for chunk, after in pruned:
        if after is not None and after is not chunk:
            place = {"of": scope.key, "n": chunk.number, "epoch_": after.epoch}
            connection.execute(_REPLACE, place | {"sum": after.checksum, "size_": after.size, "new": after.content})


def _text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def _read_rows(connection: Connection, scope: Scope) -> Iterator[Sequence[Any]]:
    # As tuples of the driver: a third of the time goes into rows otherwise.
    if connection.dialect.name == "sqlite":
        cursor = cast("Any", connection.execute(_SQLITE_BULK, {"of": scope.key}).cursor)
    else:
        driver = cast("Any", connection.connection.dbapi_connection)
        cursor = driver.cursor("memoryos_vectors", binary=True)  # else a vector is written out as hexadecimal digits
        cursor.execute(_POSTGRES_BULK, {"of": scope.key})
    with closing(cursor):
        yield from iter(partial(cursor.fetchmany, _ROWS), [])


class _Block:
    """A block that is being read."""

    def __init__(self, dialect: str, dimension: int) -> None:
        self._header, kind = _WRITTEN[dialect]
        self._row = np.dtype([("header", "u1", self._header), ("vector", kind, dimension)])
        self._dimension = dimension
        self._begin()

    def _begin(self) -> None:
        self.owners: list[str] = []
        self.parts: list[str] = []
        self._vectors = np.empty((_BLOCK, self._dimension), dtype=np.float32)

    def add(self, rows: Sequence[Any]) -> bool:
        """Add rows; False when one of them is damaged."""
        owners, parts, written = zip(*rows, strict=True)
        if {*map(type, owners), *map(type, parts)} != {str} or set(map(type, written)) != {bytes}:
            return False
        if set(map(len, written)) != {self._header + 4 * self._dimension}:
            return False
        at = len(self.parts)
        self.owners += map(unescape, owners) if _MARK in "".join(owners) else owners
        self.parts += parts
        numbers = np.frombuffer(b"".join(written), dtype=self._row)["vector"]
        self._vectors[at : len(self.parts)] = numbers
        return True

    def done(self) -> VectorBlock:
        """Return what was added, and begin the next one."""
        block = VectorBlock(self.owners, self.parts, self._vectors[: len(self.parts)])
        self._begin()
        return block
