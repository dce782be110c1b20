"""A value of a slot is understandable alone, beside the name of the slot."""

from __future__ import annotations

import pytest

from memoryos_core.rules.knowledge.slots import label_of, slots_of


def told(text: str) -> list[str]:
    """What a line of a prompt would say of a statement."""
    return [f"{label_of(slot, text)}: {slot.value}" for slot in slots_of(text)]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("The user's favourite beach has to be Tulum.", ["Favourite beach: Tulum"]),
        ("The user's favourite character is definitely Poirot.", ["Favourite character: Poirot"]),
        ("The user was promoted to head cook on September 1.", ["Occupation: head cook"]),
        ("Ada became a vet.", ["Ada's occupation: vet"]),
        ("The user became a physics teacher in 2019.", ["Occupation: physics teacher"]),
        ("The user's sister drives a Fiat.", ["Sister's vehicle: Fiat"]),
        ("The user studies law here.", ["Studies: law"]),
    ],
)
def test_a_value_is_told_without_the_words_around_it(text: str, lines: list[str]) -> None:
    assert told(text) == lines


@pytest.mark.parametrize(
    "text",
    [
        "They have currently reached 85%.",
        "He has recently grown to 180 cm.",
        "Chess has become a big part of the user's life.",
        "Running became a habit of Ada's.",
        "Wild ride so far.",
        "The user's sister drives home on Fridays.",
        "The user studies different kinds of birds.",
        "The user's favourite one is the blue one.",
    ],
)
def test_what_means_nothing_alone_fills_no_slot(text: str) -> None:
    assert told(text) == []
