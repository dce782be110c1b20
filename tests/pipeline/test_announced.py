"""What will hold from a day on is told with its day, what is planned is told as planned, and neither holds before."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, UserMemory, WorkerConfig

SPRING, AUTUMN = datetime(2026, 3, 1, 9, tzinfo=timezone.utc), datetime(2026, 11, 20, 9, tzinfo=timezone.utc)
SOON, LATER = AUTUMN + timedelta(days=1), AUTUMN + timedelta(days=90)


class Clock:
    def __init__(self) -> None:
        self.now = SOON

    def __call__(self) -> datetime:
        return self.now


def told(*texts: str, clock: Clock | None = None) -> UserMemory:
    """The first text in spring, the others in autumn, each in a session of its own."""
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    memory = MemoryOS("sqlite://", embedder=None, config=config, clock=clock or Clock())
    for number, text in enumerate(texts):
        at = SPRING if number == 0 else AUTUMN + timedelta(hours=number)
        user = memory.user("ann", session_id=f"s{number}")
        user.add_messages([Message("user", text, None, at), Message("assistant", "Noted.", None, at)])
        user.end_session()
        memory.flush()
    return memory.user("ann", session_id="later")


@pytest.mark.parametrize(
    ("before", "news", "question", "line"),
    [
        ("I work at Shell.", "I start at Meta on 1 December.", "Where do I work?",
         "Employer: Meta (from 1 December 2026; until then: Shell)"),
        ("I work at Shell.", "I start a new job at Meta on Monday.", "Where do I work?",
         "Employer: Meta (from 23 November 2026; until then: Shell)"),
        ("I work at Shell.", "My first day at Meta is Monday.", "Where do I work?",
         "Employer: Meta (from 23 November 2026; until then: Shell)"),
        ("I live in Lisbon.", "From December I live in Porto.", "Where do I live?",
         "Home: Porto (from December 2026; until then: Lisbon)"),
        ("My rent is 900 euros.", "From January my rent is 950 euros.", "How much is my rent?",
         "Rent: 950 euros (from January 2027; until then: 900 euros)"),
        ("I'm a nurse.", "In January I start as a ward manager.", "What do I do for work?",
         "Occupation: ward manager (from January 2027; until then: nurse)"),
        ("I'm a nurse.", "I got promoted to ward manager from 1 January.", "What do I do for work?",
         "Occupation: ward manager (from 1 January 2027; until then: nurse)"),
        ("I'm a nurse.", "got promoted to ward manager from 1 jan", "What do I do for work?",
         "Occupation: ward manager (from 1 January 2027; until then: nurse)"),
        ("My gym class is on Tuesdays.", "From next week my gym class is on Thursdays.", "When is my gym class?",
         "Gym class: Thursdays (from 23 November 2026; until then: Tuesdays)"),
        ("I'm seventy-four.", "I shall be seventy-five on 8 December.", "How old am I?",
         "Age: 75 (from 8 December 2026; until then: 74)"),
        ("I'm 59.", "I'm turning 60 on 3 December.", "How old am I?",
         "Age: 60 (from 3 December 2026; until then: 59)"),
        ("I'm 59.", "My brother will be 60 on 3 December.", "How old am I?", "Age: 59 (said 1 March 2026)"),
    ],
)  # fmt: skip
def test_an_announced_value_is_told_with_its_day(before: str, news: str, question: str, line: str) -> None:
    assert f"- {line}" in told(before, news).recall(question).text.splitlines()


def test_what_said_the_old_value_is_marked_with_the_day_on_which_it_ends() -> None:
    text = told("I work at Shell.", "I start at Meta on 1 December.").recall("Where do I work?").text
    assert "user: I work at Shell. (until 1 December 2026; then: Meta)" in text


@pytest.mark.parametrize(
    ("before", "news", "name", "old", "new"),
    [
        ("I work at Shell.", "I start at Meta on 1 December.", "employer", "Shell", "Meta"),
        ("I live in Lisbon.", "From December I live in Porto.", "home", "Lisbon", "Porto"),
    ],
)
def test_the_profile_has_the_old_value_until_the_day_comes(
    before: str, news: str, name: str, old: str, new: str
) -> None:
    clock = Clock()
    user = told(before, news, clock=clock)
    assert user.profile().get(name) == old
    assert f"{name}: {new}" not in user.recall("Tell me a joke about cats").text
    clock.now = LATER
    assert user.profile().get(name) == new
    values = user.history(name)
    assert [value.value for value in values] == [old, new]
    assert values[0].until == values[1].since == datetime(2026, 12, 1, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("before", "news", "question", "line"),
    [
        ("I live in Lisbon.", "I'm moving to Porto on 1 December.", "Where do I live?",
         "Home: Lisbon (said 1 March 2026; planned from 1 December 2026: Porto)"),
        ("I live in Lisbon.", "We're moving to Porto next month.", "Where do I live?",
         "Home: Lisbon (said 1 March 2026; planned from December 2026: Porto)"),
        ("I live in Lisbon.", "I'm going to move to Porto.", "Where do I live?",
         "Home: Lisbon (said 1 March 2026; planned: Porto)"),
        ("I work at Shell.", "I've accepted an offer from Meta, starting in January.", "Where do I work?",
         "Employer: Shell (said 1 March 2026; planned from January 2027: Meta)"),
        ("I work at Shell.", "I'm starting at Meta in December.", "Where do I work?",
         "Employer: Shell (said 1 March 2026; planned from December 2026: Meta)"),
        ("I work at Shell.", "I'm starting a new job at Meta on Monday.", "Where do I work?",
         "Employer: Shell (said 1 March 2026; planned from 23 November 2026: Meta)"),
        ("I work at Shell.", "I'll be starting at Meta in January.", "Where do I work?",
         "Employer: Shell (said 1 March 2026; planned from January 2027: Meta)"),
    ],
)  # fmt: skip
def test_what_is_planned_stands_beside_what_holds(before: str, news: str, question: str, line: str) -> None:
    clock = Clock()
    user = told(before, news, clock=clock)
    assert f"- {line}" in user.recall(question).text.splitlines()
    clock.now = LATER
    assert f"- {line}" in user.recall(question).text.splitlines(), "nobody said that it was done"


@pytest.mark.parametrize(
    ("texts", "line"),
    [
        (("I live in Lisbon.", "I'm moving to Porto next month.", "We moved to Porto!"), "Home: Porto"),
        (("I live in Lisbon.", "My sister is moving to Porto next month."), "Home: Lisbon (said 1 March 2026)"),
        (("I live in Lisbon.", "Should I move to Porto next year?"), "Home: Lisbon (said 1 March 2026)"),
        (("I live in Lisbon.", "The fair is moving to Porto on 1 December."), "Home: Lisbon (said 1 March 2026)"),
        (("I live in Lisbon.", "I'm moving to the back office on 1 December."), "Home: Lisbon (said 1 March 2026)"),
    ],
)
def test_a_plan_is_told_only_while_it_is_one_and_the_users_own(texts: tuple[str, ...], line: str) -> None:
    lines = [told for told in told(*texts).recall("Where do I live?").text.splitlines() if told.startswith("- Home")]
    assert len(lines) == 1
    assert lines[0].startswith(f"- {line}")
    assert "planned" not in lines[0]


def test_a_user_with_a_name_plans_under_it() -> None:
    memory = MemoryOS(
        "sqlite://", embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual")), clock=Clock()
    )
    for at, name, text in (
        (SPRING, "Ann", "I live in Lisbon."),
        (SPRING, "Bea", "I live in Rome."),
        (AUTUMN, "Ann", "I'm moving to Porto next month."),
        (AUTUMN, "Bea", "I'm moving to Milan next month."),
    ):
        user = memory.user("ann", session_id=f"{at:%m}")
        user.add_messages([Message("user" if name == "Ann" else "assistant", text, name, at)])
        user.end_session()
        memory.flush()
    text = memory.user("ann", session_id="later").recall("Where does Ann live?").text
    assert "Lisbon (said 1 March 2026; planned from December 2026: Porto)" in text
    assert "planned from December 2026: Milan" not in text


def test_what_is_called_off_is_planned_no_more() -> None:
    user = told("I live in Lisbon.", "I'm moving to Porto on 1 December.", "I'm not moving to Porto after all.")
    assert "planned" not in user.recall("Where do I live?").text


@pytest.mark.parametrize(
    "text", ["My exam is on 5 December.", "My birthday is on 5 December.", "I take ramipril from 8 to 9 every day."]
)
def test_a_value_that_is_a_date_or_an_hour_begins_on_no_day(text: str) -> None:
    assert "(from" not in told("I live in Lisbon.", text).recall(text.replace(".", "?")).text


@pytest.mark.parametrize(
    "news",
    [
        "I started the new job with enthusiasm.",
        "I started my new role with a big team.",
        "I started a job at Meta in 2015.",
        "I started a side job at a bar.",
        "I'm starting a new job at Meta, I left Shell last week.",
    ],
)
def test_what_names_no_new_employer_or_begins_on_no_day_ahead_gives_none(news: str) -> None:
    user = told("I work at Shell.", news)
    text = user.recall("Where do I work?").text
    assert "planned" not in text
    assert not any(line.startswith("- Employer:") and "Shell (said" not in line for line in text.splitlines())


def test_a_job_that_begins_later_this_week_is_a_plan_still() -> None:
    user = told("I work at Shell.", "I'm starting a new job at Meta later this week.")
    text = user.recall("Where do I work?").text
    assert "- Employer: Shell (said 1 March 2026; planned" in text
    assert user.profile().get("employer") == "Shell"


WORK = "I work at Shell as a nurse."


@pytest.mark.parametrize(
    ("news", "work"),
    [
        ("I said yes! Ward manager from 1 December.", ("ward manager", "Shell")),
        ("I got it. Meta, ward manager, 60k, start 1 December.", ("ward manager", "Meta")),
        ("I got the job! Ward manager at Meta, I start on 1 December.", ("ward manager", "Meta")),
        ("GOT THE JOB. ward manager oldham council, start 1st dec", ("ward manager", "Oldham Council")),
        ("I accepted the offer: ward manager at Meta from 1 December.", ("ward manager", "Meta")),
        ("I've signed the contract with Meta: ward manager, starting 1 December.", ("ward manager", "Meta")),
    ],
)
def test_the_next_job_holds_once_it_begins(news: str, work: tuple[str, str]) -> None:
    clock = Clock()
    user = told(WORK, news, clock=clock)
    assert _work_of(user) == ("nurse", "Shell")
    clock.now = LATER
    assert _work_of(user) == work


@pytest.mark.parametrize(
    "news",
    [
        "My sister said yes! Ward manager at Meta from 1 December.",
        "Tom got the job! Ward manager at Meta, he starts on 1 December.",
        "I got the job interview! Ward manager at Meta, start 1 December.",
        "I said yes! Dinner at Meta from 7.",
        "First week at Center Parcs done.",
        "Tom's first week at Meta done.",
        "Friday was Tom's last day at Shell.",
        "My last day at Shell is on 20 December.",
        "Shell laid off 30% today, not me though.",
        "Shell let me go home early.",
        "I handed in my notice to my landlord.",
        "My contract with Vodafone ended.",
        "I got it! Plumber, from Monday.",
        "I accepted it. Cleaner for mum, starts Monday.",
        "First week at PureGym over, feel great.",
        "First month at Revolut, no fees so far.",
    ],
)
def test_a_job_that_is_not_begun_or_over_changes_nothing(news: str) -> None:
    clock = Clock()
    user = told(WORK, news, clock=clock)
    clock.now = LATER
    assert _work_of(user) == ("nurse", "Shell")


@pytest.mark.parametrize(
    ("news", "work"),
    [
        (("Friday was my last day at Shell.",), ("nurse", None)),
        (("Last shift at Shell done.",), ("nurse", None)),
        (("Shell laid off a third of us today, me included.",), ("nurse", None)),
        (("Shell let 40 people go, including me.",), ("nurse", None)),
        (("My first week at Meta is done.",), ("nurse", "Meta")),
        (("Finished my first month at Meta.",), ("nurse", "Meta")),
        (("First week as ward manager done.",), ("ward manager", "Shell")),
        (("I start at Meta on 1 December.", "Friday was my last day at Shell."), ("nurse", None)),
    ],
)
def test_first_and_last_days_tell_of_the_job(news: tuple[str, ...], work: tuple[str, str | None]) -> None:
    assert _work_of(told(WORK, *news)) == work


@pytest.mark.parametrize("notice", ["I handed in my notice at Shell today.", "I handed in my notice today."])
def test_a_notice_ends_no_job_that_is_to_come(notice: str) -> None:
    clock = Clock()
    user = told(WORK, "I got the job! Ward manager at Meta, I start on 1 December.", notice, clock=clock)
    clock.now = LATER
    assert _work_of(user) == ("ward manager", "Meta")


def _work_of(user: UserMemory) -> tuple[str | None, str | None]:
    profile = {field.name: field.value for field in user.profile().fields}
    return profile.get("occupation"), profile.get("employer")
