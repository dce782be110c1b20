"""Vectors without a model: shared words, hashed. They keep segments apart when no embedder is installed."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memoryos_core.errors import ConfigError
from memoryos_core.rules.text.words import terms
from memoryos_core.values.dialogue import Vector

_MOST_CHARACTERS = 100_000


class TermEmbedder:
    """Stemmed terms hashed to `dimension` signed cells, square root of the count, L2-normalised.

    The hash is CRC-32, so vectors are the same on every machine and in every process. Each term adds or subtracts, so
    that terms which share a cell cancel on average: two texts without a common term have a cosine near zero however
    long they are. A text without any term has no direction and is the zero vector. Only the first 100,000 characters
    are read.
    """

    semantic = False

    def __init__(self, dimension: int = 256) -> None:
        if dimension < 1:
            raise ConfigError(f"dimension={dimension!r} is not allowed: it must be a whole number, 1 or more")
        self._dimension = dimension

    @property
    def name(self) -> str:
        """The hashing and its width: vectors of another width do not compare."""
        return f"terms-{self._dimension}"

    @property
    def dimension(self) -> int:
        """Number of cells."""
        return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of shape (len(texts), dimension)."""
        out = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in zip(out, texts, strict=True):
            self._fill(row, text)
        return out

    def embed_query(self, text: str) -> Vector:
        """One vector of shape (dimension,), the same as for a document."""
        vector: Vector = self.embed_documents([text])[0]
        return vector

    def _fill(self, row: Vector, text: str) -> None:
        counts = Counter(terms(text[:_MOST_CHARACTERS]))
        if not counts:
            return
        hashes = np.fromiter((zlib.crc32(t.encode("utf-8", "replace")) for t in counts), np.int64, len(counts))
        weights = np.sqrt(np.fromiter(counts.values(), np.float32, len(counts)))
        # The top bit signs and the rest picks the cell, so sign and cell are independent.
        signs = np.where(hashes >> 31, np.float32(1), np.float32(-1))
        np.add.at(row, (hashes & 0x7FFFFFFF) % self._dimension, weights * signs)
        length = float(np.linalg.norm(row))
        if length > 0:
            row /= length
