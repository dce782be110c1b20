"""Recent turns of several days stand each under its day; those of one day need none."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from memoryos_core.config import RecallConfig
from memoryos_core.rules.ranking.packing import Material, pack
from memoryos_core.rules.ranking.rendering import recent_lines, recent_turns
from memoryos_core.values.dialogue import Message, Page, Recall
from memoryos_core.values.facts import Profile

MONDAY = datetime(2026, 3, 2, 10, tzinfo=timezone.utc)


def page(days: int, text: str) -> Page:
    at = MONDAY + timedelta(days=days)
    return Page(f"p{days}{text}", "s", 0, (Message("user", text, None, at),) if text else (), at)


def lines(*pages: Page) -> list[str]:
    return recent_lines(recent_turns(pages, 1000))


def packed(budget: int, *pages: Page) -> Recall:
    return pack(Material("", (), pages, Profile()), budget, lambda text: len(text.split()), RecallConfig())


def test_turns_of_one_day_have_no_date() -> None:
    assert lines(page(0, "a"), page(0, "b")) == ["user: a", "user: b"]


def test_each_day_stands_above_its_first_turn() -> None:
    assert lines(page(0, "a"), page(0, "b"), page(3, "c")) == [
        "[2 March 2026]\nuser: a",
        "user: b",
        "[5 March 2026]\nuser: c",
    ]


def test_a_page_without_a_spoken_word_changes_no_day() -> None:
    assert lines(page(0, "a"), page(1, ""), page(0, "b")) == ["user: a", "", "user: b"]
    assert lines(page(0, "a"), page(1, ""), page(3, "c"), page(3, "")) == [
        "[2 March 2026]\nuser: a",
        "",
        "[5 March 2026]\nuser: c",
        "",
    ]


def test_dates_are_paid_within_the_budget_and_the_oldest_turn_that_fits_has_its_day() -> None:
    pages = [page(day // 2, f"word {day}") for day in range(12)]
    for budget in range(120):
        recall = packed(budget, *pages)
        assert recall.tokens <= budget
        assert recall.recent == tuple(pages[len(pages) - len(recall.recent) :])
        if len({p.timestamp.date() for p in recall.recent}) > 1:
            assert recall.recent_text[0].startswith("[")
            assert recall.text.count("[") == len({p.timestamp.date() for p in recall.recent})


def test_more_room_holds_more_turns() -> None:
    pages = [page(day, "one two three") for day in range(12)]
    held = [len(packed(budget, *pages).recent) for budget in range(300)]
    assert held == sorted(held)
    assert held[-1] == len(pages)


def test_a_newest_turn_that_is_cut_stands_under_its_day_where_turns_are_of_several() -> None:
    long = "Here is my report. " + "Rain again. " * 40
    for budget in range(110, 180, 5):
        several, one = packed(budget, page(0, "a"), page(3, long)), packed(budget, page(3, "a"), page(3, long))
        assert len(several.recent) == len(one.recent) == 1
        assert several.recent_text[0].startswith("[5 March 2026]\nuser: Here is my report.")
        assert one.recent_text[0].startswith("user: Here is my report.")
        assert several.tokens <= budget


def test_a_turn_that_is_cut_has_no_day_where_nothing_of_it_fits() -> None:
    def words_or_much(text: str) -> int:
        return 999 if "user: " in text else len(text.split())

    pages = (page(0, "a"), page(3, "unbreakable"))
    recall = pack(Material("", (), pages, Profile()), 200, words_or_much, RecallConfig())
    assert recall.recent_text == ("",)
