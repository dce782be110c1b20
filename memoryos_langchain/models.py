"""LangChain's chat models for the core's questions; the other way is `chat_model`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias, cast

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig

from memoryos_core import ChatReply, ChatRequest
from memoryos_core.errors import ConfigError
from memoryos_core.hosts.concurrency import Contained
from memoryos_core.hosts.models import Dialect, ForeignErrors, Negotiation, read_completion

_Answering: TypeAlias = Runnable[LanguageModelInput, Any]

_INTERNAL = RunnableConfig(
    # The caller's handlers arrive by context variable; an empty list, unlike None, keeps them out. The tag is what
    # LangGraph's streams look for, in case a model carries handlers of its own.
    callbacks=[],
    tags=["nostream"],
    metadata={"lc_source": "memoryos"},
    configurable={},
    run_name="memoryos",
)
_CANNOT = (NotImplementedError, TypeError)
_CANNOT_EVEN_BE_BUILT = (*_CANNOT, ValueError, AttributeError)
_CUT = frozenset({"length", "max_tokens"})
_ENDINGS = ("finish_reason", "stop_reason", "done_reason")
# The openai client raises this when JSON was cut; openai may not be installed, so compare the name.
_CUT_ERROR = "LengthFinishReasonError"


class LangChainChatModel:
    """Any LangChain chat model as the model that consolidates, or answers: `MemoryOS(llm=LangChainChatModel(model))`.

    A question with a schema is asked through `with_structured_output(method="json_schema")`; a model that has none, or
    an endpoint that refuses, is shown the schema instead, and what works is remembered. A runnable that is no chat
    model (`model.with_retry()`, `model.with_fallbacks(...)`) is always shown it. Temperature and the ceiling of tokens
    of a question are used where the model's own are None. Callbacks, tags and metadata of a run that is going on stay
    out of these calls, so nothing of them reaches a user's stream; callbacks given to the model itself stay.

    Retries are counted in the core: give the model `max_retries=0` where it has its own.

    Example:
        ```python
        from langchain_core.language_models import FakeListChatModel
        from memoryos_core import ChatRequest, Prompt
        from memoryos_langchain import LangChainChatModel

        chat = LangChainChatModel(FakeListChatModel(responses=["Porto"]))
        print(chat.ask(ChatRequest((Prompt("user", "Where does Anna live?"),))).text)
        ```

    Raises:
        ConfigError: `model` is not a LangChain runnable.
    """

    def __init__(self, model: Runnable[LanguageModelInput, Any], *, name: str | None = None) -> None:
        if not isinstance(cast("object", model), Runnable):
            raise ConfigError(f"expected a LangChain chat model, got {type(model).__name__!r}")
        self._model = model
        self._name = name or _name_of(model)
        dialect = Dialect() if isinstance(model, BaseChatModel) else Dialect(json_form="plain")
        self._negotiation = Negotiation(dialect, cannot=_CANNOT)

    @property
    def name(self) -> str:
        """The model's class and name, for logs and reports."""
        return self._name

    def ask(self, request: ChatRequest) -> ChatReply:
        """Ask once. Raises ModelError, as `memoryos_core.ports.ChatModel` says."""
        who = f"chat model {self._name!r}"
        with ForeignErrors(who):
            answer = self._negotiation.answer(request, self._send_or_cut)
        return read_completion(_as_completion(answer, request), request, who)

    def _send_or_cut(self, dialect: Dialect, request: ChatRequest) -> object:
        attempt = Contained()
        with attempt:
            return self._send(dialect, request)
        assert attempt.error is not None  # noqa: S101 - or the block had returned
        if type(attempt.error).__name__ == _CUT_ERROR:
            return AIMessage("", response_metadata={"finish_reason": "length"})
        raise attempt.error

    def _send(self, dialect: Dialect, request: ChatRequest) -> object:
        messages: list[dict[str, str]] = dialect.payload(request)["messages"]
        model = _with_settings(self._model, dialect, request)
        if request.schema is None or dialect.json_form != "json_schema" or not isinstance(model, BaseChatModel):
            return model.invoke(messages, _INTERNAL)
        return _bind_schema(model, request.schema, request.schema_name).invoke(messages, _INTERNAL)["raw"]


def _name_of(model: object) -> str:
    names = (getattr(model, field, None) for field in ("model_name", "model", "model_id"))
    told = next((name for name in names if isinstance(name, str) and name), None)
    return type(model).__name__ + (f":{told}" if told else "")


def _with_settings(model: _Answering, dialect: Dialect, request: ChatRequest) -> _Answering:
    """The model with what its owner left open filled in from the request.

    A copy and not arguments of the call: every model reads its own fields, and some refuse arguments.
    """
    if not isinstance(model, BaseChatModel):
        return model
    asked: dict[str, object] = {}
    if dialect.temperature:
        asked["temperature"] = request.temperature
    if dialect.ceiling == "max_tokens" and request.max_tokens is not None:
        asked["max_tokens"] = request.max_tokens
    known = type(model).model_fields
    update = {name: value for name, value in asked.items() if name in known and getattr(model, name) is None}
    return model.model_copy(update=update) if update else model


def _bind_schema(model: BaseChatModel, schema: dict[str, Any], name: str) -> _Answering:
    """The model held to a schema; NotImplementedError when it cannot be."""
    # LangChain names a schema by its title, and wants it described.
    titled = {"title": name, "description": "The answer.", **schema}
    try:
        return model.with_structured_output(titled, method="json_schema", include_raw=True)
    except _CANNOT_EVEN_BE_BUILT as error:
        raise NotImplementedError(f"no structured output: {type(error).__name__}") from error


def _as_completion(answer: object, request: ChatRequest) -> dict[str, Any]:
    """A LangChain answer in the form in which the core reads answers with suspicion."""
    if isinstance(answer, str):  # a runnable that ends in a parser
        return {"choices": [{"message": {"content": answer}}]}
    if not isinstance(answer, BaseMessage):
        return {}
    metadata = cast("Mapping[str, Any]", answer.response_metadata)
    cut = any(str(metadata.get(ending)).lower() in _CUT for ending in _ENDINGS)
    usage: Mapping[str, Any] = getattr(answer, "usage_metadata", None) or {}
    message = {"content": _answer_text(answer, request), "refusal": answer.additional_kwargs.get("refusal")}
    return {
        "choices": [{"message": message, "finish_reason": "length" if cut else "stop"}],
        "usage": {"prompt_tokens": usage.get("input_tokens"), "completion_tokens": usage.get("output_tokens")},
    }


def _answer_text(answer: BaseMessage, request: ChatRequest) -> str:
    """Return the answer's text; a model without a JSON mode gives the structure as arguments of a tool call."""
    if request.schema is not None and isinstance(answer, AIMessage):
        if answer.tool_calls:
            return json.dumps(answer.tool_calls[0]["args"], ensure_ascii=False)
        if answer.invalid_tool_calls:
            return answer.invalid_tool_calls[0]["args"] or ""
    return str(answer.text)
