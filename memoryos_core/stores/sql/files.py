"""Opening, reading and closing SQLite files without losing the locks that SQLite holds on them in this process.

POSIX locks belong to a process, not to a descriptor: closing any descriptor of a file drops them all. SQLite knows
this of its own connections. A file that is read here in another way is therefore kept open until the last connection
to it is closed.
"""

from __future__ import annotations

import os
import secrets
import stat
import time
import weakref
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias, cast
from urllib.parse import unquote

from memoryos_core.errors import InvalidInputError, StoreUnwritableError
from memoryos_core.ports.forks import Lock, forks_wait, renew_in_child

Identity: TypeAlias = tuple[int, int]
"""Device and inode of a file."""

# A new encrypted file has two names for a moment.
_CREATION_SECONDS = 2.0
_PAUSE_SECONDS = 0.01


class _OpenFiles:
    """The connections of this process to files, and the descriptors that are kept open for them.

    A forked child has copies of its parent's connections, for which SQLite believes to hold locks that only the parent
    has. They are closed before the child opens a connection of its own; one that was in a transaction is never touched.
    """

    def __init__(self) -> None:
        self.doorway = Lock()  # reentrant: the garbage collector may close connections in the same thread
        self.kept: dict[Identity, int] = {}
        self._connections = weakref.WeakSet[Any]()
        self._inherited: list[Any] = []
        renew_in_child(self)

    def renew_after_fork(self) -> None:
        """Keep the parent's connections apart; their descriptors stay open, unused."""
        self._inherited += [connection for connection in self._connections if connection.file is not None]
        self._connections = weakref.WeakSet[Any]()
        self.kept.clear()

    def add(self, connection: Any) -> None:  # noqa: ANN401 - of one of two drivers
        """Count a connection, from its opening on."""
        self._connections.add(connection)

    def close_inherited(self) -> None:
        """Close the connections of the parent that were idle when it forked."""
        inherited, self._inherited = self._inherited, []
        for connection in inherited:
            if connection.in_transaction:
                self._inherited.append(connection)  # never collected either
            else:
                cast("Any", super(type(connection), connection)).close()

    def close_unused(self) -> None:
        """Close the kept descriptors of files without a connection: there are no locks to lose."""
        used = {connection.file for connection in self._connections}
        for identity in self.kept.keys() - used:
            os.close(self.kept.pop(identity))


_files = _OpenFiles()


def head_of(path: Path, size: int) -> bytes:
    """Return the first bytes of a file; empty when it is missing or unreadable."""
    return part_of(path, 0, size)


def part_of(path: Path, offset: int, size: int) -> bytes:
    """Return some bytes of a file, as many as there are; empty when it is missing or unreadable."""
    with forks_wait(), _files.doorway:
        try:
            descriptor = _files.kept.get(_identity(path) or (0, 0))
            if descriptor is None:
                descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
                found = os.fstat(descriptor)
                _files.kept[found.st_dev, found.st_ino] = descriptor
            os.lseek(descriptor, offset, os.SEEK_SET)
            return os.read(descriptor, size)
        except OSError:
            return b""
        finally:
            _files.close_unused()


def refuse_hard_links(path: Path) -> None:
    """Raise StoreUnwritableError for a file with several names.

    SQLite keeps a log for each name: what is written by one name is lost by the other. Symbolic links are followed.
    """
    deadline = time.monotonic() + _CREATION_SECONDS
    while _names(path) > 1:
        if time.monotonic() > deadline:
            raise StoreUnwritableError(
                "this database file has several names (hard links): what is written by one name would be lost by the "
                "other; nothing was changed: remove the other names, or make a symbolic link or a copy instead"
            )
        time.sleep(_PAUSE_SECONDS)


@contextmanager
def new_file(path: Path) -> Generator[Path, None, None]:
    """Yield another name in the same folder; after the block, what stands there durably gets the path's name.

    Raises InvalidInputError when there is a file at the path, before the block or after it, and StoreUnwritableError.
    """
    path = path.absolute()  # SQLite reads a relative "file:…" as a URL
    partial = path.with_name(f"{path.name}.{secrets.token_hex(8)}.partial")
    taken = InvalidInputError(f"there is a file at {str(path)!r} already; name a new one")
    if path.exists() or path.is_symlink():
        raise taken
    try:
        yield partial
        _sync(partial)
        if path.exists():
            raise taken
        # Not by a hard link, which would never replace a file: a process killed then leaves one with two names.
        partial.rename(path)
        _sync(path.parent)
    except OSError as error:
        raise StoreUnwritableError(f"{str(path)!r} could not be written ({error.strerror}); nothing is there") from None
    finally:
        for name in (partial.name, f"{partial.name}-wal", f"{partial.name}-shm"):
            with suppress(OSError):  # the disk that failed may keep it; its name says that it is no whole file
                partial.with_name(name).unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@cache
def one_at_a_time(driver: ModuleType) -> type[Any]:
    """Return a connection factory for `connect` that opens and closes one connection at a time."""

    def init(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - the driver's own
        with forks_wait(), _files.doorway:
            _files.close_inherited()
            path, options = _path_of(str(args[0] if args else kwargs["database"]))
            if path and "mode=" not in options:
                _make_private(path)
            driver.Connection.__init__(self, *args, **kwargs)
            if path:
                self.file = _identity(path)
                _files.add(self)

    def close(self: Any) -> None:  # noqa: ANN401 - of the class that is made here
        with forks_wait(), _files.doorway:
            # SQLite keeps a connection, and its locks, until the last of its statements is collected: an interrupt may
            # leave some behind. What is rolled back holds no lock.
            with suppress(driver.Error):
                self.rollback()
            driver.Connection.close(self)
            self.file = None
            _files.close_unused()

    return type("Connection", (driver.Connection,), {"__init__": init, "close": close, "file": None})


def _identity(path: str | Path) -> Identity | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino)


def _names(path: Path) -> int:
    try:
        found = path.stat()
    except OSError:
        return 0  # opening it reports the reason
    return found.st_nlink if stat.S_ISREG(found.st_mode) else 0  # so for a folder, which has several by nature


def _path_of(name: str) -> tuple[str, str]:
    """Return the path and the options that a name for `connect` holds; no path for a database in RAM."""
    if not name.startswith("file:"):
        return ("" if name == ":memory:" else name), ""
    path, _, options = name.removeprefix("file:").partition("?")
    in_memory = path == ":memory:" or "mode=memory" in options
    return ("" if in_memory else unquote(path.removeprefix("//"))), options


def _make_private(path: str) -> None:
    """Make a new database file one that its owner alone may read; SQLite gives its log the same mode.

    If the file cannot be created, SQLite reports the reason later.
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
