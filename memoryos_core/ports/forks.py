"""Forks of a process whose threads are at work: locks that the child finds free, and work that a fork waits for.

A child has one thread, the one that forked. A lock that another thread held stays locked there for good, and what that
thread was doing stays half done. So every lock, condition, event and semaphore of this package is one of these. A mutex
inside a library cannot be replaced, so calls that may hold one run inside `forks_wait`.

Also the time that a verb may take: looked at before each statement and each question to a model, until it has written.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Protocol

from memoryos_core.errors import DeadlineError

__all__ = [
    "Condition",
    "Deadline",
    "Event",
    "Lock",
    "Semaphore",
    "check_deadline",
    "deadline",
    "forks_wait",
    "renew_in_child",
]

_MOST_SECONDS = 5.0
_PAUSE_SECONDS = 0.0005


class Renewable(Protocol):
    """An object that a forked child cannot use as it is."""

    def renew_after_fork(self) -> None:
        """Replace locks, threads and half-changed state; called in the child before anything else runs there."""
        ...


# Each step below is one operation on a dict or a set, which no other thread sees half done: a lock here could itself
# be held at a fork.
_renewables: dict[int, weakref.ref[Renewable]] = {}
_inside: dict[int, int] = {}  # thread -> how many `forks_wait` blocks it is in
_forking: set[int] = set()


def renew_in_child(renewable: Renewable) -> None:
    """Call `renew_after_fork` of this object in each forked child, for as long as something else refers to it."""
    key = id(renewable)

    def drop(reference: weakref.ref[Renewable]) -> None:
        if _renewables.get(key) is reference:  # not one that has taken the same address since
            del _renewables[key]

    _renewables[key] = weakref.ref(renewable, drop)


class Lock:
    """A lock that is free in a forked child, unless the thread that forked holds it; its owner may take it again.

    No interrupt (Ctrl-C) leaves it locked. Python looks for one between its own instructions, so what takes the lock
    and what frees it are the built-in methods themselves, and not functions around them.
    """

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        renew_in_child(self)

    @property
    def acquire(self) -> Callable[..., bool]:
        """`acquire(blocking=True, timeout=-1)`: take the lock; False when it is not free in time."""
        return self._lock.acquire

    @property
    def release(self) -> Callable[[], None]:
        """Let the next thread have it."""
        return self._lock.release

    @property
    def __enter__(self) -> Callable[[], bool]:
        return self._lock.__enter__

    @property
    def __exit__(self) -> Callable[..., None]:
        return self._lock.__exit__

    def renew_after_fork(self) -> None:
        """Forget an owner that is not there any more."""
        if not self._lock._is_owned():  # type: ignore[attr-defined]  # noqa: SLF001 - as Condition asks
            self._lock = threading.RLock()


class Condition(threading.Condition):
    """A condition whose lock is free in a forked child, unless the thread that forked holds it."""

    def __init__(self) -> None:
        super().__init__()
        renew_in_child(self)

    def renew_after_fork(self) -> None:
        """Forget an owner and waiters that are not there any more."""
        if not self._is_owned():  # type: ignore[attr-defined]
            super().__init__()


class Event(threading.Event):
    """An event that a forked child can set and wait for; it is set there if it was set before."""

    def __init__(self) -> None:
        super().__init__()
        renew_in_child(self)

    def renew_after_fork(self) -> None:
        """Forget the threads that were setting it or waiting for it."""
        was_set = self.is_set()
        super().__init__()
        if was_set:
            self.set()


class Semaphore(threading.Semaphore):
    """A semaphore of which a forked child has all `places` free. The thread that forks must hold none."""

    def __init__(self, places: int) -> None:
        super().__init__(places)
        self._places = places
        renew_in_child(self)

    def renew_after_fork(self) -> None:
        """Forget the threads that were inside."""
        super().__init__(self._places)


class _ForksWait:
    """See `forks_wait`; it has no state of its own."""

    __slots__ = ()

    def __enter__(self) -> None:
        me = threading.get_ident()
        depth = _inside.get(me, 0)
        is_entered = False
        try:
            while not is_entered:
                _inside[me] = depth + 1
                is_entered = bool(depth or not _forking or me in _forking)
                if not is_entered:
                    del _inside[me]
                    time.sleep(_PAUSE_SECONDS)
        finally:
            if not (is_entered or depth):  # an interrupt: nothing would leave the block
                _inside.pop(me, None)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        me = threading.get_ident()
        depth = _inside.get(me, 1)
        if depth > 1:
            _inside[me] = depth - 1
        else:
            _inside.pop(me, None)


_FORKS_WAIT = _ForksWait()


def forks_wait() -> _ForksWait:
    """Return a `with` block that a fork by another thread waits for, five seconds at most.

    It is for calls into libraries that hold mutexes of their own: database drivers, the loading of models, imports.
    Take no lock of this package inside that a thread outside may hold while it enters such a block.
    """
    return _FORKS_WAIT


def _before_fork() -> None:
    me = threading.get_ident()
    _forking.add(me)  # from now on nobody else enters
    deadline = time.monotonic() + _MOST_SECONDS
    while any(thread != me for thread in list(_inside)) and time.monotonic() < deadline:
        time.sleep(_PAUSE_SECONDS)


def _after_fork_in_parent() -> None:
    _forking.discard(threading.get_ident())


def _after_fork_in_child() -> None:
    _forking.clear()
    me = threading.get_ident()
    depth = _inside.get(me, 0)
    _inside.clear()
    if depth:
        _inside[me] = depth
    for reference in list(_renewables.values()):
        renewable = reference()
        if renewable is not None:
            renewable.renew_after_fork()
    if (tqdm := sys.modules.get("tqdm")) is not None:  # its bars share one lock, which it does not renew by itself
        tqdm.tqdm.set_lock(threading.RLock())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)


class Deadline:
    """The end of one verb's time. After its first commit it is `over`: what is written is told, however late."""

    __slots__ = ("_end", "_seconds", "over")

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._end = None if seconds is None else time.monotonic() + seconds
        self.over = False

    def check(self) -> None:
        """Raise DeadlineError when the time is up."""
        if self._end is not None and not self.over and time.monotonic() > self._end:
            raise DeadlineError(f"this took longer than limits.verb_seconds={self._seconds:g}; nothing was changed")


DEADLINE: ContextVar[Deadline | None] = ContextVar("memoryos_deadline", default=None)
"""The deadline of the verb that runs in this thread; None outside of verbs and for consolidation."""


def check_deadline(*_: object) -> None:
    """Raise DeadlineError when the time of the verb that runs is up."""
    deadline = DEADLINE.get()
    if deadline is not None:
        deadline.check()


@contextmanager
def deadline(new: Deadline | None) -> Generator[None, None, None]:
    """Run the block within this deadline, or without any."""
    before = DEADLINE.get()
    try:  # begins before it is set: an interrupt in between must not leave this thread with a deadline
        DEADLINE.set(new)
        yield
    finally:
        DEADLINE.set(before)
