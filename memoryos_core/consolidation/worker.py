"""Runs consolidation behind the caller: one scope by one thread at a time, started on demand, drained on close.

There is no queue to lose: the store knows what is pending. The worker only remembers which scopes to look at.
"""

from __future__ import annotations

import atexit
import logging
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable
from itertools import islice, takewhile
from typing import Protocol

from memoryos_core.config import WorkerConfig
from memoryos_core.consolidation.leases import LeasedElsewhereError, Postponed, Want
from memoryos_core.errors import ClosedError, MemoryOSError
from memoryos_core.ports.forks import Condition, Event, renew_in_child
from memoryos_core.ports.models import KeptError
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.reports import ConsolidationReport

logger = logging.getLogger(__name__)

# The longest time a slow model may delay `close`, or the end of the interpreter. Its thread then finds a closed store.
_CLOSE_SECONDS = 5.0
_SECONDS_AN_HOUR = 3600


class Job(Protocol):
    """The work on one scope; `whole` also embeds unanswered pages, and waits for a lease."""

    def __call__(self, scope: Scope, *, whole: bool) -> ConsolidationReport:
        """Run it once."""
        ...


class Worker:
    """Takes scopes to look at and gives each to one thread."""

    def __init__(
        self,
        job: Job,
        count_visits: Callable[[Scope], object],
        config: WorkerConfig,
        idle_hours: float | None = None,
    ) -> None:
        """`idle_hours` after the last page of a scope a background worker looks at it again: its session is over."""
        self._job = job
        self._count_visits = count_visits
        self._config = config
        self._idle_seconds = None if idle_hours is None else idle_hours * _SECONDS_AN_HOUR
        self._stopping = Event()
        self._total = ConsolidationReport()
        self._failures = 0
        self._start_afresh()
        renew_in_child(self)

    def _start_afresh(self) -> None:
        self._changed = Condition()
        self._wanted: OrderedDict[Scope, Want] = OrderedDict()
        self._busy: dict[Scope, threading.Thread] = {}
        self._threads: set[threading.Thread] = set()
        self._met: set[Scope] = set()
        self._asked_about: set[Scope] = set()
        self._silent_at: dict[Scope, float] = {}  # the last written last: all wait equally long
        config = self._config
        self._postponed = Postponed[Scope, Want](config.backoff_seconds, config.backoff_ceiling_seconds)

    def renew_after_fork(self) -> None:
        """Forget the threads of the parent and their locks: a forked child has none of them, and would wait."""
        self._start_afresh()

    @property
    def total(self) -> ConsolidationReport:
        """Return the sum of all runs since the memory was opened."""
        return self._total

    @property
    def failures(self) -> int:
        """Background runs that ended in an error; their work is still pending."""
        return self._failures

    def stopping(self) -> bool:
        """True once the memory is being closed: long work stops at its next safe point."""
        return self._stopping.is_set()

    def sleep(self, seconds: float) -> None:
        """Wait, but not beyond the closing of the memory."""
        self._stopping.wait(seconds)

    def notify(self, scope: Scope) -> None:
        """A scope has new pages: look at it soon (background), now (inline), or not at all (manual).

        A run that fails is logged, also inline: what the caller did is durable already, and must not look undone.
        """
        if self._config.mode == "inline":
            self.catch_up(scope)
        elif self._config.mode == "background":
            self._want(scope, Want.BATCHES, written=True)

    def notify_visits(self, scope: Scope) -> None:
        """A recall left visits to be counted; without a background they wait for the next run."""
        if self._config.mode == "background":
            # The first time that a scope is met: a process before this one may have left work.
            self._want(scope, Want.VISITS if scope in self._met else Want.BATCHES)

    def is_new(self, scope: Scope) -> bool:
        """Return whether a question about a scope is the first thing that this process has to do with it."""
        if self._config.mode == "manual" or scope in self._asked_about:
            return False
        self._asked_about.add(scope)
        return scope not in self._met

    def catch_up(self, scope: Scope) -> None:
        """Look at a scope now, in the calling thread; a run that fails is logged."""
        if self._take(scope):
            self._run_logged(scope, Want.BATCHES)

    def run(self, scope: Scope, *, whole: bool = True) -> ConsolidationReport:
        """Consolidate in the calling thread, waiting for a run of the same scope to end. Raises what the run raises.

        Asked for by a hook from inside a run of the same scope it does nothing: that run is going on.
        """
        if not self._take(scope):
            return ConsolidationReport()
        try:
            return self._run(scope, Want.WHOLE if whole else Want.BATCHES)
        finally:
            self._release(scope)

    def flush(self, scopes: tuple[Scope, ...], timeout: float) -> bool:
        """Run everything that is pending for these scopes; True when all was done within `timeout` seconds.

        False, too, when a run failed meanwhile or the memory was closed: then something is pending still.
        """
        deadline = time.monotonic() + timeout
        if self._config.mode != "background":
            for scope in scopes:
                if time.monotonic() > deadline:
                    return False
                self.run(scope)
            return True
        failures = self._failures
        for scope in scopes:
            self._want(scope, Want.WHOLE)
        with self._changed:
            idle = self._changed.wait_for(
                lambda: not self._wanted and not self._busy, max(deadline - time.monotonic(), 0)
            )
            return idle and self._failures == failures and not self.stopping()

    def close(self, timeout: float = _CLOSE_SECONDS) -> None:
        """Stop after the move in hand; what is left stays pending in the store. Idempotent."""
        self._stopping.set()
        with self._changed:
            self._wanted.clear()
            self._postponed.clear()
            self._silent_at.clear()
            self._changed.notify_all()
            threads = list(self._threads)
        deadline = time.monotonic() + timeout
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(deadline - time.monotonic(), 0))

    def _want(self, scope: Scope, want: Want, *, written: bool = False) -> None:
        with self._changed:
            if self._stopping.is_set():
                return
            self._met.add(scope)
            if written and self._idle_seconds is not None:
                self._silent_at.pop(scope, None)
                self._silent_at[scope] = time.monotonic() + self._idle_seconds
            self._wanted[scope] = max(want, self._wanted.get(scope, want))
            if len(self._threads) < min(self._config.threads, len(self._wanted) + len(self._busy)):
                self._start()
            self._changed.notify_all()  # notify() might only wake a thread that waits for the end of a run

    def _start(self) -> None:
        if not self._threads:
            _stop_at_exit(self)
        # Daemon, so that a hanging model cannot keep the interpreter alive; every move is a transaction anyway.
        thread = threading.Thread(target=self._serve, name="memoryos-worker", daemon=True)
        self._threads.add(thread)
        thread.start()

    def _serve(self) -> None:
        try:
            while (task := self._next()) is not None:
                self._run_logged(*task)
        finally:
            with self._changed:
                self._threads.discard(threading.current_thread())

    def _next(self) -> tuple[Scope, Want] | None:
        with self._changed:
            while not self._stopping.is_set():
                now = time.monotonic()
                for scope, want in (*self._postponed.due(now), *self._silent(now)):
                    self._wanted[scope] = max(want, self._wanted.get(scope, want))
                for scope, want in self._wanted.items():
                    if scope not in self._busy:
                        del self._wanted[scope]
                        self._busy[scope] = threading.current_thread()
                        return scope, want
                self._changed.wait(self._pause(time.monotonic()))
            return None

    def _silent(self, now: float) -> list[tuple[Scope, Want]]:
        """Remove and return the scopes that nothing was written to for as long as ends a session."""
        silent = list(takewhile(lambda scope: self._silent_at[scope] <= now, self._silent_at))
        for scope in silent:
            del self._silent_at[scope]
        return [(scope, Want.BATCHES) for scope in silent]

    def _pause(self, now: float) -> float | None:
        """Return the seconds until a scope is due; None while none waits."""
        waits = [at - now for at in islice(self._silent_at.values(), 1)]
        if (postponed := self._postponed.pause(now)) is not None:
            waits.append(postponed)
        return min(*waits, threading.TIMEOUT_MAX) if waits else None

    def _run(self, scope: Scope, want: Want) -> ConsolidationReport:
        self._count_visits(scope)
        report = self._job(scope, whole=want is Want.WHOLE) if want > Want.VISITS else ConsolidationReport()
        with self._changed:
            self._total += report
        return report

    def _run_logged(self, scope: Scope, want: Want) -> None:
        try:
            # Catch foreign errors too, such as SystemExit in the caller's ChatModel: they must not end the thread, and
            # `flush` must not count the run as done.
            with KeptError() as block:
                self._run(scope, want)
            if isinstance(block.error, ClosedError):
                logger.debug("the memory was closed during a background run; its work stays pending")
            elif block.error is not None:
                self._count_failure(scope, want, block.error)
            else:
                self._postponed.succeeded(scope)
        finally:
            self._release(scope)
        if threading.current_thread() in self._threads or isinstance(block.error, Exception):
            return
        if block.error is not None:
            raise block.error  # in the caller's own thread: a KeyboardInterrupt is for the application

    def _count_failure(self, scope: Scope, want: Want, error: BaseException) -> None:
        # Another process does the work: no failure, unless the caller waits for it.
        elsewhere = isinstance(error, LeasedElsewhereError) and want is not Want.WHOLE
        with self._changed:
            self._failures += not elsewhere
            if self._config.mode == "background":
                self._postponed.add(scope, want, time.monotonic())
            self._changed.notify_all()  # a thread that waits for ever must now wait for this
        # Only the texts of our own errors are known to hold no remembered text.
        said = f": {error}" if isinstance(error, MemoryOSError) else ""
        level = logging.DEBUG if elsewhere else logging.WARNING
        logger.log(level, "consolidation failed and will be tried again: %s%s", type(error).__name__, said)

    def _take(self, scope: Scope) -> bool:
        """Wait for the scope to be free and take it; False when this very thread has it."""
        me = threading.current_thread()
        with self._changed:
            self._changed.wait_for(lambda: self._busy.get(scope, me) is me)
            if scope in self._busy:
                return False
            self._busy[scope] = me
            return True

    def _release(self, scope: Scope) -> None:
        with self._changed:
            self._busy.pop(scope, None)  # absent in a child that was forked inside of this run
            self._changed.notify_all()


def _stop_at_exit(worker: Worker) -> None:
    """Stop the threads before the interpreter goes away under them, without keeping the worker alive until then."""
    reference = weakref.ref(worker)

    def stop() -> None:
        living = reference()
        if living is not None:
            living.close()

    atexit.register(stop)
