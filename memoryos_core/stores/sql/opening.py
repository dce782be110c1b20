"""Brings a database's schema up to date, refuses an unknown one without a change, and splits one into partitions."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, String, column, inspect, select, table, text

from memoryos_core.errors import InvalidInputError, StoreCorruptError, UnsupportedError
from memoryos_core.stores.migrations import REVISIONS, VERSION_TABLE, create, upgrade
from memoryos_core.stores.sql.database import Database, file_of, parse
from memoryos_core.stores.sql.tables import metadata, scopes
from memoryos_core.values.encryption_keys import Keys

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


def distribution(done: Collection[str] = ()) -> list[str]:
    """Return the statements that distribute the tables over a Citus cluster by scope, but for those `done` already.

    All tables of scopes are co-located: so a transaction about one user stays on one node, foreign keys included.
    The rows that were there are moved; what is left of them on the coordinator is truncated.
    """
    home = scopes.name
    tables = [table for table in metadata.sorted_tables if table.name not in done]
    ours = [table.name for table in tables if "scope" in table.c]
    said = [
        f"SELECT create_distributed_table('{name}', 'scope'"
        + (")" if name == home else f", colocate_with => '{home}')")
        for name in sorted(ours, key=lambda name: (name != home, ours.index(name)))
    ]
    everywhere = [*(table.name for table in tables if "scope" not in table.c), VERSION_TABLE]
    said += [f"SELECT create_reference_table('{name}')" for name in everywhere if name not in done]
    return [*said, *(f"SELECT truncate_local_data_after_distributing_table('{name}')" for name in ours)]


def distribute(url: str, keys: Keys | None = None) -> int:
    """Distribute a memory, with all that it holds, over the nodes of a Citus cluster; return the number of tables.

    It is opened afterwards as any other. Repeated, it goes on where it stopped, and does nothing where all is done.

    Raises:
        InvalidInputError: the URL names no PostgreSQL, or tables in partitions.
        UnsupportedError: the database has no Citus extension; nothing was changed.
        StoreError: the database cannot be reached, or refuses it.
    """
    if parse(url).get_backend_name() != "postgresql":
        raise InvalidInputError("only a PostgreSQL database can be distributed; name one in the URL")
    with closing(Database(url, keys=keys)) as database:
        with database.reading(None) as connection:
            if connection.scalar(_CITUS) is None:
                raise UnsupportedError(
                    "this database has no Citus extension, so its tables cannot be distributed; nothing was changed. "
                    "An administrator installs Citus on every node and runs CREATE EXTENSION citus; without it, give "
                    "several databases instead (docs/postgresql.md)"
                )
        bring_up_to_date(database)
        with database.writing(None) as connection:
            database.lock_schema(connection)
            if connection.scalar(_PARTS):
                raise InvalidInputError("this memory is in partitions; take its users to a plain one by export")
            statements = distribution(set(connection.scalars(_DISTRIBUTED)))
            for statement in statements:
                connection.execute(text(statement))
            if statements:
                # Each node must hear which scope a transaction is about (row-level security).
                connection.execute(text("ALTER ROLE CURRENT_USER SET citus.propagate_set_commands = 'local'"))
    return sum("create_" in statement for statement in statements)


_CITUS = text("SELECT extversion FROM pg_extension WHERE extname = 'citus'")
_PARTS = text("SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass('memoryos_scopes')")
_DISTRIBUTED = text("SELECT logicalrelid::regclass::text FROM pg_dist_partition")
_REVISION = select(column("version_num", String)).select_from(table(VERSION_TABLE))


def bring_up_to_date(database: Database) -> str | None:
    """Run the migrations that are missing; return the revision before them, None for a database without a memory.

    Raises StoreCorruptError, before any write, when the schema is not known.
    """
    with database.reading(None) as connection:
        before = found = revision_of(connection)
    _refuse_unknown(found)
    database.prepare()
    if found == REVISIONS[-1]:
        return before
    with database.writing(None) as connection:
        database.lock_schema(connection)
        # Another process may have been faster.
        found = revision_of(connection)
        _refuse_unknown(found)
        if found is None and connection.dialect.name == "sqlite":
            create(connection)
        elif found != REVISIONS[-1]:
            upgrade(connection)
    database.scrub()  # the file's mark is still in the log
    return before


def holds_memory(url: str, keys: Keys | None) -> bool:
    """Return True when a database holds a memory of any version; never create one.

    Raises InvalidInputError, MissingExtraError, StoreKeyError, StoreCorruptError or StoreError, as `open_store` does.
    """
    file = file_of(url)
    if file is not None and _is_empty(file):
        return False
    with closing(Database(url, keys=keys)) as database, database.reading(None) as connection:
        return revision_of(connection) is not None


def _is_empty(file: Path) -> bool:
    """Return True for a missing or empty file. For an unreadable file, opening it later reports the reason."""
    try:
        return not file.stat().st_size
    except FileNotFoundError:
        return file.parent.is_dir()
    except OSError:
        return False


def revision_of(connection: Connection) -> str | None:
    """Return the revision of the schema; None for a database without a memory."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.scalar(_REVISION)


def _refuse_unknown(revision: str | None) -> None:
    if revision is None or revision in REVISIONS:
        return
    if revision < REVISIONS[0]:
        raise StoreCorruptError(
            f"an unreleased version of memoryos wrote this database (its schema is {revision!r}, the oldest known here "
            f"is {REVISIONS[0]!r}); nothing was changed: export its users with that version (memoryos export) and "
            "restore them into a new database (memoryos restore)"
        )
    raise StoreCorruptError(
        f"a newer version of memoryos-tiered wrote this database (its schema is {revision!r}, the newest known here is "
        f"{REVISIONS[-1]!r}); nothing was changed: upgrade memoryos-tiered to open it"
    )
