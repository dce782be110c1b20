"""Hard questions split by the chat model: the one call on recall, made only where it is asked for (ADR 0011)."""

from __future__ import annotations

import logging
import threading
from contextvars import copy_context
from functools import partial
from queue import Empty, SimpleQueue

from memoryos_core.errors import MemoryOSError
from memoryos_core.extract.asking import Asker, asking_for
from memoryos_core.ports.forks import Semaphore, renew_in_child
from memoryos_core.ports.model_errors import ForeignErrors
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.events import Hook, StepFailed

logger = logging.getLogger(__package__)

# While this many questions wait for the model, it is not asked another one.
_MOST_WAITING = 4


class Splitter:
    """Asks the model in a thread of its own, and waits for it no longer than `seconds`. Thread-safe."""

    def __init__(self, asker: Asker, seconds: float, emit: Hook) -> None:
        self._asker = asker
        self._seconds = seconds
        self._emit = emit
        self.renew_after_fork()
        renew_in_child(self)

    def renew_after_fork(self) -> None:
        """Drop, in a forked child, the questions that wait in threads of the parent."""
        self._free = Semaphore(_MOST_WAITING)

    def parts(self, scope: Scope, question: str) -> tuple[str, ...]:
        """Return further questions to look up; when the model fails or is slow, report it and return none."""
        answer: SimpleQueue[tuple[str, ...] | MemoryOSError] = SimpleQueue()
        if not self._free.acquire(blocking=False):
            return self._without(scope, "TimeoutError")
        # Pass the caller's context variables, so that a trace continues in the thread.
        work = partial(copy_context().run, self._ask, scope, question, answer)
        threading.Thread(target=work, name="memoryos-split", daemon=True).start()
        try:
            found = answer.get(timeout=self._seconds)
        except Empty:
            return self._without(scope, "TimeoutError")
        return self._without(scope, type(found).__name__) if isinstance(found, MemoryOSError) else found

    def _ask(self, scope: Scope, question: str, answer: SimpleQueue[tuple[str, ...] | MemoryOSError]) -> None:
        from memoryos_core.extract.decompose import decompose  # noqa: PLC0415 - loads pydantic

        try:
            with ForeignErrors("the chat model"), asking_for(scope):
                answer.put(decompose(question, self._asker))
        except MemoryOSError as error:
            answer.put(error)
        finally:
            self._free.release()

    def _without(self, scope: Scope, error: str) -> tuple[str, ...]:
        logger.warning("a question could not be split (%s): it is searched as a whole", error)
        self._emit(StepFailed(scope, "decompose", error))
        return ()
