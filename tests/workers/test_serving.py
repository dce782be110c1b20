"""A worker that applies retention: nothing ends it, nobody is kept waiting, and the audit log says that it was one."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS, StoreBusyError
from memoryos_core.config import RetentionPolicy
from memoryos_core.ports.capabilities import RetentionStore, capability
from memoryos_core.testing.fakes import FixedClock
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.reports import ConsolidationReport
from tests.faults.opening import small
from tests.workers.crew import until

NOW = datetime(2024, 1, 1, tzinfo=timezone.utc)
ADA = Scope("ada")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryOS]:
    """Ada and Bob each said something that is too old by now."""
    clock = FixedClock(NOW)
    policy = RetentionPolicy("old", older_than=timedelta(days=1), action="purge")
    config: MemoryConfig = replace(small(), retention=(policy,))
    with MemoryOS(f"sqlite:///{tmp_path / 'm.db'}", embedder=None, config=config, clock=clock) as memory:
        for name in ("ada", "bob"):
            memory.user(name).add("I planted a tree.", "A fine one.")
        clock.tick(timedelta(days=2).total_seconds())
        yield memory


@contextmanager
def working(memory: MemoryOS) -> Iterator[Callable[[], bool]]:
    """A worker in a thread of its own; yields what says whether it is at work still."""
    stop = threading.Event()
    thread = threading.Thread(target=memory.run_worker, kwargs={"threads": 1, "poll_seconds": 0.01, "stop": stop})
    thread.start()
    try:
        yield thread.is_alive
    finally:
        stop.set()
        thread.join(60)
    assert not thread.is_alive()


def pages(memory: MemoryOS, name: str) -> int:
    return memory.user(name).stats().pages


def refuse_ada(memory: MemoryOS, monkeypatch: pytest.MonkeyPatch) -> None:
    store = capability(memory._engine.parts.store, RetentionStore)
    marks = store.marks

    def refusing(scope: Scope, *args: object, **named: object) -> object:
        if scope == ADA:
            raise StoreBusyError("the rows are held")
        return marks(scope, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "marks", refusing)


def test_a_store_that_refuses_retention_does_not_end_a_worker(
    memory: MemoryOS, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    refuse_ada(memory, monkeypatch)
    with caplog.at_level(logging.WARNING), working(memory) as works:
        until(lambda: pages(memory, "bob") == 0)
        assert works()
        memory.user("cat").add("I sail a boat.", "Where to?")
        until(lambda: not memory.backlog().scopes)
    assert "StoreBusyError" in caplog.text
    assert pages(memory, "ada") == 1


def test_a_worker_that_runs_once_says_what_the_store_refused(memory: MemoryOS, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_ada(memory, monkeypatch)
    with pytest.raises(StoreBusyError):
        memory.run_worker(threads=1, once=True)


def test_retention_comes_to_its_turn_though_there_is_always_work(
    memory: MemoryOS, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, runs = memory._engine, 0

    def endless(scope: Scope, *, whole: bool) -> ConsolidationReport:
        nonlocal runs
        runs += 1
        engine.leases.again(scope, failed=False)
        return ConsolidationReport()

    monkeypatch.setattr(engine.worker, "run", endless)
    with working(memory):
        until(lambda: pages(memory, "ada") == pages(memory, "bob") == 0)
        before = runs
        until(lambda: runs > before)


def test_work_is_done_while_retention_is_applied_to_many(memory: MemoryOS, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"user-{number}" for number in range(5)]
    for name in names:
        memory.user(name).add("I sail a boat.", "Where to?")
    order: list[str] = []
    claim, retain = memory._engine.leases.claim, memory._engine.retain

    def claiming(*, wait: bool) -> Scope | None:
        scope = claim(wait=wait)
        order.extend(["work"] if scope else [])
        return scope

    def retaining(scope: Scope) -> object:
        order.append("retention")
        return retain(scope)

    monkeypatch.setattr(memory._engine.leases, "claim", claiming)
    monkeypatch.setattr(memory._engine, "retain", retaining)
    memory.run_worker(threads=1, once=True)
    assert order[:4] == ["work", "retention", "work", "retention"]
    assert order.count("retention") == 7


def test_what_a_worker_purges_is_the_workers_doing(memory: MemoryOS) -> None:
    memory.run_worker(threads=1, once=True)
    told = [(entry.action, entry.actor) for entry in memory.user("ada").governance.audit()]
    assert told == [("append", None), ("forget", "worker")]


def test_a_worker_says_what_a_model_ended_it_with(memory: MemoryOS, monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(scope: Scope, *, whole: bool) -> ConsolidationReport:
        raise SystemExit(3)

    monkeypatch.setattr(memory._engine.worker, "run", leave)
    with pytest.raises(SystemExit):
        memory.run_worker(once=True)
