"""Reading ahead: the first view of a user is followed by what later views of this user need."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress

from starlette.background import BackgroundTask

from memoryos_core.api.user import UserMemory
from memoryos_core.errors import MemoryOSError
from memoryos_core.ports.forks import Lock
from memoryos_core.providers.tokens import open_token_counter
from memoryos_core.values.dialogue import Scope

_USERS_AT_MOST = 64  # of so many the memory keeps what was read


class ReadAhead:
    """Reads ahead for each user once. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._begun: OrderedDict[Scope, None] = OrderedDict()

    def task_for(self, user: UserMemory) -> BackgroundTask | None:
        """Return the work that follows the first view of a user; None for later views, and for an actor.

        An actor may lack a role, and no act shall be denied that nobody asked for.
        """
        if user.gate.actor is not None:
            return None
        with self._lock:
            if user.scope in self._begun:
                return None
            self._begun[user.scope] = None
            while len(self._begun) > _USERS_AT_MOST:
                self._begun.popitem(last=False)
        return BackgroundTask(_load_for, user)


def _load_for(user: UserMemory) -> None:
    """Load the index, the facts as recall compares them, and the vocabulary that counts tokens."""
    with suppress(MemoryOSError):  # a view tells what is wrong
        user.search("memory", 1)
        user.profile()
        user.disputes()
    open_token_counter()("memory")  # what it loads is shared with the memory's own counter
