"""Every read path of the LangChain adapters × every way to name another user: no word of hers, nothing changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoryos_core import MemoryOS
from memoryos_core.testing.fakes import FixedClock
from memoryos_langchain import (
    MemoryOSChatMessageHistory,
    MemoryOSMemory,
    MemoryOSRetriever,
    MemoryOSStore,
    MemoryOSToolkit,
    memory_history_factory,
)
from tests.faults.leaking import ASKED, NOTE, VICTIM, VICTIMS_SESSION, Findings, Loot, names, shown, state, victim_of
from tests.faults.opening import small

Paths = dict[str, Callable[[], object]]


def paths(memory: MemoryOS, loot: Loot, user: str, assistant: str, session: str) -> Paths:
    """What an application may read with, for whoever is named."""
    who: dict[str, Any] = {"user_id": user, "assistant_id": assistant}
    search, _, forget, *_ = MemoryOSToolkit(memory=memory, **who).get_tools()
    store = MemoryOSStore(memory, assistant_id=assistant)
    chain = MemoryOSMemory(memory=memory, session_id=session, return_messages=True, **who)
    found: Paths = {
        "retriever": lambda: MemoryOSRetriever(memory=memory, k=100, **who).invoke(ASKED),
        "retriever of a session": lambda: MemoryOSRetriever(memory=memory, session_id=session, **who).invoke(ASKED),
        "history": lambda: MemoryOSChatMessageHistory(memory, session, **who).messages,
        "transcript": lambda: MemoryOSChatMessageHistory(memory, session, **who).transcript(),
        "history with recall": lambda: MemoryOSChatMessageHistory(memory, session, include_recall=True, **who).messages,
        "history of a session's own": lambda: MemoryOSChatMessageHistory(memory, session).messages,
        "factory": lambda: memory_history_factory(memory, assistant_id=assistant)(session, user).messages,
        "search tool": lambda: search.invoke({"query": ASKED}),
        "search tool of a run": lambda: (
            MemoryOSToolkit(memory=memory, assistant_id=assistant)
            .get_tools()[0]
            .invoke({"query": ASKED}, {"configurable": {"user_id": user}})
        ),
        "chain": lambda: chain.load_memory_variables({"input": ASKED}),
        "forget tool": lambda: forget.invoke({"ids": loot.ids}),
    }
    for kind in ("facts", "profile", "episodes", NOTE):
        found[f"store {kind}"] = lambda k=kind: store.search((user, k), limit=100)  # type: ignore[misc]
        found[f"store {kind} asked"] = lambda k=kind: store.search((user, k), query=ASKED, limit=100)  # type: ignore[misc]
        for i in (loot.facts[0].id, loot.pages[0].id, NOTE):
            found[f"store {kind} {i}"] = lambda k=kind, i=i: store.get((user, k), i)  # type: ignore[misc]
    found["store namespaces"] = lambda: store.list_namespaces(prefix=(user,))
    return found


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_read_path_with_every_name_of_another() -> None:
    findings = Findings()
    with MemoryOS("sqlite://", embedder=None, config=small(), clock=FixedClock()) as memory:
        victim, loot = victim_of(memory)
        before = state(victim)
        for way, (user, assistant, session) in names().items():
            if user == VICTIM.user_id and assistant == VICTIM.assistant_id:
                continue
            try:
                tried = paths(memory, loot, user, assistant, session)
            except ValueError as error:  # pydantic's: such a name is none
                findings.look(f"the name: {way}", {"user": user}, error, loot)
                continue
            for name, read in tried.items():
                findings.cells += 1
                try:
                    result = read()
                except ValueError as error:
                    result = error
                findings.look(
                    f"{name} as {way}",
                    {"forgotten": loot.ids, "path": name} if "forget" in name else {"path": name},
                    result,
                    loot,
                )
            assert state(victim) == before, way
    assert findings.leaks == []
    assert findings.cells > 50 * 30


def test_the_same_paths_find_her_own() -> None:
    """A test of the test."""
    with MemoryOS("sqlite://", embedder=None, config=small(), clock=FixedClock()) as memory:
        _, loot = victim_of(memory)
        tried = paths(memory, loot, VICTIM.user_id, VICTIM.assistant_id, VICTIMS_SESSION)
        reads = {name: read for name, read in tried.items() if "forget" not in name}
        loud = {n for n, read in reads.items() if any(w in shown(read()).casefold() for w in loot.words)}
    assert {n for n in reads if not n.startswith("store")} - loud == {"history of a session's own"}
    assert {f"store {kind}{how}" for kind in ("facts", "profile", "episodes") for how in ("", " asked")} <= loud
