"""Whose memory a run works on: which source decides, what is refused, and the same from LangGraph's own runtimes."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from langchain_core.runnables import RunnableConfig, ensure_config
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from pydantic import BaseModel

from memoryos_core import AsyncMemoryOS, InvalidInputError, MemoryOS
from memoryos_core.hosts.arguments import require_memory
from memoryos_langchain.identity import Identity, identify, identify_runtime

UUID_1 = UUID(int=1)


@dataclass
class Context:
    user_id: Any
    assistant_id: str | None = None
    session_id: str | None = None
    thread_id: str | None = None


@dataclass
class State:
    done: bool = False


class Model(BaseModel):
    user_id: str


def configured(**configurable: object) -> dict[str, object]:
    return {"configurable": configurable}


# --------------------------------------------------------------------------------- which source decides


@pytest.mark.parametrize("context", [{"user_id": "ann"}, Context("ann"), Model(user_id="ann")])
def test_any_kind_of_context_names_the_user(context: object):
    assert identify(context, configured(user_id="bob")) == Identity("ann", "assistant", "default")


def test_the_host_overrules_the_run():
    context = Context("bob", "b", "b", "b")
    config = configured(user_id="eve", assistant_id="e", thread_id="e", session_id="e")
    found = identify(context, config, user_id="ann", assistant_id="a", session_id="s", thread_id="t")
    assert found == Identity("ann", "a", "s")


def test_the_configuration_names_what_the_context_leaves_open():
    config = configured(user_id="ann", assistant_id="a", thread_id="t", session_id="s")
    assert identify(None, config) == Identity("ann", "a", "s")
    assert identify({"other": 1}, config) == Identity("ann", "a", "s")
    assert identify(Context(None), config) == Identity("ann", "a", "s")


@pytest.mark.parametrize(
    ("context", "configurable", "thread", "session"),
    [
        ({"session_id": "cs", "thread_id": "ct"}, {"thread_id": "kt", "session_id": "ks"}, "rt", "cs"),
        ({"thread_id": "ct"}, {"thread_id": "kt", "session_id": "ks"}, "rt", "ct"),
        ({}, {"thread_id": "kt", "session_id": "ks"}, "rt", "ks"),
        ({}, {"thread_id": "kt"}, "rt", "kt"),
        ({}, {}, "rt", "rt"),
        ({}, {}, None, "default"),
    ],
)
def test_the_session_is_the_nearest_named(
    context: dict[str, str], configurable: dict[str, str], thread: str | None, session: str
):
    found = identify({"user_id": "ann", **context}, configured(**configurable), thread_id=thread)
    assert found.session_id == session


def test_numbers_and_uuids_are_written_out():
    found = identify({"user_id": 7}, configured(thread_id=UUID_1), assistant_id=0)
    assert found == Identity("7", "0", str(UUID_1))


# ------------------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize("config", [None, {}, {"configurable": {}}, {"configurable": {"user_id": None}}])
def test_an_unknown_user_is_refused_with_what_to_pass(config: dict[str, object] | None):
    with pytest.raises(InvalidInputError) as refused:
        identify(None, config)
    said = str(refused.value)
    assert "context=" in said
    assert "configurable" in said
    assert "user_id=" in said


@pytest.mark.parametrize("bad", ["", "  ", "x" * 513, "nul\x00", b"ann", True, 1.5, ["ann"]])
def test_what_is_no_id_is_refused_and_not_repeated(bad: object):
    with pytest.raises(InvalidInputError) as refused:
        identify({"user_id": bad})
    assert "user_id" in str(refused.value)
    assert repr(bad) not in str(refused.value)


def test_an_empty_name_does_not_fall_through_to_another_user():
    with pytest.raises(InvalidInputError):
        identify({"user_id": ""}, configured(user_id="bob"))
    with pytest.raises(InvalidInputError, match="session_id"):
        identify({"user_id": "ann", "session_id": ""}, configured(thread_id="t"))


# ---------------------------------------------------------------------------------- LangGraph's runtimes


def test_a_node_finds_its_user_and_thread():
    found: list[Identity] = []

    def explicit(state: State, runtime: Runtime[Context], config: RunnableConfig) -> dict[str, bool]:
        found.append(identify_runtime(runtime, config))
        found.append(identify_runtime(runtime, ensure_config()))
        return {"done": True}

    graph: Any = StateGraph(State, context_schema=Context)  # its overloads do not know a node with both
    app = graph.add_node("node", explicit).add_edge(START, "node").compile(checkpointer=InMemorySaver())
    app.invoke(State(), {"configurable": {"thread_id": "t-1"}}, context=Context("ann"))
    assert found == [Identity("ann", "assistant", "t-1")] * 2


def test_a_runtime_that_carries_its_config_needs_no_other():
    runtime = SimpleNamespace(context=None, config=configured(user_id="ann", thread_id="t"))
    assert identify_runtime(runtime) == Identity("ann", "assistant", "t")
    assert identify_runtime(runtime, configured(user_id="bob")) == Identity("bob", "assistant", "default")


def test_the_thread_of_the_execution_is_the_last_resort():
    runtime = SimpleNamespace(context={"user_id": "ann"}, execution_info=SimpleNamespace(thread_id="t"))
    assert identify_runtime(runtime).session_id == "t"
    assert identify_runtime(runtime, session_id="s").session_id == "s"


# ---------------------------------------------------------------------------------- which memory


def test_only_a_memory_is_taken_for_one(memory: MemoryOS):
    assert require_memory(memory) is memory
    for wrong in (AsyncMemoryOS.of(memory), memory.user("ann"), "sqlite:///secret.db", None):
        with pytest.raises(InvalidInputError, match=type(wrong).__name__) as refused:
            require_memory(wrong)
        assert "secret" not in str(refused.value)
        assert ("coroutine" in str(refused.value)) == isinstance(wrong, AsyncMemoryOS)
    memory.close()
    assert require_memory(memory) is memory, "a call says that it is closed"
