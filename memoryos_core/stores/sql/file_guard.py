"""Notices that a SQLite file or its log was removed or replaced by somebody while it is open here.

SQLite itself does not: it writes on into the file that it holds open, and what it accepts is gone with the process.
Only names are looked at: to open one of the files and close it again would drop the locks that SQLite has on it.
"""

from __future__ import annotations

import os
import sqlite3
import weakref
from typing import Any, TypeAlias

from memoryos_core.errors import StoreUnwritableError
from memoryos_core.forking import Lock

_Identity: TypeAlias = tuple[int, int]


class FileGuard:
    """Watches one database file; `path` None is a database that is no file of a plain path. Thread-safe."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._lock = Lock()  # a garbage collection may close a connection within
        self._file: _Identity | None = None
        self._logs = weakref.WeakKeyDictionary[Any, _Identity]()

    def begin(self) -> None:
        """Take the file that is there now for the right one."""
        with self._lock:
            self._file = self._identity("")
            self._logs.clear()

    def leave(self) -> None:
        """In a forked child: the parent's connections, and what they had open, are not to be compared with."""
        self._lock = Lock()  # a garbage collection may close a connection within
        self._logs = weakref.WeakKeyDictionary[Any, _Identity]()

    def check_file(self) -> None:
        """Raise StoreUnwritableError when another file, or none, has the name of the one that was opened."""
        if self._file is not None and self._identity("") != self._file:
            raise StoreUnwritableError(
                "the database file was removed or replaced while it was open; put it back, or open the memory again"
            )

    def check(self, connection: Any) -> None:  # noqa: ANN401 - of one of two drivers
        """Raise StoreUnwritableError when the log is not the one that the connection has open."""
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
            "written: let nobody touch the files of a memory in use, close it, and open it again"
        )

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
        return  # another connection is at work: it saves it when it is closed
