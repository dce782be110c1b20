"""Texts as windows: each with the counted words of its neighbours, for BM25."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memoryos_core.values.queries import Near

# In terms; more text of a neighbour adds nothing.
_LONGEST_NEAR = 40


class Windows:
    """The lengths of all texts as windows: they stay the same from one query to the next until a text changes."""

    def __init__(self, lengths: NDArray[np.float32], held: NDArray[np.bool_], near: Sequence[Near]) -> None:
        self.near = near
        self.share = np.minimum(1, _LONGEST_NEAR / np.maximum(lengths, 1)).astype(np.float32)
        self.sizes = self.norm = _spread(lengths, self.share, near)
        # Texts of function words alone have no length. In float32 the mean would depend on the order.
        self.mean = max(float(self.sizes[held].mean(dtype=np.float64)), 1e-9) if held.any() else 1.0
        self._absent = np.flatnonzero(~held)
        self._takers = _takers_of(near, len(held))

    def counts(self, ids: NDArray[np.int32], own: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return how much a term counts in each text, 0 for nothing, from the texts that have it, and how often."""
        said = np.zeros(len(self.norm) + 1, dtype=np.float32)  # the last is -1, nobody, who borrows from many
        at = ids.astype(np.intp)
        said[at] = own
        lent = own * self.share.take(at)
        for others, takers in zip(self.near, self._takers, strict=True):
            said[takers.take(at).astype(np.intp)] += lent * others.weight
        counted = said[:-1]
        counted[self._absent] = 0
        return counted


def _spread(own: NDArray[np.float32], share: NDArray[np.float32], near: Sequence[Near]) -> NDArray[np.float32]:
    """Return the score of each id, plus the counted share of its neighbours' scores."""
    if not near:
        return own
    lent: NDArray[np.float32] = np.append(own * share, np.float32(0))  # the last is what -1, nobody, lends
    out = np.array(own, dtype=np.float32)
    for others in near:
        out += lent[others.ids[: len(own)]] * others.weight
    return out


def _takers_of(near: Sequence[Near], size: int) -> list[NDArray[np.integer[Any]]]:
    """Return for each text the one whose neighbour it is, -1 for none; no text has the neighbour of another one.

    Who has the text before is the text after: such numbers are held once.
    """
    sides = [others.ids[:size] for others in near]
    found: list[NDArray[np.integer[Any]]] = []
    for ids in sides:
        takers = np.full(size, -1, dtype=np.int32)
        takers[ids[ids >= 0]] = np.flatnonzero(ids >= 0)
        found.append(next((side for side in sides if np.array_equal(side, takers)), takers))
    return found
