"""Months of one person's messages, each in a session of its own: what ends, what stays, and what a profile says."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
TOLD_AT = ("2026-01-06", "2026-03-06", "2026-05-06", "2026-06-06")


NOW = datetime(2026, 9, 3, tzinfo=timezone.utc)


def known_after(*said: str, now: datetime = NOW) -> tuple[set[str], set[str], dict[str, str]]:
    """The facts that hold, those that are over, and the profile."""
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: now) as memory:
        for day, text in zip(TOLD_AT, said, strict=False):
            user = memory.user("k", session_id=day)
            user.add(text, "ok", timestamp=datetime.fromisoformat(day).replace(tzinfo=timezone.utc))
            user.end_session()
        user = memory.user("k")
        user.consolidate()
        facts = user.facts(current=False)
        holding = {fact.text for fact in facts if fact.status == "current"}
        over = {fact.text for fact in facts} - holding
        return holding, over, {field.name: field.value for field in user.profile().fields}


@pytest.mark.parametrize("held", ["Rex is my dog.", "Tomasz is my boyfriend.", "Pizza is my favourite food."])
@pytest.mark.parametrize(
    "news",
    [
        "I left Telekom, I work at Siemens now.",
        "I quit the gym, I go running now.",
        "I retired last week, I paint now.",
        "I moved away from Bonn, I live in Kiel now.",
    ],
)
def test_what_the_user_leaves_is_not_what_stands_beside_the_users_name(held: str, news: str) -> None:
    """ "Katja left Telekom" named Katja as what is over, and with her whatever was "Katja's"."""
    assert known_after("Hi, I'm Katja.", held, news)[1] == set()


def test_a_partner_leaves_and_the_home_stays() -> None:
    holding, over, profile = known_after("I live in Leipzig with my partner Jonas.", "Jonas and I broke up.")
    assert over == {"The user has a partner called Jonas."}
    assert profile == {"home": "Leipzig"}
    assert "The user lives in Leipzig with their partner Jonas." in holding


@pytest.mark.parametrize(
    ("said", "profile"),
    [
        (("I work at Siemens as an engineer.", "I've been promoted to team lead!"), ("team lead", "Siemens")),
        (("I'm an engineer at Siemens.", "I got promoted to senior engineer."), ("senior engineer", "Siemens")),
        (("I work at Siemens as an engineer.", "I work at Bosch now."), ("engineer", "Bosch")),
        (("I work at Siemens as an engineer.", "I'm retired now."), ("retired", None)),
        (("I work at Siemens as an engineer.", "I quit Siemens."), ("engineer", None)),
        (
            (
                "I work as a nurse at Charité.",
                "I got a new job at Vivantes, I start on 1 June.",
                "Today was my first day at Vivantes.",
            ),
            (None, "Vivantes"),
        ),
    ],
)
def test_a_job_and_who_employs_change_apart(said: tuple[str, ...], profile: tuple[str, str | None]) -> None:
    found = known_after(*said)[2]
    assert (found.get("occupation"), found.get("employer")) == profile


def test_one_of_several_pets_dies() -> None:
    _, over, profile = known_after("We have two cats, Moth and Ada.", "Ada died last week.")
    assert over == {"The user has a cat called Ada."}
    assert profile == {"pet": "cat called Moth"}


@pytest.mark.parametrize(
    ("held", "news"),
    [
        ("I play the cello.", "I retired last week, I paint now."),
        ("I live in Lisbon.", "I moved here in 2020."),
    ],
)
def test_what_news_do_not_touch_stays(held: str, news: str) -> None:
    assert known_after(held, news)[1] == set()


def test_a_home_ends_before_the_next_statement() -> None:
    assert known_after("I live in Lisbon and my sister is Rita.")[2] == {"home": "Lisbon"}


@pytest.mark.parametrize(
    "said",
    ["Ich habe am 6. August einen Termin beim Zahnarzt.", "Tengo 3 años de experiencia.", "J'ai 10 ans de retard."],
)
def test_a_number_in_another_language_is_no_age(said: str) -> None:
    assert known_after(said)[2] == {}


def test_an_appointment_takes_no_partners_place() -> None:
    now = datetime(2026, 9, 3, tzinfo=timezone.utc)
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: now) as memory:
        for day, text in zip(
            TOLD_AT, ("I have a partner called Jonas.", "I have an interview next Tuesday."), strict=False
        ):
            user = memory.user("k", session_id=day)
            user.add(text, "ok", timestamp=datetime.fromisoformat(day).replace(tzinfo=timezone.utc))
            user.end_session()
        memory.user("k").consolidate()
        assert "Possession" not in memory.user("k", session_id="q").recall("Who is my partner?").text


@pytest.mark.parametrize(
    ("held", "news"),
    [
        ("I'm majoring in Computer Science.", "I started with a gentle foaming cleanser to kick off the day."),
        ("My favourite tea is mint tea.", "I'm just now gonna have a new mint tea right now."),
    ],
)
def test_what_is_done_today_ends_nothing_lasting(held: str, news: str) -> None:
    assert known_after(held, news)[1] == set()


def test_pets_that_are_named_beside_a_home_outlive_it() -> None:
    holding, _, profile = known_after(
        "I live in Leipzig with my partner Jonas and our two guinea pigs, Pixel and Byte.", "I moved to Hamburg."
    )
    assert {"The user has a guinea pig called Pixel.", "The user has a guinea pig called Byte."} <= holding
    assert profile == {
        "home": "Hamburg",
        "pet": "guinea pig called Pixel, guinea pig called Byte",
        "partner": "Jonas",
    }


def test_a_job_that_begins_on_a_day_names_who_employs() -> None:
    assert known_after("I start at Hafenlicht on 1 June.")[2] == {"employer": "Hafenlicht"}


def test_a_smiley_ends_a_sentence_and_a_moved_day_is_the_day() -> None:
    holding, _, _ = known_after("Tomasz is officially my boyfriend now :)", "The wedding has been moved to 27 June.")
    assert "Tomasz is officially the user's boyfriend now." in holding


@pytest.mark.parametrize(
    "said",
    [
        "Mein Vater hat am 4. März Geburtstag.",
        "L'anniversaire de ma mère est le 4 mars.",
        "El cumpleaños de mi madre es el 4 de marzo.",
        "My mum's birthday is on 4 March.",
    ],
)
def test_a_birthday_lies_ahead_again_a_year_later(said: str) -> None:
    now = datetime(2027, 2, 25, tzinfo=timezone.utc)
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: now) as memory:
        user = memory.user("k", session_id="s")
        user.add(said, "ok", timestamp=datetime(2026, 1, 15, tzinfo=timezone.utc))
        user.end_session()
        user.consolidate()
        assert len(user.upcoming(14)) == 1
        assert user.upcoming(5) == []


def test_all_of_several_pets_go_at_once() -> None:
    held = "I have two cats, Moth and Ada."
    assert known_after(held, "My cats died last week.")[2] == {}
    assert known_after(held, "Ada died last week.")[2] == {"pet": "cat called Moth"}


@pytest.mark.parametrize(
    ("held", "news", "over"),
    [
        ("I live in Rome.", "We are in Bonn now. We moved here last month.", "The user lives in Rome."),
        ("I'm vegan.", "I'm eating meat again, having a burger right now.", "The user is vegan."),
    ],
)
def test_a_real_change_is_heard(held: str, news: str, over: str) -> None:
    assert over in known_after(held, news)[1]


@pytest.mark.parametrize(
    "said",
    [
        "I'm from Monday to Friday at the office.",
        "I'm Tom from Shell, an energy company.",
        "My first day with Mia was lovely.",
        "I promoted to my friends the new app.",
        "I was promoted to the team in Bonn.",
        "My boss thinks I work at Shell as a driver, which is wrong.",
        "If I work at Shell as a driver, I will earn more than now.",
        "I dreamed I work at Google as an engineer.",
        "As a grandmother I love spending time with the kids.",
        "As a reminder, I have an appointment tomorrow.",
        "My neighbours say I have two dogs, Rex and Bo.",
    ],
)
def test_what_only_sounds_like_a_field_fills_none(said: str) -> None:
    assert known_after(said)[2] == {}


def test_a_portrait_tells_no_plan_whose_day_has_passed() -> None:
    """The day is that of the clock, and a plan without a day stays."""
    now = [datetime(2026, 1, 8, tzinfo=timezone.utc)]
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: now[0]) as memory:
        user = memory.user("k", session_id="s")
        for text in (
            "I have a dentist appointment on 12 January.",
            "I'm planning a trip to Ghent in January.",
            "I'm planning to learn the cello.",
            "My sister Lena is getting married on 20 January.",
            "The deadline for my thesis is 12 January.",
            "My son was born on 3 May 2020.",
            "I live in Bath.",
        ):
            user.add(text, "ok", timestamp=now[0])
        user.end_session()
        user.consolidate()

        def told() -> set[str]:
            asked = memory.user("k", session_id="q").recall("What do you know about me?").text
            asked = "".join(line for line in asked.splitlines() if line.startswith("- "))
            assert "- Sister: Lena" in asked
            matters = ("dentist", "Ghent", "cello", "wedding", "thesis", "Bath")
            return {matter for matter in matters if matter in asked}

        assert told() == {"dentist", "Ghent", "cello", "wedding", "thesis", "Bath"}
        now[0] = datetime(2026, 1, 16, tzinfo=timezone.utc)
        assert told() == {"Ghent", "cello", "wedding", "Bath"}
        now[0] = datetime(2026, 2, 1, tzinfo=timezone.utc)
        assert told() == {"cello", "Bath"}


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("What have I got coming up?", ["dentist", "Ghent", "birthday", "Berlin"]),
        ("what's in my diary next week", ["dentist"]),
        ("Was steht nächste Woche an?", ["dentist"]),
        ("¿qué tengo la semana que viene?", ["dentist"]),
        ("Am I free on Friday?", ["Ghent"]),
        ("What do I have planned in March?", ["birthday"]),
        ("Do I have any appointments in April?", ["dentist", "Ghent", "birthday", "Berlin"]),  # none: all are told
    ],
)
def test_who_asks_what_lies_ahead_gets_the_dated_plans_first(asked: str, first: list[str]) -> None:
    now = [datetime(2026, 1, 8, tzinfo=timezone.utc)]  # a Thursday
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: now[0]) as memory:
        user = memory.user("k", session_id="s")
        for text in (
            "I met Ada on 3 January.",
            "I'm flying to Berlin on 20 May.",
            "I have a dentist appointment on 12 January.",
            "My mum's birthday is on 4 March.",
            "I'm planning to learn the cello.",
            "My vet appointment was on 2 January.",
            "I live in Bath.",
        ):
            user.add(text, "ok", timestamp=now[0])
        user.add("We have a visitor from Ghent on 9 January.", "ok", timestamp=now[0])
        user.end_session()
        user.consolidate()
        text = memory.user("k", session_id="q").recall(asked, budget_tokens=400).text
        told = [line for line in text.splitlines() if line.startswith("- ")]
        matters = ("dentist", "Ghent", "birthday", "Berlin", "cello", "vet", "Ada")
        found = [matter for line in told for matter in matters if matter in line]
        assert found == sorted(first, key=["Ghent", "dentist", "birthday", "Berlin"].index)


@pytest.mark.parametrize(
    ("news", "partner"),
    [
        ("me and noor are official", {"relationship": "together with Noor"}),
        ("Noor and I are a couple now.", {"relationship": "together with Noor"}),
        ("I'm going out with Noor now.", {}),
        ("noor is my gf now", {"girlfriend": "Noor"}),
        ("me and mia broke up", {}),
        ("mia dumped me", {}),
        ("my ex mia texted me again lol", {}),
        ("I'm single again.", {"relationship": "single"}),
        ("Noor and I are together in the same team.", {"girlfriend": "Mia"}),
        ("I'm going out with Noor tonight.", {"girlfriend": "Mia"}),
        ("I broke up with my bank.", {"girlfriend": "Mia"}),
        ("My sister's single again.", {"girlfriend": "Mia"}),
    ],
)
def test_a_partner_who_was_told_name_first_is_one_no_more(news: str, partner: dict[str, str]) -> None:
    assert known_after("mia is my gf btw", news)[2] == partner
