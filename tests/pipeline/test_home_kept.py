"""What only sounds like a move, a job or a car leaves the profile as it is; what is one is understood."""

from __future__ import annotations

import pytest

from memoryos_core.extract.people import with_same_subject
from tests.pipeline.test_belongings import known_after

HOME, JOB = "I live in Leeds.", "I work at Shell."


def profile_after(*said: str) -> dict[str, str]:
    return known_after(*said)[1]


@pytest.mark.parametrize(
    "news",
    [
        "my mate gary works at the docks and lives in Hull.",
        "My co-founder Ines quit Google and lives in Bath.",
        "My physio has a dog and lives in Hull.",
        "I moved to Product Marketing last week.",
        "i moved to decaf",
        "We've moved to oat milk.",
        "I moved from coffee to matcha.",
        "I've moved to a four day week.",
        "I moved to part time in May.",
        "The call has moved to the 17th, is that ok?",
        "We have moved to Google Workspace.",
        "We moved to the second half of the year.",
        "I've moved from nights to days.",
        "I moved up to band 7!",
        "I moved to a new team last month.",
        "Since Monday I've moved desks twice.",
        "We were sent over to platform 9, so I've moved to platform 9.",
        "They changed it, so I've moved to Gate 31.",
        "I moved to seat 14C by the window.",
        "The boiler burst, so we've moved to a hotel in Ripon.",
        "We've moved to a quieter campsite near Whitby.",
        "We moved to another one in Naples.",
        "I've moved to the hospital in Hull.",
        "I moved to the office in Leeds.",
        "I moved to a branch in York last month.",
        "We're living in a hotel in York while the kitchen is done.",
        "I picked up the keys to the office this morning.",
        "I've got the keys to the allotment.",
        "I lost the keys to the van.",
        "I have lived in this house since 1991.",
        "We've lived in the same flat for twelve years.",
        "We moved to this village in 1990.",
        "We've moved across town.",
        "We moved house within Leeds.",
        "We moved down the road last week.",
        "Found a flat! In total 900 a month.",
        "found a flat! lovely, one bed",
        "Found a flat for my sister! It's in Otley.",
        "My sister found a flat! It's in Otley.",
        "Got a flat!! Otley Road, from 15 May.",
        "Found a place! It's in Otley, great pizza.",
        "She's in the new flat in Otley.",
        "The party is in the new house in Otley.",
        "I got a flat tyre. Otley Road.",
        "We've moved on from the pricing debate.",
        "We moved the wedding to 30 August.",
        "Our new flat mate is called Jo.",
        "My new house plant is dying.",
        "We agreed on new house rules.",
        "if i won the lottery id quit and live in goa",
        "If I won the lottery I'd quit tomorrow and move to Goa.",
        "We might sell up and live in Spain.",
        "We live in hope.",
        "I live in fear of my ward manager.",
        "i live in trackies",
        "Flat is on the third floor, 1380 a month, contract two years.",
        'Is this any good? "I live in York and I love it."',
        'Can you shorten this? "I\'m a plumber and I live in Hull."',
        'I wrote this for my client, does it read well? "I am a dentist and I live in York."',
        "can you make this friendlier? Hi, I live in York and I'd like to rent your garage.",
        "My essay starts like this: I live in a village by the sea.",
    ],
)
def test_the_home_stays(news: str) -> None:
    assert profile_after(HOME, news) == {"home": "Leeds"}


def test_who_moves_to_a_medicine_takes_it_at_home() -> None:
    assert profile_after(HOME, "I've moved to insulin.") == {"home": "Leeds", "medication": "insulin"}


@pytest.mark.parametrize(
    ("news", "home"),
    [
        ("I moved to York last week.", "York"),
        ("moved back to Hull to be near mum", "Hull"),
        ("We moved to Hull for Ann's job.", "Hull"),
        ("I moved to Leeds to start uni.", "Leeds"),
        ("I moved to a house next to the church.", "house next to the church"),
        ("i moved to york last week", "york"),
        ("We've moved to a village near Ripon.", "village near Ripon"),
        ("I moved from the flat to a house in Otley.", "Otley"),
        ("My mate Gary and I live in York now.", "York"),
        ("I moved to the old rectory in May.", "old rectory"),
        ("I live on a boat now.", "boat"),
        ("We live on a campsite in Devon now.", "campsite in Devon"),
        ("We've moved to a campsite in Devon for good.", "campsite in Devon"),
        ("I moved onto a narrowboat in Selby.", "narrowboat in Selby"),
        ("We moved house within York, to Acomb.", "Acomb"),
        ("We've moved to a company flat in Dubai.", "Dubai"),
        ("We moved to one of the new towers in Hull.", "one of the new towers in Hull"),
        ("I moved to an old school house in Otley.", "Otley"),
        ("We moved to a flat above a shop in Hull.", "flat above a shop in Hull"),
        ("I moved to Gate Street in Hull.", "Gate Street"),
        ("in the new flat in Ripon, boxes everywhere", "Ripon"),
        ("I'm in the new flat in Ripon.", "Ripon"),
        ("We're finally in our new house in Selby!", "Selby"),
        ("Found a flat! It's in Ripon.", "Ripon"),
        ("found a flat! in ripon, one bed", "Ripon"),
        ("found a flat! selby, one bed, 700 a month", "Selby"),
        ("We've got the keys to our new place! Ash Road, top floor.", "Ash Road"),
        ("Moved in with Jana today. Lindenstraße.", "Lindenstraße"),
        ("I moved in with Tom last week, in Otley.", "Otley"),
        ("We've moved house. It's in Ripon.", "Ripon"),
        ("I live in this cottage in Otley now.", "Otley"),
        ("Hello from Leith! Moved in on Saturday.", "Leith"),
        ("Hello from Leith, we moved in on Saturday.", "Leith"),
        ("I moved to Day Street in Bristol.", "Day Street"),
        ("Could you check this for me? Hi, I moved to Oslo in May, do I need a visa?", "Oslo"),
        ("I quit my job and live in York now.", "York"),
        ('I told them: "I live in York now."', "York"),
    ],
)
def test_a_move_is_still_one(news: str, home: str) -> None:
    assert profile_after(HOME, news).get("home") == home


@pytest.mark.parametrize("text", ["I have lived in this house since 1991.", "Ich wohne seit 1991 in diesem Haus."])
def test_this_house_tells_no_place(text: str) -> None:
    assert "home" not in profile_after(text)


@pytest.mark.parametrize(
    "text",
    [
        "Hello from Split! We moved in procession with the locals.",
        "Greetings from Nantes! Moved in on Angers fast, we drive there tomorrow.",
    ],
)
def test_who_moves_in_some_way_has_no_new_home(text: str) -> None:
    assert "home" not in profile_after(text)


@pytest.mark.parametrize(
    "text",
    [
        "at christmas we drive to Wroclaw to my mother",
        "We drive to Scotland every summer.",
        "I drive to work.",
        "We drive on the left here.",
        "I drive people mad.",
        "I drive my mum to the hospital every Monday.",
        "I drive myself crazy with these lists.",
    ],
)
def test_not_everything_that_is_driven_is_a_vehicle(text: str) -> None:
    assert "vehicle" not in profile_after(text)


@pytest.mark.parametrize(
    ("text", "vehicle"),
    [
        ("I drive a corsa to work.", "corsa"),
        ("We drive a blue Skoda Octavia.", "blue Skoda Octavia"),
        ("I drive my dad's old Volvo.", "their dad's old Volvo"),
        ("I ride a Vespa scooter.", "Vespa scooter"),
        ("I drive a 2004 Silverado and the heater has quit.", "2004 Silverado"),
    ],
)
def test_a_vehicle_is_still_one(text: str, vehicle: str) -> None:
    assert profile_after(text)["vehicle"] == vehicle


@pytest.mark.parametrize("news", ["I work at being nicer.", "I work at making friends."])
def test_what_somebody_works_at_may_be_no_employer(news: str) -> None:
    assert profile_after(JOB, news) == {"employer": "Shell"}


@pytest.mark.parametrize(
    ("told", "news"),
    [
        ("I live in Leeds with a dog called Bo.", "Bo died on Monday."),
        ("I live in Leeds and have a dog called Bo.", "Bo died on Monday."),
        ("I live in Leeds with a tabby cat named Pip.", "Pip died last night."),
        ("I live in Leeds and keep a rabbit called Fudge.", "Fudge died in May."),
        ("I live in Leeds with a dog.", "The dog died last week."),
    ],
)
def test_a_pet_that_died_ends_no_home(told: str, news: str) -> None:
    assert profile_after(told, news) == {"home": "Leeds"}


@pytest.mark.parametrize(
    "told",
    ["I live in Leeds with a dog called Bo.", "We live in Leeds and have a dog called Bo."],
)
def test_a_home_that_ended_ends_no_pet(told: str) -> None:
    assert profile_after(told, "We've moved to York.") == {"home": "York", "pet": "dog called Bo"}


@pytest.mark.parametrize(
    "news",
    [
        "My grandparents moved as well. Sold the bungalow and live in Devon now.",
        "My brother moved too, at last. Sold the flat and lives in Bath now.",
        "My sister rang. Moved to York and got a dog.",
        "Our son Tom has graduated. Lives in Hull now.",
        "My best friend Ana got married. Moved to Porto with him.",
        "Nora's fine. Lives in Otley on her own.",
        "My cousins emigrated. Live in Perth now.",
        "brother moved too. Sold the flat and lives in Bath now",
        "She finally retired. Sold the shop and lives in Spain now.",
        "They sold the house. Moved to York in May.",
        "hes fine. lives in otley on his own since mum died",
        "New client today. Lives in Hull, works at Shell, allergic to eggs.",
        "I had a patient in, 60yo man. Lives in Goole on his own.",
        "A customer came by. Lives in Hull and has a dog called Rex.",
        "My student lives in Hull and is vegan.",
    ],
)
def test_who_goes_on_about_another_person_has_not_moved(news: str) -> None:
    assert profile_after(HOME, news) == {"home": "Leeds"} | ({"son": "Tom"} if "Tom" in news else {})


def test_a_patients_mother_is_not_the_users() -> None:
    told = ["call today: 30yo woman, allergic to wasps.", "My mum drove her in."]
    assert list(with_same_subject(told)) == [told[0], "The woman's mum drove her in."]
    assert list(with_same_subject(told[1:])) == told[1:]


@pytest.mark.parametrize(
    "news",
    [
        "My client rang. Moved to York last week.",
        "My sister's wedding was lovely. Moved to York last week.",
        "My boss quit. Moved to York last week.",
        "My parents helped us. Moved to York on Saturday.",
        "My landlord sold the flat. Moved to York last week.",
        "My mum is ill. Moved to York to be near her.",
        "I saw my sister. Moved to York last week.",
        "Bath is lovely. Moved to York last week.",
        "Moved to York last week. My sister helped.",
        "My brother rang. I live in York now.",
    ],
)
def test_who_moves_beside_another_person_has_moved(news: str) -> None:
    assert profile_after(HOME, news)["home"] == "York"


@pytest.mark.parametrize(
    "news",
    [
        'My uncle wrote: "I live now in Bergen with my dog Loki."',
        "My uncle wrote me: 'I live now in Bergen with my dog Loki.'",
        'Here is her letter, could you check it: "Dear Jo, I live in Bergen with my cat Loki. Yours, Pat."',
        'Look at this: "We live in Bergen with our dog Loki."',
        'My uncle\'s letter says: "My son Tim is a nurse and my dog Loki is old."',
        'My aunt sent us this: "I have a dog called Loki. My wife is called Ida."',
        'My aunt wrote: "My dog Loki loves it here. Our car is a red Volvo."',
    ],
)
def test_what_others_have_is_not_the_users(news: str) -> None:
    assert profile_after(HOME, news) == {"home": "Leeds"}


@pytest.mark.parametrize(
    ("news", "pet"),
    [
        ('I told her: "I live in York now with my dog Loki."', "dog called Loki"),
        ('My dog Loki hates "The Archers".', "dog Loki"),
        ('Write a "get well" card for my cat Pip.', "cat called Pip"),
    ],
)
def test_what_the_user_has_is_told_beside_a_quotation(news: str, pet: str) -> None:
    assert profile_after(HOME, news)["pet"] == pet
