"""The weight of a reranker's scores against the ranking of the best hits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def order_by_both(ranked: NDArray[np.float64], answers: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the new order of hits that stood best first.

    Both scores count in standard deviations, the same for each, so that a reranker may answer on any scale.

    Args:
        ranked: scores of n hits, descending.
        answers: what the reranker says of each, higher is better.
    """
    spread = float(answers.std())
    gained = (answers - answers.min()) / spread if spread > 0 else np.zeros(len(answers))
    # Of hits that are all ranked alike the reranker alone decides; their deviation may be a rounding error above 0.
    scores = ranked + (float(ranked.std()) if ranked[0] > ranked[-1] else 1.0) * gained
    return np.argsort(-scores, kind="stable")
