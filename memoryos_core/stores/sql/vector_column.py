"""The column of vectors that are searched: bytes in SQLite, pgvector's own type in PostgreSQL."""

from __future__ import annotations

from typing import Any

import numpy as np
from sqlalchemy import LargeBinary
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
