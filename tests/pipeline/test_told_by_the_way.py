"""What people tell by the way reaches the profile, and goes from it when it is over, whatever rules read beside it."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, WorkerConfig
from tests.pipeline.test_a_life_told import known_after


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        ("hurling training is back on wednesday nights. calf stretches?", "hobby", "hurling"),
        ("The new cholesterol one is atorvastatin, 20. Same family as the old one?", "medication", "atorvastatin 20"),
        ("The nerve test says carpal tunnel, moderate. Does a splint help?", "condition", "carpal tunnel"),
        ("My levothyroxine is 50 micrograms. Before coffee?", "medication", "levothyroxine 50 micrograms"),
        ("Write a sick note to my boss. Sign it Marek.", "name", "Marek"),
        ("You keep calling me Mr Pritchard. Call me Emrys like everybody else.", "name", "Emrys"),
        ("i've been bouldering twice a week to not think about it", "hobby", "bouldering"),
        (
            "i started the online logistics certificate at Rhodes State, need to know what 'bullwhip effect' is",
            "school",
            "Rhodes State",
        ),
        ("I had penicillin and it nearly killed me, I'm allergic to it.", "allergy", "penicillin"),
        ("I'm to cut all dairy while I'm nursing. What goes in tea?", "avoids", "dairy"),
    ],
)
def test_what_is_told_by_the_way_is_in_the_profile(said: str, field: str, value: str) -> None:
    assert known_after(said)[2].get(field) == value


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ("Tahlia's birthday is 20 November, cake idea?", "birthday"),
        ("Fergus's greyhound, Sorrel, ate a bun. Are raisins bad?", "pet"),
        ("Nice thing for Tanya? She does hair and she has this chihuahua named Peaches.", "pet"),
        ("me and Renee are official. she's got a boy, Caleb, 10. two sets of kids in one boat?", "child"),
        ("Dana's deathly with bees, who removes a hive?", "pet"),
        ("I'm to cut all dairy while I'm nursing. What goes in tea?", "diet"),
        ("New surgery says I'm allergic to nothing.", "allergy"),
        ("I'm 400 years old and I have two eggs.", "age"),
        ("Solicitor says it's slipped, now 12 June.", "condition"),
        ("We'll do a week in Dingle instead, from 8 August.", "home"),
    ],
)
def test_what_only_looks_like_a_value_is_none(said: str, field: str) -> None:
    assert field not in known_after(said)[2]


@pytest.mark.parametrize(
    ("said", "news", "field", "value"),
    [
        ("I take citalopram 10 mg.", "Citalopram is going up to 20. Weird dreams?", "medication", "Citalopram 20"),
        ("I take citalopram 10 mg.", "They put the citalopram up to 9 pounds a box.", "medication", "citalopram 10 mg"),
        ("I'm on lisinopril 10.", "i'm on losartan 50 now, no more lisinopril.", "medication", "losartan 50"),
        ("I take naproxen 250 mg.", "naproxen to 3 people at work, is that ok", "medication", "naproxen 250 mg"),
        ("My name is Kate.", "Sign it Marek, he's the sender.", "name", "Kate"),
        ("My name is Kate.", "Write to the landlord. Sign it Marek.", "name", "Kate"),
        ("I live in Leeds.", "We move to York on 3 May, if the survey is fine.", "home", "Leeds"),
        ("I work as a nurse.", "Asthma nurse swapped my brown inhaler for another one.", "occupation", "nurse"),
        ("I'm a surveyor.", "I feel like a retired vet today.", "occupation", "surveyor"),
        ("I work at Hartigan.", "Applied for the rail transfer, wish me luck.", "employer", "Hartigan"),
        ("I'm 38.", "So now there's a beagle. 2 years old, kids named him Waylon.", "age", "38"),
        ("My child is called Ann.", "My child is called Ben.", "child", "Ann, Ben"),
        ("My dog is called Rex.", "Had to let Rex go this morning. Vet came to the house.", "pet", None),
        ("I live in Leeds and keep a rabbit called Fudge.", "Fudge died in May.", "pet", None),
        ("My child is called Ann.", "Ann died in May.", "child", None),
        ("I take venlafaxine 150 mg.", "doc dropped venlafaxine back to 75", "medication", "venlafaxine 75 mg"),
    ],
)
def test_a_value_stands_until_news_of_it(said: str, news: str, field: str, value: str | None) -> None:
    assert known_after(said, news)[2].get(field) == value


@pytest.mark.parametrize("name", [None, "Tom"])
@pytest.mark.parametrize("later", [0, 1])
def test_a_value_ends_for_named_users_too_and_among_pages_of_one_time(name: str | None, later: int) -> None:
    said = ("My dog is called Rex.", "Had to let Rex go this morning. Vet came to the house.")
    with MemoryOS("sqlite://", embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual"))) as memory:
        for number, text in enumerate(said):
            at = datetime(2026, 5, 1 + later * number, tzinfo=timezone.utc)
            user = memory.user("k", session_id=f"s{number}")
            user.add_messages(
                [Message("user", text, name=name, timestamp=at), Message("assistant", "ok", timestamp=at)]
            )
            user.end_session()
            user.consolidate()
        assert "pet" not in {field.name for field in memory.user("k").profile().fields}
