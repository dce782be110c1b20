"""`memoryos_llamaindex` under the name by which LlamaIndex's users look for a memory; the same classes."""

from __future__ import annotations

from memoryos_llamaindex import (
    LlamaIndexChatModel,
    LlamaIndexEmbedder,
    MemoryOSEmbedding,
    MemoryOSMemory,
    MemoryOSMemoryBlock,
    MemoryOSRetriever,
    MemoryOSToolSpec,
    aimport_history,
    import_history,
)

__all__ = [
    "LlamaIndexChatModel",
    "LlamaIndexEmbedder",
    "MemoryOSEmbedding",
    "MemoryOSMemory",
    "MemoryOSMemoryBlock",
    "MemoryOSRetriever",
    "MemoryOSToolSpec",
    "aimport_history",
    "import_history",
]
