"""Statements of a home that only fill a gap, compared with those that tell one outright."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core.rules.knowledge.asides import asides_in, only_fills_gap, without_covered
from memoryos_core.rules.knowledge.slots import slots_of
from memoryos_core.rules.knowledge.supersession import compare, find_disputes
from memoryos_core.values.facts import Fact, FactStatus

ASIDE = "The user seems to live in Hull."
BEGIN = datetime(2026, 1, 5, tzinfo=timezone.utc)


def fact(day: int, text: str, until: int | None = None, status: FactStatus = "current") -> Fact:
    end = None if until is None else BEGIN + timedelta(days=until)
    when = BEGIN + timedelta(days=day)
    return Fact(f"f{day}", "user", text, when, when, valid_until=end, status=status)


def left(*facts: Fact) -> list[str]:
    return [fact.text for fact in without_covered(facts, lambda one: slots_of(one.text))]


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("I'm a nurse here in Hull.", ["I seem to live in Hull."]),
        ("I work at Lidl here in Hull.", ["I seem to live in Hull."]),
        ("My flat here in Hull is damp.", ["I seem to live in Hull."]),
        ("I'm a nurse here in Hull and now I need a flyer.", ["I seem to live in Hull."]),
        ("I'm a nurse here in Hull and my new boss is nice.", ["I seem to live in Hull."]),
        ("New year, I'm a nurse here in Hull.", ["I seem to live in Hull."]),
        ("I'm a new teacher here in Hull.", ["I seem to live in Hull."]),
        ("I'm a baker here in Milton Keynes Village.", ["I seem to live in Milton Keynes Village."]),
        ("I'm a nurse here in Hull now.", ["I live in Hull."]),
        ("I'm a nurse here in Hull, these days at least.", ["I live in Hull."]),
        ("I'm now a nurse here in Hull.", ["I live in Hull."]),
        ("My new flat here in Hull is damp.", ["I live in Hull."]),
        ("I rent a flat here in Hull.", ["I live in Hull."]),
        ("I'm a nurse here in Hull until Friday.", []),
        ("I was a nurse here in Hull.", []),
        ("My friend is a nurse here in Hull.", []),
    ],
)
def test_only_what_is_told_as_news_is_outright(sentence: str, told: list[str]) -> None:
    assert list(asides_in(sentence, sentence)) == told


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("The user lives in Leeds.", ASIDE, "unrelated"),
        ("The user moved to Leeds in March.", ASIDE, "unrelated"),
        ("The user no longer lives in Hull.", ASIDE, "unrelated"),
        ("The user lives with their parents in Leeds.", ASIDE, "unrelated"),
        ("The user seems to live in Leeds.", ASIDE, "replaces"),
        (ASIDE, "The user lives in Leeds.", "replaces"),
        (ASIDE, "The user moved to Leeds.", "replaces"),
        (ASIDE, "The user no longer lives in Hull.", "retires"),
        (ASIDE, "The user no longer lives in Leeds.", "unrelated"),
        (ASIDE, "The user lives in Hull.", "repeats"),
        (ASIDE, "The user likes Leeds.", "unrelated"),
    ],
)
def test_an_aside_ends_only_asides(old: str, new: str, verdict: str) -> None:
    assert compare(old, new) == verdict


def test_an_aside_names_a_home_and_disputes_none() -> None:
    assert only_fills_gap(ASIDE)
    assert not only_fills_gap("The user lives in Hull.")
    assert [(slot.attribute, slot.value) for slot in slots_of(ASIDE)] == [("home", "Hull")]
    assert find_disputes([fact(0, "The user lives in Leeds."), fact(7, ASIDE)]) == []


@pytest.mark.parametrize("where", ["leggings", "my car", "a constant state of panic", "the office these days"])
def test_what_only_seems_to_be_lived_in_is_no_home(where: str) -> None:
    assert slots_of(f"The user seems to live in {where}.") == ()


def test_a_home_that_was_told_outright_covers_an_aside_for_as_long_as_it_holds() -> None:
    leeds, york = fact(0, "The user lives in Leeds."), fact(14, "The user lives in York.")
    ended = fact(0, "The user lives in Leeds.", 14, "superseded")
    assert left(leeds, fact(7, ASIDE)) == [leeds.text]
    assert left(fact(7, ASIDE)) == [ASIDE]
    assert left(ended, fact(7, ASIDE)) == [ended.text, ASIDE]
    assert left(ended, fact(7, ASIDE, 14, "superseded"), york) == [ended.text, york.text]
    assert left(fact(7, ASIDE, 14, "superseded"), york) == [ASIDE, york.text]
    assert left(fact(0, "The user no longer lives in Hull."), fact(7, ASIDE)) == ["The user no longer lives in Hull."]
    assert left(fact(0, "The user no longer lives in Leeds."), fact(7, ASIDE))[1:] == [ASIDE]
