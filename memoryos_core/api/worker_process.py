"""A process that only consolidates: it takes the due work of the store, from any process."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from memoryos_core.api.engine import Engine
from memoryos_core.errors import ClosedError, MemoryOSError, StoreError
from memoryos_core.ports.forks import Lock
from memoryos_core.ports.model_errors import Contained, KeptError
from memoryos_core.values.audit import as_worker
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.reports import ConsolidationReport

logger = logging.getLogger(__name__)

# Retention by age comes due without any write.
_RETENTION_SECONDS = 3600.0
_STEP_SECONDS = 0.1

_T = TypeVar("_T")


class Serving:
    """Claims due scopes, one a thread, consolidates their full batches, lets go, and waits when nothing is due.

    Any number may run on one store, on any hosts: no scope is ever with two of them. What fails stays due, with a
    pause that grows.
    """

    def __init__(self, engine: Engine, stop: threading.Event, *, poll_seconds: float, once: bool) -> None:
        self._engine = engine
        self._stop = stop
        self._poll_seconds = poll_seconds
        self._once = once
        self._random = random.Random()  # noqa: S311 - spreads the polls of many workers, guards nothing
        self._lock = Lock()
        self._total = ConsolidationReport()
        self._error: BaseException | None = None
        self._retention_due = time.monotonic()

    def run(self, threads: int) -> ConsolidationReport:
        """Work until told to stop, or with `once` until nothing is due. The moves in hand are finished then.

        Raises ClosedError when the memory was closed, and with `once` what the store refuses.
        """
        working = [threading.Thread(target=self._serve, name="memoryos-serving", daemon=True) for _ in range(threads)]
        for thread in working:
            thread.start()
        try:
            while any(thread.is_alive() for thread in working) and not self._stop.is_set():
                self._stop.wait(_STEP_SECONDS)  # in steps: between two of them this thread sees signals
        finally:
            if self._stop.is_set():
                self._engine.worker.close(0.0)  # from now on long work ends at its next safe point
            self._stop.set()
            for thread in working:
                thread.join()
        if self._error is not None:
            raise self._error
        return self._total

    def _serve(self) -> None:
        with KeptError() as block:
            self._work()
        if block.error is not None:  # `run` raises it in the thread that waits
            self._error = block.error
            self._stop.set()

    def _work(self) -> None:
        while not self._stop.is_set():
            worked = self._found_work()
            self._apply_retention()  # however much else there is to do
            if worked:
                continue
            if self._once:
                return
            self._stop.wait(self._poll_seconds * self._random.uniform(0.5, 1.5))

    def _found_work(self) -> bool:
        leases = self._engine.leases
        # A polling worker meets the error again; a worker with `once` must not end because all of the work is locked.
        scope = self._ask_store(partial(leases.claim, wait=self._once))
        if scope is None:
            return False
        try:
            self._consolidate(scope)
        finally:
            leases.let_go(scope)
        return True

    def _consolidate(self, scope: Scope) -> None:
        report = ConsolidationReport()
        with Contained() as block:
            report = self._engine.worker.run(scope, whole=False)
        if isinstance(block.error, ClosedError):
            raise block.error
        if block.error is not None:
            self._engine.leases.again(scope, failed=True)
            # Only the texts of our own errors are known to hold no remembered text.
            said = f": {block.error}" if isinstance(block.error, MemoryOSError) else ""
            logger.warning("consolidation failed and stays due: %s%s", type(block.error).__name__, said)
        with self._lock:
            self._total += report

    def _apply_retention(self) -> None:
        """Apply the configured retention policies to all users, at intervals, in the first thread that is free."""
        with self._lock:
            if not self._engine.parts.config.retention or time.monotonic() < self._retention_due:
                return
            self._retention_due = time.monotonic() + _RETENTION_SECONDS
        for scope in self._ask_store(self._engine.parts.store.scopes) or ():
            if self._stop.is_set():
                return
            self._ask_store(partial(self._engine.retain, scope))
            self._found_work()  # of many users, none whose pages wait is to wait for all of them

    def _ask_store(self, ask: Callable[[], _T]) -> _T | None:
        """Ask the store; return None when it refuses. A worker that runs `once` raises the error instead."""
        try:
            with as_worker():
                return ask()
        except StoreError as error:
            if self._once:
                raise
            logger.warning("the store refused an operation (%s): the worker tries again later", type(error).__name__)
            self._stop.wait(self._poll_seconds)
            return None
