"""Who asks for their own age, home or work gets nobody else's, and who names somebody gets theirs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, UserMemory, WorkerConfig

SPRING = datetime(2026, 3, 1, 9, tzinfo=timezone.utc)
OF_OTHERS = (
    "My son Miggy is 7.",
    "My brother Patrick lives in Cork.",
    "My sister works as a nurse at Boots.",
    "My friend Lena's birthday is on 3 May.",
    "My daughter Isla is allergic to nuts.",
)
OF_MYSELF = ("I'm 41.", "I live in Hull.", "I work as a plumber at Southline.", "My birthday is on 9 July.")


def lines(user: UserMemory, question: str) -> list[str]:
    text = user.recall(question).text
    return [line.partition(" (")[0] for line in text.splitlines() if line.startswith("- ") and ": " in line]


def tell(memory: MemoryOS, *texts: str) -> UserMemory:
    for number, text in enumerate(texts):
        user = memory.user("ann", session_id=f"s{number}")
        user.add_messages([Message("user", text, None, SPRING + timedelta(days=number))])
        user.end_session()
    memory.flush()
    return memory.user("ann", session_id="later")


def opened() -> MemoryOS:
    return MemoryOS("sqlite://", embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual")))


@pytest.fixture(scope="module")
def stranger() -> Iterator[UserMemory]:
    """A user of whose own life nothing is known."""
    with opened() as memory:
        yield tell(memory, *OF_OTHERS)


@pytest.fixture(scope="module")
def ann() -> Iterator[UserMemory]:
    with opened() as memory:
        yield tell(memory, *OF_OTHERS, *OF_MYSELF)


@pytest.mark.parametrize(
    "question",
    [
        "How old am I?",
        "what's my age",
        "Where do I live?",
        "What do I do for work?",
        "Where do I work?",
        "When is my birthday?",
        "Wie alt bin ich?",
        "Wo wohne ich?",
    ],
)
def test_what_is_not_known_of_the_user_is_not_told_of_another(stranger: UserMemory, question: str) -> None:
    assert not lines(stranger, question)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("How old am I?", "- Age: 41"),
        ("Where do I live?", "- Home: Hull"),
        ("Where do I work?", "- Employer: Southline"),
        ("When is my birthday?", "- Birthday: 9 July"),
    ],
)
def test_the_users_own_comes_alone(ann: UserMemory, question: str, line: str) -> None:
    found = lines(ann, question)
    assert line in found
    assert not any(name in told for name in ("Miggy", "Patrick", "Sister", "Lena") for told in found)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("How old is my son?", "- Miggy's age: 7"),
        ("How old is Miggy?", "- Miggy's age: 7"),
        ("Where does my brother live?", "- Patrick's home: Cork"),
        ("Where does my sister work?", "- Sister's employer: Boots"),
        ("When is Lena's birthday?", "- Lena's birthday: 3 May"),
        ("Where does Patrick live and how old am I?", "- Patrick's home: Cork"),
        ("What should I cook for dinner?", "- Isla's allergy: nuts"),
    ],
)
def test_who_is_asked_about_is_told(ann: UserMemory, question: str, line: str) -> None:
    assert line in lines(ann, question)
