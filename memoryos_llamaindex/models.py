"""LlamaIndex's models for the core's questions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextvars import Context
from typing import Any, cast

from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.callbacks import CallbackManager
from llama_index.core.llms import LLM
from llama_index_instrumentation.dispatcher import instrument_tags

from memoryos_core import ChatReply, ChatRequest
from memoryos_core.errors import ConfigError
from memoryos_core.hosts.concurrency import Contained
from memoryos_core.hosts.models import Dialect, ForeignErrors, Negotiation, read_completion

# What a completion endpoint's client says of an argument that only chats have.
_CANNOT = (NotImplementedError, TypeError)
_OPENAI = "llama_index.llms.openai"
_OF_OPENAI = frozenset({"OpenAI", "OpenAILike"})
_CUT = frozenset({"length", "max_tokens"})
_ENDINGS = ("finish_reason", "stop_reason", "stopReason", "done_reason")
_UNNAMED = "unknown"


class LlamaIndexChatModel:
    """Any LlamaIndex LLM as the model that consolidates, or answers: `MemoryOS(llm=LlamaIndexChatModel(llm))`.

    `OpenAI`, `OpenAILike` and what inherits their `chat` are held to a question's schema, as far as the endpoint lets
    them, and to its ceiling of tokens where they have none of their own. Every other LLM is shown the schema and called
    with the messages alone, since LlamaIndex has no common way to pass a schema or a setting. Temperature is the LLM's.

    Calls are made by `llm.chat`, in a trace of their own and by a shallow copy of the LLM without its callbacks, so
    nothing of them stands in the trace of a run that is going on. Clients and loaded weights are shared; settings that
    are changed on the LLM later are not seen. Handlers of LlamaIndex's root dispatcher see these calls with the tag
    `{"source": "memoryos"}`.

    Retries are counted in the core: give the LLM `max_retries=0` where it has its own.

    Example:
        ```python
        from llama_index.core.llms import MockLLM
        from memoryos_core import ChatRequest, Prompt
        from memoryos_llamaindex.models import LlamaIndexChatModel

        chat = LlamaIndexChatModel(MockLLM(max_tokens=3))
        print(chat.ask(ChatRequest((Prompt("user", "Where does Anna live?"),))).text)
        ```

    Raises:
        ConfigError: `llm` is not a LlamaIndex LLM.
    """

    def __init__(self, llm: LLM, *, name: str | None = None) -> None:
        if not isinstance(cast("object", llm), LLM):
            raise ConfigError(f"expected a LlamaIndex LLM, got {type(llm).__name__!r}")
        self._llm = llm.model_copy(update={"callback_manager": _silence()})
        self._name = name
        self._openai = _chats_as_openai(llm)
        self._negotiation = Negotiation(
            Dialect("json_schema" if self._openai else "plain", temperature=False), cannot=_CANNOT
        )

    @property
    def name(self) -> str:
        """The LLM's class and model, for logs and reports."""
        if self._name is None:
            self._name = _name_of(self._llm)
        return self._name

    def ask(self, request: ChatRequest) -> ChatReply:
        """Ask once. Raises ModelError, as `memoryos_core.ports.ChatModel` says."""
        who = f"chat model {self.name!r}"
        with ForeignErrors(who):
            completion = _as_completion(self._negotiation.answer(request, self._send), request)
        return read_completion(completion, request, who)

    def _send(self, dialect: Dialect, request: ChatRequest) -> object:
        options = dialect.payload(request)
        messages = [ChatMessage(role=m["role"], content=m["content"]) for m in options.pop("messages")]
        if getattr(self._llm, "max_tokens", None) is not None:
            options.pop(dialect.ceiling, None)
        # An empty context: the caller's active span, trace, tags and workflow travel by context variable.
        return Context().run(_chat, self._llm, messages, options if self._openai else {})


def _chat(llm: LLM, messages: Sequence[ChatMessage], options: Mapping[str, Any]) -> object:
    with instrument_tags({"source": "memoryos"}):
        return llm.chat(messages, **options)


def _silence() -> CallbackManager:
    """A manager without handlers; an LLM's own manager forgets its running trace when another call begins one."""
    manager = CallbackManager()
    manager.set_handlers([])  # without any, it takes the handlers of `Settings`
    return manager


def _chats_as_openai(llm: LLM) -> bool:
    """Return whether arguments of `chat` go into the body of a request to OpenAI's endpoint.

    The class is not ours to import. Whoever writes a `chat` of their own need not take them.
    """
    chats = next(kind for kind in type(llm).__mro__ if "chat" in vars(kind))
    return chats.__module__.startswith(_OPENAI) and chats.__name__ in _OF_OPENAI


def _name_of(llm: LLM) -> str:
    asked = Contained()
    told: object = None
    with asked:  # some look the model up in a list, and know only their own
        told = llm.metadata.model_name
    if asked.error is not None:
        told = next((v for v in (getattr(llm, f, None) for f in ("model", "model_name")) if isinstance(v, str)), None)
    return type(llm).__name__ + (f":{told}" if isinstance(told, str) and told not in ("", _UNNAMED) else "")


def _as_completion(answer: object, request: ChatRequest) -> dict[str, Any]:
    """A LlamaIndex answer in the form in which the core reads answers with suspicion."""
    message: object = getattr(answer, "message", None)
    if not isinstance(answer, ChatResponse) or not isinstance(message, ChatMessage):
        return {}
    raw: object = answer.raw
    choices = _field(raw, "choices")
    choice: object = cast("list[object]", choices)[0] if isinstance(choices, list) and choices else None
    endings = (_field(place, ending) for place in (raw, choice) for ending in _ENDINGS)
    # Enumerations of other clients are written "FinishReason.MAX_TOKENS".
    cut = any(str(ending).rpartition(".")[2].lower() in _CUT for ending in endings)
    told = (_field(answer, "additional_kwargs"), _field(raw, "usage"), message.additional_kwargs)
    said = {"content": _answer_text(message, request), "refusal": _field(_field(choice, "message"), "refusal")}
    return {
        "choices": [{"message": said, "finish_reason": "length" if cut else "stop"}],
        "usage": {
            "prompt_tokens": _first(told, "prompt_tokens", "input_tokens"),
            "completion_tokens": _first(told, "completion_tokens", "output_tokens"),
        },
    }


def _answer_text(message: ChatMessage, request: ChatRequest) -> str | None:
    """Return the answer's text; some servers return the requested JSON as a tool call."""
    text = message.content
    calls = [block for block in message.blocks if getattr(block, "block_type", None) == "tool_call"]
    if request.schema is None or not calls or (text or "").strip():
        return text
    arguments: object = getattr(calls[0], "tool_kwargs", None)
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _first(places: Sequence[object], *names: str) -> object:
    values = (_field(place, name) for place in places for name in names)
    return next((value for value in values if value is not None), None)


def _field(value: object, name: str) -> Any:  # noqa: ANN401 - what any provider sends
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value).get(name)
    return getattr(value, name, None)
