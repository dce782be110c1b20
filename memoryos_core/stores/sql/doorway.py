"""Opening and closing SQLite files one at a time in a process.

SQLite 3.51.0 and 3.51.1 deadlock when one thread opens a file while another closes its last connection to it: they take
two of the library's own locks in opposite order (fixed in 3.51.2; the wheels of SQLCipher carry 3.51.1).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

from memoryos_core.stores.sql.forking import watch_inner


class _Doorway:
    """A lock that a fork waits for. A thread may come back in: the collector closes connections, too."""

    def __init__(self) -> None:
        self.lock = threading.RLock()

    def take_lock(self, seconds: float) -> Callable[[], None] | None:
        return self.lock.release if self.lock.acquire(timeout=seconds) else None

    def renew_lock(self) -> None:
        self.lock = threading.RLock()


_doorway = _Doorway()
watch_inner(_doorway)


@cache
def one_at_a_time(driver: ModuleType) -> type[Any]:
    """The driver's connections, as a factory for its `connect`, of which only one opens or closes at a time."""

    def init(self: object, *args: object, **kwargs: object) -> None:
        with _doorway.lock:
            driver.Connection.__init__(self, *args, **kwargs)

    def close(self: object) -> None:
        with _doorway.lock:
            driver.Connection.close(self)

    return type("Connection", (driver.Connection,), {"__init__": init, "close": close})
