"""Chat models by name, and a function as one. Nothing is loaded before it is asked for, nothing is downloaded."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeGuard, cast, get_type_hints

from memoryos_core.config.validation import brief
from memoryos_core.errors import ConfigError, ModelAnswerError
from memoryos_core.ports import ChatModel
from memoryos_core.ports.models import ForeignErrors
from memoryos_core.values.chat import ChatReply, ChatRequest

__all__ = [
    "CallableChat",
    "ChatFunction",
    "ChatSpec",
    "open_chat_model",
    "open_chat_models",
]

ChatFunction: TypeAlias = Callable[[str], str] | Callable[[ChatRequest], "ChatReply | str"]


class CallableChat:
    """Wraps a function that answers.

    A function whose parameter is annotated `ChatRequest`, or named `request`, is given the request; any other is given
    the prompts as one text. It answers with a text or a ChatReply; anything else is a ModelAnswerError.
    """

    def __init__(self, function: ChatFunction) -> None:
        if not callable(function):
            raise ConfigError(f"a chat model must be callable, not {type(function).__name__!r}")
        self._function = cast("Callable[[Any], object]", function)
        self._name = str(getattr(function, "__name__", type(function).__name__))
        self._whole = _takes_request(function)

    def ask(self, request: ChatRequest) -> ChatReply:
        """Return the answer of the function. Raises ModelError."""
        with ForeignErrors(f"chat model {self._name!r}"):
            answer = self._function(request if self._whole else _as_text(request))
        if isinstance(answer, ChatReply):
            return answer
        if not isinstance(answer, str):
            raise ModelAnswerError(f"chat model {self._name!r} answered {type(answer).__name__!r}, not a text")
        return ChatReply(answer)


def _takes_request(function: Callable[..., object]) -> bool:
    try:
        parameters = list(inspect.signature(function).parameters.values())
        hints = get_type_hints(function if inspect.isroutine(function) else type(function).__call__)
    except (TypeError, ValueError, NameError, AttributeError):
        return False  # a builtin, or annotations that cannot be resolved: text is what any function understands
    if not parameters:
        return False
    first = parameters[0]
    return hints.get(first.name) is ChatRequest or first.name == "request"


def _as_text(request: ChatRequest) -> str:
    if len(request.prompts) == 1:
        return request.prompts[0].text
    return "\n\n".join(f"{prompt.role}: {prompt.text}" for prompt in request.prompts)


ChatSpec: TypeAlias = ChatModel | str | ChatFunction | None

_MOST_MODELS = 8  # all of them may be asked for one answer
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


def open_chat_models(specs: ChatSpec | Sequence[ChatSpec]) -> tuple[ChatModel, ...]:
    """One chat model or several, each as `open_chat_model` takes it; none for None.

    Raises:
        ConfigError: as `open_chat_model`, or the list is empty, too long or holds None.
        MissingExtraError: what was asked for by name is not installed.
    """
    if not _are_several(specs):
        model = open_chat_model(cast("ChatSpec", specs))
        return () if model is None else (model,)
    if not 1 <= len(specs) <= _MOST_MODELS:
        raise ConfigError(f"answer_llm lists {len(specs)} models: give 1 to {_MOST_MODELS}, or None for none")
    models = [open_chat_model(spec) for spec in specs]
    if None in models:
        raise ConfigError("answer_llm lists None: leave it out of the list")
    return tuple(model for model in models if model is not None)


def _are_several(specs: object) -> TypeGuard[Sequence[ChatSpec]]:
    """Return whether these are models, and not one that happens to be a sequence, or its name."""
    return not hasattr(specs, "ask") and isinstance(specs, Sequence) and not isinstance(specs, str)


def _by_name(spec: str) -> ChatModel:
    kind, _, rest = spec.partition(":")
    if kind == "openai" and rest:
        from memoryos_core.providers.llms.openai import OpenAIChat

        return OpenAIChat(rest)
    if kind == "gguf" and rest:
        from memoryos_core.providers.llms.gguf import GgufChat

        return GgufChat(rest)
    raise ConfigError(f"llm {brief(spec)} is not known: use {_KNOWN}")
