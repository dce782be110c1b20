"""A question that names a time and no subject finds what was said then, though no word of it was said."""

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


def tell(memory: MemoryOS, *, among: int = 0) -> UserMemory:
    """A diary of a year, with so many more pages of other days."""
    for number in range(among):
        at = datetime(2026, 1, 1, 8, tzinfo=timezone.utc) + timedelta(hours=5 * number)
        said = [
            Message("user", f"Can you convert {number} ounces?", None, at),
            Message("assistant", "Noted.", None, at),
        ]
        memory.user("ann", session_id=f"ounces-{at:%m-%d}").add_messages(said)
    for at, text in DAYS.items():
        said = [Message("user", text, None, at), Message("assistant", "Noted.", None, at)]
        memory.user("ann", session_id=f"{at:%m-%d}").add_messages(said)
    memory.flush()
    return memory.user("ann", session_id="later")


@pytest.fixture(scope="module")
def ann() -> Iterator[UserMemory]:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: NOW) as memory:
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
    found = {message.text for hit in ann.recall(question).hits for message in hit.messages} - {"Noted."}
    assert found == {said for at, said in DAYS.items() if at.month in months}


def test_yesterday_is_a_day_of_its_own(ann: UserMemory) -> None:
    hits = ann.recall("What happened yesterday?").hits
    assert {hit.messages[0].text for hit in hits} == {"Passed the theory test!", "Noted."}


@pytest.mark.parametrize(
    "question",
    [
        "What did I eat in August?",
        "See you in August!",
        "In August.",
        "What is the capital of Peru?",
        "What are my plans for next week?",
        "What happened?",
    ],
)
def test_what_names_more_or_asks_nothing_is_not_answered_by_its_time_alone(ann: UserMemory, question: str) -> None:
    assert not any(said in ann.recall(question).text for said in DAYS.values())


def test_a_time_in_which_nothing_was_said_brings_nothing(ann: UserMemory) -> None:
    assert not ann.recall("What happened in June?").hits


@pytest.mark.parametrize("embedder", [None, KeywordEmbedder()])
def test_among_many_pages_each_part_of_a_long_time_is_told(embedder: KeywordEmbedder | None) -> None:
    with MemoryOS("sqlite://", embedder=embedder, config=MANUAL, clock=lambda: NOW) as memory:
        user = tell(memory, among=1500)
        hits = user.recall("What happened in 2026?", budget_tokens=3000).hits
        quarters = {(hit.timestamp.month - 1) // 3 for hit in hits}
        assert quarters == {0, 1, 2, 3}
        text = user.recall("What happened in August?").text
        assert "herons" in text or "annexe" in text
        told = {hit.timestamp.month for hit in user.recall("What happened in August?").hits}
        assert told == {8}, "what else was said does not push it out"


def test_another_user_and_a_filter_keep_their_walls(ann: UserMemory) -> None:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: NOW) as memory:
        tell(memory)
        assert not memory.user("bob").recall("What happened in August?").hits
        within = memory.user("ann").search("What happened in August?", session_id="08-03")
        assert {hit.session_id for hit in within} == {"08-03"}
