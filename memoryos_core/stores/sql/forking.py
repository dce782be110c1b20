"""What a fork does with open databases: none of them may be in the middle of a write."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable
from typing import Protocol

_FORK_SECONDS = 5.0


class Forkable(Protocol):
    """What has a lock that its writers hold."""

    def take_lock(self, seconds: float) -> Callable[[], None] | None:
        """Keep writers out and return what lets them in again; None when one holds the lock for longer than this."""
        ...

    def renew_lock(self) -> None:
        """Forget who holds the lock: in a forked child, none of them is there."""
        ...


_living = weakref.WeakSet[Forkable]()
_inner: list[Forkable] = []
_living_lock = threading.Lock()


def watch(database: Forkable) -> None:
    """Have a fork wait for this database's writes, for as long as it is referred to."""
    with _living_lock:
        _living.add(database)


def watch_inner(lock: Forkable) -> None:
    """The same for a lock that is taken within those of databases, and so after them; it is kept for good."""
    _inner.append(lock)


class _Held(threading.local):
    """What this thread took to fork."""

    def __init__(self) -> None:
        self.releases: list[Callable[[], None]] = []


_held = _Held()


def _before_fork() -> None:
    """Let no write of this process be open: SQLite would take it for one of the child's own that never ends."""
    deadline = time.monotonic() + _FORK_SECONDS
    with _living_lock:
        databases = [*_living, *_inner]
    for database in databases:
        release = database.take_lock(max(deadline - time.monotonic(), 0))
        if release is not None:  # a writer that hangs does not stop a fork
            _held.releases.append(release)


def _after_fork_in_parent() -> None:
    while _held.releases:
        _held.releases.pop()()


def _after_fork_in_child() -> None:
    """Threads do not survive a fork, but the locks that they held do."""
    global _living_lock
    _living_lock = threading.Lock()
    _held.releases.clear()
    for database in [*_living, *_inner]:
        database.renew_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
