"""Everything that differs between SQLite and PostgreSQL, and nothing else."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Connection, Engine, Table, create_engine, event, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import StaticPool

from memoryos_core.errors import StoreBusyError, StoreCorruptError, StoreError, StoreUnwritableError
from memoryos_core.models import Scope

Failure = tuple[type[StoreError], str]
"""Which of our errors a driver's error is, and what to tell the caller."""

INSERT: dict[str, Callable[[Table], sqlite.Insert]] = {
    "sqlite": sqlite.insert,
    "postgresql": cast("Any", postgresql.insert),  # another class with the same two methods
}
"""The INSERT that knows ON CONFLICT, by name of the dialect."""

_BUSY: Failure = (StoreBusyError, "another process or thread holds the database's lock; try again")
_UNWRITABLE: Failure = (
    StoreUnwritableError,
    "the database cannot be opened or written; check that its folder exists, that it may be written to, "
    "and that the disk has room",
)
_CORRUPT: Failure = (
    StoreCorruptError,
    "the file is not a database, or it is damaged; it was left as it is: restore it from a backup or name another",
)

_POOL_SIZE = 16
_POOL_OVERFLOW = 48
_SCRUB_MILLISECONDS = 500
_MIGRATION_LOCK = 7_266_319_461  # any constant that no other application is likely to lock


@dataclass(frozen=True)
class Flavour:
    """How one database is opened, locked and understood."""

    engine: Callable[[URL, float], Engine]
    reads: Mapping[str, Any]
    writes: Mapping[str, Any]
    failure: Callable[[BaseException | None], Failure | None]
    prepare: Callable[[Engine, float], None]
    lock_schema: Callable[[Connection], None]
    scrub: Callable[[Engine, float], None]
    confine: Callable[[Connection, Scope | None], None]
    one_writer: bool


def in_memory(url: URL) -> bool:
    """Whether a SQLite URL names a database that lives in one connection."""
    name = url.database or ""
    return name in ("", ":memory:") or name.startswith("file::memory:") or url.query.get("mode") == "memory"


def _sqlite_engine(url: URL, busy_timeout_seconds: float) -> Engine:
    arguments = {"timeout": busy_timeout_seconds, "check_same_thread": False}
    if in_memory(url):
        engine = create_engine(url, poolclass=StaticPool, connect_args=arguments, hide_parameters=True)
    else:
        engine = create_engine(
            url,
            pool_size=_POOL_SIZE,
            max_overflow=_POOL_OVERFLOW,
            pool_timeout=busy_timeout_seconds,
            connect_args=arguments,
            hide_parameters=True,
        )
    event.listen(engine, "connect", _on_sqlite_connect)
    event.listen(engine, "begin", _on_sqlite_begin)
    return engine


def _on_sqlite_connect(connection: sqlite3.Connection, _record: object) -> None:
    # The driver's own transaction control would begin too late and in the wrong mode: `_on_sqlite_begin` does it.
    connection.isolation_level = None
    try:
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA secure_delete=ON")  # what is forgotten is overwritten, not just unlinked
    except sqlite3.Error:
        # Not in the pool yet, so nobody else would close it.
        connection.close()
        raise


def _on_sqlite_begin(connection: Connection) -> None:
    statement = connection.get_execution_options().get("memoryos_begin", "BEGIN")
    try:
        # Straight to the driver: on the way of `add`, SQLAlchemy's own execution would cost as much as the insert.
        cast("sqlite3.Connection", connection.connection.dbapi_connection).execute(statement)
    except sqlite3.Error as error:
        raise OperationalError(statement, None, error) from error


def _sqlite_wal(engine: Engine, busy_timeout_seconds: float) -> None:
    """Switch the file to write-ahead logging, once; SQLite does not wait by itself for this lock."""
    deadline = time.monotonic() + busy_timeout_seconds
    with closing(engine.raw_connection()) as raw, closing(raw.cursor()) as cursor:
        while True:
            try:
                if cursor.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
                    cursor.execute("PRAGMA journal_mode=WAL")
                break
            except sqlite3.OperationalError as error:
                if _sqlite_failure(error) is not _BUSY or time.monotonic() > deadline:
                    raise OperationalError("PRAGMA journal_mode=WAL", None, error) from error
                time.sleep(0.01)


def _sqlite_scrub(engine: Engine, busy_timeout_seconds: float) -> None:
    """Move the log into the file and empty it: old images of what was erased lie there. A reader may prevent it."""
    with closing(engine.raw_connection()) as raw, closing(raw.cursor()) as cursor:
        cursor.execute(f"PRAGMA busy_timeout={_SCRUB_MILLISECONDS}")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        cursor.execute(f"PRAGMA busy_timeout={int(busy_timeout_seconds * 1000)}")


# SQLite's own words for its result codes: Python names the codes only since 3.11.
_SQLITE_WORDS: tuple[tuple[str, Failure], ...] = (
    ("is locked", _BUSY),
    ("readonly database", _UNWRITABLE),
    ("disk is full", _UNWRITABLE),
    ("unable to open database", _UNWRITABLE),
    ("not a database", _CORRUPT),
    ("disk image is malformed", _CORRUPT),
    ("malformed database schema", _CORRUPT),
)


def _sqlite_failure(error: BaseException | None) -> Failure | None:
    words = str(error)
    return next((failure for said, failure in _SQLITE_WORDS if said in words), None)


_POSTGRES_STATES: dict[str, Failure] = {
    "25006": _UNWRITABLE,  # read_only_sql_transaction
    "42501": _UNWRITABLE,  # insufficient_privilege
    "53100": _UNWRITABLE,  # disk_full
    "40001": _BUSY,  # serialization_failure
    "40P01": _BUSY,  # deadlock_detected
    "55P03": _BUSY,  # lock_not_available
    "57014": _BUSY,  # query_canceled
    "XX001": _CORRUPT,  # data_corrupted
    "XX002": _CORRUPT,  # index_corrupted
}


def _postgres_failure(error: BaseException | None) -> Failure | None:
    return _POSTGRES_STATES.get(getattr(error, "sqlstate", None) or "")


def _postgres_engine(url: URL, busy_timeout_seconds: float) -> Engine:
    return create_engine(
        url,
        pool_size=_POOL_SIZE,
        max_overflow=_POOL_OVERFLOW,
        pool_timeout=busy_timeout_seconds,
        pool_pre_ping=True,
        connect_args={"options": f"-c lock_timeout={int(busy_timeout_seconds * 1000)}"},
        hide_parameters=True,
    )


def _postgres_lock_schema(connection: Connection) -> None:
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})


def _nothing(*_: object) -> None:
    return None


FLAVOURS = {
    "sqlite": Flavour(
        engine=_sqlite_engine,
        reads={"memoryos_begin": "BEGIN"},
        writes={"memoryos_begin": "BEGIN IMMEDIATE"},
        failure=_sqlite_failure,
        prepare=_sqlite_wal,
        lock_schema=_nothing,
        scrub=_sqlite_scrub,
        confine=_nothing,
        one_writer=True,
    ),
    "postgresql": Flavour(
        engine=_postgres_engine,
        reads={"isolation_level": "REPEATABLE READ", "postgresql_readonly": True},
        writes={"isolation_level": "READ COMMITTED"},
        failure=_postgres_failure,
        prepare=_nothing,
        lock_schema=_postgres_lock_schema,
        scrub=_nothing,
        confine=_nothing,
        one_writer=False,
    ),
}
