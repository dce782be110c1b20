"""The core's chat models inside LangChain's chains: a file on this machine, an endpoint, or a function."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, cast

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LangSmithParams, LanguageModelInput
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.messages.ai import UsageMetadata
from langchain_core.output_parsers import JsonOutputParser, PydanticOutputParser
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableMap, RunnablePassthrough
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, SkipValidation

from memoryos_core import ChatReply, ChatRequest, Prompt
from memoryos_core.errors import ConfigError, InvalidInputError
from memoryos_core.hosts.models import ChatModel, ChatSpec, open_chat_model

_ROLES = {
    "system": "system",
    "developer": "system",
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
}


class MemoryOSChatModel(BaseChatModel):
    """A chat model of the core as one of LangChain's: a GGUF file on this machine, an endpoint, or a function.

    `llm` is what `MemoryOS` takes: `"gguf:/path/to/file.gguf"`, `"openai:MODEL"`, a function from a prompt to an
    answer, or an object with `ask`. It reads text: blocks of other kinds stand as `[image]` and the like, and calls and
    results of tools as one line each. It calls no tools itself. `with_structured_output` holds it to a schema where the
    model below can be held to one. A stream is one chunk. `max_tokens` None leaves the ceiling to the model below.

    Example:
        ```python
        from memoryos_langchain import MemoryOSChatModel

        model = MemoryOSChatModel(llm=lambda prompt: "Porto")
        print(model.invoke("Where does Anna live?").text)
        ```

    Raises:
        ValidationError: there is no such model (pydantic's ValueError, with the core's own words).
        MissingExtraError: what `llm` names is not installed.
        ModelError: when asked; the model failed.
    """

    model_config = ConfigDict(hide_input_in_errors=True)  # as LangChain's models: standard options pass

    llm: Annotated[ChatSpec, SkipValidation] = Field(exclude=True, repr=False)
    temperature: float = 0.0
    max_tokens: int | None = None
    stop: list[str] | None = None
    _asked: ChatModel = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:  # noqa: ANN401 - pydantic's signature
        """Open what `llm` names; nothing is loaded yet."""
        super().model_post_init(context)
        model = open_chat_model(self.llm)
        if model is None:
            raise ConfigError("llm must be a chat model, not None; pass a name such as 'openai:MODEL'")
        self._asked = model

    @property
    def model_name(self) -> str:
        """The model below, for logs and traces."""
        name = getattr(self._asked, "name", None)
        return name if isinstance(name, str) and name else type(self._asked).__name__

    @property
    def _llm_type(self) -> str:
        return "memoryos"

    @property
    def _identifying_params(self) -> Mapping[str, Any]:
        # LangChain's response cache tells models apart by these.
        return {"model_name": self.model_name, "temperature": self.temperature, "max_tokens": self.max_tokens}

    def _get_ls_params(
        self,
        stop: list[str] | None = None,
        **kwargs: Any,  # noqa: ANN401 - LangChain's signature
    ) -> LangSmithParams:
        params = super()._get_ls_params(stop=stop, **kwargs)
        params["ls_provider"] = "memoryos"
        params["ls_model_name"] = str(kwargs.get("model") or self.model_name)
        return params

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ANN401 - LangChain's signature
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(**self._reply(messages, stop, kwargs)))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ANN401 - LangChain's signature
    ) -> Iterator[ChatGenerationChunk]:
        # LangChain's own way out, without this method, streams a message that is no chunk.
        message = AIMessageChunk(**self._reply(messages, stop, kwargs), chunk_position="last")
        chunk = ChatGenerationChunk(message=message)
        if run_manager:
            run_manager.on_llm_new_token(chunk.text, chunk=chunk)
        yield chunk

    def _reply(
        self, messages: Sequence[BaseMessage], stop: Sequence[str] | None, options: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The fields of the message that answers."""
        schema: dict[str, Any] = options.get("answer_schema", {})
        reply = self._asked.ask(
            ChatRequest(
                _prompts(messages),
                schema=schema.get("parameters"),
                schema_name=schema.get("name", "answer"),
                temperature=options.get("temperature", self.temperature),
                max_tokens=options.get("max_tokens", self.max_tokens),
            )
        )
        return {
            "content": _until(reply.text, self.stop if stop is None else stop),
            "usage_metadata": _usage(reply),
            "response_metadata": {"model_name": self.model_name, "model_provider": "memoryos"},
        }

    def bind_tools(
        self,
        tools: Sequence[Any],
        **kwargs: Any,  # noqa: ANN401 - LangChain's signature
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Raise NotImplementedError: the models of the core read and write text."""
        raise NotImplementedError(
            "MemoryOSChatModel calls no tools. For an agent with tools take a chat model of LangChain's, such as "
            "ChatOpenAI; for answers of a schema use with_structured_output"
        )

    def with_structured_output(
        self,
        schema: dict[str, Any] | type,
        *,
        include_raw: bool = False,
        **kwargs: Any,  # noqa: ANN401 - LangChain's signature
    ) -> Runnable[LanguageModelInput, dict[str, Any] | BaseModel]:
        """Answers of a schema: a dict, or an instance where `schema` is a pydantic class.

        With `include_raw` a dict of "raw", "parsed" and "parsing_error", and nothing is raised for an answer that does
        not fit. `method` and `strict` are taken and change nothing.
        """
        named = {"title": "answer", **schema} if isinstance(schema, dict) and "name" not in schema else schema
        tool = convert_to_openai_tool(named)
        traced = {"kwargs": {"method": "json_schema"}, "schema": tool}
        model = self.bind(answer_schema=tool["function"], ls_structured_output_format=traced)
        parser: Runnable[Any, Any] = JsonOutputParser()
        if isinstance(schema, type) and issubclass(schema, BaseModel):
            parser = PydanticOutputParser[BaseModel](pydantic_object=schema)
        if not include_raw:
            return model | parser
        parsed = RunnablePassthrough[Any].assign(
            parsed=lambda found: parser.invoke(found["raw"]), parsing_error=lambda _: None
        )
        unparsed = RunnablePassthrough[Any].assign(parsed=lambda _: None)
        return RunnableMap({"raw": model}) | parsed.with_fallbacks([unparsed], exception_key="parsing_error")


def _prompts(messages: Sequence[BaseMessage]) -> tuple[Prompt, ...]:
    if not messages:
        raise InvalidInputError("there are no messages to answer: pass at least one message with text")
    return tuple(_prompt(message) for message in messages)


def _prompt(message: BaseMessage) -> Prompt:
    text = _text(message.content)
    if isinstance(message, ToolMessage | FunctionMessage):
        return Prompt("user", f"[{message.name or 'the tool'} returned] {text}")
    if isinstance(message, AIMessage):
        calls = [f"[called {c['name']} with {json.dumps(c['args'], default=str)}]" for c in message.tool_calls]
        return Prompt("assistant", "\n".join(part for part in (text, *calls) if part))
    if isinstance(message, SystemMessage):
        return Prompt("system", text)
    if isinstance(message, HumanMessage):
        return Prompt("user", text)
    role = _ROLES.get(message.role.lower()) if isinstance(message, ChatMessage) else None
    if role is None:
        raise InvalidInputError(f"unknown role in a {type(message).__name__}: use one of {', '.join(_ROLES)}")
    return Prompt(cast("Any", role), text)


def _text(content: str | list[str | dict[Any, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part for part in map(_block, content) if part)


def _block(block: str | dict[Any, Any]) -> str:
    if isinstance(block, str):
        return block
    kind = str(block.get("type", "data"))
    if kind == "text":
        return str(block.get("text", ""))
    # Thoughts are not said, and calls stand on the message.
    return "" if kind in _UNSAID else f"[{kind.removesuffix('_url').removeprefix('input_')}]"


_UNSAID = frozenset({"reasoning", "thinking", "redacted_thinking", "tool_use", "tool_call", "function_call"})


def _until(text: str, stop: Sequence[str] | None) -> str:
    """Return the text before the first stop word: the core's models do not know stop words."""
    for ending in stop or ():
        if ending:
            text = text.split(ending, 1)[0]
    return text


def _usage(reply: ChatReply) -> UsageMetadata | None:
    if reply.prompt_tokens is None or reply.completion_tokens is None:
        return None
    return UsageMetadata(
        input_tokens=reply.prompt_tokens,
        output_tokens=reply.completion_tokens,
        total_tokens=reply.prompt_tokens + reply.completion_tokens,
    )
