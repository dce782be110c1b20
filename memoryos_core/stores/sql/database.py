"""Connections and transactions: the one place where a driver's error becomes ours, without the words it carried."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from sqlalchemy import Connection, Engine, Transaction
from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError, TimeoutError

from memoryos_core.errors import (
    ClosedError,
    InvalidInputError,
    MissingExtraError,
    StoreBusyError,
    StoreError,
    StoreUnreachableError,
    StoreUnwritableError,
)
from memoryos_core.keys import Keys
from memoryos_core.models import Scope
from memoryos_core.stores.sql.address import parse
from memoryos_core.stores.sql.dialects import flavour_of
from memoryos_core.stores.sql.flavour import Flavour
from memoryos_core.stores.sql.forking import watch
from memoryos_core.stores.sql.sealing import Within
from memoryos_core.stores.sql.sqlite import in_memory

_EXTRAS = {"psycopg": "postgres", "sqlcipher3": "encryption"}


class Database:
    """One database: `reading` and `writing` are transactions.

    Thread-safe. A fork waits for writes that other threads have begun; the child opens its own connections.
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
        self._pid = os.getpid()
        self.renew_lock()
        watch(self)

    @property
    def ranks(self) -> bool:
        """Whether it finds candidates by itself (`ranking.py`)."""
        return self._engine.dialect.name == "postgresql"

    def write_with(self, options: dict[str, object]) -> None:
        """Give every later writing transaction these execution options, too."""
        self._writer = self._writer.execution_options(**options)

    def take_lock(self, seconds: float) -> Callable[[], None] | None:
        """Keep writers out and return what lets them in again; None when one holds the lock for longer than this."""
        lock = self._lock
        return lock.release if lock.acquire(timeout=seconds) else None

    def renew_lock(self) -> None:
        """Forget who holds the lock: in a forked child, none of them is there."""
        # Reentrant, because a garbage collection may close a database in the very thread that uses it.
        self._lock = threading.RLock()

    @contextmanager
    def reading(self, scope: Scope | None) -> Generator[Connection, None, None]:
        """A consistent view of one scope (None: of all). On a file it never waits for a writer."""
        with self._turn(needed=self._shared), self._translated(), self._reader.connect() as connection:
            self._flavour.confine(connection, scope)
            with Within(scope):
                yield connection

    @contextmanager
    def writing(self, scope: Scope | None) -> Generator[Connection, None, None]:
        """All or nothing in one scope (None: all), durable once left. Raises StoreBusyError when others hold it up."""
        with self._turn(needed=self._flavour.one_writer), self._translated(), self._writer.connect() as connection:
            self._flavour.confine(connection, scope)
            with connection.begin() as transaction:
                self._check_file()
                with Within(scope):
                    yield connection
                self._commit(transaction)

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

    def rekey(self, new: Keys) -> bool:
        """Give a whole file another key; False where there is no such thing. Raises StoreKeyError for a plain one."""
        if self._flavour.rekey is None:
            return False
        rekey = self._flavour.rekey

        def work(engine: Engine) -> None:
            self._check_file()
            rekey(engine, new, self._busy_timeout)

        self.outside(work)
        return True

    def carry(self, name: str, value: object) -> None:
        """Have column types find something on the dialect, which is this database's own."""
        setattr(self._engine.dialect, name, value)

    def outside(self, work: Callable[[Engine], None]) -> None:
        """Do what no transaction may be round; on a file, with the other writers of this process kept out."""
        with self._turn(needed=self._flavour.one_writer), self._translated():
            work(self._engine)

    def lock_schema(self, connection: Connection) -> None:
        """Let one process at a time migrate."""
        self._flavour.lock_schema(connection)

    def close(self) -> None:
        """Release every connection; one that is in use goes when its transaction ends."""
        self._closed = True
        if not self._shared:
            self._engine.dispose()
            return
        # All threads have one connection to what is in RAM: closed under a statement of one of them, it takes the
        # process down. Who holds it for longer than anybody waits keeps it.
        if self._lock.acquire(timeout=self._busy_timeout):
            try:
                self._engine.dispose()
            finally:
                self._lock.release()

    def _turn(self, *, needed: bool) -> AbstractContextManager[None]:
        """Wait in line: threads that poll a file's lock starve each other; one connection serves one at a time."""
        self._refuse_closed()
        if self._pid != os.getpid():
            self._leave_connections()
        return self._queue() if needed else nullcontext()

    def _leave_connections(self) -> None:
        """Those of the parent are not for its child to use or to close."""
        with self._lock:
            if self._pid != os.getpid():
                self._engine.dispose(close=False)
                self._pid = os.getpid()

    @contextmanager
    def _queue(self) -> Generator[None, None, None]:
        lock = self._lock
        if not lock.acquire(timeout=self._busy_timeout):
            raise StoreBusyError("another thread holds the database's lock; try again")
        try:
            self._refuse_closed()  # it may have been closed while we stood in line
            yield
        finally:
            lock.release()

    def _refuse_closed(self) -> None:
        if self._closed:
            raise ClosedError("this store was closed; open it again")

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
