"""What is told beside a value is none: another person, the name of a thing, a kind beside a named pet."""

from __future__ import annotations

import pytest

from memoryos_core.extract.antecedents import name_what_began
from memoryos_core.extract.statement_languages import language_of
from memoryos_core.rules.knowledge.clauses import USER
from memoryos_core.rules.knowledge.pets import without_unnamed
from memoryos_core.rules.knowledge.slots import slots_of
from memoryos_core.rules.text.introductions import tell_name
from memoryos_core.rules.text.spelling import is_english, write_out


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
        ("The user's phone is a Pixel 8.", ["Pixel 8"]),
        ("The user's phone number is the same as before.", []),
        ("The user's old number was 0612345678.", []),
    ],
)
def test_a_telephone_has_a_number_or_a_model(said: str, numbers: list[str]) -> None:
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


@pytest.mark.parametrize(
    ("said", "pets"),
    [
        ("The user has two dogs now, adopted a greyhound called Segfault.", ["dogs", "greyhound called Segfault"]),
        ("The user has got three cats, rescued a tabby called Biscuit.", ["cats", "tabby called Biscuit"]),
        ("The user has two rabbits.", ["rabbits"]),
    ],
)
def test_a_pet_that_is_adopted_beside_others_is_one_of_them(said: str, pets: list[str]) -> None:
    assert values(said, "pet") == pets


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        (["dogs", "greyhound called Segfault"], ["greyhound called Segfault"]),
        (["dogs", "dog Bruno"], ["dog Bruno"]),
        (["cat", "cat called Moth"], ["cat called Moth"]),
        (["dogs", "cat called Moth"], ["dogs", "cat called Moth"]),
        (["rabbits"], ["rabbits"]),
        (["dogs", "greyhound"], ["dogs", "greyhound"]),
    ],
)
def test_only_a_kind_is_not_shown_beside_a_named_one_of_it(told: list[str], shown: list[str]) -> None:
    assert without_unnamed(dict.fromkeys(told, "one statement")) == shown


def test_several_are_shown_beside_a_named_one_of_another_statement() -> None:
    assert without_unnamed({"dogs": "one", "greyhound called Blue": "other"}) == ["dogs", "greyhound called Blue"]


@pytest.mark.parametrize("said", ["The name is De Regenboog.", "And the name is Acorns.", "Its name is Labe."])
def test_a_name_of_something_is_not_the_users(said: str) -> None:
    assert not any(slot.attribute == "name" for slot in slots_of(said))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Hi, the name is Magda, I'm Dutch.", "Hi, My name is Magda. I'm Dutch."),
        ("Hi, the name is Python. I'm Tom.", "Hi, the name is Python. I'm Tom."),
    ],
)
def test_a_name_is_no_name_of_the_user_who_gives_another_one(said: str, told: str) -> None:
    assert tell_name(said) == told


def test_the_users_own_name_is_theirs() -> None:
    assert values("The user's name is Magda.", "name") == ["Magda"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("My daughter Lotte is at a new school. The name is De Regenboog.",
         "My daughter Lotte's new school is called De Regenboog."),
        ("And Defne must go to new school. The name is De Regenboog.", "Defne's new school is called De Regenboog."),
        ("There's a new vet. It's called Blackwell.", "The new vet is called Blackwell."),
    ],
)  # fmt: skip
def test_a_name_in_the_next_sentence_is_that_of_what_is_new(said: str, told: str) -> None:
    before, sentence = said.split(". ")
    assert name_what_began(f"{before}.", sentence) == told


def test_a_name_of_one_of_two_or_of_a_game_is_told_of_nothing() -> None:
    assert name_what_began("We have a new gym and a new pub.", "The name is Acorns.") is None
    assert name_what_began("There's a new school in the game.", "The name is Acorns.") is None
    assert name_what_began("I read about a new hospital.", "It's called Mercy.") is None


@pytest.mark.parametrize(
    ("said", "age"),
    [
        ("Defne became five years on 19 April.", "five"),
        ("Kofi became seven.", "seven"),
        ("Kofi became 7 last week.", "7"),
        ("Ana will be 60 on 3 May.", "60"),
        ("Ana turns 30 in June.", "30"),
        ("Kofi became one of the boys.", None),
        ("Kofi became 2 points better.", None),
        ("Ana will be 20 minutes late.", None),
        ("Ana will be 40 in the queue.", None),
        ("Ana will be 20 next week in the queue.", None),
        ("Ana is going to be 50 this year on the waiting list.", None),
        ("Ana will be 60 on 3 May 2027 and wants a party.", "60"),
    ],
)
def test_an_age_that_somebody_gets_to_is_theirs(said: str, age: str | None) -> None:
    assert next((slot.value for slot in slots_of(said) if slot.attribute == "age"), None) == age


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("eatin meat again since easter", "I'm eating meat again since easter"),
        ("drinkin coffee again now", "I'm drinking coffee again now"),
        ("and smoking again", "and I'm smoking again"),
        ("eating meat again was a mistake", "eating meat again was a mistake"),
        ("eating meat again?", "eating meat again?"),
        ("Eating meat again now that's what my brother does", "Eating meat again now that's what my brother does"),
        ("I shall be seventy-five on 8 May.", "I shall be 75 on 8 May."),
        (
            "I will turn thirty next week and my wife turns thirty-one in June.",
            "I will turn 30 next week. My wife turns 31 in June.",
        ),
        ("I shall be seventy-five minutes late.", "I shall be seventy-five minutes late."),
    ],
)
def test_what_is_left_out_in_quick_typing_is_written_in_full(said: str, written: str) -> None:
    assert write_out(said) == written


def test_quick_typing_without_a_subject_is_english() -> None:
    assert is_english("eatin meat again since easter", language_of)
