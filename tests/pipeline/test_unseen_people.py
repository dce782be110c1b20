"""What six made-up people told in passing, and what a profile and the facts must not make of it."""

from __future__ import annotations

import pytest

from tests.pipeline.test_a_life_told import known_after

ANA = "My name is Ana."


@pytest.mark.parametrize(
    "text",
    [
        'Persona for the landing page: "I\'m Sam, 38, product manager in Denver, I have two dogs."',
        'Testimonial: "I\'m Lena, 29, I live in Graz and I love it."',
        "Draft for Ruben: 'I am leaving Loopkit after four years. I live in Oslo now.'",
        'He wrote "I\'m Sam, 38, plumber in Denver."',
        'The ad said "I\'m Lena, 29, I live in Graz" and I laughed.',
    ],
)
def test_a_persona_or_a_draft_in_quotation_marks_is_nobody(text: str) -> None:
    holding, _, profile = known_after(text)
    assert profile == {}
    assert not [fact for fact in holding if fact.startswith(("The user is", "The user lives", "Sam", "Lena"))]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I'm Sam, 38, product manager in Denver.", "Sam"),
        ('Hi! I\'m Lena, 29, and I wrote "The Lost Bicycle".', "Lena"),
        ('My bio: "I\'m Lena, 29, I live in Graz"', None),
    ],
)
def test_who_introduces_themselves_has_a_name(text: str, name: str | None) -> None:
    assert known_after(text)[2].get("name") == name


def test_a_draft_for_somebody_else_ends_nothing_of_the_users() -> None:
    held = "I use Postgres and Go for everything at Loopkit."
    assert known_after(held, "Draft for Ruben: 'I'm leaving Loopkit after four years.' He isn't sure yet.")[1] == set()
    assert known_after(held, "I left Loopkit in March.")[0] >= {"The user left Loopkit in March."}
