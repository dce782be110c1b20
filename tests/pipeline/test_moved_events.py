"""An event that is moved without a name is the one that is known, where there is just one."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
HELD = "My sister Lena's wedding is on 12 April."


def over_after(*said: str, order: tuple[int, ...] = ()) -> set[str]:
    """The facts that are over; the messages are read in the `order` given."""
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        for number in order or range(len(said)):
            user = memory.user("k", session_id=f"s{number}")
            user.add(said[number], "ok", timestamp=datetime(2026, 1, 1 + 7 * number, tzinfo=timezone.utc))
            user.end_session()
            memory.user("k").consolidate()
        return {
            f.text for f in memory.user("k").facts(current=False) if f.status != "current" and ' said: "' not in f.text
        }


@pytest.mark.parametrize(
    ("held", "news"),
    [
        (HELD, "The wedding was moved to 3 May."),
        (HELD, "They moved the wedding to 3 May."),
        (HELD, "The wedding's been pushed back to 3 May."),
        ("My sister Lena is getting married on 12 April.", "The wedding was moved to 3 May."),
        ("Tom's party is on 12 April.", "The party has been postponed to 3 May."),
        ("The loft conversion is on 12 April.", "The loft conversion has slipped to 3 May."),
        ("The exchange is on 12 April.", "the exchange's slipped to 3 may"),
        ("The removal is on 12 April.", "The removal's slid back to 3 May"),
        ("The audit is on 12 April.", "The audit's been moved, it's 3 May now."),
    ],
)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_one_event_that_is_known_has_the_new_date(held: str, news: str, order: tuple[int, ...]) -> None:
    (over,) = over_after(held, news, order=order)
    assert "12 April" in over


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (0, 2, 1), (1, 2, 0)])
def test_of_two_events_none_is_meant(order: tuple[int, ...]) -> None:
    assert over_after(HELD, "Tom's wedding is on 1 June.", "The wedding was moved to 3 May.", order=order) == set()


@pytest.mark.parametrize(
    ("held", "news"),
    [
        (HELD, "Tom's wedding was moved to 3 May."),
        (HELD, "The wedding was lovely."),
        (HELD, "The wedding is in Kent."),
        (HELD, "The groom slipped on 3 May."),
        (HELD, "If the wedding slipped to 3 May I'd scream."),
        (HELD, "The wedding hasn't slipped to 3 May."),
        (HELD, "Sales slipped to 3 million."),
        (HELD, "The wedding car slipped to third place."),
        (HELD, "My wedding was moved to 3 May."),
    ],
)
def test_another_event_keeps_its_date(held: str, news: str) -> None:
    assert over_after(held, news) == set()


def test_the_users_own_event_comes_first() -> None:
    assert over_after("My wedding is on 1 June.", HELD, "The wedding was moved to 3 May.") == {
        "The user's wedding is on 1 June."
    }


@pytest.mark.parametrize(
    "news",
    [
        "The audit's been moved, it's 3 May now.",
        "audit's been moved, its 3 may now",
        "The audit got pushed, 3 May now.",
    ],
)
def test_a_move_and_its_day_are_one_statement_that_holds(news: str) -> None:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        for number, said in enumerate(("The audit is on 12 April.", news)):
            user = memory.user("k", session_id=f"s{number}")
            user.add(said, "ok", timestamp=datetime(2026, 1, 1 + 7 * number, tzinfo=timezone.utc))
            user.end_session()
        user = memory.user("k")
        user.consolidate()
        (held,) = user.facts()
        marked = user.recall("When is the audit?").text
    assert "3 may" in held.text.lower()
    assert "correction" not in marked
