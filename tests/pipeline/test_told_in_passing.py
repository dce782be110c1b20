"""Health, work and names as people tell them in passing: what a profile and the facts make of them."""

from __future__ import annotations

import pytest

from tests.pipeline.test_belongings import known_after


@pytest.mark.parametrize(
    ("text", "allergy"),
    [
        ("coconut makes me come out in hives", "coconuts"),
        ("Kiwi and mango make me break out in a rash.", "kiwi, mango"),
        ("i come out in hives from mustard", "mustard"),
        ("Wool brings me out in a rash.", "wool"),
        ("Latex gives me a nasty rash.", "latex"),
        ("Strawberries swell up my tongue.", "strawberries"),
        ("Could be nice, but walnuts make my throat close.", "walnuts"),
        ("Coconut makes my son come out in hives.", None),
        ("The dog comes out in a rash from chicken.", None),
        ("Mustard makes me happy.", None),
        ("I never come out in hives from mustard.", None),
        ("Milk chocolate makes me think of home.", None),
    ],
)
def test_what_makes_somebody_ill_is_an_allergy(text: str, allergy: str | None) -> None:
    assert known_after(text)[1].get("allergy") == allergy


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        (("I've got an underactive thyroid.",), "condition", "underactive thyroid"),
        (("The doctor says I have type 2 diabetes.",), "condition", "type 2 diabetes"),
        (("The company I have shares in is in trouble.",), "condition", None),
        (("I take metformin.", "I'm on Jardiance instead of metformin now."), "medication", "Jardiance"),
        (("I take metformin.", "My doc switched me to Jardiance."), "medication", "metformin, Jardiance"),
        (("I take metformin.", "They moved me to Accounts."), "medication", "metformin"),
        (("I take metformin.", "I'm on Zoom instead of Teams now."), "medication", "metformin"),
        (("I work at Shell.", "I changed jobs, now I'm at BP."), "employer", "BP"),
        (("I work at Shell.", "I have changed the firm. Now I am at Bosch in Stuttgart."), "employer", "Bosch"),
        (("I work at Shell.", "I've moved to BP as a driver."), "employer", "BP"),
        (("I work at Shell.", "My brother changed jobs. Now I am at Luton waiting for him."), "employer", "Shell"),
        (("I work at Shell.", "Now I am at Luton Airport."), "employer", "Shell"),
        (("My name is Priya Patel.", "I got married, so it's Priya Sharma now."), "name", "Priya Sharma"),
        (("My name is Priya Patel.", "My sister got married, so it's Anita Sharma now."), "name", "Priya Patel"),
        (("im veggie", "i eat fish now, doctor said my b12 was on the floor"), "diet", None),
        (("im veggie", "my brother eats fish now"), "diet", "vegetarian"),
        (("I live in Cork.", "Now I share apartment with two girls in Dundrum."), "home", "Dundrum"),
        (("No coconut tho, it makes me come out in hives.", "i started eating fish again"), "food", None),
        (("My name is Nguyen Thi Linh.", "Now I share apartment with two girls in Dundrum."), "home", "Dundrum"),
        (("my names zoe",), "name", "zoe"),
        (("My names are Zoe and Ann.",), "name", None),
        (("Hi, Walter Hutchins speaking.",), "name", "Walter Hutchins"),
        (("I'm Priya.", "Hello, Strictly speaking I am 40."), "name", "Priya"),
        (("Hi, Roughly speaking how long does it take?",), "name", None),
        (("Onions make my eyes itch when I cut them.",), "allergy", None),
        (("My name is Sheila, Sheila McBride.",), "name", "Sheila McBride"),
    ],
)
def test_the_profile_has_it(said: tuple[str, ...], field: str, value: str | None) -> None:
    assert known_after(*said)[1].get(field) == value


@pytest.mark.parametrize(
    ("held", "news", "over"),
    [
        ("I have two cats.", "one of the cats died", False),
        ("I have three chickens.", "A fox got one of our chickens, she died.", False),
        ("I have two cats.", "Both cats died last winter.", True),
        ("I drive a Silverado.", "I sold my truck to Harlan's grandson.", True),
        ("I drive a Corsa.", "I sold my car.", True),
        ("I ride a Vespa.", "I sold my truck.", False),
        ("I drive a Silverado.", "My brother sold his truck.", False),
        ("My dad is in hospital.", "Dad passed on the 11th.", True),
        ("My dad is in hospital.", "Dad passed his driving test.", False),
        ("My dad is in hospital.", "Mum passed away last night.", False),
    ],
)
def test_what_ends_and_what_stays(held: str, news: str, *, over: bool) -> None:
    ended, _ = known_after(held, news)
    assert bool(ended) == over, ended
