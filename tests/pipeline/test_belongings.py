"""What somebody has parted with altogether: all pets, both cars. Children never end so."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.rules.knowledge.slots import slots_of

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
PETS = ("I have a cat called Juno.", "We also have a dog called Bolt.")
CARS = ("I drive a Volvo.", "I also bought a Fiat Panda.")


def known_after(*said: str) -> tuple[set[str], dict[str, str]]:
    """The facts that are over, and the profile."""
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        for number, text in enumerate(said):
            user = memory.user("k", session_id=f"s{number}")
            user.add(text, "ok", timestamp=datetime(2026, 1, 1 + 7 * number, tzinfo=timezone.utc))
            user.end_session()
        user = memory.user("k")
        user.consolidate()
        over = {fact.text for fact in user.facts(current=False) if fact.status != "current"}
        return over, {field.name: field.value for field in user.profile().fields}


@pytest.mark.parametrize(
    ("held", "news", "left"),
    [
        (PETS, "I don't have any pets any more.", {}),
        (PETS, "We have no pets any more.", {}),
        (PETS, "We no longer keep any animals.", {}),
        (PETS, "We had to give away both our pets.", {}),
        (PETS, "Sadly we don't have any dogs anymore.", {"pet": "cat called Juno"}),
        (PETS, "I don't have pets in the office.", {"pet": "cat called Juno, dog called Bolt"}),
        (PETS, "My sister doesn't have any pets any more.", {"pet": "cat called Juno, dog called Bolt"}),
        (PETS, "I don't have any pets in the office anymore.", {"pet": "cat called Juno, dog called Bolt"}),
        (CARS, "I sold both my cars.", {}),
        (CARS, "We got rid of all our cars last month.", {}),
        (CARS, "I no longer own a car.", {}),
        (("I ride a Vespa scooter.", *CARS), "I sold both my cars.", {"vehicle": "Vespa scooter"}),
    ],
)
def test_all_of_a_kind_are_over_at_once(held: tuple[str, ...], news: str, left: dict[str, str]) -> None:
    assert known_after(*held, news)[1] == left


@pytest.mark.parametrize(
    ("held", "news"),
    [
        (PETS, "I have no pets but Juno."),
        (PETS, "I have no pets, just Juno and Bolt."),
        (PETS, "We don't have any pets, only Juno."),
        (PETS, "I have no pets except Juno."),
        (PETS, "I don't have any pets apart from my cat."),
        (PETS, "No pets except Juno"),
        (PETS, "I have no pets save Juno any more."),
        (PETS, "Officially I have no pets."),
        (PETS, "Officially, we don't have any pets."),
        (PETS, "On paper we have no pets."),
        (PETS, "We have no pets in Minecraft any more."),
        (CARS, "I sold both my cars in GTA."),
        (CARS, "In GTA I sold both my cars."),
    ],
)
def test_a_denial_with_an_exception_or_a_place_ends_nothing(held: tuple[str, ...], news: str) -> None:
    over, profile = known_after(*held, news)
    assert over == set()
    assert profile == known_after(*held)[1]


def test_of_two_kinds_that_were_told_together_one_is_over() -> None:
    over, _ = known_after("I have a dog named Rex and a cat named Tom.", "I don't have any dogs any more.")
    assert over == {"The user has a dog named Rex."}


@pytest.mark.parametrize(
    "news",
    [
        "We have no pets any more but we miss them.",
        "I no longer have any pets, but I want one.",
        "I sold both my cars in May.",
    ],
)
def test_a_denial_with_more_about_the_user_ends_all(news: str) -> None:
    assert known_after(*(CARS if "cars" in news else PETS), news)[1] == {}


def test_a_new_pet_ends_that_there_is_none() -> None:
    over, profile = known_after("I don't have any pets any more.", "I got a cat called Juno.")
    assert over == {"The user doesn't have any pets any more."}
    assert profile == {"pet": "cat called Juno"}


@pytest.mark.parametrize(
    "news",
    [
        "We no longer have any children at home.",
        "We don't have any children at home any more.",
        "I don't have any kids this weekend.",
        "All our children have moved out.",
    ],
)
def test_children_who_leave_home_are_children_still(news: str) -> None:
    assert known_after("I have a son called Tim.", "My daughter is Anna.", news)[0] == set()


def test_what_a_family_without_pets_said_is_understandable_alone() -> None:
    slots = slots_of("The user does not have any pets any more.")
    assert [(slot.attribute, slot.value, slot.negated) for slot in slots] == [("pet", "pets", True)]
