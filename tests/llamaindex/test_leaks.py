"""Every read path of the LlamaIndex adapter × every way to name another user: no word of hers, nothing changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memoryos_core import MemoryOS
from memoryos_core.testing.fakes import FixedClock
from memoryos_llamaindex import MemoryOSMemory, MemoryOSRetriever, MemoryOSToolSpec
from tests.faults.leaking import ASKED, VICTIM, VICTIMS_SESSION, Findings, Loot, names, shown, state, victim_of
from tests.faults.opening import small

Paths = dict[str, Callable[[], object]]


def paths(memory: MemoryOS, loot: Loot, user: str, assistant: str, session: str) -> Paths:
    """What an application may read with, for whoever is named."""
    who: dict[str, Any] = {"user_id": user, "assistant_id": assistant}
    talk = MemoryOSMemory(memory, session_id=session, **who)
    search, _, forget, correct, listing, _ = MemoryOSToolSpec(memory, session_id=session, **who).to_tool_list()
    return {
        "memory": lambda: talk.get(ASKED),
        "memory of all": talk.get_all,
        "memory of a session's own": lambda: MemoryOSMemory(memory, session_id=session).get(ASKED),
        "retriever": lambda: MemoryOSRetriever(memory, k=100, **who).retrieve(ASKED),
        "retriever of a session": lambda: MemoryOSRetriever(memory, session_id=session, **who).retrieve(ASKED),
        "search tool": lambda: search.call(query=ASKED, k=50).content,
        "list tool": lambda: listing.call(k=50).content,
        "correct tool": lambda: [correct.call(fact_id=i, text="It is wrong.").content for i in loot.ids],
        "forget tool": lambda: forget.call(ids=loot.ids).content,
        "forget by the memory": lambda: talk.forget(pages=loot.ids, facts=loot.ids),
    }


def test_every_read_path_with_every_name_of_another() -> None:
    findings = Findings()
    with MemoryOS("sqlite://", embedder=None, config=small(), clock=FixedClock()) as memory:
        victim, loot = victim_of(memory)
        before = state(victim)
        for way, (user, assistant, session) in names().items():
            try:
                tried = paths(memory, loot, user, assistant, session)
            except ValueError as error:  # such a name is none
                findings.look(f"the name: {way}", {"user": user}, error, loot)
                continue
            for name, read in tried.items():
                findings.cells += 1
                given = {"forgotten": loot.ids} if name.startswith(("forget", "correct")) else {}
                findings.look(f"{name} as {way}", given, read(), loot)
            assert state(victim) == before, way
    assert findings.leaks == []
    assert findings.cells > 50 * 8


def test_the_same_paths_find_her_own() -> None:
    """A test of the test."""
    with MemoryOS("sqlite://", embedder=None, config=small(), clock=FixedClock()) as memory:
        _, loot = victim_of(memory)
        tried = paths(memory, loot, VICTIM.user_id, VICTIM.assistant_id, VICTIMS_SESSION)
        reads = {n: r for n, r in tried.items() if not n.startswith(("forget", "correct")) and "own" not in n}
        assert [n for n, read in reads.items() if not any(w in shown(read()).casefold() for w in loot.words)] == []
