"""Leases inside one process, for a store without leases: what is due, when, and in which order."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace

import pytest

from docs.examples.in_memory_store import InMemoryStore
from memoryos_core import ChatRequest, MemoryOS, ModelError
from memoryos_core.consolidation import leases as module
from memoryos_core.consolidation.leases import LocalLeases
from memoryos_core.errors import StoreError
from memoryos_core.testing.fakes import ScriptedChat
from memoryos_core.testing.store_samples import ALICE, BOB, T0, add, embed, move_out, new_page
from memoryos_core.values.commands import Append, EmbedderStamp, Forgetting
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.events import Consolidated, Event
from tests.faults.opening import small, talk
from tests.workers.crew import until

LONG = 600.0


@pytest.fixture
def store() -> InMemoryStore:
    return InMemoryStore()


@pytest.fixture
def leases(store: InMemoryStore) -> LocalLeases:
    return LocalLeases(store)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_waiting_work_is_due_and_no_two_get_it(store: InMemoryStore, leases: LocalLeases) -> None:
    add(store, "a")
    add(store, "b", scope=BOB)
    assert leases.claim("w", LONG) == (ALICE,)
    assert leases.claim("v", LONG, limit=9) == (BOB,)
    assert leases.claim("w", LONG, limit=9, wait=True) == ()
    assert (leases.holder(ALICE), leases.holder(BOB)) == ("w", "v")


def test_a_scope_without_work_is_not_due(store: InMemoryStore, leases: LocalLeases) -> None:
    (page,) = add(store, "a")
    store.page_out(move_out([page]))
    embed(store, page)
    assert leases.claim("w", LONG) == ()


def test_a_lease_belongs_to_its_holder(store: InMemoryStore, leases: LocalLeases) -> None:
    assert leases.lease(ALICE, "w", LONG)
    assert leases.lease(ALICE, "w", LONG)
    assert not leases.lease(ALICE, "v", LONG)
    assert (leases.renew(ALICE, "w", LONG), leases.renew(ALICE, "v", LONG)) == (True, False)
    leases.release(ALICE, "v")
    assert leases.holder(ALICE) == "w"
    leases.release(ALICE, "w")
    assert leases.holder(ALICE) is None
    assert not leases.renew(ALICE, "w", LONG)


def test_a_scope_that_stays_pending_is_due_again_only_when_it_changes(
    store: InMemoryStore, leases: LocalLeases, clock: list[float]
) -> None:
    add(store, "a")
    assert leases.claim("w", LONG) == (ALICE,)
    leases.release(ALICE, "w")
    clock[0] += 10 * LONG
    assert leases.claim("w", LONG) == ()
    add(store, "b")
    assert leases.claim("w", LONG) == (ALICE,)


def test_a_failure_is_tried_again_after_its_pause(
    store: InMemoryStore, leases: LocalLeases, clock: list[float]
) -> None:
    add(store, "a")
    leases.claim("w", LONG)
    leases.release(ALICE, "w", again_after=5.0)
    assert leases.claim("w", LONG) == ()
    clock[0] += 4.9
    assert leases.claim("w", LONG) == ()
    clock[0] += 0.2
    assert leases.claim("w", LONG) == (ALICE,)
    leases.release(ALICE, "w", again_after=0.0)
    assert leases.claim("w", LONG) == (ALICE,)


def grow(store: InMemoryStore) -> None:
    store.append(Append(ALICE, "s", (new_page("more", extends_last=True),), T0))


def forget(store: InMemoryStore) -> None:
    store.forget(Forgetting(ALICE, page_ids=(store.pending(ALICE)[0].page_id,)))


MEANWHILE: dict[str, Callable[[InMemoryStore], object]] = {
    "a new page": lambda store: add(store, "c"),
    "a page that grew": grow,
    "something forgotten": forget,
    "another embedder": lambda store: store.stamp_embedder(EmbedderStamp("new", 3)),
}


@pytest.mark.parametrize("work", MEANWHILE)
def test_work_that_came_during_a_lease_is_due_at_its_end(work: str, store: InMemoryStore, leases: LocalLeases) -> None:
    add(store, "a", "b")
    leases.claim("w", LONG)
    MEANWHILE[work](store)
    leases.release(ALICE, "w")
    assert leases.claim("w", LONG) == (ALICE,)


def test_what_the_holder_did_itself_is_no_new_work(store: InMemoryStore, leases: LocalLeases) -> None:
    pages = add(store, "a", "b")
    leases.claim("w", LONG)
    embed(store, *pages)
    store.page_out(move_out(pages[:1]))
    leases.release(ALICE, "w")
    assert leases.claim("w", LONG) == ()


def test_a_busy_scope_does_not_keep_the_others_waiting(store: InMemoryStore, leases: LocalLeases) -> None:
    scopes = [Scope(name) for name in "abc"]
    for scope in scopes:
        add(store, "a", scope=scope)
    claimed: list[str] = []
    for turn in range(9):
        (scope,) = leases.claim("w", LONG)
        claimed.append(scope.user_id)
        for other in scopes:
            add(store, str(turn), scope=other)
        leases.release(scope, "w")
    assert "".join(claimed) == "abcabcabc"


def test_a_store_that_fails_leaves_no_scope_held(
    store: InMemoryStore, leases: LocalLeases, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise StoreError("down")

    add(store, "a")
    leases.claim("w", LONG)
    with monkeypatch.context() as broken:
        broken.setattr(store, "cursor", fail)
        with pytest.raises(StoreError):
            leases.release(ALICE, "w")
    assert leases.claim("v", LONG) == (ALICE,)


def test_scopes_that_are_gone_are_not_remembered(store: InMemoryStore, leases: LocalLeases) -> None:
    add(store, "a")
    leases.claim("w", LONG)
    leases.release(ALICE, "w")
    store.forget(Forgetting(ALICE, everything=True))
    leases.claim("w", LONG)
    assert leases._released == {}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_holds_nothing(store: InMemoryStore, leases: LocalLeases) -> None:
    add(store, "a")
    leases.claim("parent", LONG)
    child = os.fork()
    if not child:
        os._exit(0 if leases.claim("child", LONG) == (ALICE,) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert leases.holder(ALICE) == "parent"


def test_a_worker_with_nothing_to_do_rests() -> None:
    runs: list[Event] = []
    with closing(MemoryOS(InMemoryStore(), embedder=None, config=small("manual"), on_event=runs.append)) as memory:
        talk(memory.user("ada"), 12)
        stop = threading.Event()
        worker = threading.Thread(target=lambda: memory.run_worker(poll_seconds=0.01, stop=stop))
        worker.start()
        until(lambda: memory.user("ada").segments())
        stop.wait(0.3)
        count = sum(isinstance(event, Consolidated) for event in runs)
        stop.wait(0.3)
        assert memory._engine.parts.store.scopes(pending_only=True)
        assert sum(isinstance(event, Consolidated) for event in runs) == count <= 3
        stop.set()
        worker.join()


def test_a_model_that_fails_is_asked_in_longer_and_longer_pauses() -> None:
    runs: list[Event] = []

    def fail(_: ChatRequest) -> str:
        raise ModelError("down")

    config = replace(small(), worker=replace(small().worker, backoff_seconds=0.01))
    memory = MemoryOS(InMemoryStore(), embedder=None, llm=ScriptedChat(fail), config=config, on_event=runs.append)
    with closing(memory):
        talk(memory.user("ada"), 12)
        stop = threading.Event()
        worker = threading.Thread(target=lambda: memory.run_worker(poll_seconds=0.01, stop=stop))
        worker.start()
        stop.wait(1.0)
        stop.set()
        worker.join()
        assert 1 <= sum(isinstance(event, Consolidated) for event in runs) <= 8
