"""What LlamaIndex's `Memory` drops or replaces is superseded in its session; what is said again is learnt again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeAlias

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory.memory import Memory

from memoryos_core import MemoryConfig, MemoryOS, StoreError, WorkerConfig
from memoryos_llamaindex.block import MemoryOSMemoryBlock
from tests.llamaindex.test_block_memory import Hosts, apart, kept, said

HEDGEHOG = ("My hedgehog is called Quentin", "A noble name")
BOAT = ("My boat is called Halcyon", "A fine boat")
QUESTION = "What is my hedgehog called?"

Save: TypeAlias = Callable[[MemoryOSMemoryBlock, Memory], Awaitable[bool]]


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    made = Hosts()
    yield made
    apart(lambda: asyncio.run(made.close()))  # noqa: TID251


@pytest.fixture
def block(memory: MemoryOS) -> MemoryOSMemoryBlock:
    return MemoryOSMemoryBlock(memory, user_id="ann")


async def asave(block: MemoryOSMemoryBlock, memory: Memory) -> bool:
    return await block.asave(memory)


async def save(block: MemoryOSMemoryBlock, memory: Memory) -> bool:
    return block.save(memory)


async def flush(block: MemoryOSMemoryBlock, memory: Memory) -> bool:
    """Hand the block what the memory holds, as a memory that outgrows its limit does."""
    await block.aput(await memory.aget_all(), from_short_term_memory=True, session_id=memory.session_id)
    return True


def transcript(memory: MemoryOS, session: str = "s") -> list[str]:
    return [m.text for m in memory.user("ann", session_id=session).transcript()]


async def recalled(block: MemoryOSMemoryBlock, session: str = "s", window: tuple[ChatMessage, ...] = ()) -> str:
    return await block.aget([*window, *said(QUESTION)], session_id=session)


@pytest.mark.parametrize("learn", [asave, save, flush])
@pytest.mark.parametrize("again", [asave, save])
async def test_what_is_reset_is_not_recalled_there_and_what_is_said_again_is_learnt_again(
    memory: MemoryOS, block: MemoryOSMemoryBlock, hosts: Hosts, learn: Save, again: Save
) -> None:
    host = hosts(block)
    await host.aput_messages(said(*HEDGEHOG))
    assert await learn(block, host)
    assert transcript(memory) == [*HEDGEHOG]
    await host.areset()
    assert await again(block, host)
    assert transcript(memory) == []
    assert "Quentin" not in await recalled(block)
    assert "Quentin" in await recalled(block, session="another")
    await host.aput_messages(said(*HEDGEHOG, *BOAT))
    for _ in range(2):
        assert await again(block, host)
    assert transcript(memory) == [*HEDGEHOG, *BOAT]
    assert kept(memory) == [*HEDGEHOG, *HEDGEHOG, *BOAT]
    assert "Quentin" in await recalled(block)
    assert "Quentin" not in await recalled(block, window=tuple(said(*HEDGEHOG))), "the prompt holds it already"
    await host.areset()
    assert await again(block, host)
    await host.aput_messages(said(*HEDGEHOG))
    assert await again(block, host)
    assert transcript(memory) == [*HEDGEHOG]


async def test_what_is_replaced_is_superseded_and_the_rest_stays(
    memory: MemoryOS, block: MemoryOSMemoryBlock, hosts: Hosts
) -> None:
    host = hosts(block)
    await host.aput_messages(said(*HEDGEHOG, *BOAT))
    assert await block.asave(host)
    await host.aset(said("My hedgehog is called Wilfred", "So be it", *BOAT))
    assert await block.asave(host)
    assert sorted(transcript(memory)) == sorted(["My hedgehog is called Wilfred", "So be it", *BOAT])
    text = await recalled(block)
    assert "Wilfred" in text
    assert "Quentin" not in text
    assert "Quentin" in await recalled(block, session="another")


async def test_an_answer_that_is_given_anew_takes_the_former_ones_place(
    memory: MemoryOS, block: MemoryOSMemoryBlock, hosts: Hosts
) -> None:
    host = hosts(block)
    await host.aput_messages(said(QUESTION, "Quentin"))
    assert await block.asave(host)
    await host.aset(said(QUESTION, "I do not know"))
    assert await block.asave(host)
    assert transcript(memory) == [QUESTION, "I do not know"]


async def test_what_others_put_into_the_session_stays(
    memory: MemoryOS, block: MemoryOSMemoryBlock, hosts: Hosts
) -> None:
    host = hosts(block)
    memory.user("ann", session_id="s").add(*BOAT)
    await host.aput_messages(said(*HEDGEHOG))
    assert await block.asave(host)
    await host.areset()
    assert await block.asave(host)
    assert transcript(memory) == [*BOAT]


async def test_another_memory_of_the_same_session_drops_nothing(
    memory: MemoryOS, block: MemoryOSMemoryBlock, hosts: Hosts
) -> None:
    """Its messages are in RAM: those of the former process, or of the former request, are not there."""
    for texts in (HEDGEHOG, BOAT):
        host = hosts(block)
        await host.aput_messages(said(*texts))
        assert await block.asave(host)
    assert transcript(memory) == [*HEDGEHOG, *BOAT]


@pytest.mark.parametrize("learn", [asave, save, flush])
async def test_the_same_turn_said_twice_is_learnt_twice(
    memory: MemoryOS, block: MemoryOSMemoryBlock, hosts: Hosts, learn: Save
) -> None:
    host = hosts(block)
    texts = ["ok", "Good.", "Then?", "We go on.", "ok", "Good.", "ok", "Good."]
    await host.aput_messages(said(*texts))
    assert await learn(block, host)
    assert transcript(memory) == texts
    for _ in range(2):
        assert await block.asave(host)
        assert transcript(memory) == texts
    await host.aput_messages(said("ok", "Good."))
    for _ in range(2):
        assert await block.asave(host)
        assert transcript(memory) == [*texts, "ok", "Good."]
    again = MemoryOSMemoryBlock(memory, user_id="ann")  # as another process has it
    assert await again.asave(host)
    assert transcript(memory) == [*texts, "ok", "Good."]


async def test_flushes_of_equal_turns_are_counted(memory: MemoryOS, block: MemoryOSMemoryBlock) -> None:
    for _ in range(3):
        await block.aput(said("ok", "Good."), from_short_term_memory=True, session_id="s")
    assert transcript(memory) == ["ok", "Good."] * 3
    for _ in range(3):
        await block.aput(said("Hi", "Hello"), session_id="t")  # a caller hands in what it has, again and again
    assert transcript(memory, "t") == ["Hi", "Hello"]


async def test_an_equal_question_whose_answer_comes_later(
    memory: MemoryOS, block: MemoryOSMemoryBlock, hosts: Hosts
) -> None:
    host = hosts(block)
    texts = ["ok", "Good.", "ok"]
    await host.aput_messages(said(*texts))
    assert await block.asave(host)
    assert transcript(memory) == texts
    await host.aput_messages([ChatMessage(role="assistant", content="Fine.")])
    assert await block.asave(host)
    assert transcript(memory) == [*texts, "Fine."]


async def test_one_of_two_equal_turns_may_be_dropped(
    memory: MemoryOS, block: MemoryOSMemoryBlock, hosts: Hosts
) -> None:
    host = hosts(block)
    await host.aput_messages(said("ok", "Good.", *BOAT, "ok", "Good."))
    assert await block.asave(host)
    await host.aset(said("ok", "Good.", *BOAT))
    assert await block.asave(host)
    assert sorted(transcript(memory)) == sorted(["ok", "Good.", *BOAT])


async def test_a_reset_that_the_store_refuses_is_made_with_the_next_save(
    memory: MemoryOS, block: MemoryOSMemoryBlock, hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = hosts(block)
    await host.aput_messages(said(*HEDGEHOG))
    assert await block.asave(host)
    await host.areset()
    await host.aput_messages(said(*BOAT))

    def refuse(*_: Any, **__: Any) -> None:
        raise StoreError("not now")

    with monkeypatch.context() as patch:
        patch.setattr("memoryos_core.api.user.UserMemory.add_messages", refuse)
        assert not await block.asave(host)
    assert transcript(memory) == [*HEDGEHOG]
    assert await block.asave(host)
    assert transcript(memory) == [*BOAT]


async def test_a_save_that_comes_late_supersedes_nothing(
    memory: MemoryOS, block: MemoryOSMemoryBlock, hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A snapshot that is older than another one lacks what was said since: that was not dropped."""
    host, read, go_on = hosts(block), asyncio.Event(), asyncio.Event()
    await host.aput_messages(said(*HEDGEHOG))
    assert await block.asave(host)
    everything = Memory.aget_all

    async def slow(self: Memory, *args: Any, **kwargs: Any) -> list[ChatMessage]:
        found = await everything(self, *args, **kwargs)
        read.set()
        await go_on.wait()
        return found

    with monkeypatch.context() as patch:
        patch.setattr(Memory, "aget_all", slow)
        late = asyncio.create_task(block.asave(host))
        await read.wait()
    await host.aput_messages(said(*BOAT))
    assert await block.asave(host)
    go_on.set()
    assert await late
    assert await block.asave(host)
    assert transcript(memory) == [*HEDGEHOG, *BOAT]
    assert kept(memory) == [*HEDGEHOG, *BOAT]


async def test_a_persistent_memory_of_another_object_is_the_same(memory: MemoryOS, tmp_path: Any) -> None:
    uri = f"sqlite+aiosqlite:///{tmp_path}/chat.db"
    hosts = Hosts()
    block = MemoryOSMemoryBlock(memory, user_id="ann")
    host = hosts(block, async_database_uri=uri)
    await host.aput_messages(said(*HEDGEHOG))
    assert await block.asave(host)
    other = hosts(block, async_database_uri=uri)
    await other.areset()
    assert await block.asave(other)
    assert transcript(memory) == []
    await hosts.close()


async def test_reset_works_for_nobodys_session(tmp_path: Any) -> None:
    with MemoryOS(
        f"sqlite:///{tmp_path}/m.db", embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual"))
    ) as m:
        hosts = Hosts()
        block = MemoryOSMemoryBlock(m)
        host = hosts(block)
        await host.aput_messages(said(*HEDGEHOG))
        assert await block.asave(host)
        await host.areset()
        assert await block.asave(host)
        assert "Quentin" not in await recalled(block)
        await hosts.close()
