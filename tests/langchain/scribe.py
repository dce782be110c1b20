"""A chat model that writes down what it was asked and answers from it, whole or word by word."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import Field, PrivateAttr


class Scribe(BaseChatModel):
    """Answers "heard: <the last thing a human said>"; with `fails`, raises after so many words."""

    fails: int | None = None
    asked: list[list[BaseMessage]] = Field(default_factory=list)
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    @property
    def _llm_type(self) -> str:
        return "scribe"

    def answer(self, messages: Sequence[BaseMessage]) -> str:
        with self._lock:
            self.asked.append(list(messages))
        return f"heard: {next(m.text for m in reversed(messages) if isinstance(m, HumanMessage))}"

    def prompt_of(self, question: str) -> list[BaseMessage]:
        """What the model was sent with a question, which was asked once."""
        (found,) = [prompt for prompt in self.asked if prompt[-1].text == question]
        return found

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        answer = self.answer(messages)
        if self.fails is not None:
            raise ConnectionError("the model is gone")
        return ChatResult(generations=[ChatGeneration(message=AIMessage(answer))])

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        words = self.answer(messages).split(" ")
        for place, word in enumerate(words):
            if place == self.fails:
                raise ConnectionError("the model is gone")
            text = word if place == len(words) - 1 else f"{word} "
            yield ChatGenerationChunk(message=AIMessageChunk(content=text))
