"""Connections and transactions: the one place where a driver's error becomes ours, without the words it carried."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, cast

from sqlalchemy import Connection, Engine, Transaction, event
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError, TimeoutError

from memoryos_core.errors import (
    ClosedError,
    InvalidInputError,
    MissingExtraError,
    StoreBusyError,
    StoreError,
    StoreUnreachableError,
)
from memoryos_core.ports.forks import Lock, forks_wait
from memoryos_core.stores.sql.address import parse
from memoryos_core.stores.sql.damage import watch as watch_damage
from memoryos_core.stores.sql.dialect import Flavour
from memoryos_core.stores.sql.dialects import flavour_of
from memoryos_core.stores.sql.file_guard import FileGuard
from memoryos_core.stores.sql.sealing import Within
from memoryos_core.stores.sql.sqlite import in_memory
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.encryption_keys import Keys

_EXTRAS = {"psycopg": "postgres", "sqlcipher3": "encryption"}


class _Line:
    """A line in which one thread at a time has its turn; who waits for longer than this gets StoreBusyError.

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
        """What the hashes of words are keyed with: derived from the key, empty without one."""
        self.audited = True
        """Whether acts are written into the audit log."""
        self._flavour: Flavour = flavour_of(parsed, keys)
        self._busy_timeout = busy_timeout_seconds
        try:
            self._engine = self._flavour.engine(parsed, busy_timeout_seconds)
        except NoSuchModuleError:
            raise InvalidInputError(f"unknown driver {parsed.drivername!r}; use sqlite or postgresql+psycopg") from None
        except ModuleNotFoundError as error:
            package = error.name or parsed.drivername
            raise MissingExtraError(package, _EXTRAS.get(package, "postgres")) from error
        self.damage = watch_damage(self.carry)
        """Which rows could not be read."""
        self._reader = self._engine.execution_options(**self._flavour.reads)
        self._writer = self._engine.execution_options(**self._flavour.writes)
        self._shared = parsed.get_backend_name() == "sqlite" and in_memory(parsed)
        self._file = None if self._shared or parsed.get_backend_name() != "sqlite" else parsed.database
        self._guard = guard = FileGuard(self._file, self._flavour.peek)

        def forget(driver: object, _record: object) -> None:
            guard.closed(driver)

        event.listen(self._engine, "close", forget)
        self._closed = False
        self._pid = os.getpid()
        self._line = _Line(busy_timeout_seconds)

    @property
    def ranks(self) -> bool:
        """True when the database finds candidates itself (`ranking.py`)."""
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
            self._translated(),
            self._connected(self._reader) as connection,
        ):
            self._flavour.confine(connection, scope)
            self._guard.check_content()
            self._guard.check(connection.connection.dbapi_connection)
            with Within(scope):
                yield connection

    @contextmanager
    def writing(self, scope: Scope | None) -> Generator[Connection, None, None]:
        """All or nothing in one scope (None: all), durable once left. Raises StoreBusyError when others hold it up."""
        with (
            forks_wait(),
            self._turn(needed=self._flavour.one_writer),
            self._translated(),
            self._connected(self._writer) as connection,
        ):
            self._flavour.confine(connection, scope)
            with connection.begin() as transaction:
                self._guard.check_file()
                self._guard.check(connection.connection.dbapi_connection)
                with Within(scope):
                    yield connection
                self._commit(transaction)

    @staticmethod
    @contextmanager
    def _connected(engine: Engine) -> Generator[Connection, None, None]:
        """A connection whose transaction is over when this ends, whatever ended it.

        SQLAlchemy believes its own books: after an interrupt (Ctrl-C) they may say that there is no transaction while
        the driver's has begun, and the database would stay locked.
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
            # SQLAlchemy's own, about its books, in the place of what interrupted a commit or the closing.
            raise error.__context__ or error from None

    @staticmethod
    def _commit(transaction: Transaction) -> None:
        try:
            transaction.commit()
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise
            raise StoreUnreachableError(
                "the connection to the database server broke while a write was being committed: it may be there or "
                "not; read again, or repeat an add_messages(…, once=True) of messages that have ids",
                outcome_unknown=True,
            ) from None

    def prepare(self) -> None:
        """Make the file fit for many processes. Raises StoreError."""
        with forks_wait(), self._turn(needed=self._flavour.one_writer), self._translated():
            self._flavour.prepare(self._engine, self._busy_timeout)
            self._guard.begin()

    def scrub(self) -> None:
        """Remove what was erased from logs, as far as readers allow."""
        with forks_wait(), self._turn(needed=self._flavour.one_writer), self._translated():
            self._flavour.scrub(self._engine, self._busy_timeout)
            self._guard.check_content()

    def rekey(self, new: Keys) -> bool:
        """Give a whole file another key; False where there is no such thing. Raises StoreKeyError for a plain one."""
        if self._flavour.rekey is None:
            return False
        rekey = self._flavour.rekey

        def work(engine: Engine) -> None:
            self._guard.check_name()  # whether the content fits its key, it sees by itself
            rekey(engine, new, self._busy_timeout)

        self.outside(work)
        return True

    def carry(self, name: str, value: object) -> None:
        """Have column types find something on the dialect, which is this database's own."""
        setattr(self._engine.dialect, name, value)

    def outside(self, work: Callable[[Engine], None]) -> None:
        """Do what no transaction may be round; on a file, with the other writers of this process kept out."""
        with forks_wait(), self._turn(needed=self._flavour.one_writer), self._translated():
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
            # All threads have one connection to what is in RAM: closed under a statement of one of them, it takes the
            # process down. Who holds it for longer than anybody waits keeps it.
            if self._line.lock.acquire(timeout=self._busy_timeout):
                try:
                    self._engine.dispose()
                finally:
                    self._line.lock.release()

    def _turn(self, *, needed: bool) -> _Line | nullcontext[None]:
        """Wait in line: threads that poll a file's lock starve each other; one connection serves one at a time."""
        self._refuse_closed()
        if self._pid != os.getpid():
            self._leave_connections()
        return self._line if needed else nullcontext()

    def _leave_connections(self) -> None:
        """Those of the parent are not for its child to use or to close."""
        with self._line.lock:
            if self._pid != os.getpid():
                self._engine.dispose(close=False)
                self._guard.leave()
                self._pid = os.getpid()

    def _refuse_closed(self) -> None:
        if self._closed:
            raise ClosedError("this store was closed; open it again")

    @contextmanager
    def _translated(self) -> Generator[None, None, None]:
        self._refuse_closed()  # it may have been closed while we stood in line
        try:
            yield
        except TimeoutError:
            raise StoreBusyError("every connection is in use; try again") from None
        except (SQLAlchemyError, self._engine.dialect.loaded_dbapi.Error) as error:
            raise self._failure(error) from None

    def _failure(self, error: Exception) -> StoreError:
        wrapped = isinstance(error, SQLAlchemyError)
        cause = error.orig if isinstance(error, DBAPIError) else None if wrapped else error
        known = self._flavour.failure(cause)
        if known is not None:
            kind, words = known
            return kind(words)
        # The driver's own text may quote values, so only its name is passed on.
        return StoreError(f"the database refused the operation ({type(cause or error).__name__})")
