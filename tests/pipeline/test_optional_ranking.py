"""What may be given besides: a sparse encoder, a reranker, splitting by the model. Each helps, none is in the way."""

from __future__ import annotations

import json
import logging
import threading
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
from memoryos_core.ports import Embedder, SparseVector
from memoryos_core.recall.ranked import Ranked, merge_rankings
from memoryos_core.rules.ranking.compound import is_compound
from memoryos_core.rules.ranking.reranking import order_by_both
from memoryos_core.rules.text.words import terms
from memoryos_core.testing.fakes import FixedClock, KeywordEmbedder, ScriptedChat
from memoryos_core.values.chat import ChatRequest
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
PARTS = ("Which instrument does my sister play?", "Which instrument does my brother play?")
Make = Callable[..., MemoryOS]


class Synonyms:
    """A sparse encoder that knows one thing: a vessel is a boat."""

    name = "synonyms"

    def __init__(self) -> None:
        self.failure: BaseException | None = None
        self.read = 0

    def encode_documents(self, texts: Sequence[str]) -> list[SparseVector]:
        self.read += len(texts)
        return [self.encode_query(text) for text in texts]

    def encode_query(self, text: str) -> SparseVector:
        if self.failure is not None:
            raise self.failure
        found = {1 if word in {"boat", "vessel"} else 2 for word in terms(text) if word in {"boat", "vessel", "cello"}}
        return np.array(sorted(found), dtype=np.int32), np.ones(len(found), dtype=np.float32)


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


def split(*parts: str) -> str:
    return json.dumps({"parts": parts})


# a sparse encoder


def test_a_sparse_encoder_finds_what_is_said_in_other_words(open_memory: Make) -> None:
    hits = tell(open_memory(sparse=Synonyms())).search("vessel", 2)
    assert hits[0].messages[0].text == "I sold my boat in Horta."
    assert hits[0].signals["sparse"] == RecallConfig().sparse
    assert tell(open_memory()).search("vessel", 2) == []


def test_its_weight_is_configured_and_zero_asks_nothing(open_memory: Make) -> None:
    encoder = Synonyms()
    assert tell(open_memory(sparse=encoder, config=recalling(sparse=0.0))).search("vessel", 2) == []
    assert encoder.read == 0
    assert tell(open_memory(sparse=encoder, config=recalling(sparse=2.0))).search("vessel", 1)[0].signals["sparse"] == 2


def test_a_sparse_encoder_that_is_down_leaves_the_recall(open_memory: Make, caplog: pytest.LogCaptureFixture) -> None:
    encoder = Synonyms()
    ada = tell(open_memory(sparse=encoder))
    plain = tell(open_memory()).recall("Who plays the cello?")
    encoder.failure = ModelError("down")
    assert ada.recall("Who plays the cello?").text == plain.text
    assert "sparse encoder failed" in caplog.text
    encoder.failure = None
    assert ada.recall("Tell me of the vessel").hits[0].messages[0].text == "I sold my boat in Horta."


def test_without_them_no_signal_is_there(open_memory: Make) -> None:
    (hit,) = tell(open_memory()).search("cello", 1)
    assert {"sparse", "rerank"}.isdisjoint(hit.signals)


def test_it_outlives_another_embedder(open_memory: Make) -> None:
    memory = open_memory(sparse=Synonyms())
    ada = tell(memory)
    memory.reindex(embedder=KeywordEmbedder(64), progress=False)
    assert max(hit.signals["sparse"] for hit in ada.search("vessel", 12)) > 0


# a reranker


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
    assert "tuba" not in plain.hits[0].text


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


# splitting


def test_a_hard_question_is_put_to_the_model_once_and_its_parts_are_found(open_memory: Make) -> None:
    chat = ScriptedChat([split("Who has a sister with a cello?", "What did my brother say of the quinces?")])
    memory = open_memory(llm=chat, config=recalling(decompose=True, decompose_seconds=60.0))
    ada = tell_without_model(memory)
    recall = ada.recall(QUESTION)
    assert chat.calls == 1
    assert memory.usage().calls == 1
    assert "split" in recall.timings_ms
    assert [h.score for h in recall.hits] == sorted((h.score for h in recall.hits), reverse=True)
    plain = tell_without_model(open_memory()).recall(QUESTION)
    quinces = "user: We planted quinces behind the barn."
    assert quinces in [h.text for h in recall.hits[:3]]
    assert quinces not in [h.text for h in plain.hits[:3]]
    assert {h.text for h in plain.hits} <= {h.text for h in recall.hits}


def tell_without_model(memory: MemoryOS) -> UserMemory:
    """The same pages, left in short-term memory: consolidating would ask the model."""
    ada = memory.user("ada", session_id="told")
    for i, (said, answered) in enumerate(LINES):
        ada.add(said, answered, timestamp=NOW - timedelta(days=30 - i))
    return memory.user("ada", session_id="later")


@pytest.mark.parametrize(
    "question", ["Who plays the cello?", "Summarize what my sister and my brother said of their instruments"]
)
def test_an_easy_question_and_a_search_ask_no_model(open_memory: Make, question: str) -> None:
    chat = ScriptedChat([])
    ada = tell_without_model(open_memory(llm=chat, config=recalling(decompose=True)))
    assert ada.recall(question)
    assert ada.search(QUESTION, 3)
    assert chat.calls == 0


def test_off_by_default_and_nothing_without_a_model(open_memory: Make) -> None:
    chat = ScriptedChat([])
    assert tell_without_model(open_memory(llm=chat)).recall(QUESTION)
    assert chat.calls == 0
    assert tell(open_memory(config=recalling(decompose=True))).recall(QUESTION).hits


@pytest.mark.parametrize(
    "line", ["nonsense", ModelError("busy"), ValueError("secret"), split("One thing"), split("Is the moon up?", "Why?")]
)
def test_whatever_the_model_does_the_plain_recall_is_left(
    open_memory: Make, caplog: pytest.LogCaptureFixture, line: object
) -> None:
    chat, events = ScriptedChat([line]), list[Event]()  # type: ignore[list-item]  # any line of a script
    config = recalling(decompose=True, decompose_seconds=60.0)
    ada = tell_without_model(open_memory(llm=chat, config=config, on_event=events.append))
    recall = ada.recall(QUESTION)
    assert recall.text == tell_without_model(open_memory()).recall(QUESTION).text
    assert chat.calls == 1
    failed = [e.step for e in events if isinstance(e, StepFailed)]
    assert failed == ([] if isinstance(line, str) and line.startswith("{") else ["decompose"])
    assert "secret" not in caplog.text


def test_a_model_that_takes_too_long_is_not_waited_for(open_memory: Make) -> None:
    gate, answered = threading.Event(), threading.Semaphore(0)

    def slowly(_: ChatRequest) -> str:
        gate.wait(60)
        answered.release()
        return split(*PARTS)

    chat, events = ScriptedChat(slowly), list[Event]()
    config = recalling(decompose=True, decompose_seconds=0.01)
    ada = tell_without_model(open_memory(llm=chat, config=config, on_event=events.append))
    try:
        plain = tell_without_model(open_memory()).recall(QUESTION)
        for _ in range(6):
            assert ada.recall(QUESTION).text == plain.text
        failed = [e for e in events if isinstance(e, StepFailed)]
        assert [(e.step, e.error) for e in failed] == [("decompose", "TimeoutError")] * 6
    finally:
        gate.set()
    # No more than four were put to it while it answered none.
    assert all(answered.acquire(timeout=60) for _ in range(4))
    assert chat.calls == 4


def test_what_the_parts_find_counts_by_its_best_score() -> None:
    def of(owners: str, *scores: float, **signals: float) -> Ranked:
        chosen = tuple(int(i) for i in np.argsort(-np.array(scores), kind="stable"))
        named = {name: np.full(len(scores), value) for name, value in signals.items()}
        return Ranked(tuple(owners), ("user",) * len(owners), np.array(scores), named, chosen, max(scores))

    found = merge_rankings([of("abc", 1.0, 2.0, 3.0, dense=0.1), of("bd", 5.0, 2.0, sparse=0.2), of("e", 0.5)])
    units = [found.unit(i) for i in found.chosen]
    assert [(u.owner, u.score) for u in units] == [("b", 5), ("c", 3), ("d", 2), ("a", 1), ("e", 0.5)]
    assert units[0].signals == {"dense": 0, "sparse": 0.2}
    assert units[1].signals == {"dense": 0.1, "sparse": 0}
    assert found.strength == 5


@pytest.mark.parametrize(
    ("question", "strength", "hard"),
    [
        ("Which instruments do Ann and her brother play?", 0.9, True),
        ("Did Ann meet Ben before the summer holiday began?", 0.9, True),
        ("Did Ann ever visit the old observatory near Graz?", 0.9, False),
        ("Did Ann ever visit the old observatory near Graz?", 0.1, True),
        ("Ann and Ben?", 0.1, False),
        ("Summarize all that Ann and Ben told me about their garden", 0.1, False),
        ("安和本都喜欢什么乐器和运动？", 0.9, True),
    ],
)
def test_which_questions_are_hard(question: str, strength: float, hard: bool) -> None:
    assert is_compound(question, {"Ann", "Ben"}, strength) is hard


# all together


@settings(deadline=None, max_examples=25)
@given(
    budgets=st.lists(st.integers(1, 900), min_size=2, max_size=6, unique=True).map(sorted),
    depth=st.integers(2, 12),
    word=st.sampled_from(["quinces", "Graz", "Friday", "the"]),
)
def test_more_budget_never_drops_a_hit(budgets: list[int], depth: int, word: str) -> None:
    config = recalling(decompose=True, decompose_seconds=60.0, rerank=depth, top_facts=1)
    given: dict = {"sparse": Synonyms(), "reranker": Likes(word), "llm": ScriptedChat(lambda _: split(*PARTS))}
    with MemoryOS(
        "sqlite://", embedder=None, config=config, clock=FixedClock(NOW), token_counter=None, **given
    ) as memory:
        ada = tell_without_model(memory)
        ada.remember("My brother plays the tuba badly")
        ada.remember("My sister plays the cello well")
        before: set[tuple[str, str | None]] = set()
        for budget in budgets:
            hits: set[tuple[str, str | None]] = {
                (h.id, h.about) for h in ada.recall(QUESTION, budget_tokens=budget).hits
            }
            assert before <= hits
            before = hits


@pytest.mark.parametrize("given", [{"sparse": "splade"}, {"reranker": len}])
def test_what_cannot_do_the_work_is_refused_at_once(given: dict) -> None:
    with pytest.raises(InvalidInputError, match=next(iter(given))):
        MemoryOS("sqlite://", embedder=None, **given)


async def test_the_face_for_coroutines_takes_them() -> None:
    liked = Likes("tuba")
    async with AsyncMemoryOS(
        "sqlite://", embedder=None, config=SMALL, clock=FixedClock(NOW), sparse=Synonyms(), reranker=liked
    ) as memory:
        ada = memory.user("ada")
        for said, answered in LINES:
            await ada.add(said, answered)
        assert (await ada.search("vessel", 1))[0].signals["sparse"] > 0
        assert liked.asked
