"""Makes a PostgreSQL schema whose tables are split by scope (ADR 0012)."""

from __future__ import annotations

from contextlib import closing

from memoryos_core.errors import InvalidInputError
from memoryos_core.stores.migrations import upgrade
from memoryos_core.stores.sql.address import parse
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.opening import revision_of

_MOST = 1024


def create_partitioned(url: str, partitions: int, *, busy_timeout_seconds: float = 30.0) -> None:
    """Create the newest schema with each table of scopes in this many partitions; open it later as usual.

    Raises InvalidInputError when the URL names no PostgreSQL, a memory is there already, or `partitions` is not
    2 to 1024; StoreError.
    """
    if parse(url).get_backend_name() != "postgresql":
        raise InvalidInputError("only a PostgreSQL database can be partitioned; name one in the URL")
    if not 1 < partitions <= _MOST:
        raise InvalidInputError(f"partitions={partitions!r} is not allowed: it must be from 2 to {_MOST}")
    with closing(Database(url, busy_timeout_seconds)) as database, database.writing(None) as connection:
        database.lock_schema(connection)
        if revision_of(connection) is not None:
            raise InvalidInputError(
                "this database holds a memory already; create the partitions in another one, "
                "and take the users there by export and restore"
            )
        upgrade(connection, partitions=partitions)
