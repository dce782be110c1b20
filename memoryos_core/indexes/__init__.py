"""Caches that find pages and facts: the resident index over FAISS and BM25, which follows the store's rows.

Importing this package loads neither FAISS nor an index; `open_index` composes what a memory needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memoryos_core.ports import PageIndex, Store

__all__ = ["open_index"]


def open_index(store: Store, *, dense: bool = True, capacity_units: int = 200_000) -> PageIndex:
    """The index over a store: words and, when `dense`, vectors of whatever dimension the store holds.

    Nothing is read until the first question. FAISS is loaded with the first vector.
    """
    from memoryos_core.indexes.faiss import FaissIndex
    from memoryos_core.indexes.lexical import BM25Index
    from memoryos_core.indexes.resident import ResidentIndex

    return ResidentIndex(
        store,
        vector_index=FaissIndex if dense else None,
        lexical_index=BM25Index,
        capacity_units=capacity_units,
    )
