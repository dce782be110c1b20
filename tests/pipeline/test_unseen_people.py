"""What six made-up people told in passing, and what a profile and the facts must not make of it."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from memoryos_core import MemoryOS
from memoryos_core.rules.knowledge.slots import slots_of
from tests.pipeline.test_a_life_told import MANUAL, NOW, known_after

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


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("i live in dayton rn its boring af", "home", "dayton"),
        ("We live in Bray atm", "home", "Bray"),
        ("We live in Leeds bc the rent is cheap", "home", "Leeds"),
        ("I've lived in Ghent for twenty-two years.", "home", "Ghent"),
        ("I have lived at 9 Shore Street for twelve years.", "home", "9 Shore Street"),
        ("im allergic to cats fwiw, so no cat cafe", "allergy", "cats"),
        ("I work at Asda the pay is bad", "employer", "Asda"),
        ("We have a labradoodle called Biscuit and that's quite enough animals.", "pet", "labradoodle called Biscuit"),
        ("i have a hamster his name is pickle", "pet", "hamster called Pickle"),
        ("I work as an rn.", "occupation", "rn"),
        ("I work at The Range.", "employer", "Range"),
        ("I live at the top of the hill.", "home", "top of the hill"),
    ],
)
def test_a_sentence_that_runs_on_is_no_part_of_a_value(text: str, field: str, value: str) -> None:
    assert known_after(text)[2].get(field) == value


@pytest.mark.parametrize(
    ("held", "news", "pet"),
    [
        ("i have a hamster his name is pickle", "pickle died :(", None),
        ("We have a dog. His name is Rex.", "Rex died last week.", None),
        ("I have a collie. Her name's Tilly.", "omg tilly died yesterday", None),
        ("We have a cat. Her name is Moth.", "Rex died last week.", "cat called Moth"),
        ("We have a cat. Her name is Moth.", "the battery died", "cat called Moth"),
        ("We have a cat. Her name is Moth.", "my phone died again", "cat called Moth"),
    ],
)
def test_a_pet_that_died_is_over_whatever_sentence_named_it(held: str, news: str, pet: str | None) -> None:
    holding, _, profile = known_after(held, news)
    assert profile.get("pet") == pet
    assert any("has a" in fact for fact in holding) is (pet is not None)


@pytest.mark.parametrize(
    ("held", "news", "stays"),
    [
        ("I am allergic to nuts and Jayden just ate a snickers.", "Jayden and I broke up.", True),
        ("im allergic and jayden just ate a snickers", "me and jayden broke up", True),
        ("I'm allergic to penicillin, so Dr Moss gave me something else.", "Dr Moss retired.", True),
        ("I'm allergic to nuts.", "I'm not allergic to nuts after all.", False),
        ("I'm allergic to nuts.", "I've outgrown my nut allergy.", False),
    ],
)
def test_an_allergy_outlives_who_is_named_beside_it(held: str, news: str, *, stays: bool) -> None:
    assert (known_after(held, news)[1] == set()) is stays


@pytest.mark.parametrize(
    ("held", "news", "over"),
    [
        ("Oscar is 11.", "Oscar's 12 and started secondary at Archway.", {"Oscar is 11."}),
        ("Isla is 6.", "Isla's seven now and wants a doll's house.", {"Isla is 6."}),
        ("Oscar is 11.", "Oscar's 12 friends are coming.", set()),
        ("Oscar is 11.", "Ben's 12 and plays chess.", set()),
        (
            "i got a job at dairy queen",
            "i quit dairy queen the manager was so mean",
            {"The user got a job at dairy queen."},
        ),
        (
            "I'm off coffee.",
            "My migraines are gone and I'm back on the coffee thank god.",
            {"The user doesn't drink coffee."},
        ),
    ],
)
def test_what_is_told_in_short_forms_ends_what_was(held: str, news: str, over: set[str]) -> None:
    assert known_after(held, news)[1] >= over
    assert bool(known_after(held, news)[1]) is bool(over)


@pytest.mark.parametrize(
    ("news", "age"),
    [
        ("Seit gestern bin ich 48.", "48"),
        ("Ich bin letzte Woche 48 geworden.", "48"),
        ("Heute bin ich 48 geworden!", "48"),
        ("Morgen werde ich 48.", "47"),
        ("Seit gestern bin ich 48 Stunden wach.", "47"),
        ("Mein Vater ist 80 geworden.", "47"),
    ],
)
def test_a_birthday_told_in_german_is_an_age(news: str, age: str) -> None:
    assert known_after("Ich bin 47.", news)[2].get("age") == age


@pytest.mark.parametrize(
    ("held", "news", "soon", "later"),
    [
        ("im 15", "guess who turned 16 yesterday", "16", "16"),
        ("I'm 15.", "Guess who just turned 16!!", "16", "16"),
        ("I'm 15.", "Guess who turned 16 yesterday? My cousin Bo!", "15", "15"),
        ("I'm 39.", "I turn 40 in May.", "39", "40"),
        ("I'm 39.", "I turn 40 next week, so we need a cake.", "39", "40"),
        ("I'm 39.", "I'm turning 40 on 3 April.", "39", "40"),
        ("I'm 39.", "I'll be 40 in December.", "39", "39"),
        ("I'm 39.", "I turned 40 in May.", "40", "40"),
        ("I'm 39.", "I turned 40 on Monday.", "40", "40"),
        ("I'm 39.", "I turn 40 today!", "40", "40"),
    ],
)
def test_a_birthday_to_come_is_no_age_before_its_day(held: str, news: str, soon: str, later: str) -> None:
    told = datetime(2026, 3, 6, 12, tzinfo=timezone.utc)
    assert [known_after(held, news, now=now)[2].get("age") for now in (told, NOW)] == [soon, later]


@pytest.mark.parametrize(
    ("text", "job"),
    [
        ("I started as an apprentice in sixty-six and finished when they let us all go.", None),
        ("I started out as a tea boy in 1971 and retired as the foreman.", None),
        ("I began as a cashier years ago and now I run the place.", None),
        ("I started as a nurse last week.", "nurse"),
        ("I started as a junior designer in March.", "junior designer"),
        ("I'm a retired shipwright.", "retired shipwright"),
        ("I'm now doing CEO and CTO.", None),
        ("Hi! I am Marisol, staff nurse here in Manila. I want to practise.", "staff nurse"),
        ("I am a retired primary school teacher, and I paint.", "retired primary school teacher"),
        ("My neighbour is a retired shipwright.", None),
    ],
)
def test_what_somebody_began_as_long_ago_is_no_job(text: str, job: str | None) -> None:
    assert known_after(text)[2].get("occupation") == job


WISH = "The user wants the assistant to"


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("Give me a list of the guests, not paragraphs.", None),
        ("When you write the email to Tom, be brief.", None),
        ("You can drop the parcel thing.", None),
    ],
)
def test_a_wish_in_everyday_words_is_kept(text: str, wish: str | None) -> None:
    wishes = {fact for fact in known_after(text)[0] if fact.startswith(WISH)}
    assert wishes == (set() if wish is None else {f"{WISH} {wish}"})


@pytest.mark.parametrize(
    ("wish", "news", "stays"),
    [
        ("Please always correct my grammar.", "No need to correct my grammar anymore.", False),
        ("Please always correct my grammar.", "You don't need to correct my grammar anymore, just answer, ok?", False),
        ("Correct my English.", "Please don't correct my English any more.", False),
        ("Always start with a TL;DR.", "You can drop the TL;DR thing, just give me the full answer.", False),
        ("Always start with a TL;DR.", "You can drop the parcel off later.", True),
        ("Please always correct my grammar.", "My teacher doesn't need to correct my grammar anymore.", True),
    ],
)
def test_a_wish_that_is_taken_back_is_over(wish: str, news: str, *, stays: bool) -> None:
    assert (known_after(wish, news)[1] == set()) is stays


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Back from the honeymoon. Married life. What is new?", set()),
        ("I cannae cook.", {"The user cannae cook."}),
        ("I'm now doing CEO and CTO.", {"The user is now doing CEO and CTO."}),
    ],
)
def test_what_is_told_stays_as_it_was_meant(text: str, told: set[str]) -> None:
    holding, _, profile = known_after(text)
    assert (holding, profile) == (told, {})


@pytest.mark.parametrize(
    ("news", "home"),
    [
        ("I've been in Inverness with Morag since the New Year.", "Inverness"),
        ("I sold the house and I've been in Inverness since last autumn.", "Inverness"),
        ("We've been in Porto since 2019.", "Porto"),
        ("We bought a house in Nailsworth and moved there in May.", "Nailsworth"),
        ("I've been in Inverness since Monday.", "Oban"),
        ("I've been in Sales since 2015.", "Oban"),
        ("My brother has been in Canada since 2015.", "Oban"),
        ("I want to write to the council, start it like this, I have lived at 9 Shore Street for years.", "Oban"),
    ],
)
def test_a_home_is_where_somebody_has_been_for_long(news: str, home: str) -> None:
    assert known_after("I live in Oban.", news)[2].get("home") == home


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Nadia here, founder of Loopkit. Need a cold email.", "Nadia"),
        ("Hi, I'm Priya, founder and CEO of Tingle.", "Priya"),
        ("Rain here, cold and grey.", None),
        ("My sister Nadia, founder of Loopkit, says hi.", None),
    ],
)
def test_a_founder_gives_a_name_with_the_firm(text: str, name: str | None) -> None:
    assert known_after(text)[2].get("name") == name


@pytest.mark.parametrize(
    ("text", "job", "employer"),
    [
        ("I started last Monday as a nurse at Mercy Hospital.", "nurse", "Mercy Hospital"),
        ("I start next Monday as a nurse at Mercy Hospital.", "nurse", "Mercy Hospital"),  # asked months later
        ("My sister started last Monday as a nurse at Mercy Hospital.", None, None),
        ("I'm a physio at Gloucester Royal, part time.", "physio", "Gloucester Royal"),
    ],
)
def test_a_job_is_told_with_its_first_day(text: str, job: str | None, employer: str | None) -> None:
    profile = known_after(text)[2]
    assert (profile.get("occupation"), profile.get("employer")) == (job, employer)


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("Hallo, ich bin Ansgar Wiebold, Architekt aus Bremen.", "occupation", "Architekt"),
        ("Hi, ich bin Lena, Köchin aus Graz.", "origin", "Graz"),
        ("I am allergic in shrimp so that dish is only for them.", "allergy", "shrimp"),
        ("I'm allergic in spring.", "allergy", None),
        ("i have a cat her name is luna and she's 3", "pet", "cat called Luna"),
        ('Note: "I live in Leeds and I am vegan."', "home", "Leeds"),
        ("We've been in Italy since last summer, still travelling.", "home", None),
    ],
)
def test_learners_and_speakers_of_german_are_read_too(text: str, field: str, value: str | None) -> None:
    assert known_after(text)[2].get(field) == value


@pytest.mark.parametrize(
    ("wish", "shown"),
    [
        ("Please correct my grammar always when I write wrong.", True),
        ("Always correct me when I make mistakes.", True),
        ("Always add comments when I write code.", False),
    ],
)
def test_a_wish_for_whatever_is_written_comes_with_any_question(wish: str, *, shown: bool) -> None:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        memory.user("k", session_id="a").add(wish, "Of course.")
        memory.user("k", session_id="a").end_session()
        memory.flush()
        told = memory.user("k", session_id="b").recall("What is osmosis?").text
        assert ("wants the assistant" in told or "asks for all answers" in told) is shown


@pytest.mark.parametrize(
    ("text", "whose", "value"),
    [
        ("Poppy's friend Matilda is coming for tea, she's coeliac.", "matilda", "gluten (coeliac)"),
        ("Tom's wife Ana is here, she's allergic to nuts.", "ana", "nuts"),
        ("Poppy is here, she's allergic to nuts.", "poppy", "nuts"),
        ("The user's friend Hannah is coming, she's allergic to nuts.", "hannah", "nuts"),
        ("Tom's wife Ana's boss is allergic to nuts.", None, None),
    ],
)
def test_she_is_who_was_named_and_not_whose_friend_it_is(text: str, whose: str | None, value: str | None) -> None:
    told = {(slot.subject, slot.value) for slot in slots_of(text) if slot.attribute == "allergy"}
    assert told == (set() if whose is None else {(whose, value)})
