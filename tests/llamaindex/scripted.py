"""Models of LlamaIndex's own kinds whose answers a test writes; they keep what they were shown, and stream by words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, count
from typing import Any, Literal, TypeAlias, cast

from llama_index.core.base.llms import types
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ChatResponseAsyncGen,
    ChatResponseGen,
    CompletionResponse,
    CompletionResponseAsyncGen,
    CompletionResponseGen,
    LLMMetadata,
    TextBlock,
)
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.tools import BaseTool
from pydantic import PrivateAttr

# Cores before 0.14 have no block for a call; integrations then put it into `additional_kwargs`, as OpenAI has it.
_BLOCK: Any = getattr(types, "ToolCallBlock", None)


@dataclass(frozen=True)
class Call:
    """A call of a tool; its arguments as a mapping, or as text that need not be JSON. An id of "" is filled in."""

    name: str
    arguments: dict[str, Any] | str = field(default_factory=dict)
    id: str = ""


def calling(tool: str, /, **arguments: Any) -> Call:
    """A call of a tool with these arguments, whatever their names."""
    return Call(tool, arguments)


Reply: TypeAlias = str | Call | Sequence[str | Call] | ChatMessage | BaseException
"""A text, a call, several of both in one message, a whole message, or an error to raise."""
Script: TypeAlias = Sequence[Reply] | Callable[[list[ChatMessage]], Reply]
"""One reply after the other (no more may be asked for), or a function of the messages shown."""


class ScriptedLLM(FunctionCallingLLM):
    """A chat model that calls tools, of `chat`, `stream_chat`, `complete` and all their twins.

    `asked` holds the messages of every question, as copies; `offered` the tools that went with it. Calls stand in
    blocks where the core has such, or, by `calls_in="kwargs"`, in `additional_kwargs["tool_calls"]`.
    """

    context_window: int = 8000
    num_output: int = 256
    calls_in: Literal["blocks", "kwargs"] = "blocks"
    _script: Script = PrivateAttr(default=())
    _numbers: Iterator[int] = PrivateAttr(default_factory=count)
    _asked: list[list[ChatMessage]] = PrivateAttr(default_factory=list)
    _offered: list[list[BaseTool]] = PrivateAttr(default_factory=list)

    def __init__(self, script: Script = (), **given: Any) -> None:
        super().__init__(**given)
        self._script = script if callable(script) else list(script)

    @classmethod
    def class_name(cls) -> str:
        return "ScriptedLLM"

    @property
    def asked(self) -> list[list[ChatMessage]]:
        return self._asked

    @property
    def offered(self) -> list[list[BaseTool]]:
        return self._offered

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(
            context_window=self.context_window,
            num_output=self.num_output,
            is_chat_model=True,
            is_function_calling_model=True,
            model_name="scripted",
        )

    def _next(self, messages: Sequence[ChatMessage], kwargs: dict[str, Any]) -> ChatMessage:
        shown = [m.model_copy(deep=True) for m in messages]
        self._asked.append(shown)
        self._offered.append(list(kwargs.get("tools") or ()))
        number = next(self._numbers)
        return self._message(_replied(self._script, number, shown), number)

    def _message(self, reply: Reply, number: int) -> ChatMessage:
        if isinstance(reply, ChatMessage):
            return reply
        parts = [reply] if isinstance(reply, (str, Call)) else list(cast("Sequence[str | Call]", reply))
        text = "".join(p for p in parts if isinstance(p, str))
        calls = [p for p in parts if isinstance(p, Call)]
        named = [Call(c.name, c.arguments, c.id or f"call-{number}-{i}") for i, c in enumerate(calls)]
        message = ChatMessage(role="assistant", blocks=[TextBlock(text=text)] if text else [])
        if self.calls_in == "blocks" and _BLOCK is not None:
            message.blocks += [_BLOCK(tool_call_id=c.id, tool_name=c.name, tool_kwargs=c.arguments) for c in named]
        elif named:
            message.additional_kwargs["tool_calls"] = [_of_openai(c) for c in named]
        return message

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return ChatResponse(message=self._next(messages, kwargs))

    @llm_chat_callback()
    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return ChatResponse(message=self._next(messages, kwargs))

    @llm_chat_callback()
    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseGen:
        message = self._next(messages, kwargs)
        return (part for part in _parts(message))

    @llm_chat_callback()
    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseAsyncGen:
        message = self._next(messages, kwargs)

        async def parts() -> ChatResponseAsyncGen:
            for part in _parts(message):
                yield part

        return parts()

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text=self._completed(prompt))

    @llm_completion_callback()
    async def acomplete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text=self._completed(prompt))

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        text = self._completed(prompt)
        return (CompletionResponse(text=so_far, delta=word) for so_far, word in _words(text))

    @llm_completion_callback()
    async def astream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseAsyncGen:
        text = self._completed(prompt)

        async def parts() -> CompletionResponseAsyncGen:
            for so_far, word in _words(text):
                yield CompletionResponse(text=so_far, delta=word)

        return parts()

    def _completed(self, prompt: str) -> str:
        return self._next([ChatMessage(role="user", content=prompt)], {}).content or ""

    def _prepare_chat_with_tools(
        self,
        tools: Sequence[BaseTool],
        user_msg: str | ChatMessage | None = None,
        chat_history: list[ChatMessage] | None = None,
        verbose: bool = False,
        allow_parallel_tool_calls: bool = False,
        tool_required: bool = False,
        **kwargs: Any,
    ) -> dict[str, Any]:
        asked = ChatMessage(role="user", content=user_msg) if isinstance(user_msg, str) else user_msg
        return {"messages": [*(chat_history or ()), *([asked] if asked else ())], "tools": list(tools)}

    def get_tool_calls_from_response(
        self, response: ChatResponse, error_on_no_tool_call: bool = True, **kwargs: Any
    ) -> list[ToolSelection]:
        calls = calls_of(response.message)
        if error_on_no_tool_call and not calls:
            raise ValueError("no tool was called")
        return [ToolSelection(tool_id=c.id, tool_name=c.name, tool_kwargs=_mapping(c.arguments)) for c in calls]


class TextLLM(CustomLLM):
    """A plain model of texts, as a ReActAgent or a chat engine uses it; the chat comes from the completion.

    `prompts` holds what it was shown as text, `asked` the messages where it was asked to chat.
    """

    context_window: int = 8000
    num_output: int = 256
    _script: Sequence[str | BaseException] | Callable[[str], str | BaseException] = PrivateAttr(default=())
    _numbers: Iterator[int] = PrivateAttr(default_factory=count)
    _prompts: list[str] = PrivateAttr(default_factory=list)
    _asked: list[list[ChatMessage]] = PrivateAttr(default_factory=list)

    def __init__(
        self, script: Sequence[str | BaseException] | Callable[[str], str | BaseException] = (), **given: Any
    ) -> None:
        super().__init__(**given)
        self._script = script if callable(script) else list(script)

    @classmethod
    def class_name(cls) -> str:
        return "TextLLM"

    @property
    def prompts(self) -> list[str]:
        return self._prompts

    @property
    def asked(self) -> list[list[ChatMessage]]:
        return self._asked

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(context_window=self.context_window, num_output=self.num_output, model_name="scripted-text")

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        self._asked.append([m.model_copy(deep=True) for m in messages])
        return cast("ChatResponse", super().chat(messages, **kwargs))

    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseGen:
        self._asked.append([m.model_copy(deep=True) for m in messages])
        return cast("ChatResponseGen", super().stream_chat(messages, **kwargs))

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text=self._next(prompt))

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        text = self._next(prompt)
        return (CompletionResponse(text=so_far, delta=word) for so_far, word in _words(text))

    def _next(self, prompt: str) -> str:
        self._prompts.append(prompt)
        return str(_replied(self._script, next(self._numbers), prompt))


def react(tool: str, /, **arguments: Any) -> str:
    """What a model of texts writes to have a ReActAgent call a tool."""
    return f"Thought: I need a tool.\nAction: {tool}\nAction Input: {json.dumps(arguments)}"


def react_answer(text: str) -> str:
    """What a model of texts writes to end a ReActAgent's run."""
    return f"Thought: I can answer without using any more tools.\nAnswer: {text}"


def calls_of(message: ChatMessage) -> list[Call]:
    """The calls of a message, wherever they stand in it."""
    blocks: list[Any] = [b for b in message.blocks if type(b).__name__ == "ToolCallBlock"]
    found = [Call(b.tool_name, b.tool_kwargs, b.tool_call_id or "") for b in blocks]
    for call in message.additional_kwargs.get("tool_calls") or ():
        found.append(Call(call["function"]["name"], call["function"]["arguments"], call["id"]))
    return found


def _replied(script: Any, number: int, shown: Any) -> Any:
    if not callable(script) and number >= len(script):
        raise AssertionError(f"the script has {len(script)} replies, and one more was asked for")
    reply = script(shown) if callable(script) else script[number]
    if isinstance(reply, BaseException):
        raise reply
    return reply


def _words(text: str) -> Iterator[tuple[str, str]]:
    """The text so far and the word that came last, for every word; once for an empty text."""
    words = re.split(r"(?<=\s)(?=\S)", text)
    return zip(accumulate(words), words, strict=True)


def _parts(message: ChatMessage) -> Iterator[ChatResponse]:
    """The message as a stream brings it: its text word by word, the calls with the last."""
    *before, (_, last) = _words(message.content or "")
    for so_far, word in before:
        yield ChatResponse(message=ChatMessage(role=message.role, content=so_far), delta=word)
    yield ChatResponse(message=message, delta=last)


def _of_openai(call: Call) -> dict[str, Any]:
    arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _mapping(arguments: dict[str, Any] | str) -> dict[str, Any]:
    """As integrations read them: text that is no JSON object counts for no arguments."""
    if isinstance(arguments, dict):
        return arguments
    try:
        read = json.loads(arguments)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}
