"""The store where it is used: in an agent's tools, in graphs, on a guarded loop, from two memories."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from blockbuster import BlockBuster, BlockingError
from langchain.agents import create_agent
from langchain.tools import ToolRuntime
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool, tool
from langgraph.config import get_store
from langgraph.graph import END, START, StateGraph
from langgraph.prebuilt import InjectedStore
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from typing_extensions import TypedDict

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_langchain.store import MemoryOSStore

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


@dataclass(frozen=True)
class Caller:
    user_id: str


class Scripted(GenericFakeChatModel):
    """Says what it was told to say, with whatever tools."""

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Scripted:
        return self


@tool
def keep(text: str, key: str, runtime: ToolRuntime[Caller]) -> str:
    """Keep a fact."""
    assert runtime.store is not None
    runtime.store.put((runtime.context.user_id, "facts"), key, {"text": text})
    return "kept"


@tool
def look_up(question: str, runtime: ToolRuntime[Caller]) -> str:
    """Look a fact up."""
    assert runtime.store is not None
    found = runtime.store.search((runtime.context.user_id,), query=question, limit=3)
    return "; ".join(item.value["text"] for item in found) or "nothing"


@tool("keep")
async def keep_on_the_loop(text: str, key: str, runtime: ToolRuntime[Caller]) -> str:
    """Keep a fact."""
    assert runtime.store is not None
    await runtime.store.aput((runtime.context.user_id, "facts"), key, {"text": text})
    return "kept"


@tool("look_up")
async def look_up_on_the_loop(question: str, runtime: ToolRuntime[Caller]) -> str:
    """Look a fact up."""
    assert runtime.store is not None
    found = await runtime.store.asearch((runtime.context.user_id,), query=question, limit=3)
    return "; ".join(item.value["text"] for item in found) or "nothing"


@tool
def count_kept(user: str, store: Annotated[BaseStore, InjectedStore()]) -> str:
    """Count what is kept."""
    return str(len(store.search((user,), limit=99)))


def calling(name: str, **arguments: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"call-{name}"}])


def agent(memory: MemoryOS, tools: list[BaseTool], *script: AIMessage) -> Any:
    model = Scripted(messages=iter([*script, AIMessage("Done")]))
    return create_agent(model, tools, store=MemoryOSStore(memory), context_schema=Caller)


def answers(result: dict[str, Any]) -> list[str]:
    return [str(m.content) for m in result["messages"] if isinstance(m, ToolMessage)]


ASK: Any = {"messages": [{"role": "user", "content": "Hi"}]}
KEEPING = calling("keep", text="Ada drinks green tea", key="drink")
ASKING = calling("look_up", question="What tea does she drink?")


class TestAgents:
    def test_a_tool_keeps_and_finds(self, memory: MemoryOS) -> None:
        first = agent(memory, [keep, look_up], KEEPING, ASKING).invoke(ASK, context=Caller("ada"))
        assert answers(first) == ["kept", "Ada drinks green tea"]
        other = agent(memory, [keep, look_up], ASKING).invoke(ASK, context=Caller("eve"))
        assert answers(other) == ["nothing"]
        assert "green tea" in memory.user("ada").recall("What does Ada drink?").text

    async def test_a_tool_keeps_and_finds_on_a_guarded_loop(self, memory: MemoryOS) -> None:
        tools: list[BaseTool] = [keep_on_the_loop, look_up_on_the_loop]
        graph = agent(memory, tools, KEEPING, ASKING)
        guard = BlockBuster()
        guard.activate()
        try:
            result = await graph.ainvoke(ASK, context=Caller("ada"))
        finally:
            guard.deactivate()
        assert answers(result) == ["kept", "Ada drinks green tea"]

    async def test_plain_tools_under_ainvoke(self, memory: MemoryOS) -> None:
        result = await agent(memory, [keep, look_up], KEEPING, ASKING).ainvoke(ASK, context=Caller("ada"))
        assert answers(result) == ["kept", "Ada drinks green tea"]

    def test_an_injected_store(self, memory: MemoryOS) -> None:
        MemoryOSStore(memory).put(("ada", "x"), "k", {"n": 1})
        result = agent(memory, [count_kept], calling("count_kept", user="ada")).invoke(ASK, context=Caller("ada"))
        assert answers(result) == ["1"]


class State(TypedDict):
    said: str
    known: list[str]


class TestGraphs:
    @staticmethod
    def built(memory: MemoryOS, *, on_the_loop: bool) -> Any:
        def learn(state: State, runtime: Runtime[Caller]) -> None:
            assert runtime.store is not None
            runtime.store.put((runtime.context.user_id, "facts"), state["said"], {"text": state["said"]})

        async def alearn(state: State, runtime: Runtime[Caller]) -> None:
            assert runtime.store is not None
            await runtime.store.aput((runtime.context.user_id, "facts"), state["said"], {"text": state["said"]})

        def know(state: State) -> dict[str, Any]:
            return {"known": sorted(item.value["text"] for item in get_store().search(("ada",), limit=99))}

        async def aknow(state: State) -> dict[str, Any]:
            found = await get_store().asearch(("ada",), limit=99)
            return {"known": sorted(item.value["text"] for item in found)}

        builder: Any = StateGraph(State, context_schema=Caller)
        builder.add_node("learn", alearn if on_the_loop else learn)
        builder.add_node("know", aknow if on_the_loop else know)
        builder.add_edge(START, "learn")
        builder.add_edge("learn", "know")
        builder.add_edge("know", END)
        return builder.compile(store=MemoryOSStore(memory))

    def test_nodes_share_the_store(self, memory: MemoryOS) -> None:
        graph = self.built(memory, on_the_loop=False)
        graph.invoke({"said": "Ada has a dog"}, context=Caller("ada"))
        graph.invoke({"said": "Eve has a cat"}, context=Caller("eve"))
        result = graph.invoke({"said": "Ada drinks tea"}, context=Caller("ada"))
        assert result["known"] == ["Ada drinks tea", "Ada has a dog"]

    async def test_many_runs_at_once_on_a_guarded_loop(self, memory: MemoryOS) -> None:
        graph = self.built(memory, on_the_loop=True)
        guard = BlockBuster()
        guard.activate()
        try:
            runs = (graph.ainvoke({"said": f"Ada has {n} dogs"}, context=Caller("ada")) for n in range(20))
            await asyncio.gather(*runs)
        finally:
            guard.deactivate()
        assert len(memory.user("ada").facts()) == 20


class TestTheLoop:
    async def test_no_verb_blocks_it(self, memory: MemoryOS) -> None:
        store = MemoryOSStore(memory)
        memory.user("ada").add("The kite is red", "yes")
        guard = BlockBuster()
        guard.activate()
        try:
            for shelf in ("facts", "x"):
                await store.aput(("ada", shelf), "k", {"text": "A red kite"})
                assert await store.aget(("ada", shelf), "k") is not None
            prefixes: list[tuple[str, ...]] = [("ada",), *(("ada", s) for s in ("facts", "episodes", "profile", "x"))]
            for prefix in prefixes:
                await store.asearch(prefix)
                await store.asearch(prefix, query="kite")
            assert len(await store.alist_namespaces()) == 3
            await store.adelete(("ada", "facts"), "k")
        finally:
            guard.deactivate()

    def test_the_guard_would_notice(self, memory: MemoryOS) -> None:
        async def blocking() -> None:
            MemoryOSStore(memory).put(("ada", "x"), "k", {})

        guard = BlockBuster()
        loop = asyncio.new_event_loop()
        guard.activate()
        try:
            with pytest.raises(BlockingError):
                loop.run_until_complete(blocking())
        finally:
            guard.deactivate()
            loop.close()


def test_two_memories_put_one_name_at_once(path: str) -> None:
    """No lock is shared by two processes: the name tells the last statement, and nobody gets an error."""
    with MemoryOS(path, embedder=None, config=MANUAL) as one, MemoryOS(path, embedder=None, config=MANUAL) as two:
        stores = [MemoryOSStore(one), MemoryOSStore(two)]
        ready = threading.Barrier(2)

        def put(number: int) -> None:
            ready.wait()
            for n in range(10):
                stores[number].put(("ada", "facts"), "home", {"text": f"Number {number} has moved {n} times", "n": n})

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(put, range(2)))
        item = stores[0].get(("ada", "facts"), "home")
        assert item is not None
        assert item.value["n"] == 9
        assert item.value["text"] in {f.text for f in one.user("ada").facts()}
        assert item == stores[1].get(("ada", "facts"), "home")
