"""Items that live for a while: when they expire, what lets them live on, and what is swept."""

from __future__ import annotations

import os
import signal
import sys
import time
from datetime import datetime, timedelta, timezone

import pytest
from langgraph.store.base import PutOp

from memoryos_core import InvalidInputError, MemoryOS
from memoryos_langchain import store_lifetimes
from memoryos_langchain.store import MemoryOSStore

PREFS = ("ada", "prefs")
FACTS = ("ada", "facts")


class Watch:
    """The time of day as the lifetimes see it."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=timezone.utc)

    def passes(self, minutes: float) -> None:
        self.now += timedelta(minutes=minutes)


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    watch = Watch()
    monkeypatch.setattr(store_lifetimes, "_now", lambda: watch.now)
    return watch


@pytest.fixture
def store(memory: MemoryOS) -> MemoryOSStore:
    return MemoryOSStore(memory)


async def test_an_item_is_swept_when_its_time_is_over(store: MemoryOSStore, watch: Watch) -> None:
    store.put(PREFS, "short", {"n": 1}, ttl=10)
    await store.aput(PREFS, "long", {"n": 2}, ttl=60)
    store.put(PREFS, "ever", {"n": 3})
    watch.passes(9)
    assert store.sweep_ttl() == 0
    watch.passes(2)
    assert store.get(PREFS, "short", refresh_ttl=False) is not None, "it is there until it is swept"
    assert store.sweep_ttl() == 1
    assert {item.key for item in store.search(PREFS)} == {"long", "ever"}
    watch.passes(61)
    assert (store.sweep_ttl(), store.sweep_ttl()) == (1, 0)
    assert store.list_namespaces() == [PREFS]


@pytest.mark.parametrize("how", ["get", "search", "search of all", "question", "put"])
def test_what_is_read_or_written_lives_on(memory: MemoryOS, watch: Watch, how: str) -> None:
    store = MemoryOSStore(memory, search_all_users=True)
    store.put(PREFS, "k", {"text": "green tea"}, ttl=10)
    store.put(PREFS, "l", {"text": "black coffee"}, ttl=10)
    watch.passes(6)
    if how == "get":
        store.get(PREFS, "k")
    elif how == "put":
        store.put(PREFS, "k", {"text": "red tea"}, ttl=10)
    elif how == "question":
        store.search(PREFS, query="green tea")
    else:
        store.search(() if how == "search of all" else PREFS, filter={"text": "green tea"})
    before = store.get(PREFS, "k", refresh_ttl=False)
    watch.passes(6)
    assert store.sweep_ttl() == 1
    assert store.get(PREFS, "k", refresh_ttl=False) == before
    assert store.get(PREFS, "l") is None


def test_reads_that_are_told_to_leave_lifetimes_alone(memory: MemoryOS, watch: Watch) -> None:
    told, configured = MemoryOSStore(memory), MemoryOSStore(memory, ttl={"refresh_on_read": False})
    told.put(PREFS, "k", {"n": 1}, ttl=10)
    watch.passes(6)
    told.get(PREFS, "k", refresh_ttl=False)
    told.search(PREFS, refresh_ttl=False)
    configured.get(PREFS, "k")
    configured.search(PREFS)
    watch.passes(6)
    assert told.sweep_ttl() == 1


def test_a_store_has_a_lifetime_for_what_is_put_without_one(memory: MemoryOS, watch: Watch) -> None:
    store = MemoryOSStore(memory, ttl={"default_ttl": 10})
    store.put(PREFS, "default", {"n": 1})
    store.put(PREFS, "ever", {"n": 2}, ttl=None)
    watch.passes(11)
    assert store.sweep_ttl() == 1
    assert [item.key for item in store.search(PREFS)] == ["ever"]


def test_a_put_without_a_lifetime_and_a_deletion_end_it(store: MemoryOSStore, memory: MemoryOS, watch: Watch) -> None:
    for key in ("again", "deleted"):
        store.put(PREFS, key, {"n": 1}, ttl=10)
    store.batch([PutOp(PREFS, "again", {"n": 2}), PutOp(PREFS, "deleted", None)])
    watch.passes(11)
    assert store.sweep_ttl() == 0
    assert [note.key for note in memory.user("ada").notes.list()] == ["again"]


def test_a_fact_that_expires_is_forgotten(store: MemoryOSStore, memory: MemoryOS, watch: Watch) -> None:
    store.put(FACTS, "drink", {"text": "Ada drinks green tea"}, ttl=10)
    assert "green tea" in memory.user("ada").recall("What does Ada drink?").text
    watch.passes(11)
    assert store.sweep_ttl() == 1
    assert memory.user("ada").facts(current=False) == []
    assert memory.user("ada").notes.list() == []


def test_what_has_expired_may_be_omitted_before_it_is_swept(memory: MemoryOS, watch: Watch) -> None:
    store = MemoryOSStore(memory, ttl={"omit_expired": True})
    store.put(PREFS, "k", {"n": 1}, ttl=10)
    assert store.list_namespaces() == [PREFS]
    watch.passes(11)
    assert store.get(PREFS, "k") is None
    assert store.search(PREFS) == []
    assert store.list_namespaces() == []


def test_lifetimes_are_no_items(store: MemoryOSStore) -> None:
    store.put(PREFS, "k", {"n": 1}, ttl=10)
    assert [item.namespace for item in store.search(("ada",))] == [PREFS]
    assert store.list_namespaces() == [PREFS]


def test_a_sweeper_sweeps_until_it_is_stopped(store: MemoryOSStore, watch: Watch) -> None:
    assert store.stop_ttl_sweeper()
    store.put(PREFS, "k", {"n": 1}, ttl=10)
    watch.passes(11)
    running = store.start_ttl_sweeper(0.0001)
    assert store.start_ttl_sweeper() is running
    while store.get(PREFS, "k", refresh_ttl=False) is not None:
        assert not running.done()
    assert store.stop_ttl_sweeper(timeout=30)
    assert running.done()


def test_a_sweeper_ends_with_the_memory(memory: MemoryOS, store: MemoryOSStore) -> None:
    store.put(PREFS, "k", {"n": 1}, ttl=10)
    running = store.start_ttl_sweeper(0.0001)
    memory.close()
    running.result(timeout=30)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_sweeps_in_a_thread_of_its_own(memory: MemoryOS, store: MemoryOSStore, watch: Watch) -> None:
    store.start_ttl_sweeper(60)  # its thread sleeps, and is not in the child
    store.put(PREFS, "k", {"n": 1}, ttl=10)
    watch.passes(11)
    child = os.fork()
    if not child:  # pragma: no cover - in the child, which must never get back into pytest
        signal.alarm(20)
        try:
            running = store.start_ttl_sweeper(0.0001)
            while store.get(PREFS, "k", refresh_ttl=False) is not None:
                time.sleep(0.01)
            os._exit(0 if store.stop_ttl_sweeper(timeout=10) and running.done() else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert store.stop_ttl_sweeper(timeout=30)


@pytest.mark.parametrize("bad", [0, -1, "5", True, float("nan"), float("inf")])
def test_a_lifetime_that_cannot_be_is_refused(memory: MemoryOS, store: MemoryOSStore, bad: float) -> None:
    with pytest.raises(InvalidInputError):
        store.put(PREFS, "k", {"n": 1}, ttl=bad)
    with pytest.raises(InvalidInputError):
        MemoryOSStore(memory, ttl={"default_ttl": bad})
    with pytest.raises(InvalidInputError):
        store.start_ttl_sweeper(bad)
    assert memory.scopes() == []
