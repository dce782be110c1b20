"""Our memory with one part exchanged: an index in which a text has its own words, and not those said round it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.system import ASKING, USER, Asking
from memoryos_core import MemoryConfig, UserMemory
from memoryos_core.engine import Engine, Parts
from memoryos_core.indexes.faiss import FaissIndex
from memoryos_core.indexes.lexical import BM25Index
from memoryos_core.indexes.resident import ResidentIndex
from memoryos_core.models import Scope
from memoryos_core.ports import Clock, Embedder
from memoryos_core.queries import Near
from memoryos_core.retriever import Retriever
from memoryos_core.stores import open_store
from memoryos_core.tokens import open_token_counter


class OwnWords(BM25Index):
    """Textbook BM25: nobody's words but a text's own."""

    def scores(self, query: str, near: Sequence[Near] = ()) -> NDArray[np.float32]:
        """Whoever is near does not count."""
        return super().scores(query)


def windowless(path: Path, embedder: Embedder, config: MemoryConfig, clock: Clock) -> Asking:
    """The memory in a file, put together as MemoryOS does it, but for the index."""
    store, count = open_store(f"sqlite:///{path}"), open_token_counter()
    engine = Engine(
        Parts(
            store=store,
            embedder=embedder,
            model=None,
            answer_model=None,
            count_tokens=count,
            clock=clock,
            config=config,
            hook=None,
        )
    )
    engine.index = ResidentIndex(store, vector_index=FaissIndex, lexical_index=OwnWords)
    engine.retriever = Retriever(store, engine.index, embedder, count, config, clock, engine.emit)

    def close() -> None:
        engine.close()
        store.close()

    return Asking(UserMemory(lambda: engine, Scope(USER, "assistant"), ASKING), close)
