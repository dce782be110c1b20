"""What the tests of chat engines share: each kind of engine, each way to talk to it, and a way to see what it asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from llama_index.core import SummaryIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.chat_engine.types import BaseChatEngine, StreamingAgentChatResponse
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import TextNode

from memoryos_llamaindex.memory import MemoryOSMemory
from tests.llamaindex.scripted import ScriptedLLM

Said: TypeAlias = list[tuple[str, str]]

KINDS = ["simple", "context", "condense_plus", "condense_question"]
WAYS = ["chat", "achat", "stream_chat", "astream_chat"]
# Each kind once as a whole and once as a stream, each way twice: for what hangs on the kind or on the way, not on both.
PAIRS = [
    *(("simple", "chat"), ("context", "achat"), ("condense_plus", "chat"), ("condense_question", "achat")),
    *(("simple", "astream_chat"), ("context", "stream_chat")),
    *(("condense_plus", "astream_chat"), ("condense_question", "stream_chat")),
]
SHELF = "The shelf holds seven red books."


def shelf(*texts: str) -> BaseRetriever:
    """A real retriever that brings all of these, whatever it is asked."""
    nodes = [TextNode(text=text, id_=f"node-{n}") for n, text in enumerate(texts or (SHELF,))]
    return SummaryIndex(nodes).as_retriever()


def engine_of(kind: str, memory: MemoryOSMemory, llm: ScriptedLLM, *texts: str, **options: Any) -> BaseChatEngine:
    """An engine as applications make it; `texts` is what its retriever brings."""
    if kind == "simple":
        return SimpleChatEngine.from_defaults(llm=llm, memory=memory, **options)
    if kind == "context":
        return ContextChatEngine.from_defaults(retriever=shelf(*texts), llm=llm, memory=memory, **options)
    if kind == "condense_plus":
        return CondensePlusContextChatEngine.from_defaults(shelf(*texts), llm=llm, memory=memory, **options)
    query_engine = RetrieverQueryEngine.from_args(shelf(*texts), llm=llm)
    return CondenseQuestionChatEngine.from_defaults(query_engine, llm=llm, memory=memory, **options)


async def say(engine: BaseChatEngine, way: str, text: str, history: Sequence[ChatMessage] | None = None) -> str:
    """One turn in one of the four ways, read to its end; the answer."""
    given = None if history is None else list(history)
    if way == "chat":
        return str(engine.chat(text, given))
    if way == "achat":
        return str(await engine.achat(text, given))
    if way == "stream_chat":
        streamed = engine.stream_chat(text, given)
        assert isinstance(streamed, StreamingAgentChatResponse)
        return "".join(streamed.response_gen)
    streamed = await engine.astream_chat(text, given)
    assert isinstance(streamed, StreamingAgentChatResponse)
    return "".join([part async for part in streamed.async_response_gen()])


def condenses(messages: Sequence[ChatMessage]) -> bool:
    """Whether an engine asks here for a question that stands alone."""
    return len(messages) == 1 and "standalone question" in str(messages[0].content).lower()


def numbering(messages: list[ChatMessage]) -> str:
    """Answers a question that ends in its number by that number; one that is to be condensed by itself."""
    text = str(messages[-1].content)
    if condenses(messages):
        (question,) = re.findall(r"(?:Follow Up Input: |<Follow Up Message>\n)(.*)", text)
        return str(question)
    numbers = re.findall("[0-9]+", text.rpartition("</memory>")[2])  # what is recalled has numbers of its own
    return f"answer {numbers[-1]}" if numbers else "I see."


def said(messages: Sequence[ChatMessage]) -> Said:
    """Roles and texts."""
    return [(m.role.value, str(m.content)) for m in messages]


def roles(messages: Sequence[ChatMessage]) -> list[str]:
    """Roles alone."""
    return [m.role.value for m in messages]


def prompt(messages: Sequence[ChatMessage]) -> str:
    """All that the model was shown in one question."""
    return "\n".join(str(m.content) for m in messages)
