"""What wants a whole matter gets something of every session, whatever the budget; what does not, the best."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from typing import Any

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, RecallConfig, UserMemory, WorkerConfig
from memoryos_core.testing.fakes import FixedClock

NOW = datetime(2024, 6, 1, 12, tzinfo=timezone.utc)
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
SUMMARY, PLAIN = "Give me a summary of the beans", "Where are the beans?"
SESSIONS = tuple(f"day-{n}" for n in range(6))
Make = Callable[..., UserMemory]


@pytest.fixture
def gardener() -> Iterator[Make]:
    """A user who spoke of the beans all of one day, and once on each of five others; asked in another session."""
    opened: list[MemoryOS] = []

    def make(config: MemoryConfig = MANUAL, **recall: Any) -> UserMemory:
        config = replace(config, recall=replace(config.recall, **recall))
        memory = MemoryOS("sqlite://", embedder=None, config=config, clock=FixedClock(NOW), token_counter=None)
        opened.append(memory)
        for n, session in enumerate(SESSIONS):
            for turn in range(12 if n == 0 else 1):
                when = NOW - timedelta(days=30 - n) + timedelta(minutes=turn)
                text = (
                    f"Beans, beans and more beans: row {turn}" if n == 0 else f"In week {n} the weather was cold, beans"
                )
                said = [Message("user", text, None, when), Message("assistant", f"Row {turn} of {n}.", None, when)]
                memory.user("ada", session_id=session).add_messages(said)
                memory.user("ada", session_id=session).add_messages([Message("user", f"Bye {n}", None, when)])
        memory.flush()
        return memory.user("ada", session_id="later")

    yield make
    for memory in opened:
        memory.close()


def sessions_of(user: UserMemory, question: str, budget: int = 200) -> set[str | None]:
    return {hit.session_id for hit in user.recall(question, budget_tokens=budget).hits}


@pytest.mark.parametrize(
    ("coverage", "question", "spread"),
    [
        ("asked", SUMMARY, True),
        ("asked", PLAIN, False),
        ("always", PLAIN, True),
        ("never", SUMMARY, False),
    ],
)
def test_sessions_take_turns_where_it_is_asked_or_configured(
    gardener: Make, coverage: str, question: str, spread: bool
) -> None:
    ada = gardener(coverage=coverage)
    assert (sessions_of(ada, question) == set(SESSIONS)) is spread


def test_by_default_it_is_spread_where_it_is_asked_for(gardener: Make) -> None:
    assert RecallConfig().coverage == "asked"
    assert sessions_of(gardener(), SUMMARY) == set(SESSIONS)


def test_within_a_session_the_user_comes_before_what_was_answered(gardener: Make) -> None:
    hits = [hit for hit in gardener().recall(SUMMARY, budget_tokens=2000).hits if hit.session_id == SESSIONS[0]]
    about = [hit.about or "" for hit in hits]
    assert about == sorted(about, reverse=True)
    assert set(about) == {"user", "assistant"}


def test_what_is_covered_is_looked_for_further_down(gardener: Make) -> None:
    """A dozen rows of beans fill the candidates; the other days come after them."""
    assert sessions_of(gardener(coverage="never", candidates=8), PLAIN, 60) == {SESSIONS[0]}
    ada = gardener(candidates=12)
    assert {hit.session_id for hit in ada.recall(PLAIN, budget_tokens=2000).hits} == {SESSIONS[0]}
    assert {hit.session_id for hit in ada.recall(SUMMARY, budget_tokens=2000).hits} == set(SESSIONS)


def test_the_papers_recall_is_never_spread(gardener: Make) -> None:
    paper = replace(MemoryConfig.paper(), worker=WorkerConfig(mode="manual"))
    assert paper.recall.coverage == "never"
    ungated = gardener(paper, gate=False)
    scores = [hit.score for hit in ungated.search(SUMMARY, 9)]
    assert scores == sorted(scores, reverse=True)
    assert sessions_of(ungated, SUMMARY, 60) == {SESSIONS[0]}


def test_a_search_is_in_the_order_of_its_scores(gardener: Make) -> None:
    scores = [hit.score for hit in gardener(coverage="always").search(SUMMARY, 12)]
    assert len(scores) == 12
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("question", [SUMMARY, "In which order did I speak of the beans, the weather and the rows?"])
def test_more_budget_spreads_over_the_same_and_more(gardener: Make, question: str) -> None:
    ada = gardener()
    brought = [[(h.id, h.about) for h in ada.recall(question, budget_tokens=n).hits] for n in range(20, 1200, 45)]
    assert len(brought[-1]) > 20
    for small, large in pairwise(brought):
        assert large[: len(small)] == small
