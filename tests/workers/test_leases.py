"""Two memories on one store, as if of two processes: whoever has the lease works, whoever lost it writes nothing."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memoryos_core import ChatRequest, MemoryConfig, MemoryOS, ModelError, StoreBusyError
from memoryos_core.consolidation.worker import Worker
from memoryos_core.stores import open_store
from memoryos_core.testing.fakes import FixedClock, ScriptedChat
from memoryos_core.values.dialogue import Scope
from tests.faults.opening import broken_laws, small, talk
from tests.pipeline.test_updater import model_answer
from tests.workers.crew import Truth, until

ADA = Scope("ada")
NOW = datetime(2024, 1, 1, tzinfo=timezone.utc)
SECONDS = 60

Open = Callable[..., MemoryOS]


def leased(seconds: float, *, background: bool = False) -> MemoryConfig:
    config = small("background" if background else "manual")
    return replace(config, worker=replace(config.worker, lease_seconds=seconds, backoff_seconds=0.01))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def make(path: Path) -> Iterator[Open]:
    opened: list[MemoryOS] = []

    def memory(seconds: float = 600.0, *, background: bool = False, **options: object) -> MemoryOS:
        config = leased(seconds, background=background)
        opened.append(MemoryOS(f"sqlite:///{path}", embedder=None, config=config, **options))  # type: ignore[arg-type]
        return opened[-1]

    yield memory
    for one in opened:
        one.close()


@pytest.fixture
def truth(path: Path) -> Iterator[Truth]:
    with Truth(f"sqlite:///{path}") as truth:
        yield truth


class Gate:
    """A model that waits until it is let go, and counts what it was asked."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        self.asked = threading.Semaphore(0)
        self.calls = 0

    def __call__(self, request: ChatRequest) -> str:
        self.calls += 1
        self.asked.release()
        assert self.opened.wait(SECONDS)
        return model_answer(request)


def held_by(memory: MemoryOS, path: Path, holder: str, seconds: float) -> None:
    """Somebody else, not of this host, works on Ada's memory."""
    store = open_store(f"sqlite:///{path}")
    assert store.lease(ADA, holder, seconds)
    store.close()


def test_a_scope_that_another_process_holds_is_waited_for_and_then_refused(make: Open, path: Path) -> None:
    memory = make(0.2)
    talk(memory.user("ada"), 9)
    held_by(memory, path, "elsewhere:1:x", 600)
    with pytest.raises(StoreBusyError, match="another process"):
        memory.user("ada").consolidate()
    assert memory.user("ada").stats().pages_short_term == 9


def test_an_explicit_run_waits_for_the_holder_to_let_go(make: Open, path: Path) -> None:
    memory = make(SECONDS)
    talk(memory.user("ada"), 9)
    held_by(memory, path, "elsewhere:1:x", 0.3)
    assert memory.user("ada").consolidate().pages_moved == 6


def test_a_background_run_leaves_a_held_scope_alone_and_looks_again(make: Open, path: Path, truth: Truth) -> None:
    first = make()
    talk(first.user("ada"), 9)
    held_by(first, path, "elsewhere:1:x", 600)
    memory = make(background=True)
    memory.user("ada").add("I planted one more tree.", "A fine one.")
    worker = memory._engine.worker
    until(lambda: worker._postponed._tries.get(ADA))
    assert worker.failures == 0
    assert first.user("ada").stats().pages_short_term == 10
    store = open_store(f"sqlite:///{path}")
    store.release(ADA, "elsewhere:1:x")
    store.close()
    until(lambda: first.user("ada").stats().pages_short_term <= 3)


def test_the_lease_of_a_dead_process_of_this_host_is_not_waited_for(make: Open, path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait(SECONDS)
    memory = make()
    talk(memory.user("ada"), 9)
    host = memory._engine.leases.name.split(":")[0]
    held_by(memory, path, f"{host}:{child.pid}:x", 600)
    assert memory.user("ada").consolidate().pages_moved == 6


def test_nobody_is_waited_for_where_nothing_is(make: Open) -> None:
    assert make().user("nobody").consolidate().pages_moved == 0


def test_a_run_that_finds_nothing_to_do_writes_nothing(make: Open, truth: Truth) -> None:
    memory = make(background=True)
    user = memory.user("ada")
    user.add("I planted a tree.", "A fine one.")
    worker = memory._engine.worker
    until(lambda: not worker._busy and not worker._wanted and worker.total.pages_embedded)
    before = truth.rows("SELECT * FROM memoryos_scopes")
    worker.notify(ADA)
    until(lambda: not worker._busy and not worker._wanted)
    assert truth.rows("SELECT * FROM memoryos_scopes") == before


def test_a_hung_model_loses_its_scope_and_writes_nothing_when_it_wakes(
    make: Open, path: Path, truth: Truth, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryos_core.consolidation.leases._PATIENCE_LEASES", 1)
    gate = Gate()
    hung = make(0.3, llm=ScriptedChat(gate))
    talk(hung.user("ada"), 9)
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(hung.user("ada").consolidate)
        assert gate.asked.acquire(timeout=SECONDS)
        other = make(SECONDS)
        until(lambda: truth.number("SELECT COUNT(*) FROM memoryos_scopes WHERE lease_until > 0") == 1)
        assert other.user("ada").consolidate().pages_moved == 6  # after the lease has run out
        done = list(other.user("ada").export())
        gate.opened.set()
        report = late.result(timeout=SECONDS)
    assert (report.pages_moved, report.conflicts) == (0, 1)
    assert list(other.user("ada").export()) == done
    assert broken_laws(path) == {}
    assert truth.unfinished() == 0


def test_a_run_that_was_taken_over_ends_while_the_other_works(make: Open, path: Path, truth: Truth) -> None:
    gate = Gate()
    slow = make(llm=ScriptedChat(gate))
    talk(slow.user("ada"), 9)
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(slow.user("ada").consolidate)
        assert gate.asked.acquire(timeout=SECONDS)
        store = open_store(f"sqlite:///{path}")
        store.release(ADA, slow._engine.leases.name)
        assert store.lease(ADA, "elsewhere:1:x", 600)
        gate.opened.set()
        with pytest.raises(StoreBusyError, match="taken over"):
            late.result(timeout=SECONDS)
        calls = gate.calls
        assert store.holder(ADA) == "elsewhere:1:x"
        store.close()
    assert calls == 1  # it does not go on asking
    assert slow.user("ada").stats().pages_short_term == 9


def test_a_long_run_keeps_its_lease(make: Open, truth: Truth, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "memoryos_core.consolidation.leases._PATIENCE_LEASES", 1000
    )  # three seconds may pass on a busy machine
    gate = Gate()
    slow = make(0.3, llm=ScriptedChat(gate))
    talk(slow.user("ada"), 9)
    until_of = "SELECT lease_until FROM memoryos_scopes"
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(slow.user("ada").consolidate)
        assert gate.asked.acquire(timeout=SECONDS)
        first = truth.number(until_of)
        until(lambda: truth.number(until_of) > first + 300_000)
        gate.opened.set()
        assert run.result(timeout=SECONDS).conflicts == 0
    assert truth.unfinished() == 0


def test_pages_that_are_embedded_are_progress(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands take an embedder longer than a model that hangs is waited for."""
    monkeypatch.setattr("memoryos_core.consolidation.embedding._PAGES_A_BATCH", 2)
    seen: list[float] = []

    def embedding(texts: list[str]) -> list[list[float]]:
        seen.extend(held.progress for held in memory._engine.leases._held.values())
        return [[1.0, float(len(text))] for text in texts]

    config = small(capacity=100)
    with MemoryOS(f"sqlite:///{path}", embedder=embedding, config=config) as memory:
        talk(memory.user("ada"), 6)
        assert memory.user("ada").consolidate().pages_embedded == 6
    assert len(set(seen)) == len(seen) == 3


def test_every_move_is_progress(make: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryos_core.consolidation.promotion._PAGES_A_READING", 2)
    seen: list[tuple[str, float]] = []

    def answer(request: ChatRequest) -> str:
        seen.extend((request.schema_name, held.progress) for held in memory._engine.leases._held.values())
        return model_answer(request)

    memory = make(llm=ScriptedChat(answer))
    talk(memory.user("ada"), 9)
    memory.user("ada").consolidate()
    steps = [step for step, _ in seen]
    assert min(steps.count("page_out"), steps.count("persona")) > 1
    assert len({moment for _, moment in seen}) == len(seen)


def test_clocks_of_hosts_that_differ_by_hours_do_not_matter(make: Open, path: Path, truth: Truth) -> None:
    early = make(clock=FixedClock(NOW - timedelta(hours=9)))
    late = make(0.3, clock=FixedClock(NOW + timedelta(hours=9)))
    talk(late.user("ada"), 9)
    held_by(early, path, early._engine.leases.name, 600)
    with pytest.raises(StoreBusyError):
        late.user("ada").consolidate()
    real = time.time() * 1e6
    assert abs(truth.number("SELECT lease_until FROM memoryos_scopes") - real) < 3600e6
    assert early.user("ada").consolidate().pages_moved == 6


def test_work_that_a_failing_model_left_stays_due_with_a_pause(make: Open, truth: Truth) -> None:
    down = make(llm=ScriptedChat([], otherwise=ModelError("down")))
    talk(down.user("ada"), 9)
    down.user("ada").consolidate()
    assert down.user("ada").stats().pages_to_reread == 6
    assert truth.number("SELECT COUNT(*) FROM memoryos_scopes WHERE due IS NOT NULL AND lease_until IS NULL") == 1
    again = make(llm=ScriptedChat(model_answer))

    def served() -> bool:
        again.run_worker(threads=1, once=True)
        return again.user("ada").stats().pages_to_reread == 0

    until(served)
    assert truth.unfinished() == 0


def test_a_worker_takes_what_is_due_and_leaves_nothing_due(make: Open, path: Path, truth: Truth) -> None:
    memory = make()
    for name in ("ada", "bob", "cat"):
        talk(memory.user(name), 9)
    report = make().run_worker(once=True)
    assert report.pages_moved == 18  # full batches: an odd page waits for another one
    assert truth.unfinished() == 0
    assert broken_laws(path) == {}
    assert make().run_worker(once=True).pages_moved == 0


def test_a_worker_goes_on_after_a_run_that_failed(
    make: Open, truth: Truth, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = make()
    for name in ("ada", "bob"):
        talk(memory.user(name), 9)
    consolidate = memory._engine._updater.consolidate

    def failing(scope: Scope, *, whole: bool) -> object:
        if scope == ADA:
            raise RuntimeError("Ada's secret")
        return consolidate(scope, whole=whole)

    monkeypatch.setattr(memory._engine._updater, "consolidate", failing)
    with caplog.at_level(logging.WARNING):
        assert memory.run_worker(threads=1, once=True).pages_moved == 6
    assert "RuntimeError" in caplog.text
    assert "secret" not in caplog.text
    assert truth.rows("SELECT user_id FROM memoryos_scopes WHERE due IS NOT NULL") == [("ada",)]
    assert truth.number("SELECT COUNT(*) FROM memoryos_scopes WHERE lease_holder IS NOT NULL") == 0


def test_closing_gives_back_what_a_hung_run_holds(make: Open, truth: Truth, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Worker.close, "__defaults__", (0.01,))
    gate = Gate()
    slow = make(llm=ScriptedChat(gate), background=True)
    talk(slow.user("ada"), 9)
    assert gate.asked.acquire(timeout=SECONDS)
    slow.close()
    assert truth.number("SELECT COUNT(*) FROM memoryos_scopes WHERE lease_holder IS NOT NULL") == 0
    assert truth.number("SELECT COUNT(*) FROM memoryos_scopes WHERE due IS NOT NULL") == 1
    gate.opened.set()
