"""The one crossing between coroutines and the plain core: a bounded pool of our own for each memory.

A pool of our own, because work in the default executor would wait behind, and hold up, what else the application runs
there. A call that has begun is not cancelled with its task; one that still stands in line is never made.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeAlias, TypeVar

from memoryos_core.api.memory import MemoryOS, when_closed
from memoryos_core.ports.forks import Lock, renew_in_child

P = ParamSpec("P")
T = TypeVar("T")

# Far more threads than work at once: a few calls that hang in a model must not block all other calls.
# A thread is made only when a call finds none idle, and the store has connections for all of them.
_THREADS = 32


class Pool:
    """Runs plain calls off the loop, with the caller's context variables; starts no thread before the first call."""

    def __init__(self, threads: int = _THREADS) -> None:
        self._threads = threads
        self._closed = False
        self.renew_after_fork()
        renew_in_child(self)

    def renew_after_fork(self) -> None:
        """Start with no threads: those of the parent are not in its child."""
        self._executor = ThreadPoolExecutor(self._threads, thread_name_prefix="memoryos-aio")

    async def run(self, call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of a call made in one of the pool's threads.

        Cancelled while it stands in line, the call is never made; cancelled later, it is carried out whole.
        """
        work = partial(copy_context().run, call, *args, **kwargs)
        # Not shielded: a caller who gave up and asks again would find both done. What has begun cannot be cancelled.
        return await self._begin(asyncio.get_running_loop(), work)

    def _begin(self, loop: asyncio.AbstractEventLoop, work: Callable[[], T]) -> asyncio.Future[T]:
        try:
            return loop.run_in_executor(self._executor, work)
        except RuntimeError:
            if not self._closed:
                raise
        last = ThreadPoolExecutor(1, thread_name_prefix="memoryos-aio")
        try:
            return loop.run_in_executor(last, work)
        finally:
            last.shutdown(wait=False)

    def close(self) -> None:
        """Let the threads end after the calls they have. A later call gets a thread for itself alone."""
        self._closed = True
        self._executor.shutdown(wait=False)


# One pool for a memory, however many handles of however many hosts work on it; it goes when the memory goes.
_Pools: TypeAlias = weakref.WeakKeyDictionary[MemoryOS, Pool]
_pools = _Pools()
_pools_lock = Lock()


def pool_of(memory: MemoryOS) -> Pool:
    """The pool that all coroutine faces of this memory share."""
    with _pools_lock:
        found = _pools.get(memory)
        if found is None:
            found = _pools[memory] = Pool()
            when_closed(memory, found.close)
        return found


async def off_loop(memory: MemoryOS, call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Run plain code that works on a memory in that memory's pool: how a host adapter writes its coroutine twins.

    Context variables are carried over. Cancelling the task keeps a call that has not begun from being made; it does not
    stop one that has begun.
    """
    return await pool_of(memory).run(call, *args, **kwargs)
