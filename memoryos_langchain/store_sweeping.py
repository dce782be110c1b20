"""A thread that sweeps a LangGraph store from time to time, until it is stopped or the memory is closed."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future

from memoryos_core.errors import ClosedError
from memoryos_core.hosts.concurrency import Contained, Event, Lock, renew_in_child

logger = logging.getLogger(__name__)


class Sweeper:
    """Calls `sweep` again and again; one thread at most. Thread-safe."""

    def __init__(self, sweep: Callable[[], int]) -> None:
        self._sweep = sweep
        self._lock = Lock()
        self.renew_after_fork()
        renew_in_child(self)

    def renew_after_fork(self) -> None:
        """Forget the thread of the parent: a forked child sweeps once it is started there."""
        self._stopping = Event()
        self._running: Future[None] | None = None

    def start(self, minutes: float) -> Future[None]:
        """Sweep every so many minutes; the returned future is done when the thread has ended."""
        with self._lock:
            if self._running is None or self._running.done():
                self._stopping, self._running = Event(), Future()
                arguments = self._running, self._stopping, minutes * 60
                threading.Thread(target=self._run, args=arguments, name="memoryos-ttl", daemon=True).start()
            return self._running

    def stop(self, timeout: float | None) -> bool:
        """End the thread; False when it has not ended within `timeout` seconds."""
        with self._lock:
            self._stopping.set()
            running = self._running
        if running is None:
            return True
        with Contained() as waiting:
            running.result(timeout)
        return waiting.error is None

    def _run(self, running: Future[None], stopping: threading.Event, seconds: float) -> None:
        while not stopping.wait(seconds):
            with Contained() as sweeping:
                self._sweep()
            if isinstance(sweeping.error, ClosedError):
                break
            if sweeping.error is not None:
                logger.warning(
                    "expired items could not be deleted (%s): the next sweep tries again", type(sweeping.error).__name__
                )
        running.set_result(None)
