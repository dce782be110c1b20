"""Whose a history is: only what it was told decides, never how an id looks."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import set_config_context

from memoryos_core import MemoryOS
from memoryos_langchain import MemoryOSChatMessageHistory, memory_history_factory
from memoryos_langchain.classic import MemoryOSMemory


@pytest.mark.parametrize("coroutine", [False, True])
@pytest.mark.parametrize("surface", ["history", "factory", "run", "classic"])
async def test_a_user_who_is_called_as_a_session_is_keeps_the_other_sessions(
    memory: MemoryOS, surface: str, coroutine: bool
) -> None:
    memory.user("session:s1", session_id="s2").add("My PIN is 4711", "Noted")
    memory.user("session:s1", session_id="s1").add("My tortoise is Olga", "Noted")
    config: RunnableConfig = {"configurable": {"user_id": "session:s1"}}
    cleared: Any = {
        "history": lambda: MemoryOSChatMessageHistory(memory, "s1", user_id="session:s1"),
        "factory": lambda: memory_history_factory(memory, user_id="session:s1")("s1"),
        "run": lambda: memory_history_factory(memory)("s1"),
        "classic": lambda: MemoryOSMemory(memory=memory, user_id="session:s1", session_id="s1"),
    }[surface]()
    with set_config_context(config) as variables:
        if coroutine:
            assert await variables.run(asyncio.ensure_future, cleared.aclear()) is None
        else:
            assert variables.run(cleared.clear) is None
    everywhere = memory.user("session:s1", session_id="elsewhere").recall("My PIN and my tortoise").text
    assert "4711" in everywhere
    assert "Olga" in everywhere, "ended, and remembered"
    assert memory.user("session:s1", session_id="s1").transcript() == ()


async def test_a_history_of_a_run_writes_and_clears_for_the_runs_user_before_it_is_read(memory: MemoryOS) -> None:
    config: RunnableConfig = {"configurable": {"user_id": "ann"}}
    with set_config_context(config) as variables:
        variables.run(memory_history_factory(memory)("s1").add_messages, [HumanMessage("My tortoise is Olga")])
        assert memory.users() == ["ann"]
        assert len(variables.run(memory_history_factory(memory)("s1").transcript)) == 1
        variables.run(memory_history_factory(memory)("s1").clear)
    assert memory.user("ann", session_id="s1").transcript() == ()
    assert memory.user("ann").stats().pages == 1
