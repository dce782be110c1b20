"""Statements as language models write them: in the third person, with the role behind the name."""

from __future__ import annotations

import pytest

from memoryos_core.rules.knowledge.slots import people_of, slots_of

NAMES = ("Chidi",)


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("Chidi has a dog called Uzo.", "pet", "dog called Uzo"),
        ("Chidi turned 35 at the end of May 2026.", "age", "35"),
        ("Chidi turned 35 in May.", "age", "35"),
        ("Chidi is a retired geography teacher.", "occupation", "retired geography teacher"),
        ("Chidi's girlfriend since June 2026 is Ada, a chef.", "girlfriend", "Ada"),
    ],
)
def test_a_value_is_read(text: str, attribute: str, value: str) -> None:
    assert ("user", attribute, value) in [(s.subject, s.attribute, s.value) for s in slots_of(text, NAMES)]


@pytest.mark.parametrize("text", ["Chidi turned 90 degrees.", "Chidi has been a member of the choir since birth."])
def test_what_only_looks_like_a_value_is_none(text: str) -> None:
    assert not [s for s in slots_of(text, NAMES) if s.attribute in {"age", "occupation"}]


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Morwenna is the user's wife and a carpenter.", [("wife", "Morwenna")]),
        ("Dr Amin is Chidi's doctor.", [("doctor", "Dr Amin")]),
        ("Morwenna was the user's wife.", []),
        ("Morwenna is the user's wife's sister.", []),
        ("Peckham is the user's dentist nightmare.", []),
    ],
)
def test_a_person_is_told_with_the_role_behind(text: str, people: list[tuple[str, str]]) -> None:
    assert [(s.attribute, s.value) for s in people_of(text, NAMES)] == people
