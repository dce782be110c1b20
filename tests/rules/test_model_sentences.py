"""Statements as language models write them: in the third person, of a user by the first name."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from memoryos_core.rules.knowledge.slots import people_of, slots_of
from memoryos_core.values.facts import Profile, ProfileField

NOW = datetime(2026, 3, 1, tzinfo=timezone.utc)


def profile(name: str) -> Profile:
    return Profile((ProfileField("name", name, NOW),))


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("Chidi Okafor", ("Chidi Okafor", "Chidi")),
        ("Mei (Mei-Ling)", ("Mei (Mei-Ling)", "Mei")),
        ("Dr. Amina Yusuf", ("Dr. Amina Yusuf", "Amina")),
        ("Ana", ("Ana",)),
        ("J. Smith", ("J. Smith",)),
        ("Dr. Yusuf", ("Dr. Yusuf",)),
        ("de la Cruz", ("de la Cruz",)),
    ],
)
def test_a_whole_name_has_a_first_name(name: str, names: tuple[str, ...]) -> None:
    assert profile(name).names == names


def test_nobody_is_called_anything_while_no_name_is_known() -> None:
    assert Profile().names == ()


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("Chidi has a dog called Uzo.", "pet", "dog called Uzo"),
        ("Chidi is vegan.", "diet", "vegan"),
        ("Chidi Okafor is vegan.", "diet", "vegan"),
        ("Chidi turned 35 at the end of May 2026.", "age", "35"),
        ("Chidi turned 35 in May.", "age", "35"),
        ("Chidi is a retired geography teacher.", "occupation", "retired geography teacher"),
        ("Chidi's girlfriend since June 2026 is Ada, a chef.", "girlfriend", "Ada"),
    ],
)
def test_it_is_the_user_who_is_spoken_of(text: str, attribute: str, value: str) -> None:
    assert (("user", attribute, value)) in [
        (s.subject, s.attribute, s.value) for s in slots_of(text, profile("Chidi Okafor").names)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Okafor is vegan.",
        "Mr. Oka is vegan.",
        "Chidinma is vegan.",
        "Chidi Eze is vegan.",
        "Chidi turned 90 degrees.",
        "Chidi has been a member of the choir since birth.",
    ],
)
def test_somebody_else_is_not_the_user(text: str) -> None:
    assert not [s for s in slots_of(text, profile("Chidi Okafor").names) if s.subject == "user"]


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Morwenna is the user's wife and a carpenter.", [("wife", "Morwenna")]),
        ("Dr Amin is Chidi's doctor.", [("doctor", "Dr Amin")]),
        ("Chidi Okafor's daughter Uju sings.", [("daughter", "Uju")]),
        ("Chidi Eze's daughter Uju sings.", []),
        ("Morwenna was the user's wife.", []),
        ("Morwenna is the user's wife's sister.", []),
        ("Peckham is the user's dentist nightmare.", []),
    ],
)
def test_a_person_is_told_with_the_role_behind(text: str, people: list[tuple[str, str]]) -> None:
    assert [(s.attribute, s.value) for s in people_of(text, tuple(sorted(profile("Chidi Okafor").names)))] == people
