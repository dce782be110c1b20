"""The block inside LlamaIndex's own `Memory`, in engines and agents."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, TextBlock
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.memory.memory import BaseMemoryBlock, InsertMethod, Memory
from llama_index.core.utils import get_tokenizer
from llama_index.core.workflow import Context

from memoryos_core import MemoryConfig, MemoryOS, StoreError, WorkerConfig
from memoryos_llamaindex.block import MemoryOSMemoryBlock
from tests.llamaindex.scripted import ScriptedLLM, TextLLM, calling

T = TypeVar("T")
TORTOISE = "My tortoise is called Archimedes"
QUESTION = "What is my tortoise called?"
BOTH = [InsertMethod.SYSTEM, InsertMethod.USER]


class Hosts:
    """LlamaIndex's memories, each with a database of its own that is closed at the end: `Memory` itself never does."""

    def __init__(self) -> None:
        self._made: list[Memory] = []

    def __call__(self, *blocks: BaseMemoryBlock[Any], session: str = "s", **settings: Any) -> Memory:
        made = Memory.from_defaults(session_id=session, memory_blocks=list(blocks), **settings)
        self._made.append(made)
        return made

    async def close(self) -> None:
        for made in self._made:
            engine = getattr(made.sql_store, "_async_engine", None)
            if engine is not None:
                await engine.dispose()
        self._made.clear()
        gc.collect()


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    made = Hosts()
    yield made
    # In a loop of its own, for the test may have had several or none.
    apart(lambda: asyncio.run(made.close()))  # noqa: TID251


def apart(call: Callable[[], T]) -> T:
    """The result of a call in a thread of its own, where no event loop is: that of pytest stays as it is."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()


@pytest.fixture
def seeded(memory: MemoryOS) -> MemoryOS:
    memory.user("ann", session_id="long ago").add(TORTOISE, "A fine name")
    memory.user("bob", session_id="long ago").add("My tortoise is called Gallop", "Ironic")
    return memory


def said(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role="assistant" if i % 2 else "user", content=text) for i, text in enumerate(texts)]


def kept(memory: MemoryOS, user: str = "ann", session: str = "s") -> list[str]:
    return [m.text for page in memory.user(user, session_id=session).pages(session=True) for m in page.messages]


def counted(text: str) -> int:
    return len(get_tokenizer()(text))


def story(turns: int) -> list[str]:
    return [f"{who} number {i} about the garden" for i in range(turns) for who in ("Question", "Answer")]


# ------------------------------------------------------------------------------------------------------------- engines


@pytest.mark.parametrize("method", BOTH)
def test_an_engine_is_told_what_is_remembered(seeded: MemoryOS, hosts: Hosts, method: InsertMethod) -> None:
    block = MemoryOSMemoryBlock(seeded, user_id="ann")
    llm = TextLLM(["Archimedes", "You are welcome"])
    engine = SimpleChatEngine.from_defaults(llm=llm, memory=hosts(block, insert_method=method))
    assert str(apart(lambda: engine.chat(QUESTION))) == "Archimedes"
    apart(lambda: engine.chat("Thank you"))
    first = llm.asked[0]
    assert [m.role.value for m in first] == (["system", "user"] if method == InsertMethod.SYSTEM else ["user"])
    assert TORTOISE in str(first[0].content)
    assert "Gallop" not in str(first)
    assert [m.content for m in apart(lambda: engine.chat_history)] == [
        QUESTION,
        "Archimedes",
        "Thank you",
        "You are welcome",
    ]


@pytest.mark.parametrize("method", BOTH)
async def test_nothing_is_added_where_nothing_is_remembered(
    memory: MemoryOS, hosts: Hosts, method: InsertMethod
) -> None:
    block = MemoryOSMemoryBlock(memory, user_id="ann")
    llm = TextLLM(["Hello"])
    engine = SimpleChatEngine.from_defaults(llm=llm, memory=hosts(block, insert_method=method))
    await engine.achat("Hi")
    assert [(m.role.value, m.content) for m in llm.asked[0]] == [("user", "Hi")]


async def test_an_agent_with_tools_recalls_once_a_turn_over_several_runs(
    seeded: MemoryOS, hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    user = type(seeded.user("ann"))
    real = user.recall

    def recall(self: Any, query: str, **kwargs: Any) -> Any:
        asked.append(query)
        return real(self, query, **kwargs)

    monkeypatch.setattr(user, "recall", recall)

    async def note(ctx: Context, text: str) -> str:
        """Notes a text."""
        return f"noted {text}"

    block = MemoryOSMemoryBlock(seeded, user_id="ann")
    host = hosts(block)
    llm = ScriptedLLM([calling("note", text="one"), calling("note", text="two"), "Archimedes", "Good night"])
    agent = FunctionAgent(tools=[note], llm=llm)
    assert str(await agent.run(QUESTION, memory=host)) == "Archimedes"
    assert asked == [QUESTION]
    assert all(TORTOISE in str(messages) for messages in llm.asked[:3])
    await agent.run("Good evening", memory=host)
    assert asked == [QUESTION, "Good evening"]
    assert await block.asave(host)
    stored = seeded.user("ann", session_id="s").transcript()
    assert [m.role for m in stored] == ["user", *["assistant", "tool"] * 2, "assistant", "user", "assistant"]
    assert [m.answers for m in stored if m.role == "tool"] == [c for m in stored for c in m.calls]
    assert await block.asave(host)
    assert len(seeded.user("ann", session_id="s").transcript()) == len(stored)


async def test_saving_in_the_midst_of_a_run_pairs_the_answer(memory: MemoryOS, hosts: Hosts) -> None:
    block = MemoryOSMemoryBlock(memory, user_id="ann")
    host = hosts(block)

    async def save() -> str:
        """Saves."""
        return str(await block.asave(host))

    llm = ScriptedLLM([calling("save"), "Done"])
    await FunctionAgent(tools=[save], llm=llm).run("Please save", memory=host)
    assert kept(memory) == ["Please save"]
    assert await block.asave(host)
    pages = memory.user("ann", session_id="s").pages(session=True)
    assert [[m.role for m in page.messages] for page in pages] == [["user", "assistant", "tool", "assistant"]]


# ------------------------------------------------------------------------------------------------ what a memory flushes


@pytest.mark.parametrize("flush_size", [1, 10, 40, 60])
async def test_each_message_is_learnt_once_by_flushes_and_saves(
    memory: MemoryOS, hosts: Hosts, flush_size: int
) -> None:
    texts = story(12)
    block = MemoryOSMemoryBlock(memory, user_id="ann")
    host = hosts(block, token_limit=60, token_flush_size=flush_size)
    for message in said(*texts):
        await host.aput(message)
    flushed = kept(memory)
    assert 0 < len(flushed) < len(texts)
    assert flushed == texts[: len(flushed)]
    assert await block.asave(host)
    assert kept(memory) == texts
    await host.aput_messages(said("One more", "Indeed"))
    assert await MemoryOSMemoryBlock(memory, user_id="ann").asave(host)
    assert kept(memory) == [*texts, "One more", "Indeed"]
    pages = memory.user("ann", session_id="s").pages(session=True)
    assert [[m.role for m in page.messages] for page in pages] == [["user", "assistant"]] * 13


async def test_another_process_learns_nothing_twice(memory: MemoryOS, path: str, hosts: Hosts) -> None:
    texts = story(12)
    first = hosts(MemoryOSMemoryBlock(memory, user_id="ann"), token_limit=60, token_flush_size=20)
    await first.aput_messages(said(*texts))
    with MemoryOS(path, embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual"))) as again:
        block = MemoryOSMemoryBlock(again, user_id="ann")
        second = hosts(block, token_limit=60, token_flush_size=20)
        await second.aput_messages(said(*texts))
        assert await block.asave(second)
    assert kept(memory) == texts


async def test_what_is_in_the_window_is_not_told_twice(memory: MemoryOS, hosts: Hosts) -> None:
    block = MemoryOSMemoryBlock(memory, user_id="ann")
    host = hosts(block)
    await host.aput_messages(said(TORTOISE, "A fine name", QUESTION))
    assert await block.asave(host)
    assert [m.content for m in await host.aget()] == [TORTOISE, "A fine name", QUESTION]
    assert [m.content for m in await host.aget(input=QUESTION)] == [TORTOISE, "A fine name", QUESTION]


async def test_manual_learning_learns_what_is_saved_only(memory: MemoryOS, hosts: Hosts) -> None:
    texts = story(12)
    block = MemoryOSMemoryBlock(memory, user_id="ann", learn="manual")
    host = hosts(block, token_limit=60, token_flush_size=20)
    await host.aput_messages(said(*texts))
    assert kept(memory) == []
    assert await block.asave(host)
    assert kept(memory) == texts, "archived and active"


async def test_two_sessions_and_two_users_are_apart(memory: MemoryOS, hosts: Hosts) -> None:
    block = MemoryOSMemoryBlock(memory)
    one, two = hosts(block, session="one"), hosts(block, session="two")
    await one.aput_messages(said(TORTOISE, "A fine name"))
    assert await block.asave(one)
    assert await block.asave(two)
    await two.aput_messages(said(QUESTION))
    assert TORTOISE not in str(await two.aget())
    assert kept(memory, "session:one", "one") == [TORTOISE, "A fine name"]
    assert memory.users() == ["session:one"]
    ann, bob = (MemoryOSMemoryBlock(memory, user_id=user) for user in ("ann", "bob"))
    assert await ann.asave(one)
    others = hosts(ann, session="three"), hosts(bob, session="three")
    for host in others:
        await host.aput_messages(said(QUESTION))
    told = [TORTOISE in str(await host.aget()) for host in others]
    assert told == [True, False]


# ----------------------------------------------------------------------------------------------------- saving by itself


def test_save_works_in_threads_without_a_loop(memory: MemoryOS, hosts: Hosts) -> None:
    block = MemoryOSMemoryBlock(memory, user_id="ann")
    host = hosts(block)
    for texts in (("Q", "A"), ("Q2", "A2")):
        apart(lambda texts=texts: host.put_messages(said(*texts)))  # type: ignore[misc]
        assert apart(lambda: block.save(host))
    assert kept(memory) == ["Q", "A", "Q2", "A2"]


async def test_save_works_in_a_running_loop(memory: MemoryOS, hosts: Hosts) -> None:
    block = MemoryOSMemoryBlock(memory, user_id="ann")
    host = hosts(block)
    await host.aput_messages(said("Q", "A"))
    assert block.save(host)
    assert kept(memory) == ["Q", "A"]


async def test_a_save_that_failed_says_so_and_is_made_with_the_next(
    memory: MemoryOS, hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = MemoryOSMemoryBlock(memory, user_id="ann")
    host = hosts(block)
    await host.aput_messages(said("Q", "A"))

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise StoreError("gone")

    with monkeypatch.context() as broken:
        broken.setattr(type(memory.user("ann")), "pages", refuse)
        assert not await block.asave(host)
        assert not block.save(host)
        broken.setattr(type(host), "aget_all", refuse)
        broken.setattr(type(host), "get_all", refuse)
        assert not await block.asave(host)
        assert not block.save(host)
    assert kept(memory) == []
    await host.areset()
    assert await block.asave(host)
    assert kept(memory) == ["Q", "A"], "it was accepted: it is not lost with the Memory"


async def test_saves_at_once_learn_each_message_once(memory: MemoryOS, hosts: Hosts) -> None:
    texts = story(6)
    block, other = (MemoryOSMemoryBlock(memory, user_id="ann") for _ in range(2))
    host = hosts(block)
    await host.aput_messages(said(*texts))
    assert all(await asyncio.gather(*(b.asave(host) for b in (block, other) * 5)))
    assert kept(memory) == texts


# ------------------------------------------------------------------------------------------------------------ failures


async def test_a_store_that_fails_ends_no_run(seeded: MemoryOS, hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise StoreError("gone")

    for verb in ("recall", "add_messages", "pages", "stats"):
        monkeypatch.setattr(type(seeded.user("ann")), verb, refuse)
    block = MemoryOSMemoryBlock(seeded, user_id="ann")
    host = hosts(block, token_limit=40, token_flush_size=10)
    llm = ScriptedLLM(lambda messages: f"{len(messages)} messages were shown to me")
    for i in range(4):
        answer = await FunctionAgent(llm=llm).run(f"This is question number {i} of mine", memory=host)
        assert "messages were shown" in str(answer)
    monkeypatch.undo()
    await block.asave(host)
    assert len(kept(seeded)) == 8


# --------------------------------------------------------------------------------- what LlamaIndex expects of any block


class Fixed(BaseMemoryBlock[str]):
    """Always says the same, and never shorter."""

    name: str = "fixed"
    text: str = "word " * 20

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        return self.text

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Nothing to keep."""


async def test_a_memory_over_its_limit_shortens_the_block(memory: MemoryOS, hosts: Hosts) -> None:
    user = memory.user("ann", session_id="long ago")
    for place in range(12):
        user.add(f"The tortoise ate lettuce number {place}", "Good for it")
    question = said("tortoise lettuce")
    full = counted(await MemoryOSMemoryBlock(memory, user_id="ann").aget(question))
    sizes: list[int] = []
    for limit in (full + 50, full * 3 // 4, full // 2, 20):
        host = hosts(MemoryOSMemoryBlock(memory, user_id="ann"), token_limit=limit, session=f"of {limit}")
        await host.aput_messages(question)
        text = "\n".join(str(m.content) for m in await host.aget())
        sizes.append(text.count("lettuce number"))
        assert text.count("\n<memory>\n") <= 2
        assert text.count("\n</memory>") in (0, 2)
    assert sizes[0] > sizes[1] > sizes[2] > sizes[3] == 0


@pytest.mark.parametrize("limit", [110, 140, 200])
async def test_what_a_small_memory_has_room_for_is_the_best_hit(seeded: MemoryOS, hosts: Hosts, limit: int) -> None:
    """Its limit bounds what is recalled, however large the budget of the block is."""
    past = seeded.user("ann", session_id="since then")
    for place in range(40):
        past.add(f"The neighbour's tortoise ate lettuce number {place} this afternoon")
    host = hosts(MemoryOSMemoryBlock(seeded, user_id="ann", budget_tokens=5_000), token_limit=limit)
    await host.aput_messages(said(QUESTION))
    told = str((await host.aget())[0].content)
    assert TORTOISE in told
    assert counted(told) <= limit + counted("<memory>\n<memoryos>\n\n</memoryos>\n</memory>")


async def test_a_memory_that_was_saved_is_served_by_its_own_limit_and_tokenizer(
    seeded: MemoryOS, hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tokenizer that counts more: what is left out by another count would be too little, and all would go."""
    past = seeded.user("ann", session_id="since then")
    for place in range(40):
        past.add(f"The neighbour's tortoise ate lettuce number {place} this afternoon")
    budgets: list[int] = []
    real = type(past).recall

    def recall(self: Any, query: str, **kwargs: Any) -> Any:
        budgets.append(kwargs["budget_tokens"])
        return real(self, query, **kwargs)

    monkeypatch.setattr(type(past), "recall", recall)
    block = MemoryOSMemoryBlock(seeded, user_id="ann")
    host = hosts(block, token_limit=800, tokenizer_fn=list)
    assert await block.asave(host)
    await host.aput_messages(said(QUESTION))
    text = str((await host.aget())[0].content)
    assert TORTOISE in text
    assert len(text) <= 800 + len("<memory>\n<memoryos>\n\n</memoryos>\n</memory>")
    assert budgets == [800]


async def test_a_memory_over_its_limit_with_nothing_recalled(memory: MemoryOS, hosts: Hosts) -> None:
    host = hosts(MemoryOSMemoryBlock(memory, user_id="ann"), Fixed(priority=2), token_limit=10)
    await host.aput_messages(said("Hi"))
    assert [m.content for m in await host.aget()] == ["Hi"]


async def test_the_priority_decides_which_block_is_shortened_first(seeded: MemoryOS, hosts: Hosts) -> None:
    told = await MemoryOSMemoryBlock(seeded, user_id="ann").aget(said(QUESTION))
    limit = sum(map(counted, (told, Fixed().text, QUESTION))) - 5
    for priority, stays in ((1, False), (3, True), (0, True)):
        host = hosts(
            MemoryOSMemoryBlock(seeded, user_id="ann", priority=priority),
            Fixed(priority=2),
            token_limit=limit,
            session=f"p{priority}",
        )
        await host.aput_messages(said(QUESTION))
        text = "".join(str(m.content) for m in await host.aget())
        assert TORTOISE in text, "the best hit stays"
        assert ("A fine name" in text) is stays
        assert ("word word" in text) is not stays


@pytest.mark.parametrize("method", BOTH)
async def test_it_stands_beside_other_blocks_under_its_name(
    seeded: MemoryOS, hosts: Hosts, method: InsertMethod
) -> None:
    block = MemoryOSMemoryBlock(seeded, user_id="ann", name="long_term")
    host = hosts(block, Fixed(priority=0), insert_method=method)
    await host.aput_messages(said(QUESTION))
    first = (await host.aget(some_keyword=1))[0]
    text = "".join(b.text for b in first.blocks if isinstance(b, TextBlock))
    assert text.index("<long_term>") < text.index(TORTOISE) < text.index("</long_term>") < text.index("<fixed>")
    assert [m.content for m in await host.aget_all()] == [QUESTION], "the conversation itself is as it was"


async def test_a_message_as_input_is_no_error(seeded: MemoryOS, hosts: Hosts) -> None:
    host = hosts(MemoryOSMemoryBlock(seeded, user_id="ann"))
    question = ChatMessage(role="user", content=QUESTION)
    assert await host.aget(input=question) == [], "LlamaIndex does not hand it on"
    assert TORTOISE in str(await host.aget(input=QUESTION))
