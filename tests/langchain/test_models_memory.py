"""A whole memory on LangChain's model and embeddings, and what a failing model costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.messages import BaseMessage

from memoryos_core import LongTermConfig, MemoryConfig, MemoryOS, ShortTermConfig, WorkerConfig
from memoryos_langchain.embeddings import LangChainEmbedder
from memoryos_langchain.models import LangChainChatModel
from tests.langchain.scripted_models import Answer, SchemaModel, ScriptedModel, filing

MANUAL = MemoryConfig(
    short_term=ShortTermConfig(capacity_pages=4, batch_pages=4),
    long_term=LongTermConfig(reads="hot"),
    worker=WorkerConfig(mode="manual", attempts=2, backoff_seconds=0.0),
)
PAGES = 12


@pytest.fixture
def open_memory(path: str) -> Iterator[Callable[..., MemoryOS]]:
    opened: list[MemoryOS] = []

    def make(model: ScriptedModel, **options: Any) -> MemoryOS:
        embedder = LangChainEmbedder(DeterministicFakeEmbedding(size=32))
        opened.append(MemoryOS(path, llm=LangChainChatModel(model), embedder=embedder, config=MANUAL, **options))
        return opened[-1]

    yield make
    for memory in opened:
        memory.close()


def talk(memory: MemoryOS) -> None:
    for day in range(PAGES):
        memory.user("ada").add(f"I watered the garden on day {day}.", "Tomatoes like the sun.")


def kept(memory: MemoryOS) -> int:
    stats = memory.user("ada").stats()
    return stats.pages_short_term + stats.pages_mid_term


@pytest.mark.parametrize("kind", [ScriptedModel, SchemaModel])
def test_it_consolidates_learns_and_finds_again_after_a_restart(
    open_memory: Callable[..., MemoryOS], kind: type[ScriptedModel]
) -> None:
    model = kind(answer=filing)
    memory = open_memory(model)
    talk(memory)
    report = memory.user("ada").consolidate()
    assert report.pages_moved == 8
    assert report.facts_learned == 4
    assert memory.user("ada").profile().get("name") == "Ada"
    usage = memory.usage()
    assert usage.calls == len(model.asked)
    assert usage.failures == usage.repairs == usage.retries == 0
    memory.close()

    again = open_memory(model)
    recall = again.user("ada").recall("On which day was the garden watered?")
    assert "watered the garden" in str(recall)


@pytest.mark.parametrize(
    "answer",
    [
        lambda _: ConnectionError("reset by peer"),
        lambda _: TimeoutError("too slow"),
        lambda _: AttributeError("'NoneType' object has no attribute 'choices'"),
        lambda _: "I am a teapot.",
        lambda _: "",
        lambda _: '{"topics": "all of it"}',
    ],
    ids=["connection", "timeout", "bug", "nonsense", "silence", "shape"],
)
def test_a_failing_model_costs_counters_never_a_page(
    open_memory: Callable[..., MemoryOS], answer: Callable[[list[BaseMessage]], Answer]
) -> None:
    memory = open_memory(ScriptedModel(answer=answer))
    talk(memory)
    memory.user("ada").consolidate()
    usage = memory.usage()
    assert kept(memory) == PAGES
    assert memory.user("ada").stats().pages_mid_term == 8
    assert usage.failures >= 1
    assert usage.calls >= usage.failures
    assert "watered the garden" in str(memory.user("ada").recall("the garden on day 3"))


def test_an_outage_of_one_call_costs_one_retry(open_memory: Callable[..., MemoryOS]) -> None:
    outages = [ConnectionError("reset by peer")]
    model = ScriptedModel(answer=lambda messages: outages.pop() if outages else filing(messages))
    memory = open_memory(model)
    talk(memory)
    report = memory.user("ada").consolidate()
    usage = memory.usage()
    assert (usage.retries, usage.failures) == (1, 0)
    assert report.facts_learned == 4
    assert kept(memory) == PAGES


def test_one_answer_out_of_shape_costs_one_repair(open_memory: Callable[..., MemoryOS]) -> None:
    slips = ["Sure! Here you are."]
    model = ScriptedModel(answer=lambda messages: slips.pop() if slips else filing(messages))
    memory = open_memory(model)
    talk(memory)
    memory.user("ada").consolidate()
    usage = memory.usage()
    assert (usage.repairs, usage.retries, usage.failures) == (1, 0, 0)


def test_it_answers_questions_too(open_memory: Callable[..., MemoryOS]) -> None:
    model = ScriptedModel(answer=lambda _: "On day three.")
    memory = open_memory(model, answer_llm=LangChainChatModel(model))
    talk(memory)
    assert memory.user("ada").chat("When did I water the garden?") == "On day three."
    assert "watered the garden" in str(model.asked[-1])
