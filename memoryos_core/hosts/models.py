"""Chat models and embedders: to open one by name, or to show one of the core to a framework."""

from __future__ import annotations

from memoryos_core.ports import ChatModel, Embedder
from memoryos_core.ports.models import ForeignErrors
from memoryos_core.providers.embedders import CallableEmbedder, EmbedderSpec, host_functions, open_embedder
from memoryos_core.providers.llms import ChatSpec, open_chat_model
from memoryos_core.providers.llms.openai import Dialect, Negotiation, read_completion

__all__ = [
    "CallableEmbedder",
    "ChatModel",
    "ChatSpec",
    "Dialect",
    "Embedder",
    "EmbedderSpec",
    "ForeignErrors",
    "Negotiation",
    "host_functions",
    "open_chat_model",
    "open_embedder",
    "read_completion",
]
