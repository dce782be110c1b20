"""Chat models by name. Nothing is loaded before it is asked for, and nothing is ever downloaded."""

from __future__ import annotations

from memoryos_core.errors import ConfigError
from memoryos_core.ports import ChatModel

__all__ = ["open_chat_model"]


def open_chat_model(spec: ChatModel | str | None) -> ChatModel | None:
    """A chat model by name, or the caller's own (being built)."""
    if isinstance(spec, str):
        raise ConfigError(f"chat model {spec!r} is not known")
    return spec
