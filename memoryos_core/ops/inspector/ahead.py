"""Reading ahead: what later views of a user need is read at the server's start, or behind the user's first view."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from threading import Thread

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool

from memoryos_core.api.user import UserMemory
from memoryos_core.errors import MemoryOSError
from memoryos_core.ports.forks import Lock
from memoryos_core.providers.tokens import open_token_counter
from memoryos_core.values.dialogue import Scope

_USERS_AT_MOST = 64  # of so many the memory keeps what was read
_START_SECONDS = 2.0  # who opens the page waits no longer for what is read at the start


class ReadAhead:
    """Reads ahead for each user once. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._begun: OrderedDict[Scope, None] = OrderedDict()

    def task_for(self, user: UserMemory) -> BackgroundTask | None:
        """Return the work that follows the first view of a user; None for later views, and for an actor.

        An actor may lack a role, and no act shall be denied that nobody asked for.
        """
        return BackgroundTask(_load_for, user) if self._begin(user) else None

    @asynccontextmanager
    async def started(self, user: UserMemory | None) -> AsyncGenerator[None]:
        """Read ahead for the one user that is shown, and load what is the same for all, before the first request."""
        known = user if user is not None and self._begin(user) else None
        reading = Thread(target=_load_for, args=(known,), name="memoryos-inspect", daemon=True)
        reading.start()
        await run_in_threadpool(reading.join, _START_SECONDS)
        yield

    def _begin(self, user: UserMemory) -> bool:
        if user.gate.actor is not None:
            return False
        with self._lock:
            if user.scope in self._begun:
                return False
            self._begun[user.scope] = None
            while len(self._begun) > _USERS_AT_MOST:
                self._begun.popitem(last=False)
        return True


def _load_for(user: UserMemory | None) -> None:
    """Load the index, the facts as recall compares them, and the vocabulary that counts tokens."""
    with suppress(MemoryOSError):  # a view tells what is wrong
        if user is not None:
            user.search("memory", 1)
            user.profile()
            user.disputes()
        open_token_counter()("memory")  # what it loads is shared with the memory's own counter
