"""Chat models of LangChain's own kind whose answers a test writes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableLambda
from pydantic import PrivateAttr

from memoryos_core.testing.fakes import quotes_in

Answer = str | AIMessage | Exception


class ScriptedModel(BaseChatModel):
    """Answers by a function of the messages, streams by words, and keeps what it was asked."""

    answer: Callable[[list[BaseMessage]], Answer]
    temperature: float | None = None
    _asked: list[list[BaseMessage]] = PrivateAttr(default_factory=list)
    _temperatures: list[float | None] = PrivateAttr(default_factory=list)

    @property
    def asked(self) -> list[list[BaseMessage]]:
        return self._asked

    @property
    def temperatures(self) -> list[float | None]:
        return self._temperatures

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _said(self, messages: list[BaseMessage]) -> AIMessage:
        self._asked.append(messages)
        self._temperatures.append(self.temperature)
        answer = self.answer(messages)
        if isinstance(answer, Exception):
            raise answer
        return AIMessage(answer) if isinstance(answer, str) else answer

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._said(messages))])

    def _stream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **_: Any
    ) -> Iterator[ChatGenerationChunk]:
        for word in re.split(r"(?<= )", str(self._said(messages).text)):
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=word))
            if run_manager:
                run_manager.on_llm_new_token(word, chunk=chunk)
            yield chunk


class SchemaModel(ScriptedModel):
    """Has structured output of its own; keeps the schemas it was given."""

    _schemas: list[dict[str, Any]] = PrivateAttr(default_factory=list)

    @property
    def schemas(self) -> list[dict[str, Any]]:
        return self._schemas

    def with_structured_output(  # type: ignore[override]
        self, schema: Any, *, method: str = "json_schema", include_raw: bool = False
    ) -> Runnable[Any, Any]:
        assert (method, include_raw) == ("json_schema", True)
        self._schemas.append(schema)
        return self | RunnableLambda(lambda raw: {"raw": raw, "parsed": None, "parsing_error": None})


class ToolModel(ScriptedModel):
    """Has structured output only through calls of tools, as LangChain's base class does it."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Runnable[Any, Any]:
        return self.bind()


def filing(messages: list[BaseMessage]) -> str:
    """What a good model answers to both questions of consolidation, for whatever pages it is shown."""
    text = "\n".join(str(message.text) for message in messages)
    pages = [int(n) for n in re.findall(r"^\[(\d+)\]", text, flags=re.MULTILINE)]
    if "File a conversation" in text:
        return json.dumps(
            {
                "continues_previous": True,
                "chains": [{"first": 1, "summary": "They talk about the garden."}],
                "topics": [{"pages": pages, "summary": "The garden.", "keywords": ["garden", "tomato"]}],
            }
        )
    quotes = quotes_in(text)
    facts = [{"quote": quotes[n], "op": "add", "about": "user", "text": f"The user did thing {n}."} for n in quotes]
    profile = [{"quote": quotes[1], "name": "name", "value": "Ada"}]
    return json.dumps({"facts": facts, "profile": profile, "traits": []})
