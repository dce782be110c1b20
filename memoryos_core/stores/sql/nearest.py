"""The approximate index over vectors: made once a scope has outgrown comparing all, and gone with the embedder.

Every vector that is written into it costs milliseconds, and it holds those of all scopes: who needs none has none.
"""

from __future__ import annotations

from sqlalchemy import Connection, Engine, text

INDEX = "memoryos_vectors_near"
MOST_DIMENSIONS = 2000
"""So many numbers HNSW holds in full precision."""

_LOCK = 7_266_319_462  # any constant that no other application is likely to lock
# Neither what another role owns nor a table in partitions can be given an index while others write to it.
_ABLE = text(
    "SELECT relkind = 'r' AND pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'memoryos_vectors'::regclass"
)
_VALID = text("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(:name)")
_CREATE = f"""CREATE INDEX CONCURRENTLY {INDEX} ON memoryos_vectors
    USING hnsw ((vector::vector({{dimension}})) vector_ip_ops) WHERE vector_dims(vector) = {{dimension}}"""
# What does not fit is written to disk link by link, which takes many times as long; this holds some 100,000 vectors.
_ROOM = text(
    "SELECT set_config('maintenance_work_mem', '256MB', false) "
    "WHERE pg_size_bytes(current_setting('maintenance_work_mem')) < pg_size_bytes('256MB')"
)
_DROP = text(f"DROP INDEX IF EXISTS {INDEX}")


def drop_index(connection: Connection) -> None:
    """The vectors of another embedder have another length."""
    if connection.dialect.name == "postgresql" and connection.scalar(_ABLE):
        connection.execute(_DROP)


def exists(connection: Connection) -> bool:
    """Return True when the index exists and is complete."""
    return bool(connection.scalar(_VALID, {"name": INDEX}))


def make_index(engine: Engine, dimension: int) -> None:
    """Make the index while others read and write. It takes minutes; one process does it, others go on meanwhile."""
    with engine.connect() as connection:
        # Asked outside any transaction: the driver commits each statement by itself.
        if not connection.scalar(_ABLE) or not connection.scalar(text(f"SELECT pg_try_advisory_lock({_LOCK})")):
            return
        try:
            if not exists(connection):
                connection.execute(text("SET statement_timeout = 0"))
                connection.execute(_ROOM)
                connection.execute(_DROP)  # half of one is there when its maker died
                connection.execute(text(_CREATE.format(dimension=int(dimension))))
        finally:
            connection.execute(text("RESET statement_timeout"))
            connection.execute(text("RESET maintenance_work_mem"))
            connection.execute(text(f"SELECT pg_advisory_unlock({_LOCK})"))
