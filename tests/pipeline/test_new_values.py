"""A number, an age or a name that is told anew in short words replaces the one that was known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, UserMemory, WorkerConfig

JANUARY = datetime(2026, 1, 5, 12, tzinfo=timezone.utc)
MAY = datetime(2026, 5, 4, 12, tzinfo=timezone.utc)  # a Monday


Tell = Callable[..., UserMemory]


@pytest.fixture
def told() -> Iterator[Tell]:
    """A function that tells a memory one message in January and one in May, and returns its user in July."""
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS(
        "sqlite://", embedder=None, config=config, clock=lambda: datetime(2026, 7, 1, tzinfo=timezone.utc)
    ) as memory:

        def tell(*said: str) -> UserMemory:
            for at, text in zip((JANUARY, MAY), said, strict=False):
                user = memory.user("ann", session_id=f"{at:%m}")
                user.add_messages([Message("user", text, None, at), Message("assistant", "Noted.", None, at)])
                user.end_session()
            memory.flush()
            return memory.user("ann", session_id="later")

        yield tell


def current(user: UserMemory, name: str) -> list[str]:
    """The values of something that hold, by the history."""
    return [value.value for value in user.history(name) if value.until is None]


@pytest.mark.parametrize(
    ("before", "news", "name", "values"),
    [
        ("My day rate is 280 pounds.", "My day rate's 320 now.", "day rate", ["320"]),
        ("My day rate is £280.", "My day rate's £320 from June.", "day rate", ["£320"]),
        ("My blood pressure is 138/88.", "My blood pressure's 124/79 now.", "blood pressure", ["124/79"]),
        ("My commute is 40 minutes.", "My commute's 25 minutes now.", "commute", ["25 minutes"]),
        ("My day rate is 280 pounds.", "My friend's 3 clients pay 320.", "day rate", ["280 pounds"]),
        ("My day rate is 280 pounds.", "My day rate's 320 days old.", "day rate", ["280 pounds"]),
        ("My car is a Fiat.", "My car's 12 today.", "vehicle", ["Fiat"]),
        ("My job is nurse.", "My job's 40 hours a week now.", "occupation", ["nurse"]),
    ],
)
def test_a_short_is_gives_a_new_number(told: Tell, before: str, news: str, name: str, values: list[str]) -> None:
    assert current(told(before, news), name) == values


@pytest.mark.parametrize(
    ("news", "age"),
    [
        ("Maya turns twelve on the 30th.", "12"),
        ("Maya will be twelve on the 30th.", "12"),
        ("Maya's going to be 12 in May.", "12"),
        ("Maya is going to be twelve on 30 May.", "12"),
        ("Maya turns twelve in September.", "12 (from September 2026; until then: eleven)"),
        ("Dinner will be twelve on the 30th.", "eleven"),
        ("Maya will be twelve minutes late.", "eleven"),
    ],
)
def test_an_age_that_was_announced_holds_from_its_day(told: Tell, news: str, age: str) -> None:
    known = told("My daughter Maya is eleven.", news).recall("How old is Maya?").text
    assert f"Maya's age: {age}" in known


@pytest.mark.parametrize(
    ("before", "news", "owner", "teacher"),
    [
        ("Leo's teacher is Mrs Abbott.", "Leo has a new teacher, Mr Pugh.", "Leo", ["Mr Pugh"]),
        ("Leo's teacher is Mrs Abbott.", "Leo's got a new teacher called Mr Pugh.", "Leo", ["Mr Pugh"]),
        ("Leo's teacher is Mrs Abbott.", "Mia has a new teacher, Mr Pugh.", "Leo", ["Mrs Abbott"]),
        ("Leo's teacher is Mrs Abbott.", "Leo has a new teacher, French this time.", "Leo", ["Mrs Abbott"]),
    ],
)
def test_another_person_of_somebody_replaces_the_former(
    told: Tell, before: str, news: str, owner: str, teacher: list[str]
) -> None:
    assert current(told(before, news), f"{owner}'s teacher") == teacher


@pytest.mark.parametrize(
    ("before", "news", "boss"),
    [
        ("My boss is Trevor.", "My manager is Danielle now.", ["Danielle"]),
        ("My line manager is Trevor.", "I have a new boss, Danielle.", ["Danielle"]),
        ("My manager is called Trevor Hsu.", "I report to Danielle now.", ["Danielle"]),
        ("My boss is Trevor.", "My bank manager is Danielle.", ["Trevor"]),
        ("My boss is Trevor.", "My manager is on holiday now.", ["Trevor"]),
    ],
)
def test_a_boss_by_any_word_is_one(told: Tell, before: str, news: str, boss: list[str]) -> None:
    user = told(before, news)
    assert sorted({*current(user, "boss"), *current(user, "manager")}) == boss
    assert set(current(user, "line manager")) <= set(boss)


def test_a_boss_and_a_manager_of_one_message_are_two(told: Tell) -> None:
    user = told("My boss is Sue and my line manager is Tom.")
    assert (current(user, "boss"), current(user, "line manager")) == (["Sue"], ["Tom"])


@pytest.mark.parametrize(
    ("news", "weight"),
    [
        ("I weighed 88.8 kg this morning.", "88.8 kg"),
        ("I weighed in at 88.8 kg today.", "88.8 kg"),
        ("Weighed in at 88.8 kg this morning.", "88.8 kg"),
        ("I weighed 88.8 kg when I was twenty.", "95.9 kg"),
        ("I weighed 88.8 kg last year.", "95.9 kg"),
        ("The suitcase weighed 23 kg this morning.", "95.9 kg"),
    ],
)
def test_what_the_scales_said_today_is_the_weight(told: Tell, news: str, weight: str) -> None:
    known = told("I weigh 95.9 kg.", news).recall("What do I weigh?").text.partition("Said earlier")[0]
    old = weight == "95.9 kg"
    assert ("Weight: 88.8 kg" in known) is not old


@pytest.mark.parametrize(
    ("before", "news", "name", "values"),
    [
        ("My solicitor is Ines.", "My solicitor's Kofi now.", "solicitor", ["Kofi"]),
        ("My tablet is a Kindle Fire.", "My tablet's a Galaxy Tab now.", "tablet", ["Galaxy Tab"]),
        ("My boss is Carl.", "My boss's Maud these days.", "boss", ["Maud"]),
        ("The scone is £2.80.", "put the scone up to 3.10 today", "scone", ["3.10"]),
        ("The scone is £2.80.", "scone's £3.10 now", "scone", ["£3.10"]),
        ("The court is £12 an hour.", "The court has gone up. £14 an hour now.", "court", ["£14 an hour"]),
        ("A perm is 40 pounds.", "We've raised the perm to 45 pounds.", "perm", ["45 pounds"]),
        ("My rent is 980 a month.", "Rent's 1050 now.", "rent", ["1050"]),
        ("My rent is 980 a month.", "I'm broke again. Rent's 1050 now.", "rent", ["1050"]),
        ("My rent is 980 a month.", "We live in Hull still. Rent's 1050 now.", "rent", ["1050"]),
        ("We get our flour from Shipton.", "We get our flour from Gilchester now.", "flour supplier", ["Gilchester"]),
        ("Our flour supplier is Shipton.", "We've switched flour supplier to Gilchester.", "flour supplier",
         ["Gilchester"]),
        ("Our opening hours are 9 to 4.", "We're open 10 to 6 now.", "opening hours", ["10 to 6"]),
        ("scone is 2.80", "put scone up to 3.10 today. two people moaned", "scone", ["3.10"]),
        ("The scone is £2.80.", "scone 3.10 from monday gone", "scone", ["3.10"]),
        ("Flour we get from Shipton.", "Shipton are shut so flour's from Gilchester now", "flour supplier",
         ["Gilchester"]),
        ("My boss is Carl.", "My boss's Anna Reid now.", "boss", ["Anna Reid"]),
        # Another's, another thing, another time, or only thought of.
        ("My salary is £30000.", "Tom got a raise. Salary's 40000 now.", "salary", ["£30000"]),
        ("I keep bees.", "My mum retired. Pension is 900 now.", "pension", []),
        ("We get our wine from Shipton.", "The wine is from Italy.", "wine supplier", ["Shipton"]),
        ("We get our milk from Shipton.", "The milk is from Monday.", "milk supplier", ["Shipton"]),
        ("We get our milk from Shipton.", "The milk is from Tom.", "milk supplier", ["Shipton"]),
        ("We get our milk from Shipton.", "We get our strength from Jesus.", "strength supplier", []),
        ("My partner is Ines.", "My partner's Volvo now.", "partner", ["Ines"]),
        ("My wife is Ines.", "My wife's Kindle now.", "wife", ["Ines"]),
        ("My husband is Igor.", "It's my husband's Den now.", "husband", ["Igor"]),
        ("My boss is Carl.", "My boss's BMW now.", "boss", ["Carl"]),
        ("My landlord is Carl.", "My landlord's Lexus now.", "landlord", ["Carl"]),
        ("My teacher is Carl.", "My teacher's Ford now.", "teacher", ["Carl"]),
        ("My solicitor is Ines.", "I drive my solicitor's Audi now.", "solicitor", ["Ines"]),
        ("The scone is £2.80.", "scone 3.10 from monday", "scone", ["£2.80"]),
        ("Flour we get from Shipton.", "My flight's from Luton now.", "flour supplier", ["Shipton"]),
        ("My solicitor is Ines.", "My sister's Kofi now.", "solicitor", ["Ines"]),
        ("My solicitor is Ines.", "My solicitor's office is Kofi House now.", "solicitor", ["Ines"]),
        ("The scone is £2.80.", "If we put the scone up to 3.10 they'd moan.", "scone", ["£2.80"]),
        ("The scone is £2.80.", "Should I put the scone up to 3.10?", "scone", ["£2.80"]),
        ("The scone is £2.80.", "Put the flapjack up to 3.10.", "scone", ["£2.80"]),
        ("My rent is 980 a month.", "My aunt told us of her flat. Rent's 1300 now.", "rent", ["980 a month"]),
        ("My rent is 980 a month.", "My friend asked me for help. Rent's 1300 now.", "rent", ["980 a month"]),
        ("My rent is 980 a month.", "I went to see Kofi. Rent's 1300 now.", "rent", ["980 a month"]),
        ("The scone is £2.80.", "Last year the scone was £2.50.", "scone", ["£2.80"]),
        ("We get our flour from Shipton.", "We get our butter from Gilchester now.", "flour supplier", ["Shipton"]),
        ("Our opening hours are 9 to 4.", "We're open 10 to 2 on Good Friday.", "opening hours", ["9 to 4"]),
    ],
)  # fmt: skip
def test_a_value_that_is_told_anew_without_the_whole_verb_replaces_the_one_before(
    told: Tell, before: str, news: str, name: str, values: list[str]
) -> None:
    assert current(told(before, news), name) == values


@pytest.mark.parametrize(
    ("news", "employer"),
    [
        ("so im at bean and gone now, mon + tues 7 till 3", "Bean and Gone"),
        ("I'm at Halfords now, full time.", "Halfords"),
        ("anyway im at greggs now, 12 an hour plus tips", "Greggs"),
        ("first shift at Halfords was long", "Halfords"),
        ("My job at the museum ended on Friday.", None),
        ("my contract at the museum's finished", None),
        ("I was laid off because of the fire", None),
        ("My manager let me go last week.", None),
        ("they let me go lol", None),
        ("Manager sat me down today. They let me go.", None),
        ("It's all gone wrong at work. They let me go.", None),
        ("I'm at Halfords now, £12.60 per hour.", "Halfords"),
        ("im at greggs now doing early shifts", "Greggs"),
        ("I'm at Halfords now as a supervisor.", "Halfords"),
        ("I'm shattered. First shift at Halfords done.", "Halfords"),
        ("got made redundant last week", None),
        ("I've been sacked.", None),
        # A visit, a shift, a threat, another's.
        ("I'm at Halfords now, they have the bulb.", "museum"),
        ("I'm at the dentist now.", "museum"),
        ("I'm at Halfords now, is it open Monday 9 to 5?", "museum"),
        ("My shift at the museum ended at 9.", "museum"),
        ("If my job at the museum ended I'd cry.", "museum"),
        ("they fired me up!", "museum"),
        ("they nearly fired me", "museum"),
        ("they let me go home early", "museum"),
        ("My brother's job at the museum ended on Friday.", "museum"),
        ("My contract at the museum is up for renewal.", "museum"),
        ("they fired Kwame lol", "museum"),
        ("The police stopped me. They let me go.", "museum"),
        ("The ward kept me in. They let me go today.", "museum"),
        ("They let me go for a walk.", "museum"),
        ("They let me go on the rides.", "museum"),
        ("They let me go after lunch as I was ill.", "museum"),
        ("They let me go today at 3 because it was quiet.", "museum"),
        ("I was made redundant because of covid, back in 2020, that's how I got here.", "museum"),
        ("I was laid off for a year in 2008.", "museum"),
        ("My job at the museum is done, now the pub.", "museum"),
        ("My job at the museum has finished today, see you tomorrow.", "museum"),
        ("My job at the museum is over in 20 minutes.", "museum"),
        ("My placement at the museum is over in June.", "museum"),
        ("My contract with EE is up.", "museum"),
        ("My internship at the museum is up in the air.", "museum"),
        ("I'm at yoga now, Mondays 7-8.", "museum"),
        ("I'm at Glastonbury now, Friday 5 till 6.", "museum"),
        ("I'm at the pub now, as a punter.", "museum"),
        ("I'm at Luton now, as a passenger.", "museum"),
        ("I'm at mum's now, part time.", "museum"),
        ("My son's so proud. First shift at Subway today.", "museum"),
        ("First shift at Subway was 20 years ago.", "museum"),
        ("First shift at Subway was my sister's.", "museum"),
        ("First shift at Subway for Leo.", "museum"),
        ("First shift at Subway was rough, poor Ines.", "museum"),
        ("I'm waving Ines off. First shift at Subway today.", "museum"),
        ("My friend needs me to drive. First shift at Subway today.", "museum"),
        ("I'm at Lidl now, dinner in an hour.", "museum"),
        ("I'm at Halfords now, they're here Monday to Friday 8 to 6.", "museum"),
        ("I'm at Halfords now, fitters cost 45 an hour.", "museum"),
        ("I'm at Luton now, the crews change shifts at 6.", "museum"),
        ("I'm at Crufts now as a dog walker.", "museum"),
        ("I'm at Lidl now, lockers are 2 per hour.", "museum"),
        ("A guard held me after work. They let me go.", "museum"),
        ("I was ill before my shift and went to the clinic. They let me go.", "museum"),
        ("The border police asked about my job. They let me go.", "museum"),
        ("I was late for the office party. They let me go.", "museum"),
    ],
)
def test_a_job_ends_or_begins_in_short_words(told: Tell, news: str, employer: str | None) -> None:
    known = {field.name: field.value for field in told("I work at the museum.", news).profile().fields}
    assert known.get("employer") == employer
