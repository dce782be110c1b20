"""MemoryOS for LlamaIndex: translates and delegates; all policy stays in `memoryos_core`.

Each name is imported when it is first used. `llama_index.memory.memoryos` has the same classes.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from memoryos_core.errors import MissingExtraError as _MissingExtraError

if TYPE_CHECKING:
    from memoryos_llamaindex.block import MemoryOSMemoryBlock
    from memoryos_llamaindex.embeddings import LlamaIndexEmbedder, MemoryOSEmbedding
    from memoryos_llamaindex.events import (
        MemoryOSErrorEvent,
        MemoryOSEvent,
        MemoryOSPromotionEvent,
        MemoryOSRecallEndEvent,
        MemoryOSRecallStartEvent,
        dispatch,
    )
    from memoryos_llamaindex.importing import aimport_history, import_history
    from memoryos_llamaindex.memory import MemoryOSMemory
    from memoryos_llamaindex.models import LlamaIndexChatModel
    from memoryos_llamaindex.retriever import MemoryOSRetriever
    from memoryos_llamaindex.tools import MemoryOSToolSpec

__all__ = [
    "LlamaIndexChatModel",
    "LlamaIndexEmbedder",
    "MemoryOSEmbedding",
    "MemoryOSErrorEvent",
    "MemoryOSEvent",
    "MemoryOSMemory",
    "MemoryOSMemoryBlock",
    "MemoryOSPromotionEvent",
    "MemoryOSRecallEndEvent",
    "MemoryOSRecallStartEvent",
    "MemoryOSRetriever",
    "MemoryOSToolSpec",
    "aimport_history",
    "dispatch",
    "import_history",
]

_HOMES = {
    "LlamaIndexChatModel": "models",
    "LlamaIndexEmbedder": "embeddings",
    "MemoryOSEmbedding": "embeddings",
    "MemoryOSErrorEvent": "events",
    "MemoryOSEvent": "events",
    "MemoryOSMemory": "memory",
    "MemoryOSMemoryBlock": "block",
    "MemoryOSPromotionEvent": "events",
    "MemoryOSRecallEndEvent": "events",
    "MemoryOSRecallStartEvent": "events",
    "MemoryOSRetriever": "retriever",
    "MemoryOSToolSpec": "tools",
    "aimport_history": "importing",
    "dispatch": "events",
    "import_history": "importing",
}

__version__: str
"""The version of the installed distribution, the same as that of `memoryos_core`."""


def __getattr__(name: str) -> object:
    """A public name, from its module. Raises MissingExtraError when LlamaIndex is not installed."""
    if name == "__version__":
        return _import_module("memoryos_core").__version__
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        found = getattr(_import_module(f"{__name__}.{_HOMES[name]}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("llama_index"):
            raise _MissingExtraError("llama_index", "llamaindex") from error
        raise
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
