"""Parts of PostgreSQL that the migrations use: the extension pgvector, and tables split by scope (ADR 0012)."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Table, event, text
from sqlalchemy.exc import DBAPIError

from memoryos_core.errors import StoreError


def require_vector(connection: Connection) -> None:
    """Create pgvector in this database if it is missing. Raises StoreError when the role may not create it."""
    # Check first: IF NOT EXISTS needs the right to create an extension even when it exists.
    if connection.scalar(text("SELECT 1 FROM pg_extension WHERE extname = 'vector'")):
        return
    try:
        with connection.begin_nested():
            connection.execute(text("CREATE EXTENSION vector"))
    except DBAPIError:
        raise StoreError(
            "the extension pgvector is not in this database; ask an administrator to install it on the server and to "
            "run CREATE EXTENSION vector in this database, then open the memory again"
        ) from None


_OPTION = "memoryos_partitions"
_COUNT = text("SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass('memoryos_scopes')")


def divide(connection: Connection, partitions: int = 0) -> None:
    """Split each table with a scope that this connection creates into partitions; 0: as many as earlier tables have."""
    if connection.dialect.name == "postgresql":
        connection.execution_options(**{_OPTION: partitions or connection.scalar(_COUNT)})


@event.listens_for(Table, "before_create")
def _split(table: Table, connection: Connection, **_: Any) -> None:  # noqa: ANN401 - SQLAlchemy's business
    if connection.get_execution_options().get(_OPTION) and "scope" in table.c:
        table.dialect_options["postgresql"]["partition_by"] = "HASH (scope)"


@event.listens_for(Table, "after_create")
def _add_parts(table: Table, connection: Connection, **_: Any) -> None:  # noqa: ANN401
    parts = connection.get_execution_options().get(_OPTION) or 0
    for part in range(parts if "scope" in table.c else 0):
        name = f"{table.name}_{part}"
        connection.execute(
            text(f"CREATE TABLE {name} PARTITION OF {table.name} FOR VALUES WITH (MODULUS {parts}, REMAINDER {part})")
        )
        # A policy of the table does not hold for a partition read by its own name, so each partition hides all rows.
        connection.execute(text(f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"))
