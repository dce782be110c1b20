"""A word or a number that is corrected alone stands in the statement that it corrects: "no wait, 24"."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memoryos_core.rules.knowledge.slots import slots_of
from memoryos_core.rules.knowledge.swaps import Swap, compare_swapped, swap_in, swap_value
from tests.pipeline.test_belongings import known_after
from tests.pipeline.test_moved_plans import over_after

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


def test_a_word_is_corrected_weeks_later() -> None:
    said = (
        "I start on sulfasalazine next month.",
        "Actually it's leflunomide, not sulfasalazine, I misread the letter.",
    )
    assert known_after(*said)[0] == {"The user starts on sulfasalazine next month."}


def test_the_corrected_value_is_in_the_profile() -> None:
    said = ("I'm on tamoxifen.", "It's not tamoxifen, it's letrozole, sorry.")
    assert known_after(*said)[1] == {"medication": "letrozole"}
