"""What was erased is gone from the very next read, by whichever door it was erased; a turn is one visit otherwise."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage

from memoryos_core import MemoryConfig, MemoryOS, UserMemory, WorkerConfig
from memoryos_llamaindex.block import MemoryOSMemoryBlock
from memoryos_llamaindex.memory import MemoryOSMemory
from memoryos_llamaindex.tools import MemoryOSToolSpec

PAST = "My dog Biscuit is afraid of thunder"
FACT = "The dog sleeps under the piano"
QUESTION = "What is my dog afraid of?"
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the memory is really asked; each counts a visit."""
    asked: list[str] = []
    real = UserMemory.recall

    def recall(handle: UserMemory, query: str, **kwargs: Any) -> Any:
        asked.append(query)
        return real(handle, query, **kwargs)

    monkeypatch.setattr(UserMemory, "recall", recall)
    return asked


@pytest.fixture
def seeded(memory: MemoryOS) -> MemoryOS:
    """One page and one fact, of another session."""
    memory.user("ann", session_id="long ago").add(PAST, "Poor Biscuit")
    memory.user("ann", session_id="long ago").remember(FACT)
    return memory


def ids(memory: MemoryOS) -> tuple[list[str], list[str]]:
    ann = memory.user("ann", session_id="long ago")
    return [page.id for page in ann.pages(session=True)], [fact.id for fact in ann.facts()]


def by_tool(memory: MemoryOS, path: str) -> None:
    pages, facts = ids(memory)
    _, _, forget, *_ = MemoryOSToolSpec(memory, user_id="ann").to_tool_list()
    forget.call(ids=[*pages, *facts])


def by_pages_and_facts(memory: MemoryOS, path: str) -> None:
    pages, facts = ids(memory)
    user = MemoryOSMemory(memory, user_id="ann", session_id="s").user
    user.forget(pages=pages)
    user.forget(facts=facts)


def by_another_object(memory: MemoryOS, path: str) -> None:
    pages, facts = ids(memory)
    MemoryOSMemory(memory, user_id="ann", session_id="another").forget(pages=pages, facts=facts)


def by_the_core(memory: MemoryOS, path: str) -> None:
    memory.user("ann").forget(facts=ids(memory)[1])
    memory.user("ann", session_id="long ago").forget(session=True)


def by_another_process(memory: MemoryOS, path: str) -> None:
    with MemoryOS(path, embedder=None, config=MANUAL) as other:
        by_the_core(other, path)


Erasing = Callable[[MemoryOS, str], None]
WAYS: list[Erasing] = [by_tool, by_pages_and_facts, by_another_object, by_the_core, by_another_process]


def told(messages: list[ChatMessage]) -> list[bool]:
    """Whether the page and the fact are shown."""
    shown = "\n".join(m.content or "" for m in messages)
    return [PAST in shown, FACT in shown]


@pytest.mark.parametrize("erase", WAYS)
def test_a_memory_shows_nothing_that_was_erased_within_the_turn(
    seeded: MemoryOS, path: str, questions: list[str], erase: Erasing
) -> None:
    ann = MemoryOSMemory(seeded, user_id="ann", session_id="s")
    ann.put(ChatMessage(role="user", content=QUESTION))
    for _ in range(3):
        assert told(ann.get()) == [True, True]
    assert questions == [QUESTION]
    erase(seeded, path)
    for _ in range(3):
        assert told(ann.get()) == told(ann.get(QUESTION)) == [False, False]
    assert questions == [QUESTION] * 2
    assert [m.content for m in ann.get_all()] == [QUESTION]


@pytest.mark.parametrize("erase", WAYS)
async def test_a_block_shows_nothing_that_was_erased_within_the_turn(
    seeded: MemoryOS, path: str, questions: list[str], erase: Erasing
) -> None:
    block = MemoryOSMemoryBlock(seeded, user_id="ann", session_id="s")
    asked = [ChatMessage(role="user", content=QUESTION)]
    for _ in range(3):
        text = await block.aget(asked)
        assert PAST in text
        assert FACT in text
    assert questions == [QUESTION]
    erase(seeded, path)
    for _ in range(3):
        assert await block.aget(asked) == ""
    assert questions == [QUESTION] * 2


def test_what_others_erase_costs_no_visit_of_mine(seeded: MemoryOS, questions: list[str]) -> None:
    ann = MemoryOSMemory(seeded, user_id="ann", session_id="s")
    ann.put(ChatMessage(role="user", content=QUESTION))
    assert told(ann.get()) == [True, True]
    bob = seeded.user("bob")
    bob.add("Something of Bob's", "I see")
    bob.forget(everything=True)
    assert told(ann.get()) == [True, True]
    assert questions == [QUESTION]


async def reset_at_once(ann: MemoryOSMemory) -> None:
    ann.reset()


async def reset_in_a_coroutine(ann: MemoryOSMemory) -> None:
    await ann.areset()


Resetting = Callable[[MemoryOSMemory], Awaitable[None]]
RESETS: list[Resetting] = [reset_at_once, reset_in_a_coroutine]


def as_made(ann: MemoryOSMemory) -> MemoryOSMemory:
    return ann


def read_from_json(ann: MemoryOSMemory) -> MemoryOSMemory:
    """The same session in a process that has only the reference."""
    written = json.loads(json.dumps(ann.to_dict()))
    return MemoryOSMemory.from_dict({**written, "handle": "of another process"})


def copied_with_a_change(ann: MemoryOSMemory) -> MemoryOSMemory:
    return ann.model_copy(update={"token_limit": 500})


@pytest.mark.parametrize("reset", RESETS)
@pytest.mark.parametrize("reach", [as_made, read_from_json, copied_with_a_change])
async def test_the_reset_of_a_session_without_a_user_erases_it(
    memory: MemoryOS, reset: Resetting, reach: Callable[[MemoryOSMemory], MemoryOSMemory]
) -> None:
    """No other session can reach what was said there, so it would stay for ever."""
    nobody = MemoryOSMemory(memory, session_id="s")
    nobody.put(ChatMessage(role="user", content=PAST))
    nobody.user.remember(FACT)
    assert memory.users() == ["session:s"]
    await reset(reach(nobody))
    assert memory.users() == []
    assert nobody.get_all() == nobody.get(QUESTION) == []
    nobody.put(ChatMessage(role="user", content=QUESTION))
    assert told(nobody.get()) == [False, False]
    assert [m.content for m in nobody.get_all()] == [QUESTION]


@pytest.mark.parametrize("reset", RESETS)
async def test_the_reset_of_a_named_user_erases_nothing(memory: MemoryOS, reset: Resetting) -> None:
    """Also not where the application names the user as a session without one is called."""
    for user_id in ("ann", "session:s"):
        named = MemoryOSMemory(memory, user_id=user_id, session_id="s")
        named.put(ChatMessage(role="user", content=PAST))
        await reset(named)
        assert named.get_all() == []
        assert [page.text("user") for page in named.user.pages()] == [PAST]


def test_a_copy_for_another_session_is_another_nobody(memory: MemoryOS) -> None:
    one = MemoryOSMemory(memory, session_id="one")
    two = one.model_copy(update={"session_id": "two"})
    assert (one.user_id, two.user_id) == ("session:one", "session:two")
