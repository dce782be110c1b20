"""Detects that a SQLite file or its log was removed, replaced or overwritten while it is open here.

SQLite itself does not: it continues to write into the open file, and the data is lost when the process ends.
Each transaction checks file names only: opening and closing one of the files would drop the locks that SQLite has on
it. SQLite itself reads the file's content after each checkpoint of another process.
"""

from __future__ import annotations

import os
import sqlite3
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from memoryos_core.errors import StoreUnwritableError
from memoryos_core.ports.forks import Lock
from memoryos_core.stores.sql.dialect import Sight

_Identity: TypeAlias = tuple[int, int]
_Stamp: TypeAlias = tuple[int, int, int]
# Wait for a checkpoint of another process: until the file has been quiet for this time.
_QUIET_SECONDS = 1.0
_PAUSE_SECONDS = 0.01
# Resolution of file times: a write right after a check may leave the same time.
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
        self._wrong: _Stamp | None = None
        self._lock = Lock()  # a garbage collection may close a connection within
        self._file: _Identity | None = None
        self._logs = weakref.WeakKeyDictionary[Any, _Identity]()

    def begin(self) -> None:
        """Remember the present file as the right one."""
        with self._lock:
            self._file = self._identity("")
            self._logs.clear()
        self._sight = self._right = self._wrong = None

    def leave(self) -> None:
        """Forget the parent's connections and open files in a forked child."""
        self._lock = Lock()  # a garbage collection may close a connection within
        self._logs = weakref.WeakKeyDictionary[Any, _Identity]()

    def check_file(self) -> None:
        """Raise StoreUnwritableError when the opened file is gone or has other content."""
        self.check_name()
        self.check_content()

    def check_name(self) -> None:
        """Raise StoreUnwritableError when the name of the opened file is now missing or belongs to another file."""
        if self._file is not None and self._identity("") != self._file:
            raise StoreUnwritableError(
                "the database file was removed or replaced while it was open; put it back, or open the memory again"
            )

    def check_content(self) -> None:
        """Raise StoreUnwritableError when the file was overwritten. Takes no lock."""
        stamp = self._stamp() if self._file is not None and self._peek is not None else None
        if stamp is not None and stamp != self._right:
            self._look_into(Path(str(self._path)), stamp)

    def _look_into(self, path: Path, stamp: _Stamp) -> None:
        known, since, found = self._sight, time.monotonic(), None
        while stamp != self._wrong:
            is_quiet = time.monotonic() - since > _QUIET_SECONDS
            found = self._peek(path) if self._peek is not None else None
            if known is None or (found is not None and found.follows(known)):
                self._sight = found if found is not None and found.mark else None
                self._right = stamp if time.time_ns() - stamp[0] > _TICK_NANOSECONDS else None
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
        now = self._identity("-wal")
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
        try:
            found = os.stat(str(self._path))  # noqa: PTH116 - for every transaction
        except OSError:
            return None
        return (found.st_ctime_ns, found.st_mtime_ns, found.st_size)

    def _identity(self, suffix: str) -> _Identity | None:
        try:
            found = os.stat(f"{self._path}{suffix}") if self._path else None  # noqa: PTH116 - for every transaction
        except OSError:
            return None
        return (found.st_dev, found.st_ino) if found else None


def _save(connection: Any) -> None:  # noqa: ANN401
    """Move what the removed log holds into the file, as long as this process still has it open."""
    try:
        connection.rollback()
        connection.execute("PRAGMA wal_checkpoint(FULL)")
    except sqlite3.Error:
        return  # another connection is active: closing it saves the log
