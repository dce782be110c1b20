"""MemoryOS for LangChain: translates and delegates; all policy stays in `memoryos_core`.

Each name is imported when it is first used, so a chat history needs no agents installed and an agent no old chains.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from memoryos_core.errors import MissingExtraError as _MissingExtraError

if TYPE_CHECKING:
    from memoryos_langchain.chat_model import MemoryOSChatModel
    from memoryos_langchain.classic import MemoryOSMemory
    from memoryos_langchain.embeddings import LangChainEmbedder, MemoryOSEmbeddings
    from memoryos_langchain.history import USER_AND_CONVERSATION, MemoryOSChatMessageHistory, memory_history_factory
    from memoryos_langchain.identity import Identity
    from memoryos_langchain.middleware import MemoryOSMiddleware
    from memoryos_langchain.models import LangChainChatModel
    from memoryos_langchain.retriever import MemoryOSRetriever
    from memoryos_langchain.store import MemoryOSStore
    from memoryos_langchain.tools import MemoryOSToolkit
    from memoryos_langchain.wiring import with_memory

__all__ = [  # noqa: RUF022 - in plain order, as everywhere here
    "Identity",
    "LangChainChatModel",
    "LangChainEmbedder",
    "MemoryOSChatMessageHistory",
    "MemoryOSChatModel",
    "MemoryOSEmbeddings",
    "MemoryOSMemory",
    "MemoryOSMiddleware",
    "MemoryOSRetriever",
    "MemoryOSStore",
    "MemoryOSToolkit",
    "USER_AND_CONVERSATION",
    "memory_history_factory",
    "with_memory",
]

# Where a name lives, and the extra that brings what its module needs.
_HOMES = {
    "Identity": ("identity", "langchain"),
    "LangChainChatModel": ("models", "langchain"),
    "LangChainEmbedder": ("embeddings", "langchain"),
    "MemoryOSChatMessageHistory": ("history", "langchain"),
    "MemoryOSChatModel": ("chat_model", "langchain"),
    "MemoryOSEmbeddings": ("embeddings", "langchain"),
    "MemoryOSMemory": ("classic", "classic"),
    "MemoryOSMiddleware": ("middleware", "agents"),
    "MemoryOSRetriever": ("retriever", "langchain"),
    "MemoryOSStore": ("store", "agents"),
    "MemoryOSToolkit": ("tools", "langchain"),
    "USER_AND_CONVERSATION": ("history", "langchain"),
    "memory_history_factory": ("history", "langchain"),
    "with_memory": ("wiring", "langchain"),
}
_HOSTS = frozenset({"langchain", "langchain_classic", "langchain_core", "langgraph"})

__version__: str
"""The version of the installed distribution, the same as that of `memoryos_core`."""


def __getattr__(name: str) -> object:
    """A public name, from its module. Raises MissingExtraError when that needs a package that is not installed."""
    if name == "__version__":
        return _import_module("memoryos_core").__version__
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, extra = _HOMES[name]
    try:
        found = getattr(_import_module(f"{__name__}.{module}"), name)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing in _HOSTS:
            raise _MissingExtraError(missing, extra) from error
        raise
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
