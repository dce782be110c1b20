"""A reranker: it orders the best hits anew, and recall goes on without it when it fails."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryos_core import (
    AsyncMemoryOS,
    InvalidInputError,
    MemoryConfig,
    MemoryOS,
    ModelError,
    RecallConfig,
    ShortTermConfig,
    UserMemory,
    WorkerConfig,
)
from memoryos_core.ports import Embedder
from memoryos_core.rules.ranking.signals import order_by_both
from memoryos_core.testing.fakes import FixedClock, KeywordEmbedder
from memoryos_core.values.events import Event, StepFailed

NOW = datetime(2024, 6, 1, 12, tzinfo=timezone.utc)
SMALL = MemoryConfig(
    short_term=ShortTermConfig(capacity_pages=2, batch_pages=1), worker=WorkerConfig(mode="manual", attempts=1)
)
LINES = (
    ("I sold my boat in Horta.", "A good boat finds an owner."),
    ("The doctor says my knee is fine.", "Knees heal slowly."),
    ("We planted quinces behind the barn.", "Quinces like patience."),
    ("My sister plays the cello in Graz.", "The cello is a warm instrument."),
    ("My brother plays the tuba in Bergen.", "A tuba carries far."),
    ("The observatory opens on Fridays.", "Friday skies are best."),
)
QUESTION = "Which instruments do my sister and my brother play at home?"
Make = Callable[..., MemoryOS]


class Likes:
    """A reranker that likes texts with one word; keeps what it was asked."""

    def __init__(self, word: str, answer: Callable[[Sequence[str]], object] | None = None) -> None:
        self.word = word
        self.answer = answer
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        self.asked.append((question, tuple(texts)))
        if self.answer is not None:
            return cast("list[float]", self.answer(texts))  # wrong ones are the point
        return [100.0 if self.word in text else -3.0 for text in texts]


class CosineReranker:
    """A reranker out of an embedder: the cosine of question and text."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        cosines: list[float] = (self._embedder.embed_documents(texts) @ self._embedder.embed_query(question)).tolist()
        return cosines


@pytest.fixture
def open_memory() -> Iterator[Make]:
    opened: list[MemoryOS] = []

    def make(**given: object) -> MemoryOS:
        chosen: dict = {"embedder": None, "config": SMALL, "clock": FixedClock(NOW), "token_counter": None, **given}
        memory = MemoryOS("sqlite://", **chosen)
        opened.append(memory)
        return memory

    yield make
    for memory in opened:
        memory.close()


def tell(memory: MemoryOS) -> UserMemory:
    """One turn a day; the handle is for another session, so that nothing is shown for being recent."""
    ada = memory.user("ada", session_id="told")
    for i, (said, answered) in enumerate(LINES):
        ada.add(said, answered, timestamp=NOW - timedelta(days=30 - i))
    ada.consolidate()
    return memory.user("ada", session_id="later")


def recalling(**numbers: object) -> MemoryConfig:
    return replace(SMALL, recall=RecallConfig(**numbers))  # type: ignore[arg-type]  # chosen by name


def test_a_reranker_orders_the_best_hits_anew(open_memory: Make) -> None:
    question = "What does my sister or my brother play?"
    liked = Likes("tuba")
    recall = tell(open_memory(reranker=liked)).recall(question)
    first = recall.hits[0]
    assert "tuba" in first.text
    assert first.signals["rerank"] == 100
    assert "rerank" in recall.timings_ms
    ((asked, texts),) = liked.asked
    assert asked == question
    assert "user: My brother plays the tuba in Bergen." in texts
    plain = tell(open_memory()).recall(question)
    assert {h.text for h in plain.hits} == {h.text for h in recall.hits}
    other = "cello" if "tuba" in plain.hits[0].text else "tuba"
    anew = tell(open_memory(reranker=Likes(other))).recall(question)
    assert other in anew.hits[0].text
    assert other not in plain.hits[0].text


def test_search_is_reranked_too_and_scores_descend(open_memory: Make) -> None:
    ada = tell(open_memory(reranker=Likes("quinces"), config=recalling(rerank=3)))
    hits = ada.search("Did my sister, my brother or we plant quinces, or play the cello?", 6)
    assert "quinces" in hits[0].text
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)
    assert [("rerank" in h.signals) for h in hits] == [True] * 3 + [False] * 3


@pytest.mark.parametrize("depth", [0, 1])
def test_less_than_two_hits_are_not_reranked(open_memory: Make, depth: int) -> None:
    liked = Likes("tuba")
    tell(open_memory(reranker=liked, config=recalling(rerank=depth))).recall("What does my sister play?")
    assert liked.asked == []


def test_what_is_spread_over_sessions_is_not_reranked(open_memory: Make) -> None:
    liked = Likes("tuba")
    ada = tell(open_memory(reranker=liked))
    assert ada.recall("Summarize what I said about my sister")
    assert liked.asked == []
    assert ada.search("Summarize what I said about my sister", 3)
    assert len(liked.asked) == 1, "a search is by score, and is reranked"


@pytest.mark.parametrize(
    "answer",
    [
        lambda texts: [1.0],
        lambda texts: [float("nan")] * len(texts),
        lambda texts: [[1.0]] * len(texts),
        lambda texts: ["good"] * len(texts),
        lambda texts: None,
        lambda texts: (_ for _ in ()).throw(TimeoutError("secret")),
        lambda texts: (_ for _ in ()).throw(ModelError("down")),
    ],
)
def test_a_reranker_that_fails_leaves_the_order(
    open_memory: Make, caplog: pytest.LogCaptureFixture, answer: Callable[[Sequence[str]], object]
) -> None:
    events: list[Event] = []
    ada = tell(open_memory(reranker=Likes("tuba", answer), on_event=events.append))
    question = "What does my sister or my brother play?"
    with caplog.at_level(logging.WARNING):
        assert ada.recall(question).text == tell(open_memory()).recall(question).text
    assert [e.step for e in events if isinstance(e, StepFailed)] == ["rerank"]
    assert "the reranker failed" in caplog.text
    assert "secret" not in caplog.text


def test_an_embedder_can_be_made_a_reranker(open_memory: Make) -> None:
    embedder = KeywordEmbedder(512, synonyms={"vessel": "boat"})
    ada = tell(open_memory(reranker=CosineReranker(embedder)))
    hits = ada.search("Is the cello or the vessel a boat in Horta?", 3)
    assert "boat in Horta" in hits[0].text


@given(
    st.lists(st.tuples(st.integers(-90, 90), st.integers(-90, 90)), min_size=1, max_size=20),
    st.sampled_from([1e-3, 1.0, 1e6]),
)
def test_reranking_is_the_same_on_any_scale(both: list[tuple[int, int]], scale: float) -> None:
    ranked = np.array(sorted((before / 10 for before, _ in both), reverse=True))
    answers = np.array([float(answer) for _, answer in both])
    order = order_by_both(ranked, answers)
    assert sorted(order.tolist()) == list(range(len(both)))
    # Equal sums may fall either way; a hit that is worse by neither score never loses its place.
    for scaled in (order, order_by_both(ranked, answers * scale)):
        places = {hit: place for place, hit in enumerate(scaled.tolist())}
        better = [(i, j) for i in places for j in places if ranked[i] > ranked[j] and answers[i] >= answers[j]]
        assert all(places[i] < places[j] for i, j in better)


def test_reranking_weighs_both_alike() -> None:
    both = order_by_both(np.array([3.0, 2.0, 1.0]), np.array([10.0, 20.0, 60.0]))
    assert both.tolist() == [0, 2, 1]
    assert order_by_both(np.array([3.0, 2.0, 1.0]), np.array([7.0, 7.0, 7.0])).tolist() == [0, 1, 2]
    assert order_by_both(np.array([0.1, 0.1, 0.1]), np.array([7.0, 8.0, 9.0])).tolist() == [2, 1, 0]


@settings(deadline=None, max_examples=25)
@given(
    budgets=st.lists(st.integers(1, 900), min_size=2, max_size=6, unique=True).map(sorted),
    depth=st.integers(2, 12),
    word=st.sampled_from(["quinces", "Graz", "Friday", "the"]),
)
def test_more_budget_never_drops_a_hit(budgets: list[int], depth: int, word: str) -> None:
    config = recalling(rerank=depth, top_facts=1)
    with MemoryOS(
        "sqlite://", embedder=None, config=config, clock=FixedClock(NOW), token_counter=None, reranker=Likes(word)
    ) as memory:
        ada = tell(memory)
        ada.remember("My brother plays the tuba badly")
        ada.remember("My sister plays the cello well")
        before: set[tuple[str, str | None]] = set()
        for budget in budgets:
            hits: set[tuple[str, str | None]] = {
                (h.id, h.about) for h in ada.recall(QUESTION, budget_tokens=budget).hits
            }
            assert before <= hits
            before = hits


def test_what_cannot_rerank_is_refused_at_once() -> None:
    with pytest.raises(InvalidInputError, match="reranker"):
        MemoryOS("sqlite://", embedder=None, reranker=len)  # type: ignore[arg-type]  # the wrong thing


def test_without_a_reranker_no_signal_is_there(open_memory: Make) -> None:
    (hit,) = tell(open_memory()).search("cello", 1)
    assert "rerank" not in hit.signals


@pytest.mark.parametrize("removed", ["sparse", "decompose", "decompose_seconds"])
def test_options_that_were_removed_are_refused(removed: str) -> None:
    with pytest.raises(TypeError, match=removed):
        recalling(**{removed: 1})


async def test_the_face_for_coroutines_takes_one() -> None:
    liked = Likes("tuba")
    async with AsyncMemoryOS("sqlite://", embedder=None, config=SMALL, clock=FixedClock(NOW), reranker=liked) as memory:
        ada = memory.user("ada")
        for said, answered in LINES:
            await ada.add(said, answered)
        assert (await ada.search("Did my brother or my sister play?", 1))[0].signals["rerank"] == 100
