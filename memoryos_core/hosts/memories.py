"""Opened memories: how one is found again, and what ends with it."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from memoryos_core.api.memory import IN_PROCESS, MemoryOS, ModelChoice, when_closed
from memoryos_core.config import MemoryConfig
from memoryos_core.errors import EmbedderMismatchError
from memoryos_core.providers.embedders import AbsentEmbedder
from memoryos_core.values.encryption_keys import KeyChoice
from memoryos_core.values.events import Hook

__all__ = ["IN_PROCESS", "reopen", "when_closed"]

logger = logging.getLogger(__name__)


def reopen(
    address: str,
    *,
    on_event: Hook | None = None,
    config: MemoryConfig | None = None,
    key: KeyChoice = None,
    answer_llm: ModelChoice | Sequence[ModelChoice] = None,
) -> MemoryOS:
    """Open a memory by its address, as `MemoryOS(address)` does, with whatever embedder its vectors come from.

    Where its vectors come from an embedder that the defaults do not have, it recalls by words, which a warning tells;
    new pages are embedded when a process with that embedder opens it.

    Raises:
        StoreError: the database cannot be opened.
    """
    memory = MemoryOS(address, on_event=on_event, config=config, key=key, answer_llm=answer_llm)
    try:
        memory._engine.agree_on_embedder(to_write=False)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    except EmbedderMismatchError:
        stamp = memory._engine.parts.store.embedder()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        memory.close()
        if stamp is None:
            raise
        logger.warning(
            "this memory was embedded with %r, which is not available here: recall uses words only", stamp.name
        )
        absent = AbsentEmbedder(stamp.name, stamp.dimension)
        return MemoryOS(address, embedder=absent, on_event=on_event, config=config, key=key, answer_llm=answer_llm)
    return memory
