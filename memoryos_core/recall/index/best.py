"""The best of many scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Where there are so many scores for each that is asked for, the better of two is taken so many times first.
_MANY = 64
_TIMES = 4


def best(scores: NDArray[np.float32], keys: NDArray[np.int64], k: int, least: float = -np.inf) -> NDArray[np.int64]:
    """Return the places of the k best scores above `least`, in no order; of equal ones those with the lowest keys."""
    if k <= 0:
        return np.zeros(0, dtype=np.int64)
    bound = _bound(scores, k) if len(scores) >= _MANY * k else -np.inf
    above = scores >= bound if bound > least else scores > least
    places = np.flatnonzero(above & (scores < np.inf))  # nan is no score
    if len(places) <= k:
        return places
    held = scores[places]
    kth = np.partition(held, -k)[-k]
    better, level = places[held > kth], places[held == kth]
    first = level[np.argsort(keys[level], kind="stable")]
    return np.concatenate((better, first[: k - len(better)]))


def _bound(scores: NDArray[np.float32], k: int) -> float:
    """Return a score that at least k others reach: the kth of the best of groups."""
    tops = scores
    for _ in range(_TIMES):
        half = len(tops) // 2
        tops = np.fmax(tops[:half], tops[half : 2 * half])
    tops[~(tops < np.inf)] = -np.inf
    return float(np.partition(tops, -k)[-k])
