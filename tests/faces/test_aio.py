"""The coroutine face says the same as the plain one, off the loop, with the caller's context."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from datetime import datetime, timezone
from pathlib import Path

import pytest
from blockbuster import BlockBuster, BlockingError

from memoryos_core import AsyncMemoryOS, AsyncUserMemory, MemoryConfig, MemoryOS, UserMemory, WorkerConfig
from memoryos_core.values.events import Event, PageAdded

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


def verbs(face: type) -> dict[str, inspect.Signature]:
    return {
        name: inspect.signature(member)
        for part in reversed(face.__mro__[:-1])
        for name, member in vars(part).items()
        if not name.startswith("_") and inspect.isfunction(member)
    }


@pytest.mark.parametrize(("plain", "awaitable"), [(MemoryOS, AsyncMemoryOS), (UserMemory, AsyncUserMemory)])
def test_both_faces_have_the_same_verbs_and_arguments(plain: type, awaitable: type) -> None:
    ours, theirs = verbs(plain), verbs(awaitable)
    assert ours.keys() == theirs.keys()
    for name, signature in ours.items():
        assert list(signature.parameters.values())[1:] == list(theirs[name].parameters.values())[1:], name


def test_every_verb_but_the_handle_is_awaited() -> None:
    for face in (AsyncMemoryOS, AsyncUserMemory):
        for name in verbs(face):
            member = getattr(face, name)
            awaited = inspect.iscoroutinefunction(member) or inspect.isasyncgenfunction(member)
            assert awaited is (name not in ("user", "team")), name


def test_both_constructors_take_the_same_arguments() -> None:
    ours, theirs = inspect.signature(MemoryOS), inspect.signature(AsyncMemoryOS)
    assert ours.parameters == theirs.parameters


async def test_a_conversation_goes_in_and_comes_back(tmp_path: Path) -> None:
    async with AsyncMemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=MANUAL) as memory:
        alice = memory.user("alice")
        await asyncio.gather(*(alice.add(f"I planted tomato number {i}", "Nice!") for i in range(30)))
        await alice.consolidate()
        assert (await alice.stats()).pages == 30
        assert "tomato" in (await memory.user("alice", session_id="later").recall("Which tomato?")).text
        assert await memory.users() == ["alice"]
        assert [r["kind"] async for r in alice.export()].count("page") == 30


async def test_nothing_blocks_the_loop(tmp_path: Path) -> None:
    guard = BlockBuster()
    async with AsyncMemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None) as memory:
        alice = memory.user("alice")
        guard.activate()
        try:
            await alice.add("I live in Lisbon", "Lovely")
            assert await alice.recall("Where do I live?")
            await memory.flush()
        finally:
            guard.deactivate()


def test_the_guard_would_notice_a_blocking_call(tmp_path: Path) -> None:
    async def blocking() -> None:
        memory = MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=MANUAL)
        memory.user("alice").add("I live in Lisbon", "Lovely")

    guard = BlockBuster()
    loop = asyncio.new_event_loop()
    guard.activate()
    try:
        with pytest.raises(BlockingError):
            loop.run_until_complete(blocking())
    finally:
        guard.deactivate()
        loop.close()


async def test_context_variables_travel_into_the_pool(tmp_path: Path) -> None:
    request: contextvars.ContextVar[str] = contextvars.ContextVar("request")
    seen: list[str] = []

    def hook(event: Event) -> None:
        if isinstance(event, PageAdded):
            seen.append(request.get())

    async with AsyncMemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=MANUAL, on_event=hook) as memory:
        request.set("request 7")
        await memory.user("alice").add("Hello", "Hi")
    assert seen == ["request 7"]


async def test_an_add_cancelled_after_it_began_is_still_written_whole(tmp_path: Path) -> None:
    begun, gate = threading.Event(), threading.Event()

    def clock() -> datetime:
        if threading.current_thread().name.startswith("memoryos-aio") and asked:
            begun.set()
            gate.wait(20)
        return datetime.now(timezone.utc)

    asked: list[str] = []
    async with AsyncMemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=MANUAL, clock=clock) as memory:
        alice = memory.user("alice")
        await alice.add("first", "one")
        asked.append("second")
        task = asyncio.create_task(alice.add("second", "two"))
        assert await asyncio.to_thread(begun.wait, 20)
        task.cancel()
        gate.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        while (await alice.stats()).pages < 2:
            await asyncio.sleep(0.01)
        assert [m.text for m in await alice.transcript()] == ["first", "one", "second", "two"]


async def test_one_face_serves_several_loops(tmp_path: Path) -> None:
    memory = MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=MANUAL)
    face = AsyncMemoryOS.of(memory)
    await face.user("alice").add("from the first loop", "ok")

    def other_loop() -> None:
        loop = asyncio.new_event_loop()
        try:
            loop.run_until_complete(face.user("alice").add("from the second loop", "ok"))
        finally:
            loop.close()

    await asyncio.to_thread(other_loop)
    assert memory.user("alice").stats().pages == 2
    await face.close()
