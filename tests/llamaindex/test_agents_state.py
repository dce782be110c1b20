"""Several runs of one context: the memory survives edits of the state and every way of writing the context down."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ReActAgent
from llama_index.core.workflow import Context, JsonPickleSerializer, JsonSerializer

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_llamaindex.memory import MemoryOSMemory
from tests.docs.pages import elsewhere
from tests.llamaindex.scripted import ScriptedLLM, TextLLM, calling, react, react_answer

QUESTIONS = ("First?", "Second?", "Third?")
TURN = ["user: {0}", "assistant: ", "tool: noted", "assistant: Done"]
SECRET = "The vault code is 4711"


async def note(ctx: Context[Any], what: str) -> str:
    """Writes into the state of the agent."""
    async with ctx.store.edit_state() as state:
        state["noted"] = [*state.get("noted", ()), what]
    return "noted"


# LlamaIndex reads them as they are, and finds texts where this module's annotations are.
note.__annotations__.update(ctx=Context, what=str)


def agent_of(turns: int = 1) -> FunctionAgent:
    """An agent that edits its state in every turn."""
    script = [reply for n in range(turns) for reply in (calling("note", what=f"{n}"), "Done")]
    return FunctionAgent(tools=[note], llm=ScriptedLLM(script))


def lines(memory: MemoryOSMemory) -> list[str]:
    return [f"{m.role.value}: {m.content or ''}" for m in memory.get_all()]


def talk(*questions: str) -> list[str]:
    return [line.format(q) for q in questions for line in TURN]


@pytest.fixture
def ann(memory: MemoryOS) -> MemoryOSMemory:
    return MemoryOSMemory(memory=memory, user_id="ann", session_id="s")


# ------------------------------------------------------------------------------------------ in this process


@pytest.mark.parametrize("given", ["each time", "once"])
async def test_runs_of_one_context_that_edit_the_state(ann: MemoryOSMemory, given: str) -> None:
    agent = agent_of(3)
    ctx: Context[Any] = Context(agent)
    for number, question in enumerate(QUESTIONS):
        with_memory: dict[str, Any] = {"memory": ann} if given == "each time" or number == 0 else {}
        await agent.run(question, ctx=ctx, **with_memory)
        # The application's own variable sees every run, not the first alone.
        assert lines(ann) == talk(*QUESTIONS[: number + 1])
        assert await ctx.store.get("memory") is ann
    assert await ctx.store.get("noted") == ["0", "1", "2"]
    assert len(ann.user.pages()) == 3


@pytest.mark.parametrize("serializer", [JsonSerializer(), JsonPickleSerializer()], ids=["json", "pickle"])
async def test_a_context_that_is_written_down_between_runs(ann: MemoryOSMemory, serializer: Any) -> None:
    ann.user.remember(SECRET)
    written = ""
    for number, question in enumerate(QUESTIONS):
        agent = agent_of()
        if written:
            ctx: Context[Any] = Context.from_dict(agent, json.loads(written), serializer=serializer)
            await agent.run(question, ctx=ctx)
        else:
            ctx = Context(agent)
            await agent.run(question, ctx=ctx, memory=ann)
        written = json.dumps(ctx.to_dict(serializer=serializer))
        assert lines(ann) == talk(*QUESTIONS[: number + 1])
        assert SECRET not in written
    assert len(ann.user.pages()) == 3


async def test_a_context_of_a_workflow_with_state(ann: MemoryOSMemory) -> None:
    written = ""
    for question in QUESTIONS:
        agent = agent_of()
        workflow = AgentWorkflow(agents=[agent], initial_state={"mood": "curious"})
        if written:
            ctx: Context[Any] = Context.from_dict(workflow, json.loads(written), serializer=JsonSerializer())
        else:
            ctx = Context(workflow)
        await workflow.run(question, ctx=ctx, memory=ann)
        written = json.dumps(ctx.to_dict(serializer=JsonSerializer()))
    assert lines(ann) == talk(*QUESTIONS)
    assert "mood" not in "".join(lines(ann))


async def test_runs_of_a_react_agent_with_one_context(ann: MemoryOSMemory) -> None:
    script = [text for n in range(2) for text in (react("note", what=f"{n}"), react_answer("Done"))]
    agent = ReActAgent(tools=[note], llm=TextLLM(script))
    ctx: Context[Any] = Context(agent)
    await agent.run("First?", ctx=ctx, memory=ann)
    ctx = Context.from_dict(agent, json.loads(json.dumps(ctx.to_dict(serializer=JsonSerializer()))))
    await agent.run("Second?", ctx=ctx)
    assert [page.text("user") for page in ann.user.pages()] == ["First?", "Second?"]
    assert [page.text("assistant") for page in ann.user.pages()] == ["Done", "Done"]


async def test_a_memory_in_ram_comes_back_though_nobody_holds_it() -> None:
    agent = agent_of()
    ctx: Context[Any] = Context(agent)
    await agent.run("First?", ctx=ctx, memory=MemoryOSMemory.from_defaults(session_id="s"))
    written = json.dumps(ctx.to_dict(serializer=JsonSerializer()))
    del ctx
    agent = agent_of()
    back: Context[Any] = Context.from_dict(agent, json.loads(written), serializer=JsonSerializer())
    await agent.run("Second?", ctx=back)
    found = await back.store.get("memory")
    assert lines(found) == talk("First?", "Second?")
    found.memory.close()


async def test_after_the_database_was_closed_and_opened_again(path: str) -> None:
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS(path, embedder=None, config=config) as first:
        agent = agent_of()
        ctx: Context[Any] = Context(agent)
        await agent.run("First?", ctx=ctx, memory=MemoryOSMemory(memory=first, user_id="ann", session_id="s"))
        written = json.dumps(ctx.to_dict(serializer=JsonSerializer()))
    with MemoryOS(path, embedder=None, config=config) as second:
        ann = MemoryOSMemory(memory=second, user_id="ann", session_id="s")
        agent = agent_of()
        again: Context[Any] = Context.from_dict(agent, json.loads(written), serializer=JsonSerializer())
        await agent.run("Second?", ctx=again)
        assert (await again.store.get("memory")).memory is second
        assert lines(ann) == talk("First?", "Second?")


async def test_users_of_one_agent_are_kept_apart_by_their_contexts(memory: MemoryOS) -> None:
    agent = agent_of(4)
    contexts: dict[str, Context[Any]] = {name: Context(agent) for name in ("ann", "bob")}
    memories = {name: MemoryOSMemory(memory=memory, user_id=name, session_id="s") for name in contexts}
    for round_ in ("1", "2"):
        for name, ctx in contexts.items():
            with_memory: dict[str, Any] = {"memory": memories[name]} if round_ == "1" else {}
            await agent.run(f"{name} {round_}", ctx=ctx, **with_memory)
    for name, one in memories.items():
        assert lines(one) == talk(f"{name} 1", f"{name} 2")


# ------------------------------------------------------------------------------------------ in another process

ELSEWHERE = """
import asyncio, json, sys, warnings
from llama_index.core.workflow import Context, JsonPickleSerializer, JsonSerializer
from tests.llamaindex.test_agents_state import agent_of

async def main():
    for written, kind, question in json.load(sys.stdin):
        agent = agent_of()
        ctx = Context.from_dict(agent, written, serializer=globals()[kind]())
        await agent.run(question, ctx=ctx)
        memory = await ctx.store.get("memory")
        shown = [f"{m.role.value}: {m.content or ''}" for m in memory.get_all()]
        print(json.dumps([type(memory).__name__, shown, ctx.to_dict(serializer=globals()[kind]())]))
        memory.memory.close()  # the next is opened anew

asyncio.run(main())
"""


async def test_a_context_goes_on_in_another_process(memory: MemoryOS, tmp_path: Path) -> None:
    kinds: dict[str, Any] = {"JsonSerializer": JsonSerializer(), "JsonPickleSerializer": JsonPickleSerializer()}
    memories = {kind: MemoryOSMemory(memory, user_id="ann", session_id=kind) for kind in kinds}
    given: list[tuple[dict[str, Any], str, str]] = []
    for kind, serializer in kinds.items():
        agent = agent_of()
        ctx: Context[Any] = Context(agent)
        await agent.run("First?", ctx=ctx, memory=memories[kind])
        given.append((ctx.to_dict(serializer=serializer), kind, "Second?"))
    # From another folder: the reference must not depend on where the process was started.
    told = elsewhere(ELSEWHERE, tmp_path, json.dumps(given)).splitlines()[-len(given) :]
    for (kind, serializer), (name, there, back) in zip(kinds.items(), map(json.loads, told), strict=True):
        ann, agent = memories[kind], agent_of()
        assert (name, there) == ("MemoryOSMemory", talk("First?", "Second?"))
        assert lines(ann) == there
        again: Context[Any] = Context.from_dict(agent, back, serializer=serializer)
        await agent.run("Third?", ctx=again)
        assert lines(ann) == talk(*QUESTIONS)
        assert len(ann.user.pages(session=True)) == 3


def tells_runs() -> bool:
    try:
        from workflows.runtime.types import results
    except ImportError:
        return False
    return hasattr(results, "StepWorkerStateContextVar")


async def test_a_context_that_is_run_with_another_users_memory_warns_once(
    memory: MemoryOS, caplog: pytest.LogCaptureFixture
) -> None:
    agent = FunctionAgent(llm=ScriptedLLM(lambda messages: "I see"))
    ann, bob = (MemoryOSMemory(memory, user_id=user, session_id="s") for user in ("ann", "bob"))
    ctx = Context(agent)

    def warnings() -> list[str]:
        return [r.getMessage() for r in caplog.records if r.name == "memoryos_llamaindex.runs"]

    await agent.run("I am Ann", ctx=ctx, memory=ann)
    await agent.run("Still Ann", ctx=ctx, memory=MemoryOSMemory(memory, user_id="ann", session_id="s"))
    await agent.run("And again", ctx=ctx)
    assert warnings() == []
    for _ in range(2):
        await agent.run("I am Bob", ctx=ctx, memory=bob)
    # Old versions of the workflows do not tell a memory which run reads it: nothing can be warned of there.
    expected = 1 if tells_runs() else 0
    assert [("memory of another user" in told) for told in warnings()] == [True] * expected
    assert bob.get_all() == []
    await agent.run("I am Bob", ctx=Context(agent), memory=bob)
    assert len(warnings()) == expected
    assert [m.content for m in bob.get_all()] == ["I am Bob", "I see"]
