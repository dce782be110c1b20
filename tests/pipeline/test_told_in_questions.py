"""What people tell of themselves in the middle of something else: in a question, by the way, without a full stop."""

from __future__ import annotations

import pytest

from tests.pipeline.test_belongings import known_after

_NOTHING: dict[str, str] = {}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        # Who is asked about is there.
        ("What should my husband Roland wear to a wedding?", {"husband": "Roland"}),
        ("Is it ok for my daughter Bridie to eat honey?", {"daughter": "Bridie"}),
        ("My son Max is 6, can he go alone?", {"son": "Max"}),
        ("And our cat, Txispa, eats butter, it's dangerous?", {"pet": "cat called Txispa"}),
        ("Why does my dog Bruno dig holes?", {"pet": "dog called Bruno"}),
        ("Can my rabbit, Clover, have parsley?", {"pet": "rabbit called Clover"}),
        ("What would you do if my dog Bruno were yours?", _NOTHING),
        ("Should I call my dog Rex or Bruno?", _NOTHING),
        ("What if my wife Sarah says no?", {"wife": "Sarah"}),
        ("Do you know any dog called Rex?", _NOTHING),
        ("What does my son need for Spain?", _NOTHING),
        ("Is my sister's husband Roland invited?", _NOTHING),
        ("Should I name my son Max or Ben?", _NOTHING),
        # One of several.
        ("One of my twins, Ander, can't eat hazelnut.", {"child": "Ander"}),
        ("one of our kids, Mila, has a cold, what helps?", {"child": "Mila"}),
        ("One of my daughters, Ada, plays chess.", {"daughter": "Ada"}),
        ("Ok, other thing: one of my twins, Ander, can't eat nuts, he swells up.", {"child": "Ander", "avoids": None}),
        ("One of my friends, Ada, plays chess.", _NOTHING),
        ("One of my kids' friends, Ada, plays chess.", _NOTHING),
    ],
)
def test_who_is_asked_about_is_known(said: str, told: dict[str, str | None]) -> None:
    known = known_after(said)[1]
    assert {name: known.get(name) for name in told} == told
    assert told or not known


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("now how do i tell my boss at Southline i cant do saturdays.", {"employer": "Southline"}),
        ("how do i tell my boss at southline i cant do saturdays", {"employer": "Southline"}),
        ("My manager at Tesco wants me in on Sunday.", {"employer": "Tesco"}),
        ("My shift at Greggs starts at five.", {"employer": "Greggs"}),
        ("What do I wear for my job at Aldi?", {"employer": "Aldi"}),
        ("My colleagues at Siemens gave me a plant.", {"employer": "Siemens"}),
        ("My old boss at Tesco wrote to me.", _NOTHING),
        ("My boss at Tesco was a nightmare back then.", _NOTHING),
        ("My first day at Hogwarts would be odd.", _NOTHING),
        ("My brother's boss at Tesco wants him in.", _NOTHING),
        ("My manager at work wants me in on Sunday.", _NOTHING),
        ("My boss at the moment is fine.", _NOTHING),
        ("my boss at home is my wife", _NOTHING),
        ("I had my interview for a job at Aldi.", _NOTHING),
        # "Here" is where who works there lives.
        ("I'm a physio at St Augustine's here in Durban", {"employer": "St Augustine's", "home": "Durban"}),
        ("I work at Lidl here in Cork.", {"employer": "Lidl", "home": "Cork"}),
        ("I'm a nurse here in Leeds and need a flyer.", {"occupation": "nurse", "home": "Leeds"}),
        ("The weather here in Rome is lovely.", _NOTHING),
        ("We're here in Rome until Friday.", _NOTHING),
        ("I'm a backend engineer at Paylume which does payment links.", {"employer": "Paylume"}),
        ("I live by myself in a two-bedroomed terrace in Hexham.", {"home": "Hexham"}),
        ("I live on the fourth floor in Kreyenbrück without lift.", {"home": "Kreyenbrück"}),
        ("I live by myself in a dream world.", _NOTHING),
        # Trades in other places of a sentence.
        ("where do i start im an electrician not a programmer", {"occupation": "electrician"}),
        ("I am a notary public in Novi Sad, with an office there.", {"occupation": "notary public"}),
        ("I am head of pastry there so it's me and one boy.", {"occupation": "head of pastry"}),
        ("I'm Itziar, I make cakes for a living.", {"name": "Itziar", "occupation": "make cakes"}),
        ("I cut hair for a living in Hull.", {"occupation": "cut hair"}),
        ("What do people do for a living in Hull?", _NOTHING),
        ("I used to cut hair for a living.", _NOTHING),
        ("He makes cakes for a living.", _NOTHING),
        ("I'd love to make cakes for a living.", _NOTHING),
    ],
)
def test_work_is_told_by_the_way(said: str, told: dict[str, str]) -> None:
    known = known_after(said)[1]
    assert {name: known.get(name) for name in told} == told
    assert told or not known


@pytest.mark.parametrize(
    ("said", "allergy"),
    [
        ("no prawns pls, shellfish and me = hospital", "shellfish"),
        ("crab and mussels give me a rash and shortness of breath.", "crab, mussels"),
        ("I once had mussels and they gave me a rash.", None),
        ("i told her no, penicillin made my throat swell in class 6", "penicillin"),
        ("i carry an epipen because of bee stings and they follow me", "bee stings"),
        ("I carry an EpiPen for peanuts.", "peanuts"),
        ("im allergic to paperwork ring them tomorrow", None),
        ("I'm allergic to mornings.", None),
        ("I'm allergic to peppers.", "peppers"),
        ("My son carries an epipen because of peanuts.", None),
        ("Peanuts and me don't mix, I'd end up in A&E.", "peanuts"),
        ("Maths and me = disaster", None),
        ("Coffee and me = love", None),
        ("Wasps and me don't mix.", None),
        ("Shrimp made my husband's throat swell.", None),
        ("I carry an epipen for nuts because my son is allergic.", None),
        ("I carry an EpiPen for peanuts for my daughter.", None),
        ("I carry an epipen for bee stings as a first aider at the school.", None),
        ("I carry an epipen for nuts since I was 12.", "nuts"),
        ("curry made my lips swell like Kylie lol", None),
    ],
)
def test_what_puts_somebody_in_hospital_is_an_allergy(said: str, allergy: str | None) -> None:
    assert known_after(said)[1].get("allergy") == allergy


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I turned sixty-two on the second as well, with a cake.", {"age": "62"}),
        ("I am fifty-seven and my knees know it.", {"age": "57"}),
        ("I attained the age of sixty-seven on the third of this month.", {"age": "67"}),
        ("I reached the age of 70 in May.", {"age": "70"}),
        ("she sent me money last week when i hit 25.", {"age": "25"}),
        ("I hit the big 4-0 on Friday.", {"age": "40"}),
        ("I'm 47 not 20", {"age": "47"}),
        ("I got celiac so nothing with wheat", {"allergy": "gluten (celiac)"}),
        ("Nikhilesh is my fiancé, he is a resident in Manipal.", {"fiancé": "Nikhilesh"}),
        ("I hit 50 on the motorway.", _NOTHING),
        ("I hit 100 followers last week.", _NOTHING),
        ("When I hit 40 I want a party.", _NOTHING),
        ("My dad hit the big 7-0 on Friday.", _NOTHING),
        # A name beside other words.
        ("nice\nbtw I'm Thandeka", {"name": "Thandeka"}),
        ("btw I'm Thandeka\nbut nobody calls me that, Thandi is fine", {"name": "Thandeka", "called": "Thandi"}),
        ("My name's Thandeka but no one calls me that, just Thandi.", {"name": "Thandeka", "called": "Thandi"}),
        ("My name is Bartholomew, Barty for short.", {"name": "Bartholomew", "called": "Barty"}),
        ("My name is Tom. Monday is fine.", {"name": "Tom", "called": None}),
        ("nice\nbtw I'm Late", _NOTHING),
        ("nice\nbtw I'm Irish", _NOTHING),
        ("hes my husband viliami hes a roofer so he thinks everything can be patched", {"husband": "Viliami"}),
        ("she's my wife aroha she's a teacher", {"wife": "Aroha"}),
        ("she's my wife always has been", _NOTHING),
        ("my dog bruno ate my socks again", {"pet": "dog Bruno"}),
        ("my cat smudge keeps meowing", {"pet": "cat Smudge"}),
        ("my dog walker loves him", _NOTHING),
        ("my dog food keeps going off", _NOTHING),
        # What is never eaten.
        ("no pork ever by the way", {"avoids": "pork"}),
        ("I don't eat pork.", {"avoids": "pork"}),
        ("we don't eat beef at home, any curry ideas?", {"avoids": "beef at home"}),
        ("No pork in the shop today.", _NOTHING),
        ("no nuts ever because we're a nut-free school", _NOTHING),
        ("I never eat sushi before a flight, is that silly?", _NOTHING),
        ("I don't eat meat on Fridays in Lent, any fish recipes?", _NOTHING),
        ("I never eat sushi", {"avoids": "sushi"}),
    ],
)
def test_age_names_and_food_are_told_by_the_way(said: str, told: dict[str, str | None]) -> None:
    known = known_after(said)[1]
    assert {name: known.get(name) for name in told} == told
    assert told or not known
