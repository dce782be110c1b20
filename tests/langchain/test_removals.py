"""What a host removes from a thread is superseded; what middleware trims, wherever it stands, is remembered."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import HumanMessage, RemoveMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from typing_extensions import override

from memoryos_core import MemoryOS
from memoryos_langchain.middleware import MemoryOSMiddleware
from tests.langchain.scripted_agents import AgentModel, asking, on, recorded, scripted, system

PIN = "My code is 4711"
ASKED = "What is my code?"


def trimmed(state: Any, how: str) -> dict[str, Any] | None:
    """Leave the newest message of a state, by ids or all at once, or take one out of its middle."""
    messages = state["messages"]
    if len(messages) < 3:
        return None
    if how == "all":
        return {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES), messages[-1]]}
    gone = messages[:-1] if how == "ids" else messages[1:2]
    return {"messages": [RemoveMessage(str(m.id)) for m in gone]}


class TrimmingBefore(AgentMiddleware[Any, Any, Any]):
    """Trims a thread when a run begins."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how = how

    @override
    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        return trimmed(state, self.how)


class TrimmingAfter(TrimmingBefore):
    """Trims a thread when a run ends."""

    @override
    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        return None

    @override
    def after_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        return trimmed(state, self.how)


def trimming(memory: MemoryOS, model: AgentModel, when: type[TrimmingBefore], how: str, order: str) -> Any:
    """An agent with a checkpointer, whose other middleware trims the thread."""
    both: list[Any] = [when(how), MemoryOSMiddleware(memory)]
    return create_agent(model, middleware=both if order == "before" else both[::-1], checkpointer=InMemorySaver())


Durability = Literal["sync", "async", "exit"]


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
@pytest.mark.parametrize("order", ["before", "after"])
@pytest.mark.parametrize("how", ["all", "ids"])
@pytest.mark.parametrize("when", [TrimmingBefore, TrimmingAfter])
async def test_what_middleware_trims_is_still_recalled_in_the_thread(
    memory: MemoryOS, when: type[TrimmingBefore], how: str, order: str, durability: Durability
) -> None:
    model = scripted("Noted.", "Hm.", "Yes.", "It is 4711.")
    app = trimming(memory, model, when, how, order)
    for text in (PIN, "Hello", "Good morning", ASKED):
        await app.ainvoke(asking(text), on("t"), durability=durability)
    assert PIN not in "".join(str(m.text) for m in model.asked[-1][1:]), "it was trimmed"
    assert PIN in system(model.asked[-1])
    assert f"user: {PIN}" in recorded(memory, "t")


@pytest.mark.parametrize("when", [TrimmingBefore, TrimmingAfter])
def test_what_middleware_takes_out_of_the_middle_is_still_recorded(
    memory: MemoryOS, when: type[TrimmingBefore]
) -> None:
    app = trimming(memory, scripted("It is 4711.", "Hm.", "Yes.", "No."), when, "middle", "before")
    for text in ("What is my code?", "Hello", "Good morning", "Good night"):
        app.invoke(asking(text), on("t"), durability="sync")
    assert "assistant: It is 4711." in recorded(memory, "t")


@pytest.mark.parametrize("way", ["the input", "the state", "all by the input", "all in the state"])
@pytest.mark.parametrize("order", ["before", "after"])
@pytest.mark.parametrize("when", [TrimmingBefore, TrimmingAfter])
def test_what_the_host_removes_beside_is_superseded(
    memory: MemoryOS, when: type[TrimmingBefore], order: str, way: str
) -> None:
    model = scripted("Noted.", "I do not know.")
    app = trimming(memory, model, when, "ids", order)
    app.invoke({"messages": [HumanMessage(PIN, id="h1")]}, on("t"), durability="sync")
    removal: Any = RemoveMessage(REMOVE_ALL_MESSAGES if way.startswith("all") else "h1")
    if way.endswith("input"):
        app.invoke({"messages": [removal, HumanMessage(ASKED)]}, on("t"), durability="sync")
    else:
        app.update_state(on("t"), {"messages": [removal]})
        app.invoke(asking(ASKED), on("t"), durability="sync")
    assert "4711" not in "".join(str(m.text) for m in model.asked[-1])
    assert f"user: {PIN}" not in recorded(memory, "t")
    assert PIN in memory.user("ann", session_id="other").recall(ASKED).text


def test_what_the_host_removes_is_superseded_where_checkpoints_are_written_at_the_end(memory: MemoryOS) -> None:
    model = scripted("Noted.", "I do not know.")
    app: Any = create_agent(model, middleware=[MemoryOSMiddleware(memory)], checkpointer=InMemorySaver())
    app.invoke({"messages": [HumanMessage(PIN, id="h1")]}, on("t"), durability="exit")
    app.invoke({"messages": [RemoveMessage("h1"), HumanMessage(ASKED)]}, on("t"), durability="exit")
    assert "4711" not in "".join(str(m.text) for m in model.asked[-1])
    assert f"user: {PIN}" not in recorded(memory, "t")


class Unreadable(InMemorySaver):
    """A checkpointer that writes and does not tell its history."""

    @override
    def list(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize("removed", [False, True])
def test_where_the_history_cannot_be_read_a_front_was_trimmed_and_the_rest_removed(
    memory: MemoryOS, removed: bool
) -> None:
    model = scripted("Noted.", "Yes?", "Well.")
    app: Any = create_agent(model, middleware=[MemoryOSMiddleware(memory)], checkpointer=Unreadable())
    app.invoke({"messages": [HumanMessage("Hello", id="h0")]}, on("t"))
    app.invoke({"messages": [HumanMessage(PIN, id="h1")]}, on("t"))
    app.update_state(on("t"), {"messages": [RemoveMessage("h1" if removed else "h0")]})
    app.invoke(asking(ASKED), on("t"))
    assert (f"user: {PIN}" in recorded(memory, "t")) is not removed
    assert "user: Hello" in recorded(memory, "t")
