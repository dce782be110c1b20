"""Work behind the caller that fails, hangs or is cut off: logged without a word of what was said, and done later."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memoryos_core import ChatReply, ChatRequest, MemoryOS, ModelError, WorkerConfig
from memoryos_core.config import WorkerMode
from memoryos_core.consolidation.leases import Postponed, Want
from memoryos_core.consolidation.worker import Worker
from memoryos_core.testing.fakes import KeywordEmbedder
from memoryos_core.values.events import Event, PagedOut
from tests.faults.opening import broken_laws, page_ids, said, small, talk, url

SECRET = "zanzibar-7731"


class Slow:
    """A model that says when it was asked, and answers when it is told to."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.go_on = threading.Event()

    def ask(self, request: ChatRequest) -> ChatReply:
        self.asked.set()
        assert self.go_on.wait(timeout=120)
        raise ModelError("too late")


@pytest.fixture
def slow() -> Iterator[Slow]:
    slow = Slow()
    yield slow
    slow.go_on.set()
    for thread in threading.enumerate():
        if thread.name == "memoryos-worker":
            thread.join(timeout=60)


@pytest.mark.parametrize("error", [ModelError("down"), RuntimeError(SECRET), KeyError(SECRET)], ids=repr)
def test_an_error_behind_is_logged_without_content_and_the_work_is_done_later(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    path, embedder = tmp_path / "m.db", KeywordEmbedder()
    embedder.failure = error
    with caplog.at_level(logging.DEBUG), MemoryOS(url(path), embedder=embedder, config=small("background")) as memory:
        ada = memory.user("ada")
        for i in range(8):
            ada.add(f"The password is {SECRET}, {i}.", f"I will keep {SECRET}.")
        assert memory.flush(timeout=60) is False
        assert (ada.stats().pages, ada.stats().pages_mid_term) == (8, 0)
        assert [r for r in caplog.records if type(error).__name__ in r.getMessage() and r.levelno == logging.WARNING]
        assert not [r for r in caplog.records if SECRET in r.getMessage() or SECRET in str(r.exc_info)]
        embedder.failure = None
        assert memory.flush(timeout=60) is True
        assert (ada.stats().pages_short_term, ada.stats().pages_mid_term) == (2, 6)
    assert broken_laws(path) == {}


def test_the_next_page_brings_failed_work_back_without_a_flush(tmp_path: Path) -> None:
    embedder, moved = KeywordEmbedder(), threading.Event()

    def hook(event: Event) -> None:
        if isinstance(event, PagedOut):
            moved.set()

    embedder.failure = ModelError("down")
    config = small("background")
    with MemoryOS(url(tmp_path / "m.db"), embedder=embedder, config=config, on_event=hook) as memory:
        talk(memory.user("ada"), 8)
        assert memory.flush(timeout=60) is False
        embedder.failure = None
        talk(memory.user("ada"), 1, first=8)
        assert moved.wait(timeout=60)


def test_failed_work_comes_back_by_itself(tmp_path: Path) -> None:
    embedder, moved = KeywordEmbedder(), threading.Event()

    def hook(event: Event) -> None:
        if isinstance(event, PagedOut):
            moved.set()

    embedder.failure = ModelError("down")
    config = replace(small("background"), worker=WorkerConfig(backoff_seconds=0.0))
    with MemoryOS(url(tmp_path / "m.db"), embedder=embedder, config=config, on_event=hook) as memory:
        talk(memory.user("ada"), 8)
        assert memory.flush(timeout=60) is False
        embedder.failure = None
        assert moved.wait(timeout=60)


def test_what_fails_at_once_is_not_tried_as_fast_as_the_machine_can() -> None:
    postponed = Postponed[str, Want](pause_seconds=0.0, ceiling_seconds=0.0)
    postponed.add("ada", Want.WHOLE, now=100.0)
    assert postponed.due(now=100.0) == []
    assert (postponed.pause(now=100.0) or 0) > 0


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing waits half a second for a model: `test_leaving.py` has a process that waits as long as it may."""
    monkeypatch.setattr(Worker.close, "__defaults__", (0.5,))


@pytest.mark.usefixtures("hasty")
def test_closing_does_not_wait_for_a_slow_model_and_reopening_finishes(tmp_path: Path, slow: Slow) -> None:
    path = tmp_path / "m.db"
    memory = MemoryOS(url(path), embedder=None, llm=slow, config=small("background"))
    pages = talk(memory.user("ada"), 8)
    before = said(memory.user("ada").transcript())
    assert slow.asked.wait(timeout=60)
    memory.close()  # comes back although the model has not answered and will not before this test ends
    assert not slow.go_on.is_set()
    assert page_ids(path) == pages
    slow.go_on.set()
    with MemoryOS(url(path), embedder=None, config=small("background")) as again:
        assert again.stats().pages_short_term > 2
        assert again.flush(timeout=60)
        assert (again.stats().pages_short_term, again.stats().pages_mid_term) == (2, 6)
        assert said(again.user("ada").transcript()) == before
    assert page_ids(path) == pages
    assert broken_laws(path) == {}


@pytest.mark.usefixtures("hasty")
def test_an_answer_that_comes_after_closing_changes_nothing(tmp_path: Path, slow: Slow) -> None:
    path, before = tmp_path / "m.db", set(threading.enumerate())
    memory = MemoryOS(url(path), embedder=None, llm=slow, config=small("background"))
    talk(memory.user("ada"), 8)
    assert slow.asked.wait(timeout=60)
    workers = [t for t in set(threading.enumerate()) - before if t.name == "memoryos-worker"]
    assert workers
    memory.close()
    slow.go_on.set()
    for worker in workers:
        worker.join(timeout=60)
        assert not worker.is_alive()
    with MemoryOS(url(path), embedder=None, config=small()) as again:
        assert (again.stats().pages, again.stats().pages_short_term) == (8, 8)
    assert broken_laws(path) == {}


def test_callers_do_not_wait_for_a_slow_model(tmp_path: Path, slow: Slow) -> None:
    with MemoryOS(url(tmp_path / "m.db"), embedder=None, llm=slow, config=small("background", threads=1)) as memory:
        ada, bob = memory.user("ada"), memory.user("bob")
        talk(ada, 8)
        assert slow.asked.wait(timeout=60)
        talk(ada, 4, first=8)
        talk(bob, 4)
        assert ada.recall("What about tree number 3?").hits
        assert ada.search("tree number 3", k=1)
        assert ada.forget(session=True).pages == 12
        assert bob.stats().pages == 4
        assert memory.flush(timeout=0.2) is False
        slow.go_on.set()


def test_pages_forgotten_while_the_model_reads_them_stay_forgotten(tmp_path: Path, slow: Slow) -> None:
    path = tmp_path / "m.db"
    with MemoryOS(url(path), embedder=None, llm=slow, config=small("background")) as memory:
        ada = memory.user("ada")
        pages = talk(ada, 8)
        assert slow.asked.wait(timeout=60)
        ada.forget(pages=pages[:3])
        slow.go_on.set()
        memory.flush(timeout=60)
        memory.flush(timeout=60)
        assert ada.stats().pages == 5
        assert "tree number 1 " not in str(list(ada.export()))
    assert broken_laws(path) == {}


def test_a_hook_that_raises_undoes_nothing_and_stops_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "m.db"

    def hook(event: Event) -> None:
        raise RuntimeError(f"broken on {type(event).__name__}")

    with MemoryOS(url(path), embedder=None, config=small("background", threads=1), on_event=hook) as memory:
        pages = {name: talk(memory.user(name), 8) for name in ("ada", "bob", "eve")}
        assert memory.flush(timeout=60)
        for name, ids in pages.items():
            user = memory.user(name)
            assert (user.stats().pages_short_term, user.stats().pages_mid_term) == (2, 6)
            assert user.recall("What about tree number 3?").hits
            assert user.forget(pages=ids[:1]).pages == 1
    assert {"PageAdded", "PagedOut", "Promoted", "Recalled", "Forgotten"} <= {
        name for r in caplog.records for name in r.getMessage().split()
    }
    assert broken_laws(path) == {}


def test_a_hook_may_use_the_memory_it_hears_of(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    lengths: list[int] = []
    modes: tuple[WorkerMode, ...] = ("manual", "inline", "background")

    def hook(event: Event) -> None:
        if isinstance(event, PagedOut):
            user = memory.user(event.scope.user_id)
            lengths.append(len(user.transcript()))
            user.consolidate()

    for mode in modes:
        memory = MemoryOS(url(path), embedder=None, config=small(mode), on_event=hook)
        talk(memory.user("ada"), 8)
        assert memory.flush(timeout=60)
        memory.close()
    assert len(lengths) >= 3
    assert broken_laws(path) == {}


class Killed(BaseException):
    """What stops a thread, and what no model may raise."""


def test_flush_is_not_true_when_a_model_raised_what_is_no_exception(tmp_path: Path) -> None:
    def killed(_request: ChatRequest) -> ChatReply:
        raise Killed

    with MemoryOS(url(tmp_path / "m.db"), embedder=None, llm=killed, config=small("background")) as memory:
        talk(memory.user("ada"), 12)
        assert memory.flush(timeout=30) is False
    with MemoryOS(url(tmp_path / "m.db"), embedder=None, config=small()) as memory:
        memory.user("ada").consolidate()
        assert len(memory.user("ada").pages()) == 12


@pytest.mark.timeout(60)  # it took 97 seconds
def test_an_answer_of_twenty_megabytes_is_refused_at_once(tmp_path: Path) -> None:
    with MemoryOS(
        url(tmp_path / "m.db"), embedder=None, llm=lambda _request: "x" * 20_000_000, config=small()
    ) as memory:
        talk(memory.user("ada"), 6)
        began = time.monotonic()
        report = memory.user("ada").consolidate()
        assert time.monotonic() - began < 30
        assert report.fallbacks
        assert report.pages_moved
