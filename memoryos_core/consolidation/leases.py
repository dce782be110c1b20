"""Leases on scopes: no other process works on a leased scope, and a process that lost its lease writes nothing.

The requested work of each scope, and the failed work, which is tried again after longer and longer pauses.
"""

from __future__ import annotations

import logging
import math
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Generic, TypeVar

from memoryos_core.config import WorkerConfig
from memoryos_core.errors import ClosedError, StoreBusyError, StoreError
from memoryos_core.ports import Store
from memoryos_core.ports.capabilities import LeaseStore
from memoryos_core.ports.forks import Lock, renew_in_child
from memoryos_core.values.commands import Cursor, Pending
from memoryos_core.values.dialogue import Scope

logger = logging.getLogger(__name__)

# A lease is renewed this often in its time; one whose work has made no progress for so many leases is given up, since
# a model that hangs must not keep a scope from those whose model answers.
_RENEWALS_A_LEASE = 3
_PATIENCE_LEASES = 10
_LOOK_AGAIN_SECONDS = 0.05


class LeasedElsewhereError(StoreBusyError):
    """Another process works on this scope: it does the pending work, or this process does it later."""


@dataclass
class _Held:
    """A leased scope: the time of its last progress, and the seconds after which it is due again.

    `again_after`: because work is left; `silent_after`: because then a session will have been silent for long enough.
    """

    progress: float = field(default_factory=time.monotonic)
    again_after: float | None = None
    silent_after: float | None = None


@dataclass(frozen=True)
class _Taken:
    """A scope leased inside this process: the holder, and the work that waited when the lease began."""

    holder: str
    epoch: int
    pending: frozenset[Pending]


@dataclass(frozen=True)
class _Released:
    """The position of a scope when its lease ended, that moment, and the moment from which it is due unchanged."""

    cursor: Cursor
    at: float
    due: float


class LocalLeases:
    """Leases for a store without them, which belongs to this process: they never expire and end with it. Thread-safe.

    A scope with waiting work is due until it was released, and again when something was written to it or a pause ended.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self.renew_after_fork()
        renew_in_child(self)

    def renew_after_fork(self) -> None:
        """Start a forked child without leases: it has a copy of the store, and its parent's threads are not there."""
        self._taken: dict[Scope, _Taken] = {}
        self._released: dict[Scope, _Released] = {}

    def claim(self, holder: str, seconds: float, *, limit: int = 1, wait: bool = False) -> tuple[Scope, ...]:
        """Lease scopes with waiting work that nobody holds: first those never released, then the longest released."""
        with self._lock:
            waiting = self._store.scopes(pending_only=True)
            self._released = {scope: self._released[scope] for scope in waiting if scope in self._released}
            free = [scope for scope in waiting if scope not in self._taken and self._is_due(scope)]
            found = sorted(free, key=self._released_at)[:limit]
            for scope in found:
                self._take(scope, holder)
        return tuple(found)

    def lease(self, scope: Scope, holder: str, seconds: float) -> bool:
        """Take or keep the lease of one scope."""
        with self._lock:
            if scope not in self._taken:
                self._take(scope, holder)
            return self._taken[scope].holder == holder

    def renew(self, scope: Scope, holder: str, seconds: float) -> bool:
        """Return whether the holder still has the lease."""
        return self.holder(scope) == holder

    def release(self, scope: Scope, holder: str, *, again_after: float | None = None) -> None:
        """End the lease; the scope is due after some seconds, when it changes, or at once if work came meanwhile."""
        with self._lock:
            if self.holder(scope) != holder:
                return
            taken = self._taken.pop(scope)  # first: a scope whose store fails now is due, not held for ever
            self._released.pop(scope, None)
            cursor, now = self._store.cursor(scope), time.monotonic()
            # The cursor also counts the changes of the run itself; waiting pages that were not there do not.
            if cursor.epoch == taken.epoch and taken.pending.issuperset(self._store.pending(scope)):
                pause = math.inf if again_after is None else again_after
                self._released[scope] = _Released(cursor, now, now + pause)
            else:
                self._released[scope] = _Released(cursor, now, now)

    def holder(self, scope: Scope) -> str | None:
        """Return who holds the scope."""
        taken = self._taken.get(scope)
        return None if taken is None else taken.holder

    def _take(self, scope: Scope, holder: str) -> None:
        self._taken[scope] = _Taken(holder, self._store.cursor(scope).epoch, frozenset(self._store.pending(scope)))

    def _is_due(self, scope: Scope) -> bool:
        released = self._released.get(scope)
        return released is None or time.monotonic() >= released.due or self._store.cursor(scope) != released.cursor

    def _released_at(self, scope: Scope) -> float:
        released = self._released.get(scope)
        return 0.0 if released is None else released.at


class Leases:
    """Takes, renews and releases leases. Thread-safe; a forked child holds none and has its own name."""

    def __init__(
        self, store: Store, config: WorkerConfig, sleep: Callable[[float], None], stopping: Callable[[], bool]
    ) -> None:
        self._store = store
        self._shared: LeaseStore = store if isinstance(store, LeaseStore) else LocalLeases(store)
        self._config = config
        self._sleep = sleep
        self._stopping = stopping
        self.renew_after_fork()
        renew_in_child(self)

    def renew_after_fork(self) -> None:
        """Start a forked child with a new name and without leases: it must not renew its parent's."""
        # Host and process, so that another one on the host sees whether the holder lives.
        self._name = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:12]}"
        self._lock = Lock()
        self._held: dict[Scope, _Held] = {}
        self._renewing: threading.Thread | None = None
        config = self._config
        self._tries = Postponed[Scope, None](config.backoff_seconds, config.backoff_ceiling_seconds)

    @property
    def name(self) -> str:
        """The name of this process in the store."""
        return self._name

    def claim(self, *, wait: bool = False) -> Scope | None:
        """Take the scope that has waited longest; None when none is due. `let_go` ends it.

        One that is being written to counts as due only to whoever has time to `wait` for it.
        """
        for scope in self._shared.claim(self.name, self._config.lease_seconds, wait=wait):
            self._hold(scope)
            return scope
        return None

    def holding(self, scope: Scope) -> str | None:
        """Return the holder to put into a command; None outside of a run that has the lease."""
        name = self.name
        return name if scope in self._held else None

    @contextmanager
    def held(self, scope: Scope, *, wait: bool) -> Generator[None, None, None]:
        """Hold the lease of a scope inside the block: the lease held already, or a new one.

        Raises LeasedElsewhereError when another has it: at once, or after waiting for as long as a lease lasts.
        """
        if self.holding(scope) is not None:
            yield
            return
        deadline = time.monotonic() + (self._config.lease_seconds if wait else 0)
        while not self._take_lease(scope):
            if self._store.cursor(scope) == Cursor():
                yield  # the scope is empty: there is nothing to lease
                return
            if time.monotonic() >= deadline or self._stopping():
                raise LeasedElsewhereError("another process is consolidating this user's memory; try again later")
            self._sleep(_LOOK_AGAIN_SECONDS)
        self._hold(scope)
        ended = False
        try:
            yield
            ended = True
        finally:
            if not ended:
                self.again(scope, failed=True)
            self.let_go(scope)

    def again(self, scope: Scope, *, failed: bool) -> None:
        """Keep a scope due, because work is left; after a failure the pause grows."""
        held = self._held.get(scope)
        if held is not None:
            held.again_after = self._tries.count(scope) if failed else 0.0

    def wait_for_silence(self, scope: Scope, seconds: float | None) -> None:
        """Make a scope due again after these seconds, when all that is due now was done; None: when it changes."""
        held = self._held.get(scope)
        if held is not None:
            held.silent_after = seconds

    def let_go(self, scope: Scope) -> None:
        """Release a lease. If the store fails now, the lease expires by itself."""
        with self._lock:
            held = self._held.pop(scope, None)
        if held is None:
            return
        if held.again_after is None:
            self._tries.succeeded(scope)
        try:
            pause = held.silent_after if held.again_after is None else held.again_after
            self._shared.release(scope, self._name, again_after=pause)
        except (StoreError, ClosedError) as error:
            logger.warning("a lease could not be released (%s): it expires by itself", type(error).__name__)

    def progress(self, scope: Scope) -> None:
        """Record progress: the lease is renewed for some more time."""
        held = self._held.get(scope)
        if held is not None:
            held.progress = time.monotonic()

    def check(self, scope: Scope) -> None:
        """Check, after a conflict, that the scope is still ours or free. Raises LeasedElsewhereError otherwise."""
        if self.holding(scope) is None or self._take_lease(scope):
            return
        if self._shared.holder(scope) is not None:
            raise LeasedElsewhereError(
                "another process has taken over this user's memory: the lease ran out here; try again later"
            )

    def close(self) -> None:
        """Release all leases; a run that still hangs can no longer write. Idempotent."""
        for scope in list(self._held):
            self.again(scope, failed=False)
            self.let_go(scope)

    def _take_lease(self, scope: Scope) -> bool:
        name, seconds = self.name, self._config.lease_seconds
        if self._shared.lease(scope, name, seconds):
            return True
        holder = self._shared.holder(scope)
        if holder is not None and not _lives(holder):
            self._shared.release(scope, holder, again_after=0.0)
            return self._shared.lease(scope, name, seconds)
        return False

    def _hold(self, scope: Scope) -> None:
        with self._lock:
            self._held[scope] = _Held()
            if self._renewing is None:
                # Daemon, as the worker's own threads are.
                self._renewing = threading.Thread(target=self._renew, name="memoryos-leases", daemon=True)
                self._renewing.start()

    def _renew(self) -> None:
        lease = self._config.lease_seconds
        while True:
            self._sleep(lease / _RENEWALS_A_LEASE)
            with self._lock:
                held = dict(self._held)
                if not held or self._stopping():
                    self._renewing = None
                    return
            for scope, one in held.items():
                if time.monotonic() - one.progress < _PATIENCE_LEASES * lease:
                    self._renew_one(scope)

    def _renew_one(self, scope: Scope) -> None:
        try:
            self._shared.renew(scope, self._name, self._config.lease_seconds)
        except (StoreError, ClosedError) as error:
            logger.warning("a lease could not be renewed: %s", type(error).__name__)


def _lives(holder: str) -> bool:
    """Return False when the holder was a process of this host that is gone; an error only costs repeated work."""
    host, _, rest = holder.rpartition(":")[0].rpartition(":")
    if host != socket.gethostname() or os.name != "posix" or not rest.isdigit():
        return True
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


K = TypeVar("K")
V = TypeVar("V")

_MOST_DOUBLINGS = 20
# Without a pause, work that fails at once would be tried again without end.
_LEAST_PAUSE_SECONDS = 0.1


class Want(IntEnum):
    """The requested part of a scope's pending work; a greater want includes the smaller ones."""

    VISITS = 0
    BATCHES = 1
    WHOLE = 2


class Postponed(Generic[K, V]):
    """Keys with their requested work and its time. Not thread-safe: its owner holds a lock."""

    def __init__(self, pause_seconds: float, ceiling_seconds: float) -> None:
        self._pause = pause_seconds
        self._ceiling = ceiling_seconds
        self._tries: dict[K, int] = {}
        self._waiting: dict[K, tuple[float, V]] = {}

    def add(self, key: K, want: V, now: float) -> None:
        """Add a key to try again, after a longer pause than last time."""
        self._waiting[key] = (now + self.count(key), want)

    def count(self, key: K) -> float:
        """Count one more failure; return the pause in seconds."""
        tries = self._tries[key] = self._tries.get(key, 0) + 1
        pause = self._pause * 2.0 ** min(tries, _MOST_DOUBLINGS)
        return max(min(pause, self._ceiling), _LEAST_PAUSE_SECONDS)

    def succeeded(self, key: K) -> None:
        """Reset the pause: the next failure starts from the first pause again."""
        self._tries.pop(key, None)

    def due(self, now: float) -> list[tuple[K, V]]:
        """Remove and return the keys that have waited long enough."""
        ready = [(key, want) for key, (at, want) in self._waiting.items() if at <= now]
        for key, _ in ready:
            del self._waiting[key]
        return ready

    def pause(self, now: float) -> float | None:
        """Return the seconds until a key is due; None while no key waits."""
        return min((at - now for at, _ in self._waiting.values()), default=None)

    def clear(self) -> None:
        """Drop all keys: nothing is tried again."""
        self._waiting.clear()
