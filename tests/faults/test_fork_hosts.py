"""Children forked beside a running worker use the memories of both hosts, and leave the parent's as they are."""

from __future__ import annotations

import asyncio
import faulthandler
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from memoryos_core import HeatConfig, MemoryConfig, MemoryOS, ShortTermConfig, WorkerConfig

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")

_FORKS = 6 if "MEMORYOS_SOAK" in os.environ else 2
_CHILD_SECONDS = 60
# Small tiers, so that the worker always has something to move.
CONFIG = MemoryConfig(
    short_term=ShortTermConfig(capacity_pages=2, batch_pages=2),
    heat=HeatConfig(threshold=0.5),
    worker=WorkerConfig(mode="background", threads=2),
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryOS]:
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder="terms", config=CONFIG) as memory:
        yield memory


def langchain_history(memory: MemoryOS) -> Callable[[str], None]:
    pytest.importorskip("langchain_core")
    from langchain_core.messages import AIMessage, HumanMessage

    from memoryos_langchain import MemoryOSChatMessageHistory, MemoryOSRetriever

    history = MemoryOSChatMessageHistory(memory, "s", user_id="ann")
    retriever = MemoryOSRetriever(memory=memory, user_id="ann")

    def use(said: str) -> None:
        history.add_messages([HumanMessage(said), AIMessage("Noted.")])
        assert history.messages[-2].content == said
        assert retriever.invoke(f"Who said {said}?")

    return use


def langgraph_store(memory: MemoryOS) -> Callable[[str], None]:
    pytest.importorskip("langgraph")
    from memoryos_langchain import MemoryOSStore

    store = MemoryOSStore(memory)

    def use(said: str) -> None:
        store.put(("ann", "notes"), "one", {"text": said})
        item = store.get(("ann", "notes"), "one")
        assert item is not None
        assert item.value == {"text": said}

    return use


def llamaindex_memory(memory: MemoryOS) -> Callable[[str], None]:
    pytest.importorskip("llama_index.core")
    from llama_index.core.base.llms.types import ChatMessage

    from memoryos_llamaindex import MemoryOSMemory

    own = MemoryOSMemory(memory, user_id="ann", session_id="t")

    def use(said: str) -> None:
        own.put(ChatMessage(said))
        own.put(ChatMessage("Noted.", role="assistant"))
        assert said in [m.content for m in own.get_all()]
        asyncio.run(own.aget(f"Who said {said}?"))  # noqa: TID251 - a child has no loop

    return use


def llamaindex_block(memory: MemoryOS) -> Callable[[str], None]:
    pytest.importorskip("llama_index.core")
    from llama_index.core.base.llms.types import ChatMessage

    from memoryos_llamaindex import MemoryOSMemoryBlock

    block = MemoryOSMemoryBlock(memory, user_id="ann")

    def use(said: str) -> None:
        messages = [ChatMessage(said), ChatMessage("Noted.", role="assistant")]
        asyncio.run(block.aput(messages, session_id="b"))  # noqa: TID251
        assert said in [m.text for m in memory.user("ann", session_id="b").transcript()]

    return use


def work_in_child(use: Callable[[str], None], memory: MemoryOS, said: str, stack: Path) -> NoReturn:
    """Use the host, consolidate a user of the child's own, and leave."""
    status = 1
    try:
        with stack.open("w") as file:
            faulthandler.dump_traceback_later(_CHILD_SECONDS / 2, file=file)
            signal.alarm(_CHILD_SECONDS)
            use(said)
            kid = memory.user(said)
            for number in range(4):
                kid.add(f"I caught fish {number}.", "Noted.")
            kid.consolidate()
            memory.close()
            status = 0
    finally:
        os._exit(status)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("host", [langchain_history, langgraph_store, llamaindex_memory, llamaindex_block])
def test_a_child_uses_the_memory_of_a_host_while_a_worker_runs(
    memory: MemoryOS, tmp_path: Path, host: Callable[[MemoryOS], Callable[[str], None]]
) -> None:
    use = host(memory)
    use("the parent before")
    stop = threading.Event()

    def work() -> None:
        number = 0
        while not stop.wait(0.02):
            number += 1
            memory.user("ann", session_id="busy").add(f"I planted tree {number} by the river.", "Noted.")

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for number in range(_FORKS):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                pid = os.fork()
            stack = tmp_path / f"stack {number}"
            if not pid:  # pragma: no cover
                work_in_child(use, memory, f"child {number}", stack)
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            assert status == 0, stack.read_text()
            use(f"the parent after {number}")
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert memory.flush(timeout=60)
    texts = [m.text for page in memory.user("ann").pages() for m in page.messages]
    if host is not langgraph_store:
        for number in range(_FORKS):
            assert texts.count(f"child {number}") == 1
            assert texts.count(f"the parent after {number}") == 1
