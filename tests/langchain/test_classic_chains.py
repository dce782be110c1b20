"""Legacy chains of `langchain_classic` with our memory, and its own memories over our history."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_classic.base_memory import BaseMemory
from langchain_classic.chains import ConversationalRetrievalChain, ConversationChain, LLMChain
from langchain_classic.memory import (
    CombinedMemory,
    ConversationBufferMemory,
    ConversationBufferWindowMemory,
    ConversationSummaryBufferMemory,
    ConversationTokenBufferMemory,
    SimpleMemory,
)
from langchain_core.callbacks import AsyncCallbackHandler, BaseCallbackHandler
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import BaseMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate

from memoryos_core import MemoryOS
from memoryos_langchain.classic import MemoryOSMemory
from memoryos_langchain.history import MemoryOSChatMessageHistory
from memoryos_langchain.retriever import MemoryOSRetriever

TORTOISE = "My tortoise is called Archimedes"


class Prompts(BaseCallbackHandler):
    """Keeps the text of every prompt a model was sent."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def on_chat_model_start(self, serialized: Any, messages: list[list[BaseMessage]], **_: Any) -> None:
        self.texts += ["\n".join(f"{m.type}: {m.text}" for m in prompt) for prompt in messages]


class Counted(FakeListChatModel):
    """Counts a word as a token, where LangChain would load a tokenizer."""

    def get_num_tokens_from_messages(self, messages: list[BaseMessage], *_: Any) -> int:
        return sum(len(m.text.split()) for m in messages)


def kept(memory: MemoryOS, user: str = "ada") -> list[str]:
    return [m.text for m in memory.user(user, session_id="now").transcript()]


async def ask(chain: Any, way: str, inputs: dict[str, Any], *handlers: Any) -> dict[str, Any]:
    config = {"callbacks": list(handlers)}
    if way == "invoke":
        return dict(chain.invoke(inputs, config))
    if way == "ainvoke":
        return dict(await chain.ainvoke(inputs, config))
    if way == "stream":
        (whole,) = list(chain.stream(inputs, config))
        return dict(whole)
    if way == "astream":
        (whole,) = [piece async for piece in chain.astream(inputs, config)]
        return dict(whole)
    if way == "batch":
        return dict(chain.batch([inputs], config)[0])
    if way == "abatch":
        return dict((await chain.abatch([inputs], config))[0])
    events = [event async for event in chain.astream_events(inputs, config, version="v2")]
    return dict(events[-1]["data"]["output"])


WAYS = ["invoke", "ainvoke", "stream", "astream", "batch", "abatch", "astream_events"]


@pytest.mark.parametrize("way", WAYS)
async def test_conversation_chain(memory: MemoryOS, way: str) -> None:
    memory.user("ada", session_id="long ago").add(TORTOISE)
    memory.user("bob", session_id="long ago").add("My tortoise is called Gallop")
    prompts = Prompts()
    chain = ConversationChain(
        llm=FakeListChatModel(responses=["Good morning", "Archimedes"]),
        memory=MemoryOSMemory(memory=memory, user_id="ada", session_id="now"),
    )
    await ask(chain, way, {"input": "Hello there"}, prompts)
    answer = await ask(chain, way, {"input": "What is my tortoise called?"}, prompts)
    assert answer["response"] == "Archimedes"
    assert kept(memory) == ["Hello there", "Good morning", "What is my tortoise called?", "Archimedes"]
    assert TORTOISE in prompts.texts[-1]
    assert "Gallop" not in prompts.texts[-1]
    assert prompts.texts[-1].count("Human: Hello there\nAI: Good morning") == 1
    assert prompts.texts[-1].count("Hello there") == 1


@pytest.mark.parametrize("way", WAYS)
async def test_llm_chain_with_a_messages_placeholder(memory: MemoryOS, way: str) -> None:
    memory.user("ada", session_id="long ago").add(TORTOISE)
    prompts = Prompts()
    prompt = ChatPromptTemplate.from_messages(
        [("system", "Use {style} words."), MessagesPlaceholder("chat_history"), ("human", "{question}")]
    )
    chain = LLMChain(
        llm=FakeListChatModel(responses=["Good morning", "Archimedes"]),
        prompt=prompt,
        memory=MemoryOSMemory(
            memory=memory, user_id="ada", session_id="now", memory_key="chat_history", return_messages=True
        ),
    )
    await ask(chain, way, {"question": "Hello there", "style": "short"}, prompts)
    answer = await ask(chain, way, {"question": "What is my tortoise called?", "style": "short"}, prompts)
    assert answer["text"] == "Archimedes"
    assert kept(memory) == ["Hello there", "Good morning", "What is my tortoise called?", "Archimedes"]
    lines = prompts.texts[-1]
    assert lines.startswith("system: Use short words.\nsystem: ")
    assert lines.endswith("human: Hello there\nai: Good morning\nhuman: What is my tortoise called?")
    assert lines.count(TORTOISE) == 1


@pytest.mark.parametrize("way", WAYS)
async def test_conversational_retrieval_chain(memory: MemoryOS, way: str) -> None:
    memory.user("library").add("Tortoises eat lettuce")
    memory.user("ada", session_id="long ago").add(TORTOISE)
    prompts = Prompts()
    chain = ConversationalRetrievalChain.from_llm(
        llm=FakeListChatModel(responses=["What do tortoises eat?", "Lettuce", "Does Archimedes eat lettuce?", "Yes"]),
        retriever=MemoryOSRetriever(memory=memory, user_id="library", k=1),
        memory=MemoryOSMemory(
            memory=memory, user_id="ada", session_id="now", memory_key="chat_history", return_messages=True
        ),
        return_source_documents=True,
        return_generated_question=True,
    )
    first = await ask(chain, way, {"question": "What do tortoises eat?"}, prompts)
    second = await ask(chain, way, {"question": "Does my tortoise eat it too?"}, prompts)
    assert [first["answer"], second["answer"]] == ["Lettuce", "Yes"]
    assert second["generated_question"] == "Does Archimedes eat lettuce?"
    assert [d.page_content for d in second["source_documents"]] != []
    assert kept(memory) == ["What do tortoises eat?", "Lettuce", "Does my tortoise eat it too?", "Yes"]
    condensing = prompts.texts[2]
    assert "Human: What do tortoises eat?\nAssistant: Lettuce" in condensing
    assert TORTOISE in condensing


async def test_tokens_reach_streaming_callbacks(memory: MemoryOS) -> None:
    class Tokens(AsyncCallbackHandler):
        heard = ""

        async def on_llm_new_token(self, token: Any, **_: Any) -> None:
            self.heard += token

    tokens = Tokens()
    chain = ConversationChain(
        llm=FakeListChatModel(responses=["Good morning"]),
        memory=MemoryOSMemory(memory=memory, user_id="ada", session_id="now"),
    )
    events = chain.astream_events({"input": "Hello"}, {"callbacks": [tokens]}, version="v2")
    streamed = [e["data"]["chunk"].text async for e in events if e["event"] == "on_chat_model_stream"]
    assert "".join(streamed) == tokens.heard == "Good morning"
    assert kept(memory) == ["Hello", "Good morning"]


async def test_a_run_that_fails_leaves_nothing(memory: MemoryOS) -> None:
    chain = ConversationChain(
        llm=FakeListChatModel(responses=[]),
        memory=MemoryOSMemory(memory=memory, user_id="ada", session_id="now"),
    )
    for way in ("invoke", "ainvoke"):
        with pytest.raises(IndexError):
            await ask(chain, way, {"input": "Hello"})
    assert kept(memory) == []


def test_beside_another_memory(memory: MemoryOS) -> None:
    chain = LLMChain(
        llm=FakeListChatModel(responses=["Good morning"]),
        prompt=PromptTemplate.from_template("{weather} {history} {input}"),
        memory=CombinedMemory(
            memories=[
                SimpleMemory(memories={"weather": "rain"}),
                MemoryOSMemory(memory=memory, user_id="ada", session_id="now"),
            ]
        ),
    )
    chain.invoke({"input": "Hello"})
    assert kept(memory) == ["Hello", "Good morning"]


def test_a_restart_between_turns(memory: MemoryOS, path: str) -> None:
    def chain(opened: MemoryOS, answer: str) -> ConversationChain:
        chain_memory = MemoryOSMemory(memory=opened, user_id="ada", session_id="now")
        return ConversationChain(llm=FakeListChatModel(responses=[answer]), memory=chain_memory)

    chain(memory, "Noted").invoke({"input": TORTOISE})
    memory.close()
    prompts = Prompts()
    with MemoryOS(path, embedder=None) as again:
        chain(again, "Archimedes").invoke({"input": "And now?"}, {"callbacks": [prompts]})
        assert kept(again) == [TORTOISE, "Noted", "And now?", "Archimedes"]
    assert f"Human: {TORTOISE}\nAI: Noted" in prompts.texts[0]


# --------------------------------------------------------------------------- LangChain's own memories, over our history

SUMMARISER = Counted(responses=["They said hello."])
OVER_HISTORY = [
    lambda history: ConversationBufferMemory(chat_memory=history),
    lambda history: ConversationBufferWindowMemory(chat_memory=history, k=2),
    lambda history: ConversationTokenBufferMemory(chat_memory=history, llm=SUMMARISER, max_token_limit=50),
    lambda history: ConversationSummaryBufferMemory(chat_memory=history, llm=SUMMARISER, max_token_limit=50),
]
NAMES = ["buffer", "window", "tokens", "summary"]


@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
@pytest.mark.parametrize("over_history", OVER_HISTORY, ids=NAMES)
async def test_langchains_memories_over_our_history(memory: MemoryOS, over_history: Any, way: str) -> None:
    def chain(user: str) -> ConversationChain:
        over: BaseMemory = over_history(MemoryOSChatMessageHistory(memory, "now", user_id=user))
        return ConversationChain(llm=FakeListChatModel(responses=["Good morning"]), memory=over)

    prompts = Prompts()
    await ask(chain("ada"), way, {"input": TORTOISE})
    await ask(chain("bob"), way, {"input": "I have no tortoise"})
    await ask(chain("ada"), way, {"input": "And now?"}, prompts)
    assert kept(memory) == [TORTOISE, "Good morning", "And now?", "Good morning"]
    assert kept(memory, "bob") == ["I have no tortoise", "Good morning"]
    assert f"Human: {TORTOISE}\nAI: Good morning" in prompts.texts[-1]
    assert "no tortoise" not in prompts.texts[-1]


@pytest.mark.parametrize("over_history", OVER_HISTORY[2:], ids=NAMES[2:])
def test_their_pruning_takes_nothing_from_our_history(memory: MemoryOS, over_history: Any) -> None:
    over = over_history(MemoryOSChatMessageHistory(memory, "now", user_id="ada"))
    for turn in range(6):
        over.save_context({"input": f"turn {turn} " + "word " * 10}, {"output": "yes " * 10})
    assert [m.split()[:2] for m in kept(memory)[::2]] == [["turn", str(turn)] for turn in range(6)]
