"""A stand-in for the embedder of a store that is not loaded in this process: recall uses words meanwhile."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memoryos_core.errors import ModelError
from memoryos_core.values.dialogue import Vector


class AbsentEmbedder:
    """Has the name and the dimension of another embedder and embeds nothing.

    Questions are compared by words only. New pages wait for a process that has the embedder.
    """

    semantic = False

    def __init__(self, name: str, dimension: int) -> None:
        self.name = name
        self.dimension = dimension

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Raise ModelError."""
        raise ModelError(f"the embedder {self.name!r} is not loaded in this process; pass it to MemoryOS(embedder=…)")

    def embed_query(self, text: str) -> Vector:
        """Raise ModelError."""
        raise ModelError(f"the embedder {self.name!r} is not loaded in this process; pass it to MemoryOS(embedder=…)")
