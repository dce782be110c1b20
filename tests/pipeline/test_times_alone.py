"""A question about a time and no subject finds what was said then, though no word of it was said."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, UserMemory, WorkerConfig
from memoryos_core.testing.fakes import KeywordEmbedder

NOW = datetime(2026, 11, 29, 12, tzinfo=timezone.utc)
DAYS = {
    datetime(2026, 4, 7, 10, tzinfo=timezone.utc): "The boiler broke and a plumber named Osric fixed it.",
    datetime(2026, 8, 3, 10, tzinfo=timezone.utc): "Finished the quilt with the herons.",
    datetime(2026, 8, 20, 10, tzinfo=timezone.utc): "Grandad moved into the annexe.",
    datetime(2026, 10, 1, 10, tzinfo=timezone.utc): "Bought a rowing machine.",
    datetime(2026, 11, 17, 10, tzinfo=timezone.utc): "The choir sang in the abbey.",
    datetime(2026, 11, 28, 10, tzinfo=timezone.utc): "Passed the theory test!",
}
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


def say(memory: MemoryOS, at: datetime, text: str, *, session: str = "", reply: str = "Noted.") -> None:
    said = [Message("user", text, None, at), Message("assistant", reply, None, at)]
    memory.user("ann", session_id=session or f"{at:%m-%d}").add_messages(said)


def opened(embedder: KeywordEmbedder | None = None) -> MemoryOS:
    return MemoryOS("sqlite://", embedder=embedder, config=MANUAL, clock=lambda: NOW)


def tell(memory: MemoryOS, *, among: int = 0) -> UserMemory:
    """A diary of a year, with so many more pages of other days."""
    for number in range(among):
        at = datetime(2026, 1, 1, 8, tzinfo=timezone.utc) + timedelta(hours=5 * number)
        say(memory, at, f"Can you convert {number} ounces?", session=f"ounces-{at:%m-%d}")
    for at, text in DAYS.items():
        say(memory, at, text)
    memory.flush()
    return memory.user("ann", session_id="later")


def texts(user: UserMemory, question: str, **options: int) -> list[str]:
    hits = user.recall(question, budget_tokens=options.get("budget", 1000)).hits
    return [message.text for hit in hits for message in hit.messages if message.text != "Noted."]


@pytest.fixture(scope="module")
def ann() -> Iterator[UserMemory]:
    with opened() as memory:
        yield tell(memory)


@pytest.mark.parametrize(
    ("question", "months"),
    [
        ("What happened in August?", {8}),
        ("What did I do in April?", {4}),
        ("What did I tell you last month?", {10}),
        ("What was I up to between April and August?", {4, 8}),
        ("What has happened since October?", {10, 11}),
        ("Summarise August for me", {8}),
        ("Was ist im April passiert?", {4}),
        ("Was habe ich im August gemacht?", {8}),
        ("Qu'est-ce qui s'est passé en août ?", {8}),
        ("¿Qué pasó en abril?", {4}),
        ("Cosa è successo ad agosto?", {8}),
        ("O que aconteceu em abril?", {4}),
        ("八月发生了什么？", {8}),
        ("8月に何がありましたか？", {8}),
    ],
)
def test_what_was_said_in_a_time_is_found_by_the_time(ann: UserMemory, question: str, months: set[int]) -> None:
    assert set(texts(ann, question)) == {said for at, said in DAYS.items() if at.month in months}


def test_yesterday_is_a_day_of_its_own(ann: UserMemory) -> None:
    assert texts(ann, "What happened yesterday?") == ["Passed the theory test!"]


@pytest.mark.parametrize(
    "question",
    [
        "What did I eat in August?",
        "See you in August!",
        "In August.",
        "What is the capital of Peru?",
        "What are my plans for next week?",
        "What happened?",
        "How are you today?",
        "What happened before August?",
        "What happened in June?",
    ],
)
def test_no_other_question_is_answered_by_a_time_alone(ann: UserMemory, question: str) -> None:
    assert not texts(ann, question)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Last year I lived in Porto, above a bakery.", "Where did I live last year?"),
        ("Next week I have an important exam in thermodynamics.", "Do I have anything important next week?"),
        ("We agreed to paint the fence next month.", "What did we agree to do next month?"),
        ("I gave a talk on lichens at Bergen in May.", "What talk did I give in May?"),
    ],
)
def test_a_subject_is_found_whenever_it_was_told(said: str, question: str) -> None:
    with opened() as memory:
        tell(memory)
        say(memory, datetime(2026, 9, 9, tzinfo=timezone.utc), said)
        memory.flush()
        assert said in texts(memory.user("ann", session_id="later"), question)


@pytest.mark.parametrize("embedder", [None, KeywordEmbedder()])
def test_among_many_pages_each_part_of_a_long_time_is_told(embedder: KeywordEmbedder | None) -> None:
    with opened(embedder) as memory:
        user = tell(memory, among=1500)
        hits = user.recall("What happened in 2026?", budget_tokens=3000).hits
        assert {(hit.timestamp.month - 1) // 3 for hit in hits} == {0, 1, 2, 3}
        of_august = user.recall("What happened in August?").hits
        assert {hit.timestamp.month for hit in of_august} == {8}
        told = texts(user, "What happened in August?", budget=300)
        assert {"Finished the quilt with the herons.", "Grandad moved into the annexe."} <= set(told)


def test_an_event_comes_before_small_talk() -> None:
    with opened() as memory:
        for day in range(1, 31):
            at = datetime(2026, 8, day, 9, tzinfo=timezone.utc)
            for n in range(3):
                say(memory, at + timedelta(minutes=n), f"Thanks, bye {day} {n}!")
                say(memory, at + timedelta(minutes=9 + n), f"What is the capital of country {day} {n}?", reply="Lima.")
                say(memory, at + timedelta(minutes=20 + n), f"Ok, number {day} {n} it is.")
            if day % 8 == 0:
                say(memory, at, f"Grandad moved into annexe {day} with all of his bees, and I am so relieved about it.")
        memory.flush()
        found = texts(memory.user("ann", session_id="later"), "What happened in August?", budget=400)
        assert sum("annexe" in text for text in found) == 3


def test_an_evening_full_of_pages_gets_the_room_of_the_empty_days() -> None:
    with opened() as memory:
        for n in range(161):
            at = datetime(2026, 8, 9, 19, tzinfo=timezone.utc) + timedelta(minutes=n)
            say(memory, at, f"I saw bird number {n} in the reeds.")
        memory.flush()
        assert len(texts(memory.user("ann", session_id="later"), "What happened in August?", budget=9000)) > 150


def test_a_filter_loses_nothing_that_it_admits(ann: UserMemory) -> None:
    with opened() as memory:
        for n in range(400):
            at = datetime(2026, 8, 1, tzinfo=timezone.utc) + timedelta(hours=n)
            say(memory, at, f"I bought stamp {n}.", session=f"stamps-{n // 20}")
        memory.flush()
        user = memory.user("ann", session_id="later")
        for session in ("stamps-0", "stamps-7", "stamps-19"):
            assert {hit.session_id for hit in user.search("What happened in August?", session_id=session)} == {session}
        day = datetime(2026, 8, 2, tzinfo=timezone.utc)
        found = user.search("What happened in 2026?", k=5, since=day, until=day + timedelta(days=1))
        assert len(found) == 5


def test_another_user_has_another_time(ann: UserMemory) -> None:
    with opened() as memory:
        tell(memory)
        assert not memory.user("bob").recall("What happened in August?").hits


def test_the_question_itself_is_no_event() -> None:
    with opened() as memory:
        question = "What did I do last week?"
        say(memory, NOW - timedelta(days=9), "The choir sang in the abbey.", session="a")
        say(memory, NOW - timedelta(days=8), question, session="b", reply="You repaired the trombone.")
        memory.flush()
        hits = memory.user("ann", session_id="later").search(question, k=5)
        assert [hit.text for hit in hits][-1] == f"user: {question}"
        assert "choir" in hits[0].text


def test_what_was_said_then_is_relevant(ann: UserMemory) -> None:
    assert all(hit.score >= 0.9 for hit in ann.search("What happened in August?", k=2, min_score=0.5))
    assert ann.search("What happened in August?", min_score=0.5)
