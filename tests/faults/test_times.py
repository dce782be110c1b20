"""Moments that nobody expects: they are kept to the microsecond, or refused before anything is written."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone, tzinfo
from typing import Any

import pytest

from memoryos_core import ConfigError, InvalidInputError, MemoryOS, Message, UserMemory
from memoryos_core.testing.fakes import FixedClock
from tests.faults.opening import said, small, talk

UTC = timezone.utc
NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)


def offset(hours: int, minutes: int = 0, seconds: int = 0) -> timezone:
    return timezone(timedelta(hours=hours, minutes=minutes, seconds=seconds))


class NoOffset(tzinfo):
    """A zone that does not know: such a moment is naive although it has a zone."""

    def utcoffset(self, dt: datetime | None) -> timedelta | None:
        return None

    def dst(self, dt: datetime | None) -> timedelta | None:
        return None

    def tzname(self, dt: datetime | None) -> str | None:
        return None


MOMENTS = {
    "naive": datetime(2024, 3, 31, 2, 30, 0, 7),
    "of a zone without an offset": datetime(2024, 3, 31, 2, 30, tzinfo=NoOffset()),
    "the first there is": datetime.min,
    "the last there is": datetime.max,
    "year 1": datetime(1, 1, 1, tzinfo=UTC),
    "year 9999": datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    "before 1970": datetime(1901, 12, 13, 20, 45, 51, 3, tzinfo=UTC),
    "at 1970": datetime(1970, 1, 1, tzinfo=UTC),
    "future": datetime(2250, 1, 1, 0, 0, 0, 1, tzinfo=UTC),
    "after 2038": datetime(2038, 1, 19, 3, 14, 8, tzinfo=UTC),
    "a quarter of an hour off": datetime(2024, 1, 1, 5, 45, tzinfo=offset(5, 45)),
    "seconds off": datetime(1890, 1, 1, tzinfo=offset(0, 19, 32)),
    "far east": datetime(2024, 1, 1, tzinfo=offset(14)),
    "almost a day off": datetime(2024, 1, 1, tzinfo=offset(-23, -59)),
}
OUTSIDE = {
    "before year 1 in UTC": datetime(1, 1, 1, tzinfo=offset(14)),
    "after year 9999 in UTC": datetime(9999, 12, 31, 23, tzinfo=offset(-12)),
}
NO_MOMENTS = ("2024-01-01", 1_700_000_000, 1.5, b"x", NOW.date(), timedelta(1), ["2024"])


@pytest.fixture
def ada() -> Iterator[UserMemory]:
    with MemoryOS("sqlite://", embedder=None, config=small(), clock=FixedClock(NOW)) as memory:
        yield memory.user("ada")


def aware(moment: datetime) -> datetime:
    return moment if moment.utcoffset() is not None else moment.replace(tzinfo=UTC)


@pytest.mark.parametrize("name", MOMENTS)
def test_a_moment_is_kept_exactly_and_goes_through_every_verb(ada: UserMemory, name: str) -> None:
    when = MOMENTS[name]
    assert ada.add("I swam in the lake.", "Was it cold?", timestamp=when).timestamp == aware(when)
    ada.add_messages([Message("user", "The lake was cold.", timestamp=when), Message("assistant", "Brr.")])
    talk(ada, 4)
    ada.consolidate()
    assert ada.stats().pages_mid_term == 4
    times = [m.timestamp for m in ada.transcript()]
    assert times[:3] == [aware(when)] * 3
    assert times[3] == NOW
    recall = ada.recall("How cold was the lake yesterday, or in 1901, or last summer?")
    assert recall.hits
    assert recall.explain()
    assert str(aware(when).astimezone(UTC).year) in str(recall)
    assert ada._repr_html_()
    assert recall._repr_html_()
    hits = ada.search("lake", since=when)
    assert "I swam in the lake." in [m.text for h in hits for m in h.messages]
    assert "I swam in the lake." not in [m.text for h in ada.search("lake", until=when) for m in h.messages]


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_moment_outside_of_the_calendar_is_refused(ada: UserMemory, name: str) -> None:
    when = OUTSIDE[name]
    with pytest.raises(InvalidInputError, match="years 1 to 9999"):
        ada.add("I swam.", timestamp=when)
    with pytest.raises(InvalidInputError, match="years 1 to 9999"):
        ada.add_messages([Message("user", "I ran."), Message("user", "I swam.", timestamp=when)])
    with pytest.raises(InvalidInputError, match="years 1 to 9999"):
        ada.search("swam", since=when)
    assert ada.transcript() == ()


@pytest.mark.parametrize("wrong", NO_MOMENTS, ids=lambda w: type(w).__name__)
def test_what_is_no_moment_is_refused(ada: UserMemory, wrong: object) -> None:
    with pytest.raises(InvalidInputError, match="datetime"):
        ada.add("I swam.", timestamp=wrong)  # type: ignore[arg-type]  # meant
    with pytest.raises(InvalidInputError, match="datetime"):
        ada.add("I swam.", "Where?", timestamp=wrong)  # type: ignore[arg-type]  # meant
    with pytest.raises(InvalidInputError, match="datetime"):
        ada.add_messages([Message("user", "I swam.", timestamp=wrong)])  # type: ignore[arg-type]  # meant
    with pytest.raises(InvalidInputError, match="datetime"):
        ada.search("swam", until=wrong)  # type: ignore[arg-type]  # meant
    assert ada.transcript() == ()


def test_an_absent_moment_is_now(ada: UserMemory) -> None:
    assert ada.add("I swam.").timestamp == NOW
    (page,) = ada.add_messages([Message("user", "I ran.")])
    assert page.messages[-1].timestamp == NOW


def test_a_naive_bound_of_a_search_is_utc_whatever_the_machine_thinks(
    ada: UserMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada.add("I swam at noon.", timestamp=NOW)
    for zone in ("Pacific/Kiritimati", "Pacific/Midway"):
        monkeypatch.setenv("TZ", zone)
        assert len(ada.search("swam", since=NOW.replace(tzinfo=None))) == 1
        assert ada.search("swam", until=NOW.replace(tzinfo=None)) == []


def test_a_clock_that_goes_backwards_loses_nothing_and_keeps_order() -> None:
    clock = FixedClock(NOW)
    with MemoryOS("sqlite://", embedder=None, config=small(), clock=clock) as memory:
        ada = memory.user("ada")
        for number in range(30):
            ada.add(f"Thing {number} happened.", "I see.")
            if number % 3 == 0:
                ada.consolidate()
            ada.recall(f"What about thing {number}?")
            clock.tick(-86_400 * 400)
        ada.remember("I like clocks.")
        ada.consolidate()
        assert said(ada.transcript())[::2] == [f"Thing {i} happened." for i in range(30)]
        assert ada.stats().pages == 30
        assert all(0 <= ada.heat(s) < float("inf") for s in ada.segments())
        assert "I like clocks." in [f.text for f in ada.facts()]


@pytest.mark.parametrize("moment", [None, "noon", datetime(2024, 1, 1)], ids=["nothing", "text", "naive"])
def test_a_clock_that_tells_no_time_is_refused_at_once(moment: Any) -> None:
    with (
        pytest.raises(ConfigError, match="clock"),
        MemoryOS("sqlite://", embedder=None, clock=lambda: moment) as memory,
    ):
        memory.user("ada").add("I like clocks.")
