"""What of LangChain's faces works on a store without any capability, and what says that it needs one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

pytest.importorskip("langchain_core")

from langchain_core.messages import AIMessage, HumanMessage

from docs.examples.in_memory_store import InMemoryStore
from memoryos_core import MemoryOS, UnsupportedError
from memoryos_langchain import MemoryOSChatMessageHistory, MemoryOSRetriever, MemoryOSStore


@pytest.fixture
def memory() -> Iterator[MemoryOS]:
    with MemoryOS(InMemoryStore(), embedder=None) as memory:
        yield memory


def test_a_history_goes_on_and_ends(memory: MemoryOS) -> None:
    history = MemoryOSChatMessageHistory(memory, "s", user_id="ada")
    history.add_messages([HumanMessage("I grow tea."), AIMessage("In which garden?")])
    assert [m.content for m in history.messages] == ["I grow tea.", "In which garden?"]
    assert MemoryOSRetriever(memory=memory, user_id="ada").invoke("tea")
    history.clear()
    assert history.messages == []


@pytest.mark.parametrize(
    "call",
    [
        lambda store: store.put(("a",), "k", {"x": 1}),
        lambda store: store.get(("a",), "k"),
        lambda store: store.search(("a",)),
    ],
)
def test_a_store_of_values_needs_notes(memory: MemoryOS, call: Callable[[MemoryOSStore], object]) -> None:
    with pytest.raises(UnsupportedError, match="InMemoryStore is not a NoteStore; open the memory with a store"):
        call(MemoryOSStore(memory))
