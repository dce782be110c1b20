"""Whoever lost the lease writes nothing when it comes back, at whichever stage of a run it was held up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from memoryos_core import ChatRequest, MemoryOS, ModelError, StoreBusyError
from memoryos_core.stores import open_store
from memoryos_core.testing.fakes import ScriptedChat
from memoryos_core.values.commands import Eviction
from memoryos_core.values.dialogue import Scope
from tests.faults.opening import small, talk
from tests.pipeline.test_updater import model_answer

ADA = Scope("ada")
SECONDS = 60


class HeldUp:
    """A model that waits at one step, the first time, until it is let go."""

    def __init__(self, step: str) -> None:
        self.asked, self.let_go = threading.Event(), threading.Event()
        self._step = step

    def __call__(self, request: ChatRequest) -> str:
        if request.schema_name == self._step:
            self.asked.set()
            assert self.let_go.wait(SECONDS)
        return model_answer(request)


@contextmanager
def opened(path: Path, answer: Callable[[ChatRequest], str] | None) -> Iterator[MemoryOS]:
    """A memory of a process that has an hour for its work; without `answer` its model is down."""
    model = ScriptedChat([], otherwise=ModelError("down")) if answer is None else ScriptedChat(answer)
    config = small()
    config = replace(config, worker=replace(config.worker, lease_seconds=3600.0, backoff_seconds=0.01))
    with MemoryOS(f"sqlite:///{path}", embedder=None, llm=model, config=config) as memory:
        yield memory


def overtake(path: Path, memory: MemoryOS) -> None:
    """Its lease ran out, and another host took the scope."""
    with closing(open_store(f"sqlite:///{path}")) as store:
        store.release(ADA, memory._engine.leases.name)
        assert store.lease(ADA, "elsewhere:1:x", 3600)


def kept(memory: MemoryOS) -> list[object]:
    return list(memory.user("ada").export())


@pytest.mark.parametrize(("step", "marked"), [("page_out", False), ("persona", False), ("page_out", True)])
def test_a_run_that_was_overtaken_while_it_asked_writes_nothing(tmp_path: Path, step: str, marked: bool) -> None:
    path = tmp_path / "m.db"
    with opened(path, None) as down:
        talk(down.user("ada"), 9)
        if marked:  # what the twin has described is all that is to be asked for
            down.user("ada").consolidate()
            assert down.user("ada").stats().pages_to_reread == 6
    model = HeldUp(step)
    with opened(path, model) as slow, ThreadPoolExecutor(1) as pool:
        late = pool.submit(slow.user("ada").consolidate)
        assert model.asked.wait(SECONDS)
        overtake(path, slow)
        before = kept(slow)
        model.let_go.set()
        with pytest.raises(StoreBusyError, match="taken over"):
            late.result(timeout=SECONDS)
        assert kept(slow) == before


def test_a_run_that_was_overtaken_before_it_evicts_takes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.db"
    with opened(path, model_answer) as slow:
        talk(slow.user("ada"), 9)
        slow.user("ada").consolidate()
        engine, before = slow._engine, kept(slow)

        def overfull(scope: Scope) -> Eviction:
            overtake(path, slow)
            segments = engine.parts.store.segments(scope)
            return Eviction(scope, tuple(s.id for s in segments), archive=False, at=engine.parts.clock())

        monkeypatch.setattr(engine.mid_term, "overfull", overfull)
        with pytest.raises(StoreBusyError, match="taken over"):
            slow.user("ada").consolidate()
        assert kept(slow) == before
