"""A whole memory on LlamaIndex's model and embedding, and what a failing model costs."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.types import CompletionResponse, LLMMetadata
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_completion_callback
from pydantic import PrivateAttr

from memoryos_core import LongTermConfig, MemoryConfig, MemoryOS, ShortTermConfig, WorkerConfig
from memoryos_core.testing.fakes import quotes_in
from memoryos_llamaindex.embeddings import LlamaIndexEmbedder
from memoryos_llamaindex.models import LlamaIndexChatModel

SHORT = ShortTermConfig(capacity_pages=4, batch_pages=4)
MANUAL = MemoryConfig(
    short_term=SHORT,
    long_term=LongTermConfig(reads="hot"),
    worker=WorkerConfig(mode="manual", attempts=2, backoff_seconds=0.0),
)
PAGES = 12


class Texts(CustomLLM):
    """A model of texts, the plainest that LlamaIndex knows: answers by a function of the prompt."""

    answer: Callable[[str], str | Exception]
    _asked: list[str] = PrivateAttr(default_factory=list)

    @property
    def asked(self) -> list[str]:
        return self._asked

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="scripted")

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False) -> CompletionResponse:
        self._asked.append(prompt)
        answer = self.answer(prompt)
        if isinstance(answer, Exception):
            raise answer
        return CompletionResponse(text=answer)

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise AssertionError("only `chat` is asked")


class Words(BaseEmbedding):
    """Means what its words mean: hashed words, counted."""

    def _get_text_embedding(self, text: str) -> list[float]:
        vector = [0.0] * 64
        for word in re.findall(r"\w+", text.lower()) or ["?"]:
            vector[zlib.crc32(word.encode()) % 64] += 1.0
        return vector

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        raise AssertionError("never asked in a loop")


def filing(prompt: str) -> str:
    """What a good model answers to both questions of consolidation, for whatever pages it is shown."""
    pages = [int(n) for n in re.findall(r"^(?:user: )?\[(\d+)\]", prompt, flags=re.MULTILINE)]
    if "File a conversation" in prompt:
        chains = [{"first": 1, "summary": "They talk about the garden."}]
        topics = [{"pages": pages, "summary": "The garden.", "keywords": ["garden", "tomato"]}]
        return json.dumps({"continues_previous": True, "chains": chains, "topics": topics})
    quotes = quotes_in(prompt)
    facts = [{"quote": quotes[n], "op": "add", "about": "user", "text": f"The user did thing {n}."} for n in quotes]
    profile = [{"quote": quotes[1], "name": "name", "value": "Ada"}]
    return json.dumps({"facts": facts, "profile": profile, "traits": []})


@pytest.fixture
def open_memory(path: str) -> Iterator[Callable[..., MemoryOS]]:
    opened: list[MemoryOS] = []

    def make(llm: Texts, config: MemoryConfig = MANUAL, **options: Any) -> MemoryOS:
        embedder = LlamaIndexEmbedder(Words())
        opened.append(MemoryOS(path, llm=LlamaIndexChatModel(llm), embedder=embedder, config=config, **options))
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


def test_it_consolidates_learns_and_finds_again_after_a_restart(open_memory: Callable[..., MemoryOS]) -> None:
    llm = Texts(answer=filing)
    memory = open_memory(llm)
    talk(memory)
    report = memory.user("ada").consolidate()
    assert report.pages_moved == 8
    assert report.facts_learned == 4  # each batch of four is read by itself, and the script numbers its facts anew
    assert memory.user("ada").profile().get("name") == "Ada"
    usage = memory.usage()
    assert usage.calls == len(llm.asked)
    assert usage.failures == usage.repairs == usage.retries == 0
    memory.close()

    recall = open_memory(llm).user("ada").recall("On which day was the garden watered?")
    assert "watered the garden" in str(recall)


async def test_the_background_worker_asks_it_while_a_loop_runs(open_memory: Callable[..., MemoryOS]) -> None:
    llm = Texts(answer=filing)
    memory = open_memory(llm, MemoryConfig(short_term=SHORT, worker=WorkerConfig(backoff_seconds=0.0)))
    talk(memory)
    assert memory.flush(timeout=60)
    assert llm.asked
    assert kept(memory) == PAGES
    assert memory.user("ada").stats().pages_mid_term > 0
    assert memory.usage().failures == 0


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
    open_memory: Callable[..., MemoryOS], answer: Callable[[str], str | Exception]
) -> None:
    memory = open_memory(Texts(answer=answer))
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
    memory = open_memory(Texts(answer=lambda prompt: outages.pop() if outages else filing(prompt)))
    talk(memory)
    report = memory.user("ada").consolidate()
    usage = memory.usage()
    assert (usage.retries, usage.failures) == (1, 0)
    assert report.facts_learned == 4  # each batch of four is read by itself, and the script numbers its facts anew
    assert kept(memory) == PAGES


def test_one_answer_out_of_shape_costs_one_repair(open_memory: Callable[..., MemoryOS]) -> None:
    slips = ["Sure! Here you are."]
    memory = open_memory(Texts(answer=lambda prompt: slips.pop() if slips else filing(prompt)))
    talk(memory)
    memory.user("ada").consolidate()
    usage = memory.usage()
    assert (usage.repairs, usage.retries, usage.failures) == (1, 0, 0)


def test_it_answers_questions_too(open_memory: Callable[..., MemoryOS]) -> None:
    llm = Texts(answer=lambda _: "On day three.")
    memory = open_memory(llm, answer_llm=LlamaIndexChatModel(llm))
    talk(memory)
    assert memory.user("ada").chat("When did I water the garden?") == "On day three."
    assert "watered the garden" in llm.asked[-1]
