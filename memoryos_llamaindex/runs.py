"""A warning for a run whose context has another user's memory: LlamaIndex ignores the memory given to the run."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memoryos_llamaindex.session import SessionMemory

logger = logging.getLogger(__name__)


def warn_of_ignored(used: SessionMemory) -> None:
    """Log a warning, once for a memory, where the run that reads `used` was given the memory of another user.

    Called in the coroutines that an agent begins its run with. Outside a run it does nothing.
    """
    try:
        from workflows.runtime.types.results import StepWorkerStateContextVar  # noqa: PLC0415 - not in every version
    except ImportError:
        return
    step = StepWorkerStateContextVar.get(None)
    given = getattr(getattr(step, "event", None), "memory", None)
    if isinstance(given, type(used)) and _owner(given) != _owner(used) and given.first_ignored():
        logger.warning(
            "this Context has the memory of another user, so the memory= of this run is ignored: its messages are "
            "remembered for, and recalled from, the other user; make a Context for each user"
        )


def _owner(memory: SessionMemory) -> tuple[str, str, str]:
    return memory.memory.address, memory.user_id, memory.assistant_id
