"""Agents of `create_agent` whose model a test writes, and what memory made of their runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import PrivateAttr

from memoryos_core import MemoryOS
from memoryos_langchain.middleware import MemoryOSMiddleware

Answer = str | AIMessage | Exception
Answering = Callable[[list[BaseMessage]], Answer]


class AgentModel(BaseChatModel):
    """Calls tools, answers and fails as it is told, streams by words, and keeps what it was asked."""

    answering: Answering
    _asked: list[list[BaseMessage]] = PrivateAttr(default_factory=list)

    @property
    def asked(self) -> list[list[BaseMessage]]:
        return self._asked

    @property
    def _llm_type(self) -> str:
        return "agent-model"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self.bind()

    def _said(self, messages: list[BaseMessage]) -> AIMessage:
        self._asked.append(messages)
        answer = self.answering(messages)
        if isinstance(answer, Exception):
            raise answer
        return AIMessage(answer) if isinstance(answer, str) else answer

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._said(messages))])

    def _stream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **_: Any
    ) -> Iterator[ChatGenerationChunk]:
        said = self._said(messages)
        words = re.split(r"(?<= )", str(said.text))
        for i, word in enumerate(words):
            calls = [
                {"name": c["name"], "args": "{}", "id": c["id"], "index": n, "type": "tool_call_chunk"}
                for n, c in enumerate(said.tool_calls if i == 0 else [])
            ]
            chunk = AIMessageChunk(content=word, tool_call_chunks=calls)  # type: ignore[arg-type]
            if run_manager:
                run_manager.on_llm_new_token(word, chunk=ChatGenerationChunk(message=chunk))
            yield ChatGenerationChunk(message=chunk)


def scripted(*answers: Answer) -> AgentModel:
    """A model that gives these answers, one after the other."""
    rest = iter(answers)
    return AgentModel(answering=lambda _: next(rest))


def echoing(messages: list[BaseMessage]) -> str:
    """Answers the last question with itself, so that two users' answers differ."""
    return f"You said: {messages[-1].text}"


def calling(call_id: str, name: str = "weather") -> AIMessage:
    """A call of a tool without arguments."""
    return AIMessage("", tool_calls=[{"name": name, "args": {}, "id": call_id}])


@tool
def weather() -> str:
    """Tell the weather."""
    return "It rains."


def agent(memory: MemoryOS, model: AgentModel, **options: Any) -> Any:
    """An agent with our middleware, a tool and a checkpointer, unless the options say otherwise."""
    ours: MemoryOSMiddleware = options.pop("ours", None) or MemoryOSMiddleware(memory)
    before: Sequence[Any] = options.pop("before", ())
    return create_agent(
        model,
        options.pop("tools", [weather]),
        middleware=[*before, ours],
        checkpointer=options.pop("checkpointer", None) or InMemorySaver(),
        **options,
    )


def on(thread: str, user: str = "ann") -> RunnableConfig:
    """The configuration of a user's run on a thread."""
    return {"configurable": {"thread_id": thread, "user_id": user}}


def asking(text: str) -> dict[str, Any]:
    """The input of a turn."""
    return {"messages": [HumanMessage(text)]}


def recorded(memory: MemoryOS, thread: str, user: str = "ann") -> list[str]:
    """What memory has of a thread, by role and text."""
    return [f"{m.role}: {m.text}" for m in memory.user(user, session_id=thread).transcript()]


def system(asked: list[BaseMessage]) -> str:
    """The system message a model was given; there is one at most, and it comes first."""
    assert not any(isinstance(m, SystemMessage) for m in asked[1:])
    return str(asked[0].text) if isinstance(asked[0], SystemMessage) else ""


def results(asked: list[BaseMessage]) -> list[str]:
    """The results of tools a model was given."""
    return [str(m.text) for m in asked if isinstance(m, ToolMessage)]
