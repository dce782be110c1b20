"""Protocols of the store, the models and the clock. Implementations live in stores, providers and recall/index.

All may block and all must be thread-safe: the contract suites in `memoryos_core.testing` run them from eight threads.
"""

from __future__ import annotations

from memoryos_core.ports.models import ChatModel, Clock, Embedder, Reranker, TokenCounter
from memoryos_core.ports.store import LexicalIndex, PageIndex, Store, VectorIndex

__all__ = [
    "ChatModel",
    "Clock",
    "Embedder",
    "LexicalIndex",
    "PageIndex",
    "Reranker",
    "Store",
    "TokenCounter",
    "VectorIndex",
]
