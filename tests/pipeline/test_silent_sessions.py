"""The last conversation of a user is learnt although the user says nothing more: a clock ends it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, ShortTermConfig, WorkerConfig
from memoryos_core.config import LimitsConfig, WorkerMode
from memoryos_core.errors import ModelError
from memoryos_core.testing.fakes import FixedClock
from memoryos_core.values.chat import ChatReply, ChatRequest

NOON = datetime(2026, 3, 2, 12, tzinfo=timezone.utc)
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
IN_A_SECOND = ShortTermConfig(idle_hours=1 / 3600)
TELLING = ("I live in Porto and I work as a nurse.", "Lovely!")
SECONDS = 60


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOON)


@pytest.fixture
def memory(clock: FixedClock, tmp_path: Path) -> Iterator[MemoryOS]:
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=MANUAL, clock=clock) as memory:
        yield memory


def home(memory: MemoryOS) -> str | None:
    return next((field.value for field in memory.user("ada").profile().fields if field.name == "home"), None)


def until(known: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not known():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_what_a_user_said_last_is_known_the_next_morning(memory: MemoryOS, clock: FixedClock) -> None:
    ada = memory.user("ada", session_id="monday")
    ada.add(*TELLING)
    clock.tick(5.9 * 3600)
    ada.consolidate()
    assert home(memory) is None
    clock.tick(0.2 * 3600)
    ada.consolidate()
    assert home(memory) == "Porto"
    tuesday = memory.user("ada", session_id="tuesday").recall("What do you know about me?")
    assert "Home: Porto" in tuesday.text
    assert [m.text for m in ada.messages()] == list(TELLING)  # the session itself goes on


def test_a_conversation_that_never_ends_by_the_clock_waits(clock: FixedClock, tmp_path: Path) -> None:
    config = replace(MANUAL, short_term=ShortTermConfig(idle_hours=None))
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=config, clock=clock) as memory:
        memory.user("ada").add(*TELLING)
        clock.tick(1e6)
        memory.user("ada").consolidate()
        assert home(memory) is None


@pytest.mark.parametrize("looks", [True, False])
def test_an_answer_after_the_silence_begins_a_page_whether_or_not_a_worker_looked(
    memory: MemoryOS, clock: FixedClock, looks: bool
) -> None:
    ada = memory.user("ada")
    ada.add_messages([Message("user", "Is my train late?")])
    clock.tick(7 * 3600)
    if looks:
        ada.consolidate()
    ada.add_messages([Message("assistant", "By an hour.")])
    ada.consolidate()
    pages = [(page.tier, [m.text for m in page.messages]) for page in ada.pages()]
    assert pages == [("mid_term", ["Is my train late?"]), ("short_term", ["By an hour."])]
    assert [m.text for m in ada.messages()] == ["Is my train late?", "By an hour."]


def test_an_old_conversation_imported_in_parts_is_not_cut_where_a_worker_looks(
    memory: MemoryOS, clock: FixedClock
) -> None:
    said = [replace(Message("user", f"Part {n}."), timestamp=NOON - timedelta(days=900 - n / 99)) for n in range(4)]
    ada = memory.user("ada")
    for message in said:
        ada.add_messages([message])
        clock.tick(60)
        ada.consolidate()
    assert [[m.text for m in page.messages] for page in ada.pages()] == [["Part 0.", "Part 1.", "Part 2.", "Part 3."]]
    clock.tick(6 * 3600)
    ada.consolidate()
    assert ada.pages()[0].tier == "mid_term"


def test_a_page_that_grows_was_written_when_it_grew(memory: MemoryOS, clock: FixedClock) -> None:
    ada = memory.user("ada")
    ada.add_messages([Message("user", "I live in Porto.")])
    clock.tick(4 * 3600)
    ada.add_messages([Message("user", "Near the river.")])
    clock.tick(4 * 3600)
    ada.consolidate()
    (page,) = ada.pages()
    assert (page.tier, page.timestamp, page.written_at) == ("short_term", NOON, NOON + timedelta(hours=4))
    clock.tick(2 * 3600)
    ada.consolidate()
    assert ada.pages()[0].tier == "mid_term"


def test_a_restored_conversation_ends_when_the_first_one_does(
    memory: MemoryOS, clock: FixedClock, tmp_path: Path
) -> None:
    memory.user("ada").add_messages([Message("user", TELLING[0], timestamp=NOON - timedelta(days=9))])
    clock.tick(3600)
    with MemoryOS(f"sqlite:///{tmp_path}/n.db", embedder=None, config=MANUAL, clock=clock) as other:
        other.restore(memory.user("ada").export())
        other.user("ada").consolidate()
        assert home(other) is None
        clock.tick(5 * 3600)
        other.user("ada").consolidate()
        assert home(other) == "Porto"


class HangingModel:
    """A model that answers when the test is over."""

    def __init__(self) -> None:
        self.over = threading.Event()

    def ask(self, request: ChatRequest) -> ChatReply:
        self.over.wait(SECONDS)
        raise ModelError(f"nothing to say to {len(request.prompts)} prompts")


def asked_the_next_day(tmp_path: Path, config: MemoryConfig, **options: Any) -> str:
    """Tell one process something and ask another one the next day; return the first prompt."""
    clock, url = FixedClock(NOON), f"sqlite:///{tmp_path}/m.db"
    with MemoryOS(url, embedder=None, config=config, clock=clock, **options) as memory:
        memory.user("ada", session_id="monday").add(*TELLING)
    clock.tick(20 * 3600)
    with MemoryOS(url, embedder=None, config=config, clock=clock, **options) as memory:
        return memory.user("ada", session_id="tuesday").recall("What do you know about me?").text


@pytest.mark.parametrize("mode", ["background", "inline"])
def test_the_first_question_to_a_process_knows_what_was_said_the_day_before(tmp_path: Path, mode: WorkerMode) -> None:
    assert "Home: Porto" in asked_the_next_day(tmp_path, MemoryConfig(worker=WorkerConfig(mode=mode)))


def test_the_first_question_waits_for_no_model_and_for_no_worker_that_is_called(tmp_path: Path) -> None:
    assert asked_the_next_day(tmp_path, MANUAL) == ""
    (tmp_path / "limited").mkdir()
    limited = MemoryConfig(limits=LimitsConfig(verb_seconds=30.0))
    assert asked_the_next_day(tmp_path / "limited", limited) == ""
    (tmp_path / "with_model").mkdir()
    model = HangingModel()
    try:
        assert asked_the_next_day(tmp_path / "with_model", MemoryConfig(), llm=model) == ""
    finally:
        model.over.set()


def test_the_profile_and_the_facts_know_it_too(tmp_path: Path) -> None:
    clock, url = FixedClock(NOON), f"sqlite:///{tmp_path}/m.db"
    with MemoryOS(url, embedder=None, clock=clock) as memory:
        for name in ("ada", "bob"):
            memory.user(name).add(*TELLING)
    clock.tick(20 * 3600)
    with MemoryOS(url, embedder=None, clock=clock) as memory:
        assert home(memory) == "Porto"
        assert any("Porto" in fact.text for fact in memory.user("bob").facts())


def test_a_worker_in_the_background_looks_by_itself(tmp_path: Path) -> None:
    config = MemoryConfig(short_term=IN_A_SECOND)
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=config) as memory:
        memory.user("ada").add(*TELLING)
        until(lambda: home(memory) == "Porto")


def test_a_worker_of_another_process_comes_back_for_it(tmp_path: Path) -> None:
    config = replace(MANUAL, short_term=IN_A_SECOND)
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=config) as memory:
        memory.user("ada").add(*TELLING)
        memory.run_worker(once=True)

        def looked() -> bool:
            memory.run_worker(once=True)
            return home(memory) == "Porto"

        until(looked)


def test_a_session_that_waits_for_its_end_is_no_backlog(memory: MemoryOS) -> None:
    memory.user("ada").add(*TELLING)
    assert memory.backlog().scopes == 1
    memory.run_worker(once=True)
    assert (memory.backlog().scopes, memory.backlog().seconds) == (0, 0)
