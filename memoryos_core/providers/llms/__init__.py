"""Chat models by name. Nothing is loaded before it is asked for, and nothing is ever downloaded."""

from __future__ import annotations

from typing import TypeAlias, cast

from memoryos_core.config.validation import brief
from memoryos_core.errors import ConfigError
from memoryos_core.ports import ChatModel
from memoryos_core.providers.llms.function import CallableChat, ChatFunction

__all__ = ["CallableChat", "ChatSpec", "open_chat_model"]

ChatSpec: TypeAlias = ChatModel | str | ChatFunction | None

_KNOWN = "'openai:MODEL' or 'gguf:/path/to/file.gguf'"


def open_chat_model(spec: ChatSpec) -> ChatModel | None:
    """A chat model by name, or the caller's own; None stays None, which means extractive consolidation.

    Args:
        spec: "openai:MODEL" for OpenAI's endpoint (others: construct `OpenAIChat` with `base_url`); "gguf:/path" for
            a model file run in this process; a function from a prompt to an answer; an object with `ask`.

    Raises:
        ConfigError: the name is unknown, or the file it names is not there.
        MissingExtraError: what was asked for by name is not installed.
    """
    if spec is None:
        return None
    if isinstance(spec, str):
        return _by_name(spec)
    if isinstance(spec, type):
        raise ConfigError(f"llm is the class {spec.__name__!r}: give an instance of it")
    if hasattr(spec, "ask"):
        return cast("ChatModel", spec)
    if callable(spec):
        return CallableChat(spec)
    raise ConfigError(f"llm is {type(spec).__name__!r}: give a function, an object with ask(), or {_KNOWN}")


def _by_name(spec: str) -> ChatModel:
    kind, _, rest = spec.partition(":")
    if kind == "openai" and rest:
        from memoryos_core.providers.llms.openai import OpenAIChat

        return OpenAIChat(rest)
    if kind == "gguf" and rest:
        from memoryos_core.providers.llms.gguf import GgufChat

        return GgufChat(rest)
    raise ConfigError(f"llm {brief(spec)} is not known: use {_KNOWN}")
