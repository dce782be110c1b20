"""Limits of what a stranger can send: sizes, counts, depth, rate and time, each with an error that says which."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memoryos_core import InvalidInputError, MemoryConfig, MemoryOS, Message, NoteWrite, WorkerConfig
from memoryos_core.api import access
from memoryos_core.config import LimitsConfig
from memoryos_core.errors import ConfigError, DeadlineError, LimitError, RateLimitError
from memoryos_core.testing.fakes import KeywordEmbedder

Open = Callable[..., MemoryOS]


@pytest.fixture
def limited(tmp_path: Path) -> Iterator[Open]:
    opened: list[MemoryOS] = []

    def make(embedder: Any = None, **limits: Any) -> MemoryOS:
        config = MemoryConfig(worker=WorkerConfig(mode="manual"), limits=LimitsConfig(**limits))
        opened.append(MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=embedder, config=config))
        return opened[-1]

    yield make
    for memory in opened:
        memory.close()


def test_a_call_that_is_too_large_is_refused_whole(limited: Open) -> None:
    user = limited(characters=100).user("ann")
    user.add("x" * 60, "y" * 40)
    notes = [NoteWrite(("app",), "k", "v" * 90, text="t" * 20)]
    for call in (
        lambda: user.add("x" * 60, "y" * 41),
        lambda: user.add_messages([Message("user", "x" * 60), Message("assistant", "y", payload="p" * 60)]),
        lambda: user.recall("x" * 101),
        lambda: user.remember("x" * 101),
        lambda: user.notes.write(notes),
        lambda: user.forget(pages=["x" * 101]),
    ):
        with pytest.raises(InvalidInputError, match=r"limits\.characters=100"):
            call()
    assert len(user.pages()) == 1


def test_a_call_with_too_many_values_or_too_deep_ones_is_refused(limited: Open) -> None:
    user = limited(items=50).user("ann")
    user.add("Hello", "Hi")
    with pytest.raises(InvalidInputError, match=r"limits\.items=50"):
        user.add_messages([Message("user", "x")] * 40)
    with pytest.raises(InvalidInputError, match=r"limits\.items=50"):
        user.pages(["id"] * 60)
    nested: list[object] = []
    for _ in range(40):
        nested = [nested]
    endless: list[object] = []
    endless.append(endless)
    for given in (nested, endless):
        with pytest.raises(InvalidInputError, match="deep"):
            user.pages(given)  # type: ignore[arg-type]
    bomb: list[object] = ["x"]
    for _ in range(30):
        bomb = [bomb] * 30
    with pytest.raises(InvalidInputError):
        user.pages(bomb)  # type: ignore[arg-type]
    assert len(user.pages()) == 1


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the rate counts by, in a list of one."""
    now = [100.0]
    monkeypatch.setattr(access, "monotonic", lambda: now[0])
    return now


def test_the_rate_is_that_of_each_user_and_comes_back(limited: Open, clock: list[float]) -> None:
    memory = limited(verbs_per_minute=600)
    ann, bob = memory.user("ann"), memory.user("bob")
    for _ in range(600):
        ann.stats()
    with pytest.raises(RateLimitError) as raised:
        ann.stats()
    assert raised.value.retry_after == pytest.approx(0.1)
    assert bob.stats().pages == 0
    clock[0] += 0.15
    ann.add("Hello", "Hi")
    with pytest.raises(RateLimitError) as raised:
        ann.stats()
    assert raised.value.retry_after == pytest.approx(0.05)


def test_a_verb_within_a_verb_counts_once(limited: Open, clock: list[float]) -> None:
    ann = limited(verbs_per_minute=2).user("ann")
    ann.remember("Likes ramen")  # asks for the facts itself
    ann.remember("Likes ramen")
    with pytest.raises(RateLimitError):
        ann.stats()


class Slow(KeywordEmbedder):
    """Takes its time."""

    def embed_query(self, text: str) -> Any:
        time.sleep(0.15)
        return super().embed_query(text)


def test_a_verb_that_takes_too_long_ends_and_changes_nothing(limited: Open) -> None:
    full = limited(Slow())
    full.user("ann").add("I drink tea.", "Green?")
    full.user("ann").consolidate()
    ann = limited(Slow(), verb_seconds=0.1).user("ann")
    began = time.monotonic()
    with pytest.raises(DeadlineError, match=r"limits\.verb_seconds=0\.1") as raised:
        ann.recall("What do I drink?")
    assert time.monotonic() - began < 5
    assert isinstance(raised.value, (LimitError, TimeoutError))
    none = limited(Slow(), verb_seconds=0).user("ann")
    for call in (none.pages, lambda: none.add("More", "Yes"), lambda: none.forget(everything=True)):
        with pytest.raises(DeadlineError):
            call()
    assert len(full.user("ann").pages()) == 1
    assert none.consolidate().pages_embedded == 0, "consolidation has no limit"


def test_what_is_written_is_told_however_late(limited: Open) -> None:
    memory = limited(verb_seconds=3.0)
    ann = memory.user("ann")
    page = ann.add("The word is plugh.", "I see.")
    store = memory._open().parts.store
    scrub = store._database.scrub  # type: ignore[attr-defined]

    def late() -> None:
        time.sleep(3.1)
        scrub()

    store._database.scrub = late  # type: ignore[attr-defined]
    assert ann.forget(pages=[page.id]).pages == 1


def test_a_session_goes_on_after_a_message_of_the_last_hour_of_all(limited: Open) -> None:
    ann = limited().user("ann")
    ann.add("I come from afar.", timestamp=datetime.max)
    ann.add_messages([Message("assistant", "Welcome.", timestamp=datetime.max), Message("user", "Thank you.")])
    ann.consolidate()
    assert len(ann.transcript()) == 3


@pytest.mark.parametrize(
    "wrong", [{"characters": 0}, {"items": "many"}, {"verbs_per_minute": 0.5}, {"verb_seconds": -1}]
)
def test_wrong_limits_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"limits.{next(iter(wrong))}"):
        LimitsConfig(**wrong)
