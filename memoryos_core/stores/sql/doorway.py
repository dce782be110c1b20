"""Opening and closing SQLite files one at a time in a process.

SQLite 3.51.0 and 3.51.1 deadlock when one thread opens a file while another closes its last connection to it: they take
two of the library's own locks in opposite order (fixed in 3.51.2; the wheels of SQLCipher carry 3.51.1).
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from types import ModuleType
from typing import Any
from urllib.parse import unquote

from memoryos_core.forking import Lock, forks_wait

# A thread may come back in: the collector closes connections, too.
_doorway = Lock()


@cache
def one_at_a_time(driver: ModuleType) -> type[Any]:
    """The driver's connections, as a factory for its `connect`, of which only one opens or closes at a time."""

    def init(self: object, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - the driver's own
        with forks_wait(), _doorway:
            _make_private(str(args[0] if args else kwargs["database"]))
            driver.Connection.__init__(self, *args, **kwargs)

    def close(self: Any) -> None:  # noqa: ANN401 - of the class that is made here
        with forks_wait(), _doorway:
            # SQLite keeps a connection, and its locks, until the last of its statements is collected: an interrupt may
            # leave some behind. What is rolled back holds no lock.
            with suppress(driver.Error):
                self.rollback()
            driver.Connection.close(self)

    return type("Connection", (driver.Connection,), {"__init__": init, "close": close})


def _make_private(name: str) -> None:
    """Make a new database file one that its owner alone may read; SQLite gives its log the same mode.

    What cannot be made is left to SQLite, which says why.
    """
    path, _, options = name.removeprefix("file:").partition("?") if name.startswith("file:") else (name, "", "")
    if not path or path == ":memory:" or "mode=" in options:
        return
    with suppress(OSError):
        os.close(os.open(unquote(path) if name.startswith("file:") else path, os.O_CREAT | os.O_EXCL, 0o600))
