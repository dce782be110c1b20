"""A word or a number that is corrected alone stands in the statement that it corrects: "no wait, 24"."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import MemoryOS
from memoryos_core.rules.knowledge.slots import slots_of
from memoryos_core.rules.knowledge.swaps import Swap, compare_swapped, swap_in, swap_value
from tests.pipeline.test_moved_plans import MANUAL, over_after

MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("said", "swap"),
    [
        ("No wait, 24.", Swap("24", None)),
        ("Sorry, 42.", Swap("42", None)),
        ("wait no, 68 since Tuesday", Swap("68", None)),
        ("No wait, 24, not 23.", Swap("24", "23")),
        ("Actually it's leflunomide, not sulfasalazine, I misread the letter.", Swap("leflunomide", "sulfasalazine")),
        ("It's leflunomide, not sulfasalazine, I misread the letter.", Swap("leflunomide", "sulfasalazine")),
        ("Correction: it's citalopram, not fluoxetine.", Swap("citalopram", "fluoxetine")),
        ("It's not tamoxifen, it's letrozole, sorry.", Swap("letrozole", "tamoxifen")),
        ("Sorry, BP, not Shell.", Swap("BP", "Shell")),
        ("It's blue, not green.", None),
        ("24.", None),
        ("No wait, 24 people are coming.", None),
        ("Actually I prefer tea, not coffee.", None),
        ("Sorry, Monday, not Tuesday.", None),
        ("Actually it's leflunomide, not sulfasalazine?", None),
    ],
)
def test_a_sentence_that_only_corrects_a_value_is_known(said: str, swap: Swap | None) -> None:
    assert swap_in(said) == swap


@pytest.mark.parametrize(
    ("swap", "old", "new"),
    [
        (Swap("24", None), "The user is 23.", "The user is 24 (not 23)."),
        (Swap("72", None), "The user weighs 70 kg.", "The user weighs 72 kg (not 70)."),
        (Swap("BP", "Shell"), "The user works at Shell.", "The user works at BP (not Shell)."),
        (Swap("24", None), "The user is 23 and has 2 children.", None),
        (Swap("BP", "Shell"), "The user works at Shellmere.", None),
        (Swap("BP", "Shell"), "The user works at BP (not Shell).", None),
    ],
)
def test_a_value_takes_the_place_of_the_one_it_corrects(swap: Swap, old: str, new: str | None) -> None:
    assert swap_value(swap, old) == new


def test_a_corrected_statement_ends_the_one_before_and_no_other() -> None:
    new = "The user works at BP (not Shell)."
    assert compare_swapped("The user works at Shell.", new) == "replaces"
    assert compare_swapped("The user works at Tesco.", new) is None
    assert compare_swapped("The user likes Shell and jazz.", new) is None
    assert [slot.value for slot in slots_of(new)] == ["BP"]


@pytest.mark.parametrize(
    ("said", "over"),
    [
        (("I'm 23.", "No wait, 24."), ["The user is 23."]),
        (("I weigh 70 kg.", "Sorry, 72."), ["The user weighs 70 kg."]),
        (("I work at Shell.", "Sorry, BP, not Shell."), ["The user works at Shell."]),
        (("I'm allergic to walnuts.", "I meant almonds, not walnuts."), ["The user is allergic to walnuts."]),
        (("I'm 23.", "It's a joke, not a threat."), []),
        (("We bought a sofa.", "It's blue, not green."), []),
    ],
)
def test_what_is_corrected_at_once_is_over(said: tuple[str, ...], over: list[str]) -> None:
    assert over_after(*said, apart=MINUTE) == over


@pytest.mark.parametrize(
    "said",
    [
        ("I am allergic to nuts.", "What is this? Oops, it's seeds, not nuts."),
        ("I take metformin.", "The vet gave the cat something. Sorry, it's gabapentin, not metformin."),
        ("I work at Shell.", "Sorry, it's bash, not shell."),
        ("Never use emojis.", "Sorry, it's memes, not emojis."),
        ("I'm on sulfasalazine.", "Actually it's leflunomide, not sulfasalazine, I misread the letter."),
    ],
)
def test_what_was_said_long_before_stays(said: tuple[str, ...]) -> None:
    assert over_after(*said) == []


@pytest.mark.parametrize(
    "said",
    [
        ("I am vegan.", "My sister too. No, she's vegetarian, not vegan."),
        ("I have diabetes.", "That's not diabetes, it's a cold, I told my son."),
        ("I like coffee.", "That's not coffee, that's mud, I told the barista."),
    ],
)
def test_what_is_said_of_another_thing_or_person_corrects_nothing(said: tuple[str, ...]) -> None:
    assert over_after(*said, apart=MINUTE) == []


@pytest.mark.parametrize(
    ("said", "asked", "answer", "age"),
    [
        ("I'm 41.", "Do you want a plan for 4 weeks?", "No, 6.", "41"),
        ("I'm 41.", "Noted.", "No, 42.", "42"),
    ],
)
def test_a_number_that_answers_a_question_corrects_nothing(said: str, asked: str, answer: str, age: str) -> None:
    at = datetime(2026, 2, 2, 9, tzinfo=timezone.utc)
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: at) as memory:
        user = memory.user("ann", session_id="s")
        user.add(said, asked, timestamp=at)
        user.add(answer, "Noted.", timestamp=at + MINUTE)
        user.end_session()
        user.consolidate()
        assert user.profile().get("age") == age


def test_the_corrected_value_is_in_the_profile() -> None:
    at = datetime(2026, 2, 2, 9, tzinfo=timezone.utc)
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: at) as memory:
        user = memory.user("ann", session_id="s")
        user.add("I'm on tamoxifen.", "Noted.", timestamp=at)
        user.add("It's not tamoxifen, it's letrozole, sorry.", "Noted.", timestamp=at + MINUTE)
        user.end_session()
        user.consolidate()
        assert user.profile().get("medication") == "letrozole"
