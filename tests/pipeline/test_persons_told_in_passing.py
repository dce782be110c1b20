"""Who the user is, told in passing: name, age, work, car, town, children and pets, and what is only played."""

from __future__ import annotations

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


def profile_after(*said: str) -> dict[str, str]:
    """Return the profile after messages of one session, each of them answered."""
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        user = memory.user("u", session_id="s")
        for text in said:
            user.add(text, "Noted.")
        user.end_session()
        user.consolidate()
        return {field.name: field.value for field in user.profile().fields}


@pytest.mark.parametrize(
    ("text", "name", "called"),
    [
        ("ta. Declan is the name by the way, been up since four", "Declan", None),
        ("Right so. Orla's my name. What time is high tide?", "Orla", None),
        ("the name's Fintan btw", "Fintan", None),
        ("I am Wioletta, but everybody says Wila. I bake.", "Wioletta", "Wila"),
        ("I'm Alejandro but everyone calls me Jandro.", "Alejandro", "Jandro"),
        ("I'm Kofi, third-year in a plant lab at Cornell, so you'll hear about moss", "Kofi", None),
        ("We picked a name for the baby. Shannon is the name.", None, None),
        ("Our dog had pups, the name's Bruno btw", None, None),
        ("Bruno is the name of the dog next door.", None, None),
        ("The shop opens in May. Rosie is the name.", None, None),
        ("Patience is the name of the game.", None, None),
    ],
)
def test_a_name_told_by_the_way_is_the_name(text: str, name: str | None, called: str | None) -> None:
    profile = profile_after(text)
    assert (profile.get("name"), profile.get("called")) == (name, called)


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("52 today! The lads got me a cake.", "52"),
        ("I'm 34 today. Feeling old.", "34"),
        ("I have 41 years and I still fear the dentist.", "41"),
        ("turning 30 on November 8 and I'd like zero fuss", "29"),
        ("Learning to swim at 61.", "61"),
        ("as a 37 year old I shouldn't ache this much", "37"),
        ("At 62 you'd think I'd know better.", "62"),
        ("At 62 I retired.", None),
        ("I'm 45 in dog years.", None),
        ("As a 20 year old I was slim.", None),
        ("18 today, 14 tomorrow, so bring a coat.", None),
        ("My daughter is home. 18 today. We got a cake.", None),
        ("I have 20 years of experience.", None),
        ("How long until the pension? I have 30 years.", None),
        ("My sister's big day is coming. Turning 40 on May 4.", None),
        ("Turning 40 next week and she wants a cake.", None),
        ("Start the oven, turning 30 degrees down in May.", None),
        ("I'm starting work at 7.", None),
    ],
)
def test_an_age_told_in_passing_is_the_age(text: str, age: str | None) -> None:
    assert profile_after(text).get("age") == age


@pytest.mark.parametrize(
    ("text", "work", "employer"),
    [
        ("i drive the tanker for Corrib, nights mostly", "tanker driver", "Corrib"),
        ("I'm driving a bus for Lothian these days.", "bus driver", "Lothian"),
        ("I have small bakery in Hulme, nobody else is up", "runs a bakery", None),
        ("We own a little bookshop near Ludlow.", "runs a bookshop", None),
        ("I clean offices for Corrib, so I know the type.", None, "Corrib"),
        ("in my job as a nurse you see a lot", "nurse", None),
        ("corrib are sound about it. Have me in the office for now.", None, "Corrib"),
        ("The lads are sound about it. Have me in stitches.", None, None),
        ("They are great about it. They have me in the office.", None, None),
        ("Everyone was lovely about it. They have me in the shop for a photo.", None, None),
        ("I clean offices for fun.", None, None),
        ("In his job as a nurse you see a lot.", None, None),
        ("My brother drives the tanker for Corrib.", None, None),
        ("I used to drive a lorry for Corrib.", None, None),
        ("I want to drive the tram for TfL.", None, None),
        ("If I drive the van for Corrib I miss class.", None, None),
        ("I have a bakery in mind for the cake.", None, None),
        ("I have a bakery in Stardew Valley.", None, None),
        ("We have a restaurant booked.", None, None),
        ("My aunt has a bakery in Leeds.", None, None),
    ],
)
def test_what_one_drives_or_owns_tells_the_work(text: str, work: str | None, employer: str | None) -> None:
    profile = profile_after(text)
    assert (profile.get("occupation"), profile.get("employer"), profile.get("vehicle")) == (work, employer, None)


@pytest.mark.parametrize(
    ("said", "vehicle"),
    [
        (("mine is due its test. 14 passat, 210 thousand on her",), "2014 Passat"),
        (("that golf was a wreck, so I drove home in a Yaris instead",), "Yaris"),
        (("I drive a Clio.", "that golf was a wreck, so I drove home in a Yaris instead"), "Yaris"),
        (("my old Fiesta failed its MOT",), "Fiesta"),
        (("just picked up my new Corsa",), "Corsa"),
        (("I picked up my new Golf clubs",), None),
        (("my Polo shirt needs new buttons",), None),
        (("My brother's Fiesta failed its MOT",), None),
        (("I drove home in a rental Tucson.",), None),
        (("We drove home in a Tucson my friend lent me.",), None),
        (("My brother drove home in a Golf.",), None),
        (("Which one is better? A 2012 Octavia, 200k on the clock",), None),
    ],
)
def test_a_ride_home_or_a_mileage_tells_the_car(said: tuple[str, ...], vehicle: str | None) -> None:
    assert profile_after(*said).get("vehicle") == vehicle


@pytest.mark.parametrize(
    ("text", "home"),
    [
        ("keys back to the landlord yesterday. athlone man now", "Athlone"),
        ("We moved on Friday. Official Limerick girl now!", "Limerick"),
        ("We got the keys. Happy man now.", None),
        ("We moved. Broke man now.", None),
        ("The boxes are in. Family man now.", None),
        ("He moved up. athlone man now", None),
        ("Great match. athlone man now on the ball", None),
    ],
)
def test_the_town_that_one_is_now_of_is_the_home(text: str, home: str | None) -> None:
    assert profile_after(text).get("home") == home


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        (("off to the lake with the young lad", "he's 12. Fionn. I have him every second weekend"), "son", "Fionn"),
        (("She's nine. Maeve. We have her at weekends.",), "daughter", "Maeve"),
        (("What can my son Olek eat?", "Hania, eleven, wants nothing."), "child", "Hania"),
        (("Ines made a sign for the race", "she introduced me as her boyfriend"), "girlfriend", "Ines"),
        (("New person in the house: Miso. Grey, from Cats Protection.",), "pet", "cat called Miso"),
        (("New member of the family: Rolo. Terrier cross, three years.",), "pet", "terrier called Rolo"),
        (("my lad Ben is 7 and hates peas",), "son", "Ben"),
        (("our youngest, Freya, turned 4 on Sunday",), "child", "Freya"),
        (("the missus, Sue, wants a porch",), "wife", "Sue"),
        (("my other half Dan snores",), "partner", "Dan"),
        (("Dan (my husband) snores",), "husband", "Dan"),
        (("my daughter (Freya) turned 4",), "daughter", "Freya"),
        (("the dog (Rex) hates fireworks",), "pet", "dog called Rex"),
        (("my cat, Moth, is ill again",), "pet", "cat Moth"),
        (("In the film, the wife, Sue, dies.",), "wife", None),
        (("my boss's wife, Sue, wants a porch",), "wife", None),
        (("our youngest, Marta, joined the team last week",), "child", None),
        (("my ex wife, Sue, called",), "wife", None),
        (("The dog (Rex) belongs to Tom.",), "pet", None),
        (("my eldest Friday was ill",), "child", None),
        (("He's 12. Fionn. My cousin has him every second weekend",), "son", None),
        (("My son is ill. Friends come over. Hania, eleven, eats everything.",), "child", None),
        (("Ines and Marta made a sign", "she introduced me as her boyfriend"), "girlfriend", None),
        (("New member of the family: Theo. He loves the puppy.",), "pet", None),
        (("New arrival in the house: Theo. 7 lbs.",), "pet", None),
    ],
)
def test_who_is_whose_may_be_told_over_two_sentences(said: tuple[str, ...], field: str, value: str | None) -> None:
    assert profile_after(*said).get(field) == value


@pytest.mark.parametrize(
    "said",
    [
        ("pretend your the doctor and im the patient", "im a 70 year old tap dancer. I live in Rome."),
        (
            "Help me with a backstory: I'm Torvin, a dwarf",
            "love it. I live in a lighthouse and I'm a 300 year old cook.",
        ),
        ("I got engaged to a duke and I live in Monaco.", "April fools. What is 2 + 2?"),
        ("I live in Monaco now.", "haha just kidding"),
    ],
)
def test_a_game_and_a_joke_tell_nothing(said: tuple[str, ...]) -> None:
    assert profile_after(*said) == {}


def test_a_joke_takes_back_no_more_than_itself() -> None:
    assert profile_after("I live in Hull.", "I got engaged to a duke.", "just kidding") == {"home": "Hull"}
