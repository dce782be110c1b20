"""Questions whose answer takes several statements: each leads to the next, and all of them reach the prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, UserMemory, WorkerConfig

NOW = datetime(2026, 6, 1, 12, tzinfo=timezone.utc)
FAMILY = (
    "My sister Imogen is married to Sam.",
    "Sam works at Shell.",
    "My boss is Danielle.",
    "Danielle lives in Hove.",
    "My best friend Priya's husband is called Arun.",
    "Arun is allergic to nuts.",
    "Leo is my son. Leo's teacher is Mr Pugh.",
    "I live in Leeds and I work at Boots.",
    "My brother Finn lives in Oslo.",
)
WORLD = (
    "The author of Emma is Jane Austen.",
    "Jane Austen is a citizen of Freedonia.",
    "The capital of Freedonia is Marxville.",
    "The official language of Freedonia is Chico.",
    "The author of Ulysses is James Joyce.",
    "James Joyce is a citizen of Sylvania.",
    "The capital of Sylvania is Trento.",
)


Asked = Callable[..., list[str]]


@pytest.fixture
def asked() -> Iterator[Asked]:
    """A function that gives the lines of a prompt for a question, without their dates."""
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS("sqlite://", embedder=None, config=config, clock=lambda: NOW) as memory:

        def ask(question: str, said: tuple[str, ...] = (), told: tuple[str, ...] = ()) -> list[str]:
            user = memory.user("ann", session_id="talk")
            for text in said:
                user.add_messages([Message("user", text, None, NOW), Message("assistant", "Noted.", None, NOW)])
            user.end_session()
            memory.flush()
            for text in told:
                user.remember(text)
            later: UserMemory = memory.user("ann", session_id="later")
            known = later.recall(question, budget_tokens=600).text.partition("Said earlier")[0]
            return [line[2:].partition(" (")[0] for line in known.splitlines() if line.startswith("- ")]

        yield ask


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (
            "Where does my sister's husband work?",
            ["Sister: Imogen", "Imogen's relationship: married to Sam", "Sam's employer: Shell"],
        ),
        ("Where does my boss live?", ["Boss: Danielle", "Danielle's home: Hove"]),
        ("What is Priya's husband allergic to?", ["Priya's husband: Arun", "Arun's allergy: nuts"]),
    ],
)
def test_a_person_is_found_by_who_they_are_to_another(asked: Asked, question: str, lines: list[str]) -> None:
    assert asked(question, said=FAMILY)[: len(lines)] == lines


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Where do I live?", "Home: Leeds"),
        ("Where do I work?", "Employer: Boots"),
        ("Where does Finn live?", "Finn's home: Oslo"),
    ],
)
def test_what_one_statement_answers_needs_no_other(asked: Asked, question: str, line: str) -> None:
    found = asked(question, said=FAMILY)
    assert found[0] == line
    assert "Sister: Imogen" not in found
    assert "Boss: Danielle" not in found


def test_nobody_is_reached_by_a_step_that_the_question_does_not_name(asked: Asked) -> None:
    said = ("My husband Ravi is a pilot.", "I have a dentist's appointment on Friday.")
    assert not [line for line in asked("What do I do for work?", said=said) if line.startswith("Husband")]


@pytest.mark.parametrize(
    ("question", "last"),
    [
        ("What is the capital of the country of which the author of Emma is a citizen?", "Marxville"),
        ("What is the language of the country of citizenship of the author of Emma?", "Chico"),
        ("What is the country of citizenship of the author of Ulysses?", "Sylvania"),
    ],
)
def test_facts_that_were_told_lead_to_the_answer(asked: Asked, question: str, last: str) -> None:
    assert last in " ".join(asked(question, told=WORLD))


def test_a_way_follows_the_newest_value(asked: Asked) -> None:
    told = (*WORLD, "The author of Emma is James Joyce.")
    found = asked("What is the capital of the country of which the author of Emma is a citizen?", told=told)
    assert [line.rpartition(": ")[2] for line in found[:3]] == ["James Joyce", "Sylvania", "Trento"]


def test_statements_in_a_circle_end(asked: Asked) -> None:
    told = tuple(f"Node{n}'s neighbour is Node{(n + 1) % 6}." for n in range(6))
    question = "Who is the neighbour of the neighbour of Node0's neighbour?"
    assert len(asked(question, told=told)) <= 4


@pytest.mark.parametrize(
    ("said", "question", "other"),
    [
        (
            ("My colleague is Raj.", "Raj's wife is Meena.", "Meena works at BP."),
            "Where does my colleague work?",
            "wife",
        ),
        (("My son is Leo.", "Leo's friend is Max.", "Max is allergic to nuts."), "What is Leo allergic to?", "friend"),
        (("My mum is Ruth.", "Ruth's boss is Kim.", "Kim lives in Rome."), "Where does my mum live?", "Kim"),
        (("My ex-wife is Pam.", "Pam lives in Kent.", "My wife is Sue."), "Where does my wife live?", "Pam"),
    ],
)
def test_what_is_asked_of_one_is_not_answered_by_another_of_theirs(
    asked: Asked, said: tuple[str, ...], question: str, other: str
) -> None:
    assert not [line for line in asked(question, said=said) if other in line]
