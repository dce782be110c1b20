"""A self-introduction tells several things at once: each becomes a sentence that rules can read and news replace."""

from __future__ import annotations

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.rules.text.introductions import take_apart
from memoryos_core.rules.text.names import is_name, name_alone

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "I'm Craig, a 44-year-old colour technologist, and I'm trying to learn algebra, but it is hard.",
            "My name is Craig. I'm 44. I work as a colour technologist. I'm trying to learn algebra, but it is hard.",
        ),
        (
            "I'm a colour technologist from Port Michael, but I've never studied it.",
            "I work as a colour technologist. I'm from Port Michael. I've never studied it.",
        ),
        ("I'm Ana, 31, and I teach maths.", "My name is Ana. I'm 31. I teach maths."),
        (
            "I'm 29, a software engineer at Shopify in Toronto.",
            "I'm 29. I work as a software engineer. I work at Shopify in Toronto.",
        ),
        ("I'm the head chef at Nopi.", "I work as the head chef. I work at Nopi."),
        ("I work at Siemens as an engineer.", "I work as an engineer. I work at Siemens."),
        ("We have two cats, Moth and Ada.", "I have a cat called Moth. I have a cat called Ada."),
        (
            "I'm a nurse, live in Leeds with my husband Tom.",
            "I work as a nurse. I live in Leeds with my husband Tom.",
        ),
        (
            "I'm a mum of two (Ella 6, Max 3), based in Bristol.",
            "I'm a mum of two (Ella 6, Max 3). I'm based in Bristol.",
        ),
        (
            "Hello! Sam here - product designer from Berlin, 34 years old.",
            "Hello! My name is Sam. I work as a product designer. I'm from Berlin. I'm 34.",
        ),
        ("I'm 25 and single, living in Oslo with two cats.", "I'm 25. I'm single. I'm living in Oslo with two cats."),
        ("As a nurse in Leeds I get up at 5.", "I work as a nurse in Leeds. I get up at 5."),
        ("I can't lift it because I'm 61, a retired welder.", "I can't lift it. I'm 61. I'm a retired welder."),
        ("I'm a student at MIT, from Chicago.", "I'm a student at MIT. I'm from Chicago."),
        ("I'm 71 and a retired plumber.", "I'm 71. I'm a retired plumber."),
        ("I'm Lea. I work at Siemens.", "My name is Lea. I work at Siemens."),
        ("I'm Tom and I teach.", "My name is Tom. I teach."),
        ("I'm Hope and I'm from Leeds.", "My name is Hope. I'm from Leeds."),
        ("I'm Raj and my husband is Al.", "My name is Raj. My husband is Al."),
        ("I'm allergic to nuts and dust.", "I'm allergic to nuts. I'm allergic to dust."),
        ("I take metformin 500mg and ramipril.", "I take metformin 500mg. I take ramipril."),
        ("I pay for Netflix, Spotify and Disney+.", "I pay for Netflix. I pay for Spotify. I pay for Disney+."),
        ("I have a cat called Bean and a dog called Rex.", "I have a cat called Bean. I have a dog called Rex."),
        ("I swim on mondays and run on Fridays.", "I swim on mondays. I run on Fridays."),
        (
            "I have a dentist appointment on 14 jan at 10am and a haircut on 16 jan at 2pm.",
            "I have a dentist appointment on 14 jan at 10am. I have a haircut on 16 jan at 2pm.",
        ),
        ("My kids are Ben and Ada.", "I have a kid called Ben. I have a kid called Ada."),
        ("Our dogs are Rex and Moss.", "We have a dog called Rex. We have a dog called Moss."),
    ],
)
def test_each_part_becomes_a_sentence(said: str, told: str) -> None:
    assert take_apart(said) == told
    assert take_apart(told) == told


@pytest.mark.parametrize(
    "said",
    [
        "I'm a huge fan of the band from Leeds.",
        "I'm allergic to cats and most things with fur.",
        "I'm allergic to nuts and it's awful.",
        "I'm Catholic and I'm from Leeds.",
        "I'm German and my husband is Al.",
        "I take sugar and milk in my tea.",
        "I take care and time with it.",
        "I have a headache and need help.",
        "I have a meeting on Monday and Tuesday.",
        "I work at Marks and Spencer.",
        "My kids are lovely and Ada is the best.",
        "I'm a designer for a company from Berlin.",
        "If I'm a teacher from France, can I work?",
        "I'm a bit tired, a little hungry and fed up.",
        "I'm happy, healthy and 30.",
        "I'm sorry, a friend from Berlin told me.",
        "I'm stuck, a bug in my code from Monday.",
        "I'm 12 km in, a runner from Oslo passed me.",
        '"I\'m Craig, a 44-year-old welder", said the man.',
        "I'm Paul's brother, a cook.",
        "I'm Irish, a bit like you.",
        "Sarah, 30, nurse from Leeds, is my sister",
        "Rex, 12, golden retriever, from the shelter. Is the food ok?",
        "I'm from Los Angeles, born and raised.",
        "As a nurse I worked nights.",
        "I'm Done. I quit.",
        "I'm not a doctor, a nurse from Leeds told me that.",
        "I'm a doctor, a nurse from Leeds told me that.",
        "I'm Head Chef, 44.",
        "I'm Sam, the one who called yesterday.",
        "I'm a driver from 9 to 5.",
        "I work at Shell as a driver and at Dell as a cook.",
        "I used to say I'm Bob, a 40-year-old clown from Rio.",
        "My boss said: I'm a fool, a clown from Rio.",
        "I work at home as a rule.",
        "I work for Shell as well.",
        "I'm Irish. I live in Cork.",
        "I'm Lea. The weather is nice.",
        "In Bremen, 19.–24. Oktober",
        "On Friday, 25.",
        "Hotel Atlantik, 64. I booked it.",
        "The Hobbit, 11.",
        "Nach Hamburg, 14. Juli.",
        "Bis Freitag, 22. August.",
    ],
)
def test_what_only_looks_like_one_stays(said: str) -> None:
    assert take_apart(said) == said


@pytest.mark.parametrize(
    ("said", "profile"),
    [
        (
            "I'm Craig, a 44-year-old colour technologist from Port Michael, and I'm trying to learn algebra.",
            {"name": "Craig", "age": "44", "occupation": "colour technologist", "origin": "Port Michael"},
        ),
        ("I live in San Francisco, I've only been to Orlando once.", {"home": "San Francisco"}),
        ("I live in Graz, I'm a teacher.", {"home": "Graz", "occupation": "teacher"}),
        ("I live in a dorm on my own!", {"home": "dorm"}),
        ("I'm Ana, 31, and I teach maths in Leeds.", {"name": "Ana", "age": "31", "occupation": "teaching maths"}),
        ("I study at NYU. I'm majoring in Psychology.", {"school": "NYU", "studies": "Psychology"}),
        # What is read for a while, what has a name of its own, what others do.
        ("I'm studying the Toulmin model.", {}),
        ("I'm studying Euclid's Elements Book I.", {}),
        ("One of my favourite pieces, this abstract expression known as Blue Rider, was made in 1903.", {}),
        (
            "Working as a teacher assistant on campus not only provides valuable experience but also allows you to"
            " balance work.",
            {},
        ),
    ],
)
def test_the_profile_has_what_somebody_says_of_themselves(said: str, profile: dict[str, str]) -> None:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        user = memory.user("u", session_id="s")
        user.add(said, "Noted.")
        user.end_session()
        user.consolidate()
        assert {field.name: field.value for field in user.profile().fields} == profile


@pytest.mark.parametrize(
    "said",
    ["I'm ", "I'm a ", "\"I'm Bo, 44. ", "I'm Bo, 44, and I run. ", "I'm Bo, a cook. I go. ", "As a cook I ", "Hi "],
)
def test_a_megabyte_is_taken_apart_at_once(said: str) -> None:
    assert take_apart(said * (1_000_000 // len(said)))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I'm a nurse, a mother and a painter.", "I work as a nurse and painter. I'm a mother."),
        ("I'm a teacher and a part-time DJ.", "I work as a teacher and part-time DJ."),
        ("I'm a student and a barista.", "I'm a student and barista."),
        ("I'm a nurse and a terrible cook.", "I work as a nurse. I'm a terrible cook."),
        ("I'm a baker at Lumen and a photographer.", "I work as a baker and photographer. I work at Lumen."),
    ],
)
def test_trades_that_are_told_together_stand_in_one_sentence(said: str, told: str) -> None:
    assert take_apart(said) == told


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("I'm Tamsin.", "Tamsin"),
        ("I'm Priya by the way", "Priya"),
        ("im priya btw", "Priya"),
        ("btw im leila", "Leila"),
        ("hey im marek, nice to meet you", "Marek"),
        ("i'm yuki, by the way!", "Yuki"),
        ("I'm Tom Hale.", "Tom Hale"),
        ("I am Oluwaseun Adebayo!", "Oluwaseun Adebayo"),
        ("I'm Ann-Marie O'Dowd", "Ann-Marie O'Dowd"),
        ("I'm Sunni.", None),
        ("Dr Amina Yusuf here", "Amina Yusuf"),
        ("hi this is Priya speaking", "Priya"),
        ("name's Jess", "Jess"),
        ("I'm Dr Amina Yusuf", "Amina Yusuf"),
        ("Summer here!", None),
        ("I'm Team Edward.", None),
        ("I'm Roman Catholic.", None),
        ("I'm South African.", None),
        ("I'm Gen Z.", None),
        ("I'm Head Chef.", None),
        ("I'm Finance Director.", None),
        ("I'm Middle Eastern.", None),
        ("I'm Type One.", None),
        ("I'm Irish American.", None),
        ("I'm Not Kidding.", None),
        ("im tired btw", None),
        ("im vegan btw", None),
        ("im extra btw", None),
        ("im pleased and nice to meet you", None),
        ("im in nova scotia btw", None),
        ("im leila's brother btw", None),
        ("im so hungry btw", None),
    ],
)
def test_a_message_of_a_name_alone_tells_it(said: str, name: str | None) -> None:
    found = name_alone(said)
    assert (found if found is not None and is_name(found) else None) == name


@pytest.mark.parametrize(
    ("said", "fields"),
    [
        ("Hi, I'm Siobhan, 41.", {"name": "Siobhan", "age": "41"}),
        ("I'm Jo O'Neill-Núñez, 41.", {"name": "Jo O'Neill-Núñez", "age": "41"}),
        ("I'm Grace. My daughter Grace is 7.", {"name": "Grace", "daughter": "Grace"}),
    ],
)
def test_an_introduction_without_another_english_word_is_read(said: str, fields: dict[str, str]) -> None:
    with MemoryOS("sqlite://", config=MANUAL) as memory:
        user = memory.user("user")
        user.add(said, "Noted.")
        user.end_session()
        user.consolidate()
        assert {field.name: field.value for field in user.profile().fields} == fields
