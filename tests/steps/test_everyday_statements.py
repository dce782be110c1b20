"""What people say of themselves in passing, without a model: the profile knows it, and no more than was said."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
START = datetime(2026, 3, 1, 9, tzinfo=timezone.utc)


def profile_after(*said: str) -> dict[str, str]:
    """The profile after each statement in a session of its own, a month apart."""
    now = [START]
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: now[0]) as memory:
        for number, text in enumerate(said):
            user = memory.user("ann", session_id=f"s{number}")
            user.add(text, "Thanks for telling me!")
            user.end_session()
            user.consolidate()
            now[0] += timedelta(days=30)
        return {field.name: field.value for field in memory.user("ann").profile().fields}


@pytest.mark.parametrize(
    ("said", "name", "value"),
    [
        ("I teach chemistry at a high school in Leeds", "occupation", "teaching chemistry at a high school"),
        ("I teach Year 4", "occupation", "teaching Year 4"),
        ("I'm an ER nurse, mostly nights", "occupation", "ER nurse"),
        ("I drive a forklift at the docks", "occupation", "driving a forklift"),
        ("I do freelance illustration", "occupation", "freelance illustration"),
        ("I work at Siemens as a test engineer", "occupation", "test engineer"),
        ("I work at Siemens as a test engineer", "employer", "Siemens"),
        ("new job: I'm head of science at Redland Green", "occupation", "head of science"),
        ("started at Bosch last week", "employer", "Bosch"),
        ("we're in Bristol now, new house in Bedminster", "home", "Bristol"),
        ("been living in Oslo for six years", "home", "Oslo"),
        ("I grew up in Naples but Turin is home now", "home", "Turin"),
        ("just moved to Ghent with my girlfriend", "home", "Ghent"),
        ("relocated to Denver in March for work", "home", "Denver"),
        ("I rent a small place in Hackney", "home", "Hackney"),
        ("my flat is in Kreuzberg", "home", "Kreuzberg"),
        ("I'm in my second year of a physics degree", "studies", "physics degree"),
        ("I'm doing a PhD on bird migration", "studies", "bird migration"),
        ("I study law in Utrecht", "studies", "law"),
        ("I'm 34 btw", "age", "34"),
        ("turned 41 yesterday", "age", "41"),
        ("I just had my 30th birthday", "age", "30"),
        ("I'm coeliac so no gluten", "allergy", "gluten (coeliac)"),
        ("I have ADHD", "condition", "ADHD"),
        ("I'm type 1 diabetic", "condition", "type 1 diabetic"),
        ("I take 20 mg of citalopram", "medication", "20 mg of citalopram"),
        ("my cat Pixel hates the vacuum", "pet", "cat Pixel"),
        ("we have a beagle called Waffles", "pet", "beagle called Waffles"),
        ("bought a used Kia Niro", "vehicle", "Kia Niro"),
        ("call me Bea", "name", "Bea"),
        ("I go by Fitz", "name", "Fitz"),
    ],
)
def test_a_statement_fills_the_profile(said: str, name: str, value: str) -> None:
    assert profile_after(said).get(name) == value


@pytest.mark.parametrize(
    "said",
    [
        "I teach my dog new tricks at home",
        "I'm in Bristol now for a conference",
        "I started at level 3 again",
        "I'm into my second coffee already",
        "my dog Rex died last year",
        "I'm doing a cake for Bea's party",
        "I have MS Office on the laptop",
        "I have anxiety about the exam on Monday",
        "we got a seat by the window on the train",
        "I took the bus to work yesterday",
        "my brother teaches chemistry at a high school in Leeds",
        "if I lived in Oslo I would ski more",
        "I might start at Bosch next year",
        "do you think Turin is home now for Ruth?",
    ],
)
def test_a_statement_that_only_looks_like_it_fills_nothing(said: str) -> None:
    assert profile_after(said) == {}


@pytest.mark.parametrize(
    ("said", "name", "value"),
    [
        (
            ("I teach chemistry at a high school", "new job: I'm head of science at Redland Green"),
            "occupation",
            "head of science",
        ),
        (("I drive an old Skoda", "the Skoda finally died. bought a used Kia Niro"), "vehicle", "Kia Niro"),
        (("my flat is in Kreuzberg", "we're in Bristol now, new house in Bedminster"), "home", "Bristol"),
        (("I work at Siemens as a test engineer", "started at Bosch last week"), "employer", "Bosch"),
        (("I'm 40", "turned 41 yesterday"), "age", "41"),
    ],
)
def test_what_is_said_later_stands(said: tuple[str, ...], name: str, value: str) -> None:
    assert profile_after(*said).get(name) == value


def test_a_plan_that_is_cancelled_is_over_and_one_day_of_a_course_is_not() -> None:
    now = [START]
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: now[0]) as memory:
        for number, text in enumerate(
            (
                "We're planning Croatia in August. I have a pottery class every Tuesday evening.",
                "Croatia is cancelled, too expensive. The pottery class is cancelled this week.",
            )
        ):
            user = memory.user("ann", session_id=f"s{number}")
            user.add(text, "Noted.")
            user.end_session()
            user.consolidate()
            now[0] += timedelta(days=30)
        held = {fact.text: fact.status for fact in memory.user("ann").facts(current=False)}
    assert held["The user is planning Croatia in August."] == "superseded"
    assert held["The user has a pottery class every Tuesday evening."] == "current"


def test_a_question_gets_the_line_it_asks_for_and_no_other() -> None:
    now = [START]
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: now[0]) as memory:
        for number, text in enumerate(
            (
                "I teach chemistry at a high school. I drive an old Skoda. My daughter Ida has a peanut allergy.",
                "The Skoda finally died. We bought a used Kia Niro. New job: I'm head of science at Redland Green. "
                "Ida turned 9 yesterday.",
            )
        ):
            user = memory.user("ann", session_id=f"s{number}")
            user.add(text, "Noted.")
            user.end_session()
            user.consolidate()
            now[0] += timedelta(days=30)

        def known(question: str) -> list[str]:
            text = memory.user("ann", session_id="asking").recall(question, budget_tokens=200).text
            return [line[2:].split(" (")[0] for line in text.splitlines() if line.startswith("- ")]

        assert known("What car do I drive?") == ["Vehicle: Kia Niro"]
        assert known("What snack should I bring for the kids?") == ["Ida's allergy: peanut"]
        assert known("How old is Ida?")[0] == "Ida's age: 9"
