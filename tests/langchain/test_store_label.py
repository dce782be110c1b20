"""A store whose user is another label than the first, as langmem names users: ("memories", user)."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.store.base import InvalidNamespaceError, ListNamespacesOp

from memoryos_core import InvalidInputError, MemoryOS
from memoryos_langchain.store import MemoryOSStore

TEA = {"content": "Drinks green tea"}


@pytest.fixture
def store(memory: MemoryOS) -> MemoryOSStore:
    store = MemoryOSStore(memory, user_label=1)
    store.put(("memories", "ann"), "tea", TEA)
    store.put(("memories", "ann", "work"), "desk", {"content": "Sits by the window"})
    store.put(("memories", "bob"), "tea", {"content": "Drinks no tea"})
    store.put(("facts", "ann"), "job", {"text": "Ann is a carpenter"})
    return store


async def test_items_come_back_under_the_namespace_they_were_put_in(store: MemoryOSStore, memory: MemoryOS):
    item = store.get(("memories", "ann"), "tea")
    assert item is not None
    assert (item.namespace, item.value) == (("memories", "ann"), TEA)
    found = await store.asearch(("memories", "ann"), query="green tea")
    assert [(i.namespace, i.key) for i in found] == [(("memories", "ann"), "tea")]
    listed = store.search(("memories", "ann"))
    assert {i.namespace for i in listed} == {("memories", "ann"), ("memories", "ann", "work")}
    assert memory.users() == ["ann", "bob"]
    assert [f.text for f in memory.user("ann").facts()] == ["Ann is a carpenter"]
    assert MemoryOSStore(memory).get(("ann", "memories"), "tea") is not None


def test_forgetting_a_user_reaches_them(store: MemoryOSStore, memory: MemoryOS):
    memory.user("ann").forget(everything=True)
    assert store.get(("memories", "ann"), "tea") is None
    assert store.search(("memories", "ann")) == []
    assert store.get(("memories", "bob"), "tea") is not None


def test_namespaces_are_listed_as_they_were_put(store: MemoryOSStore, memory: MemoryOS):
    memory.user("carl").add("Hello")
    everything = [
        ("episodes", "carl"),
        ("facts", "ann"),
        ("memories", "ann"),
        ("memories", "ann", "work"),
        ("memories", "bob"),
    ]
    assert store.list_namespaces() == everything
    assert store.list_namespaces(prefix=("memories",)) == everything[2:]
    assert store.list_namespaces(prefix=("*", "ann")) == everything[1:4]
    assert store.list_namespaces(suffix=("bob",)) == everything[4:]
    assert store.list_namespaces(max_depth=1) == [("episodes",), ("facts",), ("memories",)]


@pytest.mark.parametrize("namespace", [("memories",), ()])
def test_a_namespace_without_that_label_names_no_user(store: MemoryOSStore, namespace: tuple[str, ...]):
    for call in (
        lambda: store.get(namespace, "tea"),
        lambda: store.put(namespace, "tea", TEA),
        lambda: store.search(namespace, query="tea"),
    ):
        with pytest.raises((InvalidNamespaceError, InvalidInputError)):  # () asks for all users
            call()


def test_what_langgraph_reserves_is_refused(store: MemoryOSStore):
    with pytest.raises(InvalidNamespaceError):
        store.put(("langgraph", "ann"), "tea", TEA)
    assert store.batch([ListNamespacesOp(limit=0)]) == [[]]


@pytest.mark.parametrize("wrong", [-1, True, "1", None])
def test_a_label_is_a_place(memory: MemoryOS, wrong: Any):
    with pytest.raises(InvalidInputError, match="user_label"):
        MemoryOSStore(memory, user_label=wrong)
