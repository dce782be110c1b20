"""The one crossing between coroutines and the plain core: a bounded pool of our own for each memory.

A pool of our own, because work in the default executor would wait behind, and hold up, what else the application runs
there. A call that has begun is not cancelled with its task; one that still stands in line is never made.
"""

from __future__ import annotations

import asyncio
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

from memoryos_core.api.memory import MemoryOS, when_closed
from memoryos_core.ports.forks import Lock, renew_in_child

P = ParamSpec("P")
T = TypeVar("T")

# Far more threads than work at once: a few calls that hang in a model must not block all other calls.
# A thread is made only when a call finds none idle, and the store has connections for all of them. Whoever starts a
# thread waits until it runs: on a busy process the interpreter's lock comes round in 5 ms, and 32 starts would hold the
# loop for 0.2 s. So a thread of its own starts the others.
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
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="memoryos-aio-start")
        self._to_start: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._is_starting = False
        self._at_work: set[Future[object]] = set()
        self._most_at_work = 0

    async def run(self, call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of a call made in one of the pool's threads.

        Cancelled while it stands in line, the call is never made; cancelled later, it is carried out whole.
        """
        work = partial(copy_context().run, call, *args, **kwargs)
        # Not shielded: a caller who gave up and asks again would find both done. What has begun cannot be cancelled.
        return await self._begin(asyncio.get_running_loop(), work)

    def _begin(self, loop: asyncio.AbstractEventLoop, work: Callable[[], T]) -> asyncio.Future[T]:
        try:
            return asyncio.wrap_future(self._submit(work), loop=loop)
        except RuntimeError:
            if not self._closed:
                raise
        last = ThreadPoolExecutor(1, thread_name_prefix="memoryos-aio")
        try:
            return loop.run_in_executor(last, work)
        finally:
            last.shutdown(wait=False)

    def _submit(self, work: Callable[[], T]) -> Future[T]:
        """Give a call to a thread, without waiting for one that is to be started beside others."""
        at_work = self._at_work
        has_thread = len(at_work) < self._most_at_work or self._most_at_work >= self._threads
        if has_thread and not self._is_starting:  # else it would wait for the executor's own lock
            found = self._executor.submit(work)
        else:
            found = Future[T]()
            self._to_start.append((found, work))
            self._start_soon(found)
        at_work.add(cast("Future[object]", found))
        self._most_at_work = max(self._most_at_work, len(at_work))
        found.add_done_callback(at_work.discard)
        return found

    def _start_soon(self, found: Future[T]) -> None:
        if self._is_starting:
            return
        self._is_starting = True
        try:
            self._starter.submit(self._start)
        except RuntimeError:
            self._is_starting = False
            if found.cancel():  # else it is carried out, by a look at what is to be started before the pool was closed
                raise

    def _start(self) -> None:
        """Start the threads of calls that wait for one, until there is none."""
        while self._to_start:
            found, work = self._to_start.popleft()
            try:
                made = self._executor.submit(_make, found, work)
            except RuntimeError:  # closed since
                with ThreadPoolExecutor(1, thread_name_prefix="memoryos-aio") as last:
                    made = last.submit(_make, found, work)
            made.add_done_callback(partial(_hand_on, found))
            self._is_starting = bool(self._to_start)  # no lock is held for which a loop would wait

    def close(self) -> None:
        """Let the threads end after the calls they have. A later call gets a thread for itself alone."""
        self._closed = True
        self._starter.shutdown(wait=False)
        self._executor.shutdown(wait=False)


def _make(found: Future[T], work: Callable[[], T]) -> T | None:
    return work() if found.set_running_or_notify_cancel() else None


def _hand_on(found: Future[T], made: Future[T]) -> None:
    if found.cancelled():
        return
    error = made.exception()
    if error is not None:
        found.set_exception(error)
    else:
        found.set_result(made.result())


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
