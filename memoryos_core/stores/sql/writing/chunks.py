"""Chunks of the resident index as rows, and all vectors of a scope in bulk (ADR 0032)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from sqlalchemy import Connection, LargeBinary, delete, insert, literal, select, text
from sqlalchemy.exc import OperationalError

from memoryos_core.stores.sql.columns import escape, read_leniently, unescape
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.scopes import advance, cursor
from memoryos_core.stores.sql.tables import chunks
from memoryos_core.stores.sql.writing.vectors import stamp
from memoryos_core.values.commands import EmbedderStamp
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.queries import IndexChunk, VectorBlock

_c = chunks.c
_HEAD = (_c.number, _c.made_by, _c.epoch, _c.after, _c.last, _c.checksum, _c.size)
_KINDS = (int, str, int, int, int, str, int, bytes)
_MARK = "\x1a"  # of what `escape` has changed
# SQLite and pgvector keep the numbers in another order of bytes.
_WRITTEN = {"sqlite": "<f4", "postgresql": ">f4"}
_HEADER = {"sqlite": 0, "postgresql": 4}
# Without the types of the columns: a processor for each value takes as long as reading it.
_BULK = {
    name: text(
        f"SELECT owner_id, part, {vector} FROM memoryos_vectors "  # noqa: S608 - two texts of our own
        "WHERE scope = :of AND (owner_id, part) > (:owner, :part) ORDER BY owner_id, part LIMIT :most"
    )
    for name, vector in (("sqlite", "vector"), ("postgresql", "vector_send(vector)"))
}


class Keeping:
    """Implements `ports.capabilities.IndexStore` for the SQL store."""

    _database: Database

    def index_chunks(self, scope: Scope, *, after: int = 0, heads: bool = False) -> tuple[IndexChunk, ...]:
        """Return the chunks with a greater number than `after`, in order; with `heads` without their content."""
        content = literal(b"", LargeBinary()) if heads else _c.content
        wanted = select(*_HEAD, content).where(_c.scope == scope.key, _c.number > after).order_by(_c.number)
        with self._database.reading(scope) as connection:
            rows = read_leniently(lambda: connection.execute(wanted).all())
        sound = [all(map(isinstance, row, _KINDS)) for row in rows]
        # What follows an unreadable row continues nothing.
        return tuple(IndexChunk(*row) for row in rows[: sound.index(False) if False in sound else None])

    def write_index_chunk(self, scope: Scope, chunk: IndexChunk, *, seen: Sequence[str]) -> bool:
        """Store a chunk in place of all with its number or a greater one; return True when it was written."""
        with self._database.writing(scope) as connection:
            if advance(connection, scope, 0) is None:  # it locks the scope
                return False
            now = cursor(connection, scope)
            there = select(_c.checksum).where(_c.scope == scope.key).order_by(_c.number)
            if chunk.epoch != now.epoch or chunk.last > now.version or list(connection.scalars(there)) != list(seen):
                return False
            connection.execute(delete(chunks).where(_c.scope == scope.key, _c.number >= chunk.number))
            values = {column.name: getattr(chunk, column.name) for column in (*_HEAD, _c.content)}
            connection.execute(insert(chunks), {"scope": scope.key, **values})
        return True

    def index_vectors(
        self, scope: Scope, *, after: tuple[str, str] = ("", ""), limit: int = 2048
    ) -> VectorBlock | None:
        """Return vectors of the store's embedder, in order of owner and part; None without one, and for a damaged vector."""
        with self._database.reading(scope) as connection:
            current = stamp(connection)
            return None if current is None else _read_block(connection, scope, current, after, limit)


def _read_block(
    connection: Connection, scope: Scope, current: EmbedderStamp, after: tuple[str, str], limit: int
) -> VectorBlock | None:
    dialect, (owner, part) = connection.dialect.name, after
    values = {"of": scope.key, "owner": escape(owner), "part": part, "most": limit}
    try:
        rows = connection.execute(_BULK[dialect], values).all()
        owners, parts, written = zip(*rows, strict=True) if rows else ((), (), ())
    except OperationalError:  # SQLite's driver refuses a text that is not UTF-8, with all rows
        return None
    size = _HEADER[dialect] + 4 * current.dimension
    if not (set(map(type, chain(owners, parts))) <= {str} and set(map(type, written)) <= {bytes}):
        return None
    if not set(map(len, written)) <= {size}:
        return None
    numbers = np.frombuffer(b"".join(written), dtype=np.uint8).reshape(len(rows), size)
    found = np.ascontiguousarray(numbers[:, _HEADER[dialect] :]).view(_WRITTEN[dialect]).astype(np.float32, copy=False)
    names = [unescape(name) if _MARK in name else name for name in owners]
    return VectorBlock(names, parts, found, (names[-1], parts[-1]) if len(rows) == limit else None)
