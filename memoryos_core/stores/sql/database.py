"""Databases: their URLs, connections and transactions. Driver errors become ours, without the text they carry.

A URL has a canonical form, which tells when two URLs name the same database.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Connection, Engine, Transaction, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError, TimeoutError

from memoryos_core.errors import (
    ClosedError,
    InvalidInputError,
    MissingExtraError,
    OutcomeUnknownError,
    StoreBusyError,
    StoreError,
    UnsupportedError,
)
from memoryos_core.ports.forks import DEADLINE, Lock, check_deadline, forks_wait
from memoryos_core.stores.sql.damage import watch as watch_damage
from memoryos_core.stores.sql.dialect import Flavour
from memoryos_core.stores.sql.dialects import flavour_of
from memoryos_core.stores.sql.files import new_file
from memoryos_core.stores.sql.sealing import Within
from memoryos_core.stores.sql.sqlite import FileGuard, in_memory
from memoryos_core.stores.sql.sqlite_file import Cipher
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.encryption_keys import Keys

_DRIVERS = {"postgres": "postgresql+psycopg", "postgresql": "postgresql+psycopg"}
# Other drivers need packages that no extra of ours installs, or work with coroutines only.
_OURS = ("sqlite", "sqlite+pysqlite", "postgresql+psycopg")
_SECRET = ("pass", "key", "secret", "token")


def parse(url: str) -> URL:
    """The URL with the driver we use. Raises InvalidInputError."""
    # The URL is not shown: it may hold a password.
    unreadable = InvalidInputError("the store's URL cannot be read; write one like 'sqlite:///memory.db'")
    if not isinstance(cast("object", url), str) or "\x00" in url or any("\ud800" <= c <= "\udfff" for c in url):
        raise unreadable
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # an invalid port is a ValueError that quotes the URL
        raise unreadable from None
    parsed = parsed.set(drivername=_DRIVERS.get(parsed.drivername, parsed.drivername))
    if parsed.drivername not in _OURS:
        raise InvalidInputError(
            f"{parsed.drivername!r} is not supported; use sqlite:///file.db or postgresql+psycopg://host/database"
        )
    return parsed


def file_of(url: str) -> Path | None:
    """The file of a SQLite URL; None for a server, for RAM, and for a `file:` URI. Raises InvalidInputError."""
    parsed = parse(url)
    name = parsed.database or ""
    if parsed.get_backend_name() != "sqlite" or in_memory(parsed) or name.startswith("file:"):
        return None
    return Path(name)


def address_of(url: str) -> str | None:
    """The URL of a database that other processes can open, a file by its whole path, without anything secret."""
    parsed = parse(url)
    if parsed.get_backend_name() == "sqlite":
        if in_memory(parsed):
            return None
        if parsed.database and not parsed.database.startswith("file:"):
            parsed = parsed.set(database=str(Path(parsed.database).resolve()))
    secret = [name for name in parsed.query if any(word in name.lower() for word in _SECRET)]
    where = (parsed.host or None, parsed.port, parsed.database, parsed.difference_update_query(secret).query)
    return URL.create(parsed.drivername, parsed.username, None, *where).render_as_string()


_EXTRAS = {"psycopg": "postgres", "sqlcipher3": "encryption"}


class _Line:
    """A lock for one thread at a time; a thread that waits longer than the limit gets StoreBusyError.

    No interrupt (Ctrl-C) leaves the lock behind: Python looks for one between its own instructions, and there is none
    between what takes the lock and what notes it, nor in the lock's own `__exit__`.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        # Reentrant, because a garbage collection may close a database in the very thread that uses it.
        self.lock = Lock()

    def __enter__(self) -> None:
        taken: list[bool] = []
        ours = False
        try:
            taken.extend(map(self.lock.acquire, (True,), (self._seconds,)))
            ours = all(taken)
        finally:
            if not ours and any(taken):
                self.lock.release()
        if not ours:
            raise StoreBusyError("another thread holds the database's lock; try again")

    @property
    def __exit__(self) -> Callable[..., None]:
        return self.lock.__exit__


class Database:
    """One database: `reading` and `writing` are transactions.

    Thread-safe. A fork waits for transactions that other threads have begun: the driver holds mutexes meanwhile, and
    SQLite would take an open write for one of the child's own. The child opens its own connections.
    """

    def __init__(self, url: str, busy_timeout_seconds: float = 30.0, keys: Keys | None = None) -> None:
        parsed = parse(url)
        self.secret = b""
        """Secret of the word hashes: derived from the key, empty without one."""
        self.audited = True
        """True when acts are written into the audit log."""
        self._flavour: Flavour = flavour_of(parsed, keys)
        self._busy_timeout = busy_timeout_seconds
        try:
            self._engine = self._flavour.engine(parsed, busy_timeout_seconds)
        except NoSuchModuleError:  # an ArgumentError, too
            raise InvalidInputError(f"unknown driver {parsed.drivername!r}; use sqlite or postgresql+psycopg") from None
        except ArgumentError:  # its text may quote the URL
            raise InvalidInputError(
                "the store's URL has options that do not fit together; name several hosts as "
                "?host=one:5432&host=two:5432, or as ?host=one,two&port=5432,5432"
            ) from None
        except ModuleNotFoundError as error:
            package = error.name or parsed.drivername
            raise MissingExtraError(package, _EXTRAS.get(package, "postgres")) from error
        self.damage = watch_damage(self._engine)
        """Rows that could not be read."""
        self._reader = self._engine.execution_options(**self._flavour.reads)
        self._writer = self._engine.execution_options(**self._flavour.writes)
        self._shared = parsed.get_backend_name() == "sqlite" and in_memory(parsed)
        self._file = None if self._shared or parsed.get_backend_name() != "sqlite" else parsed.database
        self._guard = guard = FileGuard(self._file, self._flavour.peek)

        def forget(driver: object, *_record: object) -> None:
            guard.closed(driver)

        event.listen(self._engine, "close", forget)
        event.listen(self._engine, "close_detached", forget)  # a file is rekeyed on such a connection
        event.listen(self._engine, "before_cursor_execute", check_deadline)
        self._closed = False
        self._pid = os.getpid()
        self._line = _Line(busy_timeout_seconds)

    @property
    def ranks(self) -> bool:
        """True when the database finds candidates itself (searching/ranking.py)."""
        return self._engine.dialect.name == "postgresql"

    def write_with(self, options: dict[str, object]) -> None:
        """Give every later writing transaction these execution options, too."""
        self._writer = self._writer.execution_options(**options)

    @contextmanager
    def reading(self, scope: Scope | None) -> Generator[Connection, None, None]:
        """A consistent view of one scope (None: of all). On a file it never waits for a writer."""
        with (
            forks_wait(),
            self._turn(needed=self._shared),
            self._translate_errors(),
            self._connect(self._reader) as connection,
        ):
            self._flavour.confine(connection, scope)
            self._guard.check_content()
            self._guard.check(connection.connection.dbapi_connection)
            with Within(scope):
                yield connection

    @contextmanager
    def writing(self, scope: Scope | None, *, commit: bool = True) -> Generator[Connection, None, None]:
        """A write transaction in one scope (None: all), durable after the block. Raises StoreBusyError.

        Without `commit` it is rolled back after the block.
        """
        with (
            forks_wait(),
            self._turn(needed=self._flavour.one_writer),
            self._translate_errors(),
            self._connect(self._writer) as connection,
        ):
            self._flavour.confine(connection, scope)
            with connection.begin() as transaction:
                self._guard.check_file()
                self._guard.check(connection.connection.dbapi_connection)
                with Within(scope):
                    yield connection
                if commit:
                    self._commit(transaction)
                else:
                    transaction.rollback()

    @staticmethod
    @contextmanager
    def _connect(engine: Engine) -> Generator[Connection, None, None]:
        """Yield a connection and end its transaction after the block, even after an interrupt.

        SQLAlchemy tracks transactions itself: after an interrupt (Ctrl-C) it may assume that there is none while the
        driver has begun one, and the database would stay locked.
        """
        try:
            with engine.connect() as connection:
                try:
                    yield connection
                finally:
                    if not connection.closed and not connection.invalidated:
                        driver = cast("Any", connection.connection.dbapi_connection)
                        with suppress(engine.dialect.loaded_dbapi.Error):
                            driver.rollback()
        except AssertionError as error:
            # SQLAlchemy raises this about its own state and hides the error that interrupted a commit or the closing.
            raise error.__context__ or error from None

    @staticmethod
    def _commit(transaction: Transaction) -> None:
        try:
            transaction.commit()
            if (deadline := DEADLINE.get()) is not None:
                deadline.over = True
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise
            raise OutcomeUnknownError(
                "the connection to the database server broke while a write was being committed: it may be there or "
                "not; read again, or repeat an add_messages(…, once=True) of messages that have ids"
            ) from None

    def prepare(self) -> None:
        """Prepare the file for use by many processes. Raises StoreError."""
        with forks_wait(), self._turn(needed=self._flavour.one_writer), self._translate_errors():
            self._flavour.prepare(self._engine, self._busy_timeout)
            self._guard.begin()

    def scrub(self) -> None:
        """Remove erased rows from logs, as far as readers allow."""
        with forks_wait(), self._turn(needed=self._flavour.one_writer), self._translate_errors():
            self._flavour.scrub(self._engine, self._busy_timeout)
            self._guard.check_content()

    def rekey(self, new: Keys) -> bool:
        """Give an encrypted file another key; False for a server. Raises StoreKeyError for a plain file."""
        if self._flavour.rekey is None:
            return False
        rekey = self._flavour.rekey

        def work(engine: Engine) -> None:
            self._guard.check_name()  # SQLCipher itself checks that the content fits its key
            rekey(engine, new, self._busy_timeout)

        self.outside(work)
        return True

    def examine(self, connection: Connection, *, deep: bool) -> Mapping[str, Sequence[str]]:
        """Return what the database says is wrong with itself, by law."""
        return self._flavour.examine(connection, deep)

    def backup(self, path: Path) -> None:
        """Copy a database in a file, as it is at one moment, to a new file that appears once it is complete.

        Raises UnsupportedError for a server, InvalidInputError when something stands at the path, StoreError.
        """
        copy = self._flavour.copy
        if copy is None:
            raise UnsupportedError(
                "a PostgreSQL server has its own tools for backups: use pg_dump, or pgBackRest for any moment "
                "(docs/backup.md)"
            )
        with new_file(path) as partial, forks_wait(), self._turn(needed=self._shared), self._translate_errors():
            self._guard.check_file()
            copy(self._engine, partial)

    def cipher_of(self, path: Path) -> Cipher | None:
        """Return the cipher of another file under the same key; None where it is not encrypted, or by another key."""
        return self._flavour.cipher(path)

    def carry(self, name: str, value: object) -> None:
        """Set an attribute on the dialect of a database with keys, where column types find it."""
        setattr(self._engine.dialect, name, value)

    def outside(self, work: Callable[[Engine], None]) -> None:
        """Run a statement outside any transaction; on a file, other writers of this process wait."""
        with forks_wait(), self._turn(needed=self._flavour.one_writer), self._translate_errors():
            work(self._engine)

    def lock_schema(self, connection: Connection) -> None:
        """Let one process at a time migrate."""
        self._flavour.lock_schema(connection)

    def close(self) -> None:
        """Release every connection; one that is in use goes when its transaction ends."""
        self._closed = True
        with forks_wait():
            if not self._shared:
                self._engine.dispose()
                return
            # All threads share one connection to a database in RAM: closing it during a statement crashes the process.
            # A thread that holds it for longer than the time limit keeps it.
            if self._line.lock.acquire(timeout=self._busy_timeout):
                try:
                    self._engine.dispose()
                finally:
                    self._line.lock.release()

    def _turn(self, *, needed: bool) -> _Line | nullcontext[None]:
        """Wait for this thread's turn: threads that poll a file's lock starve each other."""
        self._refuse_closed()
        if self._pid != os.getpid():
            self._leave_connections()
        return self._line if needed else nullcontext()

    def _leave_connections(self) -> None:
        """Drop the parent's connections in a forked child without closing them."""
        with self._line.lock:
            if self._pid != os.getpid():
                self._engine.dispose(close=False)
                self._guard.leave()
                self._pid = os.getpid()

    def _refuse_closed(self) -> None:
        if self._closed:
            raise ClosedError("this store was closed; open it again")

    @contextmanager
    def _translate_errors(self) -> Generator[None, None, None]:
        self._refuse_closed()  # it may have been closed while this thread waited
        outer = sys.exc_info()[1]
        try:
            yield
        except TimeoutError:
            raise StoreBusyError("every connection is in use; try again") from None
        except (SQLAlchemyError, self._engine.dialect.loaded_dbapi.Error) as error:
            raise _interrupt_behind(error, outer) or self._failure(error) from None

    def _failure(self, error: Exception) -> StoreError:
        wrapped = isinstance(error, SQLAlchemyError)
        cause = error.orig if isinstance(error, DBAPIError) else None if wrapped else error
        known = self._flavour.failure(cause)
        if known is not None:
            kind, words = known
            return kind(words)
        # The driver's own text may quote values, so only its name is passed on.
        return StoreError(f"the database refused the operation ({type(cause or error).__name__})")


def _interrupt_behind(error: BaseException, outer: BaseException | None) -> KeyboardInterrupt | None:
    """Return the interrupt (Ctrl-C) that an error hides: one within a roll-back makes the next command fail.

    `outer` is what the caller was about to handle: that was no part of this.
    """
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and at is not outer and id(at) not in seen:
        if isinstance(at, KeyboardInterrupt):
            return at
        seen.add(id(at))
        at = at.__cause__ or at.__context__
    return None
