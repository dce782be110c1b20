"""The score of a LangGraph search is a relevance: one scale for all questions, and a floor where one is asked for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_langchain.store import MemoryOSStore

# Among few items an embedder says little of what is unrelated: there noise comes up to a fifth, answers over a half.
NOISE = 0.2
ADA = ("ada", "prefs")
PUT = {
    "age": "I am 17 and still at school",
    "cat": "We adopted a grey cat called Miso",
    "drive": "I drive an old blue Fiat Panda",
}
UNRELATED = ("What is 17 * 23?", "thanks!", "Who wrote War and Peace?", "Explain the difference between TCP and UDP.")
RELATED = {"How old am I, 17?": "age", "What is our cat called?": "cat", "What do I drive?": "drive"}


pytestmark = pytest.mark.usefixtures("kept_weights")


@pytest.fixture(params=[None, "local"])
def memory(request: pytest.FixtureRequest) -> Iterator[MemoryOS]:
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS("sqlite://", embedder=request.param, config=config) as memory:
        store = MemoryOSStore(memory)
        for key, text in PUT.items():
            store.put(ADA, key, {"text": text})
        yield memory


@pytest.mark.parametrize("question", UNRELATED)
def test_without_a_floor_the_best_there_is_comes_with_the_score_of_noise(memory: MemoryOS, question: str) -> None:
    """As LangGraph's own stores do: the score tells, not the number of answers."""
    found = MemoryOSStore(memory).search(ADA, query=question)
    scores = [item.score for item in found]
    assert all(score is not None and score < NOISE for score in scores), scores


@pytest.mark.parametrize("question", UNRELATED)
def test_with_a_floor_an_unrelated_question_finds_nothing(memory: MemoryOS, question: str) -> None:
    scores = [item.score for item in MemoryOSStore(memory, min_score=NOISE).search(ADA, query=question)]
    assert scores == []


@pytest.mark.parametrize(("question", "key"), RELATED.items())
def test_with_a_floor_a_related_question_finds_its_item(memory: MemoryOS, question: str, key: str) -> None:
    best = MemoryOSStore(memory, min_score=NOISE).search(ADA, query=question)[0]
    assert best.key == key
    assert (best.score or 0.0) > 0.5
