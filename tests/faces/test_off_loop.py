"""Host adapters cross into coroutines by one function: one pool a memory, the caller's context, no loop of its own."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import os
import threading
import weakref
from pathlib import Path

import pytest

from memoryos_core import AsyncMemoryOS, ClosedError, MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.api.aio import off_loop
from memoryos_core.api.aio.pool import Pool, pool_of

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
asked = contextvars.ContextVar("asked", default="nobody")


def opened(tmp_path: Path) -> MemoryOS:
    return MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=MANUAL)


async def test_calls_run_in_another_thread_with_the_callers_context(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        asked.set("alice")
        assert await off_loop(memory, asked.get) == "alice"
        assert await off_loop(memory, threading.get_ident) != threading.get_ident()


def test_one_pool_serves_every_loop_and_face_and_goes_with_its_memory(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        pools = {id(pool_of(memory)) for _ in range(3)}
        names = {asyncio.run(off_loop(memory, lambda: threading.current_thread().name)) for _ in range(2)}  # noqa: TID251 - two loops
        assert len(pools) == 1
        assert all(name.startswith("memoryos-aio") for name in names)
        held = weakref.ref(pool_of(memory))
    del memory
    gc.collect()
    assert held() is None


async def test_closing_a_face_of_an_open_memory_leaves_a_clear_error_to_others(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    await AsyncMemoryOS.of(memory).close()
    assert await off_loop(memory, lambda: "still answers") == "still answers"


@pytest.mark.parametrize("face", [False, True], ids=["closed itself", "closed by its face"])
async def test_a_closed_memory_that_is_still_held_keeps_no_threads(tmp_path: Path, face: bool) -> None:
    memory = opened(tmp_path)
    together = threading.Barrier(9)
    calls = [asyncio.create_task(off_loop(memory, together.wait, 20)) for _ in range(8)]
    await asyncio.to_thread(together.wait, 20)
    await asyncio.gather(*calls)
    threads = set(pool_of(memory)._executor._threads)
    assert len(threads) >= 8
    if face:
        await AsyncMemoryOS.of(memory).close()
    else:
        memory.close()
    for thread in threads:
        await asyncio.to_thread(thread.join, 20)
    assert [thread for thread in threads if thread.is_alive()] == []
    with pytest.raises(ClosedError):
        await off_loop(memory, memory.users)
    late = await off_loop(memory, threading.current_thread)
    assert late is not threading.current_thread()
    await asyncio.to_thread(late.join, 20)
    assert not late.is_alive()


async def test_a_face_that_was_closed_before_it_was_used_opens_nothing(tmp_path: Path) -> None:
    face = AsyncMemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=MANUAL)
    await face.close()
    with pytest.raises(ClosedError):
        await face.users()
    assert not (tmp_path / "m.db").exists()


async def test_a_call_cancelled_before_it_began_is_never_made() -> None:
    pool, gate, made = Pool(threads=1), threading.Event(), list[str]()
    first = asyncio.create_task(pool.run(gate.wait, 20))
    late = asyncio.create_task(pool.run(made.append, "late"))
    await asyncio.sleep(0)  # both are handed to the pool, which has one thread
    late.cancel()
    with pytest.raises(asyncio.CancelledError):
        await late
    gate.set()
    assert await first
    await pool.run(int)  # what stood in line before this has had its turn
    assert made == []
    pool.close()


async def test_a_call_cancelled_after_it_began_is_carried_out() -> None:
    pool, begun, gate, made = Pool(threads=1), threading.Event(), threading.Event(), list[str]()

    def call() -> None:
        begun.set()
        gate.wait(20)
        made.append("whole")

    task = asyncio.create_task(pool.run(call))
    assert await asyncio.to_thread(begun.wait, 20)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    gate.set()
    await pool.run(int)
    assert made == ["whole"]
    pool.close()


async def test_hung_calls_leave_room_for_others_and_threads_are_bounded(tmp_path: Path) -> None:
    gate = threading.Event()
    with opened(tmp_path) as memory:
        hung = [asyncio.create_task(off_loop(memory, gate.wait, 60)) for _ in range(16)]
        await asyncio.sleep(0)
        try:
            assert await asyncio.wait_for(off_loop(memory, lambda: "answers"), 20) == "answers"
            hung += [asyncio.create_task(off_loop(memory, gate.wait, 60)) for _ in range(100)]
            await asyncio.sleep(0)
            assert len(pool_of(memory)._executor._threads) == 32
        finally:
            gate.set()
        assert all(await asyncio.gather(*hung))


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_has_a_pool_that_works(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        before = pool_of(memory)._executor
        before.submit(int).result()
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:  # pragma: no cover - in the child, which must never get back into pytest
            try:
                mine = pool_of(memory)._executor
                done = mine is not before and mine.submit(int).result(timeout=20) == 0
                os.write(writer, b"1" if done else b"0")
            finally:
                os._exit(0)
        os.close(writer)
        assert os.read(reader, 1) == b"1"
        os.close(reader)
        os.waitpid(child, 0)
