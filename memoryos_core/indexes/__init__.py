"""Caches that find pages and facts: the resident index over FAISS and BM25, which follows the store's rows.

Importing this package loads neither FAISS nor an index; `open_index` composes what a memory needs.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memoryos_core.ports import PageIndex, SparseEncoder, Store

__all__ = ["open_index"]

# Windows differ less in length than single utterances do: the textbook's 0.75 measures half a point lower on LoCoMo.
_LENGTH_NORM = 0.9


def open_index(
    store: Store,
    *,
    dense: bool = True,
    window: float = 0.5,
    sparse: SparseEncoder | None = None,
    capacity_units: int = 200_000,
) -> PageIndex:
    """The index over a store: words and, when `dense`, vectors of whatever dimension the store holds.

    The words of what is said round a text count for it, too: `window` of them a step away, its square two steps away.
    Nothing is read until the first question. FAISS is loaded with the first vector.
    """
    from memoryos_core.indexes.faiss import FaissIndex
    from memoryos_core.indexes.lexical import BM25Index
    from memoryos_core.indexes.resident import ResidentIndex

    return ResidentIndex(
        store,
        vector_index=FaissIndex if dense else None,
        lexical_index=partial(BM25Index, b=_LENGTH_NORM),
        window=window,
        sparse=sparse,
        capacity_units=capacity_units,
    )
