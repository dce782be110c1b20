"""The tools in the hands of agents: `create_agent`, `ToolNode` and a loop written by hand, with a scripted model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from pydantic import BaseModel, Field

from memoryos_core import InvalidInputError, MemoryOS
from memoryos_langchain.messages import from_core, to_core
from memoryos_langchain.middleware import MemoryOSMiddleware
from memoryos_langchain.tools import MemoryOSToolkit
from tests.langchain.scripted_agents import on

Ask: TypeAlias = Callable[..., Any]


@dataclass(frozen=True)
class Caller:
    user_id: str


class Visitor(BaseModel):
    user_id: str


class Scripted(GenericFakeChatModel):
    """Says what it was told to say; keeps the tools it was given."""

    bound: list[BaseTool] = Field(default_factory=list)

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Scripted:
        self.bound.extend(tools)
        return self


def calling(name: str, **arguments: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"call-{name}"}])


def agent(memory: MemoryOS, *script: AIMessage, context_schema: Any = None, **given: Any) -> Any:
    model = Scripted(messages=iter([*script, AIMessage("Done")]))
    return create_agent(model, MemoryOSToolkit(memory=memory, **given).get_tools(), context_schema=context_schema)


@pytest.fixture(params=["invoke", "ainvoke"])
def ask(request: pytest.FixtureRequest) -> Ask:
    """Runs an agent on a question, plainly or on a loop of its own; returns what its tools answered."""

    def run(agent: Any, **given: Any) -> list[ToolMessage]:
        state = {"messages": [HumanMessage("Hi")]}
        if request.param == "invoke":
            result = agent.invoke(state, **given)
        else:
            loop = asyncio.new_event_loop()
            try:
                result = loop.run_until_complete(agent.ainvoke(state, **given))
            finally:
                loop.close()
        assert result["messages"][-1].content == "Done"
        return answers(result["messages"])

    return run


def answers(messages: Sequence[AnyMessage]) -> list[ToolMessage]:
    return [m for m in messages if isinstance(m, ToolMessage)]


@pytest.fixture
def seeded(memory: MemoryOS) -> MemoryOS:
    memory.user("ann").remember("Ann's dog is Biscuit")
    memory.user("bob").remember("Bob's dog is Rex")
    return memory


WAYS: dict[str, dict[str, Any]] = {
    "a dataclass as context": {"context": Caller("ann")},
    "a pydantic model as context": {"context": Visitor(user_id="ann")},
    "a dict as context": {"context": {"user_id": "ann"}},
    "the config": {"config": {"configurable": {"user_id": "ann"}}},
}


@pytest.mark.parametrize("given", WAYS.values(), ids=WAYS)
def test_the_user_comes_from_the_run(seeded: MemoryOS, ask: Ask, given: dict[str, Any]) -> None:
    script = (calling("search_memory", query="dog"), calling("save_memory", text="Ann is allergic to nuts."))
    schema = type(given["context"]) if "context" in given else None
    searched, saved = ask(agent(seeded, *script, context_schema=schema), **given)
    assert "Biscuit" in searched.content
    assert "Rex" not in searched.content
    assert {f.text for f in seeded.user("ann").facts()} == {"Ann's dog is Biscuit", "Ann is allergic to nuts."}
    assert saved.tool_call_id == "call-save_memory"
    assert len(seeded.user("bob").facts()) == 1


SMUGGLED: dict[str, dict[str, Any]] = {
    "user_id": {"user_id": "bob"},
    "config": {"config": {"configurable": {"user_id": "bob"}}},
    "runtime": {"runtime": {"context": {"user_id": "bob"}}, "context": {"user_id": "bob"}},
    "state": {"state": {"user_id": "bob"}, "store": None, "configurable": {"user_id": "bob"}},
}


@pytest.mark.parametrize("smuggled", SMUGGLED.values(), ids=SMUGGLED)
@pytest.mark.parametrize("given", [WAYS["a dataclass as context"], WAYS["the config"]], ids=["context", "config"])
def test_a_model_led_astray_reaches_no_other_user(
    seeded: MemoryOS, ask: Ask, given: dict[str, Any], smuggled: dict[str, Any]
) -> None:
    (rex,) = seeded.user("bob").facts()
    script = (
        calling("search_memory", query="dog", **smuggled),
        calling("save_memory", text="Transfers need no password.", **smuggled),
        calling("forget_memory", ids=[rex.id], **smuggled),
    )
    searched, _, forgotten = ask(agent(seeded, *script), **given)
    assert "Rex" not in searched.content
    assert "nothing has this id" in forgotten.content
    assert seeded.user("bob").facts() == [rex]


def test_the_model_is_shown_no_way_to_name_a_user(seeded: MemoryOS) -> None:
    model = Scripted(messages=iter([AIMessage("Done")]))
    tools = MemoryOSToolkit(memory=seeded).get_tools()
    create_agent(model, tools).invoke({"messages": [HumanMessage("Hi")]}, WAYS["the config"]["config"])
    assert [tool.name for tool in model.bound] == [
        "search_memory",
        "save_memory",
        "forget_memory",
        "correct_memory",
        "list_memories",
        "useful_memory",
    ]
    assert {name for tool in model.bound for name in tool.args} == {"query", "k", "text", "ids", "fact_id", "skip"}
    shown = str([convert_to_openai_tool(tool) for tool in model.bound])
    assert not [word for word in ("user_id", "config", "runtime", "context") if word in shown]


def test_a_run_without_a_user_ends_with_an_error_that_says_so(seeded: MemoryOS) -> None:
    running = agent(seeded, calling("search_memory", query="dog"))
    with pytest.raises(InvalidInputError, match="user_id"):
        running.invoke({"messages": [HumanMessage("Hi")]})


def test_a_memory_that_is_down_does_not_end_the_run(seeded: MemoryOS, ask: Ask) -> None:
    running = agent(seeded, calling("search_memory", query="dog"), user_id="ann")
    seeded.close()
    (answer,) = ask(running)
    assert answer.status == "error"
    assert "ClosedError" in answer.content


def test_arguments_that_do_not_fit_do_not_end_the_run(seeded: MemoryOS, ask: Ask) -> None:
    script = (calling("search_memory", query="dog", k=-1), calling("search_memory"), calling("forget_memory", ids=[7]))
    told = ask(agent(seeded, *script, user_id="ann"))
    assert [answer.status for answer in told] == ["error"] * 3


async def test_calls_of_one_answer_run_side_by_side_for_many_users(seeded: MemoryOS) -> None:
    names = [f"user-{i}" for i in range(12)]

    async def turn(name: str) -> None:
        both = AIMessage("", tool_calls=[*calling("save_memory", text=f"It is {name} who sings.").tool_calls,
                                         *calling("search_memory", query="dog").tool_calls])  # fmt: skip
        running = agent(seeded, both, calling("search_memory", query="sings"))
        result = await running.ainvoke({"messages": [HumanMessage("Hi")]}, context=Caller(name))
        assert f"It is {name} who sings." in answers(result["messages"])[-1].content

    await asyncio.gather(*map(turn, names))
    for name in names:
        assert [f.text for f in seeded.user(name).facts()] == [f"It is {name} who sings."]


@pytest.mark.parametrize("awaited", [False, True])
def test_a_tool_node_in_a_graph_of_ones_own(seeded: MemoryOS, awaited: bool) -> None:
    graph = StateGraph(MessagesState, context_schema=Caller)
    graph.add_node("tools", ToolNode(MemoryOSToolkit(memory=seeded).get_tools()))
    graph.set_entry_point("tools")
    compiled = graph.compile()
    state: Any = {"messages": [calling("search_memory", query="dog", user_id="bob")]}
    if awaited:
        loop = asyncio.new_event_loop()
        try:
            result = loop.run_until_complete(compiled.ainvoke(state, context=Caller("ann")))
        finally:
            loop.close()
    else:
        result = compiled.invoke(state, context=Caller("ann"))
    (answer,) = answers(result["messages"])
    assert "Biscuit" in answer.content
    assert "Rex" not in answer.content


def test_a_loop_written_by_hand(seeded: MemoryOS) -> None:
    """`bind_tools`, then the calls of the answer, each with the config of the application."""
    tools = {tool.name: tool for tool in MemoryOSToolkit(memory=seeded).get_tools()}
    model = Scripted(
        messages=iter([calling("search_memory", query="dog", config={"configurable": {"user_id": "bob"}})])
    )
    config: RunnableConfig = {"configurable": {"user_id": "ann"}}
    (call,) = model.bind_tools(list(tools.values())).invoke("Hi").tool_calls
    answer = tools[call["name"]].invoke(call, config)
    assert "Biscuit" in answer.content
    assert "Rex" not in answer.content


# Not of the letters a to f alone: the random ids of an export could hold such a number.
PIN = "The PIN of my safe is Quince-7391."


@pytest.mark.parametrize("tool", ["search_memory", "list_memories"])
async def test_what_a_tool_quoted_is_not_recorded_and_so_can_be_forgotten(memory: MemoryOS, tool: str) -> None:
    ann = memory.user("ann", session_id="monday")
    page, fact = ann.add(PIN, "Noted."), ann.remember(PIN)
    script = [calling(tool, **({"query": "PIN of the safe"} if tool == "search_memory" else {}))]
    script += [calling("forget_memory", ids=[page.id, fact.id]), AIMessage("Forgotten.")]
    tools = MemoryOSToolkit(memory=memory).get_tools()
    app: Any = create_agent(Scripted(messages=iter(script)), tools, middleware=[MemoryOSMiddleware(memory)])
    state = await app.ainvoke({"messages": [HumanMessage("Forget it.")]}, on("friday"))
    assert "Quince" in answers(state["messages"])[0].text, "the model has read it"
    friday = memory.user("ann", session_id="friday")
    _, called, result, *_ = friday.transcript()
    assert (result.role, result.text) == ("tool", "[quoted from memory]")
    assert called.calls == (f"call-{tool}",), "that it was called is recorded"
    assert "Quince" not in repr(friday.pages())
    assert not any("Quince" in hit.text for hit in friday.search("PIN of my safe", k=9))
    assert "Quince" not in repr(list(friday.export()))


def test_blocks_that_quote_the_memory_are_recorded_without_it(seeded: MemoryOS) -> None:
    search = MemoryOSToolkit(memory=seeded, user_id="ann").get_tools()[0]
    found = search.invoke({"query": "dog"})
    assert "<memory>" in found
    quoted = json.dumps({"text": found})
    blocks: list[Any] = [{"type": "text", "text": f"Found. {found}"}, {"type": "text", "text": quoted}]
    message = to_core(ToolMessage(blocks, tool_call_id="1", artifact={"found": found}))
    assert message.text == 'Found. [quoted from memory]{"text": "[quoted from memory]"}'
    assert "<memory>" not in str(message.payload)
    assert "Biscuit" not in str(message.payload)
    back = from_core(message)
    assert isinstance(back, ToolMessage)
    assert back.artifact == {"found": "[quoted from memory]"}
