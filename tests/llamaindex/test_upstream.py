"""What LlamaIndex's own tests ask of its memories and chat engines, asked of ours.

Written anew after their behaviour: memory/test_chat_memory_buffer, memory/test_memory_base, chat_engine/test_simple,
test_context, test_condense_plus_context, test_condense_question, test_streaming_history.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Sequence
from typing import Any

import pytest
from llama_index.core.async_utils import asyncio_run
from llama_index.core.base.llms.types import AudioBlock, ChatMessage, DocumentBlock, ImageBlock, MessageRole, TextBlock
from llama_index.core.chat_engine.types import StreamingAgentChatResponse
from llama_index.core.llms.mock import MockLLM
from llama_index.core.memory import ChatMemoryBuffer, SimpleComposableMemory

from memoryos_core import MemoryOS
from memoryos_llamaindex.counting import MessageCounter
from memoryos_llamaindex.memory import MemoryOSMemory
from tests.llamaindex.conversing import Said, engine_of, said
from tests.llamaindex.scripted import ScriptedLLM

USER, ASSISTANT, TOOL = MessageRole.USER, MessageRole.ASSISTANT, MessageRole.TOOL


def words(text: str) -> list[str]:
    return text.split()


def message(role: MessageRole, text: str, **kwargs: Any) -> ChatMessage:
    return ChatMessage(role=role, content=text, additional_kwargs=kwargs)


def of(memory: MemoryOS, **options: Any) -> MemoryOSMemory:
    return MemoryOSMemory.from_defaults(memory, session_id="s", tokenizer_fn=words, budget_tokens=1, **options)


ROUND = [message(USER, "one two three"), message(ASSISTANT, "four five six")]
SIZE = sum(map(MessageCounter(words).count, ROUND))


# ------------------------------------------------------------------------------------------ test_chat_memory_buffer


def test_put_get(memory: MemoryOS) -> None:
    ours = of(memory)
    ours.put(message(USER, "test message"))
    assert len(ours.get()) == 1
    assert ours.get()[0].content == "test message"


def test_get_when_initial_tokens_less_than_limit_returns_history(memory: MemoryOS) -> None:
    ours = of(memory, token_limit=1000, chat_history=ROUND)
    assert ours.get(initial_token_count=500) == ROUND


def test_get_when_initial_tokens_exceed_the_limit_does_not_raise(memory: MemoryOS) -> None:
    """Upstream raises "Initial token count exceeds token limit": users lost conversations by it."""
    ours = of(memory, token_limit=100, chat_history=[*ROUND, *ROUND])
    assert ours.get(initial_token_count=101) == ROUND


def test_get_brings_what_just_fits(memory: MemoryOS) -> None:
    ours = of(memory, token_limit=2 * SIZE, chat_history=ROUND * 3)
    assert ours.get() == ROUND * 2
    assert ours.get(initial_token_count=1) == ROUND
    assert of(memory, token_limit=2 * SIZE - 1).get() == ROUND
    assert of(memory, token_limit=3 * SIZE).get() == ROUND * 3


def test_get_does_not_begin_with_an_assistant(memory: MemoryOS) -> None:
    history = [message(ASSISTANT, "hello"), *ROUND, message(ASSISTANT, "anything else")]
    assert of(memory, chat_history=history).get() == history[1:]
    assert of(memory).get_all() == history


def test_get_does_not_begin_with_a_tool_result(memory: MemoryOS) -> None:
    calls = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    exchange = [
        message(USER, "look it up"),
        message(ASSISTANT, "", tool_calls=calls),
        message(TOOL, "found", tool_call_id="c"),
        message(ASSISTANT, "there it is"),
    ]
    for limit in range(1, 60):
        got = of(memory, token_limit=limit, chat_history=[*exchange, *ROUND]).get()
        assert got in ([*exchange, *ROUND], ROUND)


def test_set(memory: MemoryOS) -> None:
    ours = of(memory, chat_history=ROUND)
    assert ours.get() == ROUND
    ours.set([message(USER, "test message")])
    assert said(ours.get()) == [("user", "test message")]
    ours.put(message(ASSISTANT, "an answer"))
    assert len(ours.get()) == 2
    ours.set([*ROUND, *ROUND])
    assert ours.get_all() == [*ROUND, *ROUND]
    ours.set([])
    assert ours.get_all() == ours.get() == []


def test_max_tokens(memory: MemoryOS) -> None:
    """Upstream counts messages; whole turns go here, so that a question keeps its answer."""
    ours = of(memory, token_limit=SIZE)
    for _ in range(2):
        ours.put_messages(ROUND)
    assert len(ours.get()) == 2
    ours.put(message(USER, "one two three"))
    assert len(ours.get()) == 1, "a new turn, and the one before does not fit beside it"
    assert len(ours.get_all()) == 5


def test_a_limit_of_nothing_is_refused(memory: MemoryOS) -> None:
    for limit in (0, -1):
        with pytest.raises(ValueError, match="token_limit"):
            of(memory, token_limit=limit)


def test_a_limit_by_the_model(memory: MemoryOS) -> None:
    assert of(memory, llm=ScriptedLLM(context_window=4000)).token_limit == 3000
    assert of(memory, llm=MockLLM()).token_limit == int(MockLLM().metadata.context_window * 0.75)
    assert of(memory, llm=MockLLM(), token_limit=77).token_limit == 77


def test_dict_save_load(memory: MemoryOS) -> None:
    ours = of(memory, token_limit=3000, chat_history=ROUND)
    again = MemoryOSMemory.from_dict(ours.to_dict())
    assert again.token_limit == 3000
    assert again.get() == ours.get() == ROUND
    assert again.get_all() == ROUND


def test_json_save_load(memory: MemoryOS) -> None:
    ours = of(memory, chat_history=ROUND)
    again = MemoryOSMemory.from_json(ours.to_json())
    assert isinstance(again, MemoryOSMemory)
    assert again.get_all() == ROUND


def test_pickle(memory: MemoryOS) -> None:
    ours = of(memory, chat_history=ROUND)
    again = pickle.loads(pickle.dumps(ours))
    assert again.get() == ours.get() == ROUND
    again.put(message(USER, "more"))
    assert len(ours.get_all()) == 3


def test_a_subclass_of_str_or_an_empty_content(memory: MemoryOS) -> None:
    ours = of(memory)
    ours.put_messages([ChatMessage(role=USER, content=None), ChatMessage(role=ASSISTANT, content="")])
    assert [len(m.blocks) for m in ours.get_all()] == [0, 1]


# ------------------------------------------------------------------------------------------ test_memory_base


async def test_aput_and_aget(memory: MemoryOS) -> None:
    ours = of(memory)
    await ours.aput(message(USER, "hello"))
    assert said(await ours.aget()) == [("user", "hello")]


async def test_aput_messages_and_aget_all(memory: MemoryOS) -> None:
    ours = of(memory)
    await ours.aput_messages(ROUND)
    await ours.aput_messages([])
    assert await ours.aget_all() == ROUND


async def test_aset_and_areset(memory: MemoryOS) -> None:
    ours = of(memory)
    await ours.aput(message(USER, "before"))
    await ours.aset(ROUND)
    assert await ours.aget_all() == ROUND
    await ours.areset()
    assert await ours.aget() == await ours.aget_all() == []


@pytest.mark.parametrize(
    ("block", "tokens"),
    [
        (TextBlock(text="This is a test"), 4),
        (ImageBlock(url="http://example.com/image.jpg"), 256),
        (AudioBlock(url="http://example.com/audio.mp3"), 256),
        (DocumentBlock(url="http://example.com/paper.pdf"), 2048),
    ],
    ids=["text", "image", "audio", "document"],
)
def test_token_estimates_of_blocks_decide_what_fits(memory: MemoryOS, block: Any, tokens: int) -> None:
    first = [ChatMessage(role=USER, blocks=[block]), message(ASSISTANT, "")]
    room = MessageCounter(words).count(message(USER, "")) * 2 + tokens
    history = [*first, *ROUND]
    assert len(of(memory, token_limit=SIZE + room, chat_history=history).get()) == 4
    assert len(of(memory, token_limit=SIZE + room - 1).get()) == 2


def test_the_first_message_must_be_the_users_at_any_limit(memory: MemoryOS) -> None:
    """Bedrock takes no other."""
    history = [m for n in range(6) for m in (message(USER, f"question {n}"), message(ASSISTANT, f"answer {n} " * 5))]
    of(memory, chat_history=history)
    for limit in range(1, 200, 3):
        got = of(memory, token_limit=limit).get()
        assert got[0].role == USER
        assert got == history[-len(got) :]


def test_a_turn_is_preserved(memory: MemoryOS) -> None:
    ours = of(memory, token_limit=10)
    ours.put_messages([*ROUND, message(USER, "long " * 50), message(ASSISTANT, "longer " * 50)])
    assert [m.role for m in ours.get()] == [USER, ASSISTANT]
    assert str(ours.get()[0].content).startswith("long ")


def test_tool_messages_stay_with_their_turn(memory: MemoryOS) -> None:
    calls = [{"id": i, "type": "function", "function": {"name": "f", "arguments": "{}"}} for i in ("x", "y")]
    asked = [message(USER, "look " * 20), message(ASSISTANT, "", tool_calls=calls)]
    results = [message(TOOL, "found " * 20, tool_call_id=i) for i in ("x", "y")]
    ours = of(memory, token_limit=10)
    for part in (*ROUND, *asked, *results, message(ASSISTANT, "so it is")):
        ours.put(part)
    assert ours.get() == [*asked, *results, message(ASSISTANT, "so it is")]


def test_only_a_tool_message_is_nothing_a_model_takes(memory: MemoryOS) -> None:
    ours = of(memory)
    ours.put(message(TOOL, "found", tool_call_id="x"))
    assert ours.get() == []
    assert len(ours.get_all()) == 1
    ours.put_messages(ROUND)
    assert ours.get() == ROUND


async def test_concurrent_puts_lose_nothing(memory: MemoryOS) -> None:
    ours = of(memory)
    await asyncio.gather(*(ours.aput(message(USER, f"{n}")) for n in range(60)))
    assert sorted(int(str(m.content)) for m in await ours.aget_all()) == list(range(60))


def test_puts_across_event_loops(memory: MemoryOS) -> None:
    ours = of(memory)
    for n in range(3):
        asyncio_run(ours.aput(message(USER, f"{n}")))  # LlamaIndex's own: a new loop each time
        ours.put(message(ASSISTANT, f"{n}"))
    assert [m.content for m in asyncio_run(ours.aget_all())] == ["0", "0", "1", "1", "2", "2"]


# ------------------------------------------------------------------------------------------ test_simple_composable


def test_as_the_second_source_of_a_composed_memory(memory: MemoryOS) -> None:
    earlier = MemoryOSMemory(memory=memory, user_id="ann", session_id="earlier")
    earlier.put(message(USER, "My dog is called Biscuit."))
    ours = MemoryOSMemory(memory=memory, user_id="ann", session_id="now")
    both = SimpleComposableMemory(
        primary_memory=ChatMemoryBuffer.from_defaults(token_limit=3000), secondary_memory_sources=[ours]
    )
    both.put(message(USER, "What is my dog called?"))
    first, second = both.get("What is my dog called?"), both.get("What is my dog called?")
    assert "Biscuit" in str(first[0].content)
    assert first[-1].content == "What is my dog called?"
    assert second == first
    assert said(ours.get_all()) == [("user", "What is my dog called?")]


# ------------------------------------------------------------------------------------------ chat_engine/*


def echoing(shown: Sequence[ChatMessage]) -> str:
    """The last words of the prompt, as upstream's mocks answer."""
    return f"You said: {shown[-1].content}"


@pytest.mark.parametrize("kind", ["simple", "context", "condense_plus"])
def test_chat_follows_the_conversation(memory: MemoryOS, kind: str) -> None:
    ours, llm = of(memory), ScriptedLLM(echoing)
    engine = engine_of(kind, ours, llm, system_prompt="Talk like a pirate.")
    assert str(engine.chat("Hello World!")) == "You said: Hello World!"
    engine.chat("What is the capital of the moon?")
    shown = llm.asked[-1]
    assert "Talk like a pirate." in str(shown[0].content)
    assert said(shown)[1:] == [
        ("user", "Hello World!"),
        ("assistant", "You said: Hello World!"),
        ("user", "What is the capital of the moon?"),
    ]
    assert len(engine.chat_history) == 4
    engine.reset()
    engine.chat("Anew")
    assert said(llm.asked[-1])[1:] == [("user", "Anew")]


@pytest.mark.parametrize("kind", ["simple", "context", "condense_plus"])
async def test_the_four_ways_share_one_conversation(memory: MemoryOS, kind: str) -> None:
    ours, llm = of(memory), ScriptedLLM(echoing)
    engine = engine_of(kind, ours, llm)
    engine.chat("1")
    list(engine.stream_chat("2").response_gen)
    await engine.achat("3")
    streamed = await engine.astream_chat("4")
    assert "".join([part async for part in streamed.async_response_gen()]) == "You said: 4"
    expected: Said = [m for n in "1234" for m in (("user", n), ("assistant", f"You said: {n}"))]
    assert said(engine.chat_history) == expected
    assert [m for m in said(llm.asked[-1]) if m[0] != "system"] == expected[:-1]


def test_condense_question_asks_for_a_question_of_its_own_and_keeps_the_users_words(memory: MemoryOS) -> None:
    llm = ScriptedLLM(["The answer is 42.", "What is 42 doubled?", "84"])
    engine = engine_of("condense_question", of(memory), llm)
    engine.chat("What is the answer?")
    engine.chat("Doubled?")
    assert "user: What is the answer?\nassistant: The answer is 42." in str(llm.asked[1][0].content)
    assert "What is 42 doubled?" in str(llm.asked[2][-1].content)
    assert said(engine.chat_history) == [
        ("user", "What is the answer?"),
        ("assistant", "The answer is 42."),
        ("user", "Doubled?"),
        ("assistant", "84"),
    ]


@pytest.mark.parametrize("kind", ["simple", "context", "condense_plus", "condense_question"])
def test_a_streamed_answer_is_in_the_history_when_it_was_read(memory: MemoryOS, kind: str) -> None:
    engine = engine_of(kind, of(memory), ScriptedLLM(lambda _: "two words"))
    streamed = engine.stream_chat("question")
    assert isinstance(streamed, StreamingAgentChatResponse)
    assert "".join(streamed.response_gen) == "two words"
    assert said(engine.chat_history) == [("user", "question"), ("assistant", "two words")]
    assert str(streamed) == "two words"


def test_a_stream_that_yields_nothing_leaves_a_question(memory: MemoryOS) -> None:
    class Silent(ScriptedLLM):
        def __init__(self) -> None:
            super().__init__(echoing)

        def stream_chat(self, messages: Any, **kwargs: Any) -> Any:
            return iter(())

    ours = of(memory)
    engine = engine_of("simple", ours, Silent())
    assert list(engine.stream_chat("question").response_gen) == [""]
    assert said(ours.get_all()) == [("user", "question")]
    engine.chat("again")
    assert said(ours.get_all()) == [("user", "question"), ("user", "again"), ("assistant", "You said: again")]
