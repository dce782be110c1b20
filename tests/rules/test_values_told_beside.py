"""A value ends where something else is told, and what only describes a thing is no value of it."""

from __future__ import annotations

import pytest

from memoryos_core.rules.knowledge.slots import USER, slots_of


def values(said: str, attribute: str) -> list[str]:
    return [slot.value for slot in slots_of(said) if (slot.subject, slot.attribute) == (USER, attribute)]


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        ("The user's telephone number is changed, new is 06 12345678.", ["06 12345678"]),
        ("The user's phone number has changed, the new one is 020 7946 0018.", ["020 7946 0018"]),
        ("The user's number has been changed to 0612345678 now.", ["0612345678"]),
        ("The user's number's 07700 900123.", ["07700 900123"]),
        ("The user's number is changed.", []),
        ("The user's phone is a Pixel 8.", []),
        ("The user's phone number is the same as before.", []),
        ("The user's old number was 0612345678.", []),
    ],
)
def test_a_telephone_number_is_a_number(said: str, numbers: list[str]) -> None:
    assert values(said, "phone") == numbers


@pytest.mark.parametrize(
    ("said", "homes"),
    [
        ("The house here is on the market.", []),
        ("The user put in an offer on the flat in Pickering, and the house here is on the market.", []),
        ("The user's house here is for sale.", []),
        ("The user's home now is Leeds.", ["Leeds"]),
        ("The user's home is Leeds.", ["Leeds"]),
    ],
)
def test_what_is_for_sale_is_no_place_to_live(said: str, homes: list[str]) -> None:
    assert values(said, "home") == homes


@pytest.mark.parametrize(
    ("said", "foods"),
    [
        ("The user doesn't eat pork and Elif does not eat it as well.", ["pork"]),
        ("The user doesn't eat beef and Ravi doesn't either.", ["beef"]),
        ("The user doesn't eat mushrooms and their wife does not eat fish.", ["mushrooms"]),
        ("The user doesn't eat eggs and Kim never eats cheese.", ["eggs"]),
        ("The user doesn't eat pork and shellfish.", ["pork and shellfish"]),
        ("The user doesn't eat Ben and Jerry's.", ["Ben and Jerry's"]),
    ],
)
def test_a_food_ends_before_what_another_person_does(said: str, foods: list[str]) -> None:
    assert values(said, "food") == foods
