"""Candidates of recall, and the data from which a store ranks them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Near:
    """Neighbours whose words also count for a text: by id, their ids (-1: no neighbour) and weights, 0 to 1."""

    ids: NDArray[np.int64]
    weight: float


@dataclass(frozen=True, slots=True)
class Analysed:
    """Data by which a store ranks a unit: its part ("user", "assistant" or "fact"), index terms, and speaker."""

    part: str
    terms: tuple[str, ...]
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Candidates:
    """Units worth ranking, as aligned arrays: halves of pages (part "user" or "assistant") and facts (part "fact").

    `lexical` is BM25 of the unit within its window: words of neighbouring turns count too (0 without a shared
    word). `dense` is a cosine (nan without a vector); `dense_mean` and `dense_spread` are the mean and the standard
    deviation of the cosines in the whole scope, which bring the cosines of different embedders to one scale.
    `coverage` is the share of the question's information (idf mass) that the unit's own words match, 0 to 1.
    """

    owners: tuple[str, ...]
    parts: tuple[str, ...]
    sessions: tuple[str, ...]
    segments: tuple[str | None, ...]
    speakers: tuple[str | None, ...]
    seqs: NDArray[np.int64]
    times: NDArray[np.float64]
    lexical: NDArray[np.float32]
    dense: NDArray[np.float32]
    coverage: NDArray[np.float32]
    dense_mean: float = 0.0
    dense_spread: float = 0.0

    def __len__(self) -> int:
        """Return the number of units."""
        return len(self.owners)
