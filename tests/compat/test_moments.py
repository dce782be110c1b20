"""Times as callers write them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import InvalidInputError
from memoryos_core.rules.dates.calendar import format_moment, moment, parse_moment

HALF_PAST_SIX = datetime(2024, 5, 1, 18, 30, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    "text",
    [
        "2024-05-01 18:30:00",
        "2024-05-01 18:30",
        " 2024-05-01T18:30:00 ",
        "2024-05-01T18:30:00Z",
        "2024-05-01T20:30:00+02:00",
        "2024-05-01T18:30:00.000000",
        "2024/05/01 18:30:00",
        "6:30 pm on 1 May, 2024",
        "06:30 PM on 01 May 2024",
        "6:30 p.m. on 1 may, 2024",
    ],
)
def test_one_moment_in_many_forms(text: str) -> None:
    assert parse_moment(text) == HALF_PAST_SIX
    assert moment(text) == HALF_PAST_SIX


@pytest.mark.parametrize(
    ("text", "hour"),
    [("12:05 am on 3 March, 2023", 0), ("12:05 pm on 3 March, 2023", 12), ("1:05 am on 3 March, 2023", 1)],
)
def test_noon_and_midnight(text: str, hour: int) -> None:
    assert parse_moment(text) == datetime(2023, 3, 3, hour, 5, tzinfo=timezone.utc)


def test_a_day_alone_begins_at_midnight() -> None:
    assert parse_moment("2024-05-01") == datetime(2024, 5, 1, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "1714588200", "2024-13-01 10:00:00", "13:05 pm on 3 March, 2023", "0:05 am on 3 March, 2023",
     "1:05 pm on 31 February, 2023", "1:05 pm on 3 Foo, 2023", "0001-01-01T00:00:00+14:00"],
)  # fmt: skip
def test_what_cannot_be_read_says_what_can(text: str) -> None:
    assert parse_moment(text) is None
    with pytest.raises(InvalidInputError, match=r"2024-05-01 18:30:00.*ISO 8601.*pm on"):
        moment(text)


def test_none_is_now_and_a_datetime_is_itself() -> None:
    assert moment(None) is None
    assert moment(datetime(2024, 5, 1, 18, 30)) == HALF_PAST_SIX
    assert moment(datetime(2024, 5, 1, 20, 30, tzinfo=timezone(timedelta(hours=2)))) == HALF_PAST_SIX
    with pytest.raises(InvalidInputError):
        moment(1714588200)


def test_the_published_form_reads_back() -> None:
    assert format_moment(HALF_PAST_SIX) == "2024-05-01 18:30:00"
    assert parse_moment(format_moment(HALF_PAST_SIX)) == HALF_PAST_SIX
