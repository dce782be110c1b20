"""A home that is told in passing fills a gap: it ends none that was told outright, and is not shown beside one."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from itertools import permutations

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
BEGIN = datetime(2026, 1, 5, 9, tzinfo=timezone.utc)
ASIDES = (
    "I'm a nurse here in Hull.",
    "I'm a physio at St Luke's here in Hull.",
    "I work at Lidl here in Hull.",
    "Hi, I'm a teacher here in Hull and need a quiz.",
    "So I'm a plumber here in Hull, what do I charge?",
    "I'm a school teacher here in Hull, which trips are cheap?",
    "My flat here in Hull is damp, what helps?",
    "Our house here in Hull has mice.",
    "I'm the chef of a small pub here in Hull.",
    "Well, I'm a night porter here in Hull.",
    "My apartment here in Hull has thin walls, any tips?",
)
OUTRIGHT = (
    "I'm a nurse, and since March I live in Hull.",
    "I moved to Hull.",
    "My new flat here in Hull is lovely.",
    "I'm a nurse here in Hull now.",
    "I'm now a nurse here in Hull.",
    "I'm a nurse here in Hull these days.",
    "I live in Hull now, I'm a nurse here.",
    "I rent a flat here in Hull.",
    "We settled down in Hull.",
    "We've moved to Hull, I'm a nurse here.",
    "Living in Hull now, it rains a lot.",
    "I'm based in Hull these days.",
)


class Life:
    """What is known of a user after some messages, one a week, which are read in another order."""

    def __init__(self, *said: str, order: Iterable[int] | None = None) -> None:
        with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
            for number in range(len(said)) if order is None else order:
                user = memory.user("k", session_id=f"s{number}")
                user.add(said[number], "ok", timestamp=BEGIN + timedelta(days=7 * number))
                user.end_session()
                user.consolidate()
            user = memory.user("k", session_id="q")
            facts = user.facts(current=False)
            self.over = {fact.text for fact in facts if fact.status != "current"}
            self.ends = sorted((fact.text, fact.status, fact.valid_until) for fact in facts)
            self.home = user.profile().get("home")
            self.homes = [(value.value, value.until is None) for value in user.history("home")]
            self.told = user.recall("Where do I live?").text


@pytest.mark.parametrize("aside", ASIDES)
def test_an_aside_ends_no_home(aside: str) -> None:
    life = Life("I live in Leeds.", aside)
    assert (life.home, life.over, life.homes) == ("Leeds", set(), [("Leeds", True)])
    assert "Home: Leeds" in life.told
    assert "Home: Hull" not in life.told


@pytest.mark.parametrize("aside", ASIDES)
def test_an_aside_fills_a_gap(aside: str) -> None:
    life = Life(aside)
    assert (life.home, life.homes) == ("Hull", [("Hull", True)])


@pytest.mark.parametrize("said", OUTRIGHT)
def test_a_home_that_is_told_outright_replaces(said: str) -> None:
    life = Life("I live in Leeds.", said)
    assert (life.home, life.over) == ("Hull", {"The user lives in Leeds."})


@pytest.mark.parametrize(
    ("said", "home"),
    [
        (("I'm a nurse here in Hull.", "I live in Leeds."), "Leeds"),
        (("I'm a nurse here in Hull.", "I live in Hull."), "Hull"),
        (("I live in Hull.", "I'm a nurse here in Hull.", "I moved to York."), "York"),
        (("I'm a nurse here in Hull.", "I'm a nurse here in York."), "York"),
        (("I live in Leeds.", "I'm a nurse here in Hull.", "I'm a nurse here in York."), "Leeds"),
        (("I live in Leeds.", "I'm a nurse here in Hull.", "I moved to York."), "York"),
        (("I live in Leeds.", "I'm a nurse here in Hull.", "I no longer live in Leeds."), "Hull"),
        (("I live in Leeds.", "I no longer live in Leeds.", "I'm a nurse here in Hull."), "Hull"),
        (("I no longer live in Hull.", "I'm a nurse here in Hull."), None),
        (("I'm a nurse here in Hull.", "I no longer live in Hull."), None),
        (("I live in Leeds.", "I'm a nurse here in Hull.", "I'm a nurse here in Hull now."), "Hull"),
    ],
)
def test_the_order_of_reading_changes_no_home(said: tuple[str, ...], home: str | None) -> None:
    lives = [Life(*said, order=order) for order in permutations(range(len(said)))]
    assert [life.home for life in lives] == [home] * len(lives)
    assert all(life.ends == lives[0].ends for life in lives)


def test_an_aside_that_filled_no_gap_is_no_former_home() -> None:
    life = Life("I live in Leeds.", "I'm a nurse here in Hull.", "I moved to York.")
    assert life.homes == [("Leeds", False), ("York", True)]
    assert "Hull" not in life.told.partition("Home:")[2].partition("\n")[0]


def test_an_aside_that_filled_a_gap_is_a_former_home() -> None:
    assert Life("I'm a nurse here in Hull.", "I moved to York.").homes == [("Hull", False), ("York", True)]


def test_what_else_an_aside_tells_is_news() -> None:
    life = Life("I'm a baker.", "I live in Leeds.", "I'm a nurse here in Hull.")
    assert life.over == {"The user is a baker."}


def test_an_aside_that_is_told_again_fills_no_gap() -> None:
    assert Life("I'm a nurse here in Hull.", "I live in Leeds.", "I'm a nurse here in Hull.").home == "Leeds"
