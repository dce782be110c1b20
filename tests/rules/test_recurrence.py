"""Days that come back: how they are told, and which one is next."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from memoryos_core.rules.dates import find_dates
from memoryos_core.rules.dates.recurrence import find_recurrence, without_recurrences

TODAY = datetime(2026, 6, 3, tzinfo=timezone.utc)  # a Wednesday


def days_of(text: str, count: int = 3, begin: datetime | None = None) -> list[str]:
    """The next days of what comes back."""
    found, day, out = find_recurrence(text), TODAY, list[str]()
    while found is not None and len(out) < count and (coming := found.next_day(day, begin)) is not None:
        out.append(f"{coming.day}/{coming.month}")
        day = coming.replace(hour=0) + (datetime(2026, 1, 2) - datetime(2026, 1, 1))
    return out


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("The club meets every Monday.", ["8/6", "15/6", "22/6"]),
        ("Dialysis is Mondays, Wednesdays and Fridays.", ["3/6", "5/6", "8/6"]),
        ("Choir is on Tuesday evenings.", ["9/6", "16/6", "23/6"]),
        ("We meet every Monday and Thursday.", ["4/6", "8/6", "11/6"]),
        ("Book club is on the first Monday of every month.", ["6/7", "3/8", "7/9"]),
        ("Lunch is on the last Friday of each month.", ["26/6", "31/7", "28/8"]),
        ("I volunteer the 2nd and 4th Tuesday of each month.", ["9/6", "23/6", "14/7"]),
        ("Every first Saturday there's a market.", ["6/6", "4/7", "1/8"]),
        ("We meet each month on the second Thursday.", ["11/6", "9/7", "13/8"]),
        ("My rent is due on the 1st of every month.", ["1/7", "1/8", "1/9"]),
        ("I get paid on the 1st and 15th of each month.", ["15/6", "1/7", "15/7"]),
        ("The card is charged on the 31st of every month.", ["30/6", "31/7", "31/8"]),
        ("I pay the nursery on the last day of each month.", ["30/6", "31/7", "31/8"]),
        ("Every month on the 5th I pay the nursery.", ["5/6", "5/7", "5/8"]),
        ("Jeden ersten Montag im Monat ist Buchclub.", ["6/7", "3/8", "7/9"]),
        ("Die Miete ist am 3. jedes Monats fällig.", ["3/6", "3/7", "3/8"]),
        ("Dienstags und donnerstags habe ich Yoga.", ["4/6", "9/6", "11/6"]),
        ("Tous les lundis j'ai chorale.", ["8/6", "15/6", "22/6"]),
        ("Le loyer tombe le 5 de chaque mois.", ["5/6", "5/7", "5/8"]),
        ("El primer lunes de cada mes tengo reunión.", ["6/7", "3/8", "7/9"]),
        ("Los lunes y jueves tengo clase.", ["4/6", "8/6", "11/6"]),
    ],
)
def test_the_next_days_of_what_comes_back(text: str, days: list[str]) -> None:
    assert days_of(text) == days


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Therapy is every other Wednesday.", ["10/6", "24/6", "8/7"]),
        ("The bins go out every second Wednesday.", ["10/6", "24/6", "8/7"]),
        ("I see my physio every two weeks, on Wednesdays.", ["10/6", "24/6", "8/7"]),
        ("I have therapy fortnightly on Wednesdays.", ["10/6", "24/6", "8/7"]),
        ("On alternate Wednesdays I have the kids.", ["10/6", "24/6", "8/7"]),
        ("Mum's chemo is every third Wednesday.", ["10/6", "1/7", "22/7"]),
        ("We have a retro every three weeks.", ["10/6", "1/7", "22/7"]),
        ("Jeden zweiten Mittwoch habe ich Therapie.", ["10/6", "24/6", "8/7"]),
        ("Alle zwei Wochen mittwochs habe ich Physio.", ["10/6", "24/6", "8/7"]),
        ("Om de twee weken op woensdag heb ik les.", ["10/6", "24/6", "8/7"]),
    ],
)
def test_weeks_are_counted_from_a_day_that_is_known(text: str, days: list[str]) -> None:
    assert days_of(text, begin=datetime(2026, 6, 10, tzinfo=timezone.utc)) == days
    assert days_of(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "My exam is on the last Friday of the month.",  # once
        "I'll know by the end of the month.",
        "I read 3 books each month.",
        "I paid 5. Each month I pay more.",
        "I'm busy the first half of every month.",
        "I have the kids every other weekend.",
        "I take my pills every day at 8.",
        "The wedding is on the first Monday in July.",
        "See you on Monday.",
        "The 45th of every month is no day.",
        "My rent is due on the 0th of every month.",
        "Her second Friday was better.",
    ],
)
def test_what_does_not_come_back_on_a_day(text: str) -> None:
    assert find_recurrence(text) is None


def test_one_date_is_left_beside_what_comes_back() -> None:
    left = without_recurrences("I have therapy every other Friday at 5pm, the next one is on 12 June.")
    assert "Friday" not in left
    assert [span.text.rstrip(".") for span in find_dates(left, TODAY)] == ["12 June"]
    assert without_recurrences("Nothing comes back on 12 June.") == "Nothing comes back on 12 June."


@pytest.mark.parametrize(
    ("text", "day", "length"),
    [
        ("The wedding will be on the first Monday in July.", "2026-07-06", 1),
        ("The wedding will be on the last Saturday of August.", "2026-08-29", 1),
        ("We married on the first Saturday in July.", "2025-07-05", 1),
        ("The fair will be on the second weekend of July.", "2026-07-11", 2),
        ("We'll fly in the last week of June.", "2026-06-24", 7),
        ("We'll fly in the first week of August.", "2026-08-01", 7),
        ("The exam will be on the last Friday of the month.", "2026-06-26", 1),
        ("The exam will be on the first Monday of the month.", "2026-07-06", 1),
        ("The exam will be on the third Tuesday of next month.", "2026-07-21", 1),
        ("It was on the last Friday of last month.", "2026-05-29", 1),
        ("I married on the fourth Saturday of May 2024.", "2024-05-25", 1),
        ("We'll pay on the last day of the month.", "2026-06-30", 1),
    ],
)
def test_the_nth_day_of_a_month_is_one_date(text: str, day: str, length: int) -> None:
    (span,) = find_dates(text, TODAY)
    assert f"{span.start:%Y-%m-%d}" == day
    assert (span.end - span.start).days == length
