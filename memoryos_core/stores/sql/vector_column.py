"""The column of vectors that are searched: bytes in SQLite, pgvector's own type in PostgreSQL.

The approximate index over vectors: created when a scope gets too large, dropped with the embedder.

Each insert into it costs milliseconds, and it holds the vectors of all scopes, so it is created only when needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sqlalchemy import Connection, Engine, LargeBinary, text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine, UserDefinedType

from memoryos_core.errors import InvalidInputError
from memoryos_core.stores.sql.columns import damaged_vector, vector_of
from memoryos_core.values.dialogue import Vector

_MOST = 16_000


class _PgVector(UserDefinedType[str]):
    """pgvector's `vector` of any dimension, in its text form."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        return "VECTOR"


def check(vector: Vector) -> None:
    """Raise InvalidInputError for vectors that pgvector refuses: empty, too long, with nan or infinity."""
    if not 0 < len(vector) <= _MOST or not np.isfinite(vector).all():
        raise InvalidInputError(f"a vector must hold 1 to {_MOST} numbers, none of them nan or infinite")


def to_text(vector: Vector) -> str:
    """The text form of pgvector: nine digits are enough to get every float32 back bit for bit."""
    flat = np.asarray(vector, dtype=np.float32)
    return "[" + ("%.9g," * flat.size % tuple(flat.tolist()))[:-1] + "]"


class Embedding(TypeDecorator[Vector]):
    """A float32 vector of a page or fact; read back read-only."""

    impl = LargeBinary
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the column type of the dialect."""
        return dialect.type_descriptor(_PgVector() if dialect.name == "postgresql" else LargeBinary())

    def process_bind_param(self, value: Vector | None, dialect: Dialect) -> str | bytes | None:
        """To the database."""
        if value is None:
            return None
        return to_text(value) if dialect.name == "postgresql" else np.asarray(value, dtype="<f4").tobytes()

    def process_result_value(self, value: str | bytes | None, dialect: Dialect) -> Vector | None:
        """From the database."""
        if isinstance(value, str):
            try:
                vector: Vector = np.array(value[1:-1].split(","), dtype=np.float32)
            except ValueError:
                return damaged_vector()
            vector.flags.writeable = False
            return vector
        return None if value is None else vector_of(value)


INDEX = "memoryos_vectors_near"
MOST_DIMENSIONS = 2000
"""Largest dimension that HNSW indexes in full precision."""

_LOCK = 7_266_319_462  # any constant that no other application is likely to lock
# CREATE INDEX CONCURRENTLY needs ownership and does not work on a partitioned table.
_ABLE = text(
    "SELECT relkind = 'r' AND pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'memoryos_vectors'::regclass"
)
_VALID = text("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(:name)")
_CREATE = f"""CREATE INDEX CONCURRENTLY {INDEX} ON memoryos_vectors
    USING hnsw ((vector::vector({{dimension}})) vector_ip_ops) WHERE vector_dims(vector) = {{dimension}}"""
# An index that does not fit in this memory builds many times slower; this holds some 100,000 vectors.
_ROOM = text(
    "SELECT set_config('maintenance_work_mem', '256MB', false) "
    "WHERE pg_size_bytes(current_setting('maintenance_work_mem')) < pg_size_bytes('256MB')"
)
_DROP = text(f"DROP INDEX IF EXISTS {INDEX}")


def drop_index(connection: Connection) -> None:
    """Drop the index: vectors of another embedder have another length."""
    if connection.dialect.name == "postgresql" and connection.scalar(_ABLE):
        connection.execute(_DROP)


def exists(connection: Connection) -> bool:
    """Return True when the index exists and is complete."""
    return bool(connection.scalar(_VALID, {"name": INDEX}))


def make_index(engine: Engine, dimension: int) -> None:
    """Make the index while others read and write. It takes minutes; one process does it, others go on meanwhile."""
    with engine.connect() as connection:
        # Outside any transaction: the driver commits each statement by itself.
        if not connection.scalar(_ABLE) or not connection.scalar(text(f"SELECT pg_try_advisory_lock({_LOCK})")):
            return
        try:
            if not exists(connection):
                connection.execute(text("SET statement_timeout = 0"))
                connection.execute(_ROOM)
                connection.execute(_DROP)  # an incomplete index is left when its builder died
                connection.execute(text(_CREATE.format(dimension=int(dimension))))
        finally:
            connection.execute(text("RESET statement_timeout"))
            connection.execute(text("RESET maintenance_work_mem"))
            connection.execute(text(f"SELECT pg_advisory_unlock({_LOCK})"))
