"""Connections and transactions: the one place where a driver's error becomes ours, without the words it carried."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from sqlalchemy import Connection
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError, TimeoutError

from memoryos_core.errors import (
    ClosedError,
    InvalidInputError,
    MissingExtraError,
    StoreBusyError,
    StoreError,
    StoreUnwritableError,
)
from memoryos_core.stores.sql.dialects import FLAVOURS, Flavour, in_memory

_DRIVERS = {"postgres": "postgresql+psycopg", "postgresql": "postgresql+psycopg"}
_EXTRAS = {"psycopg": "postgres", "sqlcipher3": "encryption"}


def _parse(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError:
        # The URL is not shown: it may hold a password.
        raise InvalidInputError("the store's URL cannot be read; write one like 'sqlite:///memory.db'") from None
    parsed = parsed.set(drivername=_DRIVERS.get(parsed.drivername, parsed.drivername))
    if parsed.get_backend_name() not in FLAVOURS:
        raise InvalidInputError(
            f"{parsed.drivername!r} is not supported; use sqlite:///file.db or postgresql+psycopg://host/database"
        )
    return parsed


class Database:
    """One database: `reading` and `writing` are transactions. Thread-safe; a forked child opens its own connections."""

    def __init__(self, url: str, busy_timeout_seconds: float) -> None:
        parsed = _parse(url)
        self._flavour: Flavour = FLAVOURS[parsed.get_backend_name()]
        self._busy_timeout = busy_timeout_seconds
        try:
            self._engine = self._flavour.engine(parsed, busy_timeout_seconds)
        except NoSuchModuleError:
            raise InvalidInputError(f"{parsed.drivername!r} is not a driver that SQLAlchemy knows") from None
        except ModuleNotFoundError as error:
            package = error.name or parsed.drivername
            raise MissingExtraError(package, _EXTRAS.get(package, "postgres")) from error
        self._reader = self._engine.execution_options(**self._flavour.reads)
        self._writer = self._engine.execution_options(**self._flavour.writes)
        self._shared = parsed.get_backend_name() == "sqlite" and in_memory(parsed)
        self._file = None if self._shared or parsed.get_backend_name() != "sqlite" else parsed.database
        self._identity: tuple[int, int] | None = None
        self._closed = False
        self._after_fork()

    def _after_fork(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()

    @contextmanager
    def reading(self) -> Generator[Connection, None, None]:
        """A consistent view. On a file it never waits for a writer."""
        with self._turn(needed=self._shared), self._translated(), self._reader.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Generator[Connection, None, None]:
        """All or nothing, durable once left. Raises StoreBusyError when another writer does not finish in time."""
        with self._turn(needed=self._flavour.one_writer), self._translated(), self._writer.begin() as connection:
            self._check_file()
            yield connection

    def prepare(self) -> None:
        """Make the file fit for many processes. Raises StoreError."""
        with self._turn(needed=self._flavour.one_writer), self._translated():
            self._flavour.prepare(self._engine, self._busy_timeout)
            self._identity = self._on_disk()

    def _on_disk(self) -> tuple[int, int] | None:
        """Which file the path names; None for a database in RAM, a server, or a URI that is no plain path."""
        try:
            found = os.stat(self._file) if self._file else None  # noqa: PTH116 - two numbers, for every write
        except OSError:
            return None
        return (found.st_dev, found.st_ino) if found else None

    def _check_file(self) -> None:
        """An open connection goes on writing into a file that was deleted: what it accepts would be lost."""
        if self._identity is not None and self._on_disk() != self._identity:
            raise StoreUnwritableError(
                "the database file was removed or replaced while it was open; put it back, or open the memory again"
            )

    def scrub(self) -> None:
        """Remove what was erased from logs, as far as readers allow."""
        with self._turn(needed=self._flavour.one_writer), self._translated():
            self._flavour.scrub(self._engine, self._busy_timeout)

    def lock_schema(self, connection: Connection) -> None:
        """Let one process at a time migrate."""
        self._flavour.lock_schema(connection)

    def close(self) -> None:
        """Release every connection."""
        self._closed = True
        self._engine.dispose()

    def _turn(self, *, needed: bool) -> AbstractContextManager[None]:
        """Wait in line: threads that poll a file's lock starve each other; one connection serves one at a time."""
        if self._closed:
            raise ClosedError("this store was closed; open it again")
        if self._pid != os.getpid():
            self._engine.dispose(close=False)
            self._after_fork()
        return self._queue() if needed else nullcontext()

    @contextmanager
    def _queue(self) -> Generator[None, None, None]:
        lock = self._lock
        if not lock.acquire(timeout=self._busy_timeout):
            raise StoreBusyError("another thread holds the database's lock; try again")
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def _translated(self) -> Generator[None, None, None]:
        try:
            yield
        except TimeoutError:
            raise StoreBusyError("every connection is in use; try again") from None
        except SQLAlchemyError as error:
            raise self._failure(error) from None

    def _failure(self, error: SQLAlchemyError) -> StoreError:
        cause = error.orig if isinstance(error, DBAPIError) else None
        known = self._flavour.failure(cause)
        if known is not None:
            kind, words = known
            return kind(words)
        # The driver's own text may quote values, so only its name is passed on.
        return StoreError(f"the database refused the operation ({type(cause or error).__name__})")
