"""SQLite: opening and locking a file, and its errors.

Detects that a SQLite file or its log was removed, replaced or overwritten while it is open here.

SQLite itself does not: it continues to write into the open file, and the data is lost when the process ends.
Each transaction checks file names only: opening and closing one of the files would drop the locks that SQLite has on
it. SQLite itself reads the file's content after each checkpoint of another process.
"""

from __future__ import annotations

import gc
import os
import sqlite3
import time
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias, cast

from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import StaticPool

from memoryos_core.errors import StoreKeyError, StoreUnwritableError
from memoryos_core.ports.forks import Lock
from memoryos_core.stores.sql.dialect import (
    BUSY,
    CORRUPT,
    DISK,
    POOL_OVERFLOW,
    POOL_SIZE,
    UNWRITABLE,
    Failure,
    Flavour,
    Sight,
    engine_of,
    nothing,
)
from memoryos_core.stores.sql.files import Identity, one_at_a_time

_SCRUB_MILLISECONDS = 500
_MOST_SAID = 20
_HERE = "sqlite"
"""The server whose statements all plain files share: the library of this process."""


def in_memory(url: URL) -> bool:
    """Return True when a SQLite URL names a database in RAM, which lives in one connection."""
    name = url.database or ""
    return name in ("", ":memory:") or name.startswith("file::memory:") or url.query.get("mode") == "memory"


def _sqlite_engine(url: URL, busy_timeout_seconds: float) -> Engine:
    if in_memory(url):
        arguments = {"timeout": busy_timeout_seconds, "check_same_thread": False}
        engine = engine_of(url, server=_HERE, poolclass=StaticPool, connect_args=arguments)
    else:
        engine = file_engine(url, busy_timeout_seconds)
    event.listen(engine, "connect", on_connect)
    event.listen(engine, "begin", _on_sqlite_begin)
    return engine


def file_engine(
    url: URL,
    busy_timeout_seconds: float,
    module: ModuleType | None = None,
    *,
    server: Hashable = _HERE,
    connect: Callable[..., object] | None = None,
) -> Engine:
    """Create a pool of connections to a file; `module` replaces Python's own driver, see `engine_of` for the others."""
    return engine_of(
        url,
        server=server,
        connect=connect,
        module=module,
        pool_size=POOL_SIZE,
        max_overflow=POOL_OVERFLOW,
        pool_timeout=busy_timeout_seconds,
        pool_use_lifo=True,  # one connection has just read these pages; a write empties the cache of every other
        connect_args={
            "timeout": busy_timeout_seconds,
            "check_same_thread": False,
            "factory": one_at_a_time(module or sqlite3),
        },
    )


def on_connect(connection: sqlite3.Connection, _record: object) -> None:
    """Set up each connection: durable writes, foreign keys, overwriting of deleted data."""
    # The driver's own transaction control would begin too late and in the wrong mode: `_on_sqlite_begin` does it.
    connection.isolation_level = None
    with ExitStack() as on_failure:
        on_failure.callback(connection.close)  # not in the pool yet, so no other code closes it
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA secure_delete=ON")  # overwrite deleted data instead of only unlinking it
        on_failure.pop_all()


def _on_sqlite_begin(connection: Connection) -> None:
    statement = connection.get_execution_options().get("memoryos_begin", "BEGIN")
    driver = cast("sqlite3.Connection", connection.connection.dbapi_connection)
    if statement == "BEGIN" and driver.in_transaction:
        return  # a `Plain` statement has begun it
    try:
        # Call the driver directly: in `add`, SQLAlchemy's execution would cost as much as the insert.
        driver.execute(statement)
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
            except engine.dialect.loaded_dbapi.OperationalError as error:
                if _sqlite_failure(error) is not BUSY or time.monotonic() > deadline:
                    raise OperationalError("PRAGMA journal_mode=WAL", None, error) from error
                time.sleep(0.01)


def _sqlite_scrub(engine: Engine, busy_timeout_seconds: float) -> None:
    """Move the log into the file and empty it: it holds old images of erased rows. A reader may prevent it."""
    with closing(engine.raw_connection()) as raw, closing(raw.cursor()) as cursor:
        cursor.execute(f"PRAGMA busy_timeout={_SCRUB_MILLISECONDS}")
        if cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            # An interrupted read of this process may wait for the garbage collector with its lock on the log.
            gc.collect()
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        cursor.execute(f"PRAGMA busy_timeout={int(busy_timeout_seconds * 1000)}")


# SQLite's own words for its result codes: Python names the codes only since 3.11.
_SQLITE_WORDS: tuple[tuple[str, Failure], ...] = (
    ("is locked", BUSY),
    ("readonly database", UNWRITABLE),
    ("disk is full", UNWRITABLE),
    ("unable to open database", UNWRITABLE),
    ("disk I/O error", DISK),
    ("not a database", CORRUPT),
    ("disk image is malformed", CORRUPT),
    ("malformed database schema", CORRUPT),
)


def _sqlite_failure(error: BaseException | None) -> Failure | None:
    words = str(error)
    return next((failure for said, failure in _SQLITE_WORDS if said in words), None)


def peek(path: Path, module: ModuleType = sqlite3, unlock: Callable[[Any], None] = nothing) -> Sight | None:
    """Read the state from the file's header, past the log and without a lock; None when it is not a database.

    To open the file in any other way and close it would drop the locks that SQLite has on it in this process. While a
    reader keeps a checkpoint from its end, pages of different times stand in the file: only the first is relied upon.
    """
    name = f"{path.absolute().as_uri()}?immutable=1&mode=ro"
    try:
        with closing(module.connect(name, uri=True, factory=one_at_a_time(module), check_same_thread=False)) as file:
            unlock(file)
            file.execute("PRAGMA writable_schema=ON")  # else a file that is still shorter than it says is refused
            mark, schema = (
                file.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "schema_version")
            )
            pages = 0
            with suppress(module.Error, MemoryError):
                if not file.execute("PRAGMA auto_vacuum").fetchone()[0]:
                    pages = file.execute("PRAGMA page_count").fetchone()[0]
    except (module.Error, MemoryError):  # the second is the error of SQLCipher's driver for a page it cannot decrypt
        return None
    return Sight(mark, schema, pages)


def examine(connection: Connection, deep: bool) -> Mapping[str, Sequence[str]]:  # noqa: FBT001 - a flavour's call
    """Return what SQLite says is wrong with its file; `deep` compares the indexes with the tables, too."""
    pragma = "integrity_check" if deep else "quick_check"
    said = [str(row[0]) for row in connection.exec_driver_sql(f"PRAGMA {pragma}({_MOST_SAID})") if row[0] != "ok"]
    dangling = [f"{row[0]} {row[1]}" for row in connection.exec_driver_sql("PRAGMA foreign_key_check")]
    return {"the database itself is sound": said, "a row names rows that exist": dangling}


def copy_database(engine: Engine, path: Path, driver: ModuleType = sqlite3) -> None:
    """Copy a database as it is at one moment, in one read transaction; writers need not wait."""
    with (
        closing(driver.connect(path, factory=one_at_a_time(driver))) as target,
        closing(engine.raw_connection()) as raw,
    ):
        copy_pages(cast("sqlite3.Connection", raw.dbapi_connection), target)


def copy_pages(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Copy every page and read the copy back. Raises the driver's error for a copy that is not sound."""
    source.backup(target)
    if (said := target.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
        raise sqlite3.DatabaseError(f"database disk image is malformed: {said}")
    target.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _refuse_rekey(*_: object) -> None:
    raise StoreKeyError(
        "this file is not encrypted; nothing was changed: copy it into one that is (docs/encryption.md)"
    )


SQLITE = Flavour(
    engine=_sqlite_engine,
    reads={"memoryos_begin": "BEGIN"},
    writes={"memoryos_begin": "BEGIN IMMEDIATE"},
    failure=_sqlite_failure,
    prepare=_sqlite_wal,
    lock_schema=nothing,
    scrub=_sqlite_scrub,
    confine=lambda _connection, _scope: None,
    one_writer=True,
    examine=examine,
    rekey=_refuse_rekey,
    peek=peek,
    copy=copy_database,
)


_Stamp: TypeAlias = tuple[int, int, int]
# Wait for a checkpoint of another process: until the file has been quiet for this time.
_QUIET_SECONDS = 1.0
_PAUSE_SECONDS = 0.01
# Resolution of file times: a write right after a look may leave the same time, so there is a second look after a tick.
_TICK_NANOSECONDS = 20_000_000
_OVERWRITTEN = (
    "the database file was overwritten while it was open: it is not a database, another one, or an older copy; nothing "
    "was written: put the file back, or open the memory again, and never change its files while it is open"
)


class FileGuard:
    """Watches one database file; `path` None is a database without a plain file path. Thread-safe."""

    def __init__(self, path: str | None, peek: Callable[[Path], Sight | None] | None = None) -> None:
        self._path = path
        self._peek = peek
        self._sight: Sight | None = None  # none yet, while the log holds it all
        self._right: _Stamp | None = None
        self._looks_again = False
        self._wrong: _Stamp | None = None
        self._lock = Lock()  # a garbage collection may close a connection within
        self._file: Identity | None = None
        self._log = ""
        self._logs = weakref.WeakKeyDictionary[Any, Identity]()

    def begin(self) -> None:
        """Remember the present file as the right one."""
        with self._lock:
            self._file = _identity(self._path) if self._path else None
            # SQLite names the log after the file itself, whatever symbolic link leads there.
            self._log = f"{os.path.realpath(self._path)}-wal" if self._path else ""
            self._logs.clear()
        self._sight = self._right = self._wrong = None

    def leave(self) -> None:
        """Forget the parent's connections and open files in a forked child."""
        self._lock = Lock()  # a garbage collection may close a connection within
        self._logs = weakref.WeakKeyDictionary[Any, Identity]()

    def check_file(self) -> None:
        """Raise StoreUnwritableError when the opened file is gone or has other content."""
        self.check_name()
        self.check_content()

    def check_name(self) -> None:
        """Raise StoreUnwritableError when the name of the opened file is now missing or belongs to another file."""
        if self._file is not None and _identity(str(self._path)) != self._file:
            raise StoreUnwritableError(
                "the database file was removed or replaced while it was open; put it back, or open the memory again"
            )

    def check_content(self) -> None:
        """Raise StoreUnwritableError when the file was overwritten. Takes no lock."""
        stamp = self._stamp() if self._file is not None and self._peek is not None else None
        if stamp is not None and (stamp != self._right or (self._looks_again and _is_settled(stamp))):
            self._look_into(Path(str(self._path)), stamp)

    def _look_into(self, path: Path, stamp: _Stamp) -> None:
        known, since, found = self._sight, time.monotonic(), None
        while stamp != self._wrong:
            settled = _is_settled(stamp)
            is_quiet = time.monotonic() - since > _QUIET_SECONDS
            found = self._peek(path) if self._peek is not None else None
            if known is None or (found is not None and found.follows(known)):
                self._sight = found if found is not None and found.mark else None
                self._right, self._looks_again = stamp, not settled
                return
            now = self._stamp()
            if now is None:
                return  # the file is gone: `check_file` says so
            if now != stamp:
                stamp, since = now, time.monotonic()
            elif is_quiet or (found is not None and found.mark != known.mark):
                self._wrong = stamp
            time.sleep(_PAUSE_SECONDS)
        raise StoreUnwritableError(_OVERWRITTEN)

    def check(self, connection: Any) -> None:  # noqa: ANN401 - of one of two drivers
        """Raise StoreUnwritableError when the log is not the one that the connection opened."""
        if self._file is None:
            return
        with self._lock:
            self._check_log(connection)

    def closed(self, connection: Any) -> None:  # noqa: ANN401
        """Forget a connection: once the last is closed, SQLite removes the log itself."""
        if self._file is not None:
            with self._lock:
                self._logs.pop(connection, None)

    def _check_log(self, connection: Any) -> None:  # noqa: ANN401
        now = _identity(self._log)
        noted = self._logs.get(connection)
        if noted is None and now is not None:
            noted = self._logs[connection] = next(iter(self._logs.values()), now)
        if noted == now:
            return
        if now is None:
            _save(connection)
        raise StoreUnwritableError(
            "the write-ahead log (-wal) of the database was removed or replaced while it was open; nothing was "
            "written: close the memory and open it again, and never move or replace its files while it is open"
        )

    def _stamp(self) -> _Stamp | None:
        found = _status(str(self._path))
        return (found.st_ctime_ns, found.st_mtime_ns, found.st_size) if found else None


def _is_settled(stamp: _Stamp) -> bool:
    """Return whether a file with these times was left alone for so long that a later write has other times."""
    return time.time_ns() - stamp[0] > _TICK_NANOSECONDS


def _identity(path: str) -> Identity | None:
    found = _status(path)
    return (found.st_dev, found.st_ino) if found else None


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116 - for every transaction
    except OSError:
        return None


def _save(connection: Any) -> None:  # noqa: ANN401
    """Move what the removed log holds into the file, as long as this process still has it open."""
    try:
        connection.rollback()
        connection.execute("PRAGMA wal_checkpoint(FULL)")
    except sqlite3.Error:
        return  # another connection is active: closing it saves the log
