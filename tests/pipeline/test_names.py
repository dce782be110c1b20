"""Names of speakers: searched by word and known by name, but left out of every vector."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, RecallConfig, WorkerConfig
from memoryos_core.errors import ModelError
from memoryos_core.recall.index.resident import ResidentIndex
from memoryos_core.testing.fakes import KeywordEmbedder
from memoryos_core.values.dialogue import Page, Scope, Vector
from memoryos_core.values.queries import Candidates

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
Make = Callable[..., MemoryOS]


class Noting(KeywordEmbedder):
    """Notes every text that it is given."""

    def __init__(self) -> None:
        super().__init__(512)
        self.texts: list[str] = []

    def embed_documents(self, texts):
        self.texts += texts
        return super().embed_documents(texts)


@pytest.fixture
def embedder() -> Noting:
    return Noting()


@pytest.fixture
def open_memory(embedder: Noting) -> Iterator[Make]:
    opened: list[MemoryOS] = []

    def make(**recall: Any) -> MemoryOS:
        config = replace(MANUAL, recall=RecallConfig(**recall))
        memory = MemoryOS("sqlite://", embedder=embedder, config=config)
        opened.append(memory)
        return memory

    yield make
    for memory in opened:
        memory.close()


@pytest.fixture
def asked_with(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The vectors that the index is asked with."""
    vectors: list[Any] = []
    whole = ResidentIndex.candidates

    def noting(self: ResidentIndex, scope: Scope, query: str, vector: Vector | None, k: int) -> Candidates:
        vectors.append(vector)
        return whole(self, scope, query, vector, k)

    monkeypatch.setattr(ResidentIndex, "candidates", noting)
    return vectors


def talk(memory: MemoryOS, user: str = "pair") -> tuple[Page, ...]:
    handle = memory.user(user)
    pages = handle.add_messages(
        [
            Message("user", "I mended the canoe.", name="Ana Reis"),
            Message("assistant", "With which glue?", name="Bo"),
            Message("user", "With pitch.", name="Ana Reis"),
            Message("assistant", "Pitch keeps."),
        ]
    )
    assert memory.flush()
    return pages


def test_a_page_has_the_vectors_of_the_bare_text(open_memory: Make, embedder: Noting) -> None:
    memory = open_memory()
    first, _ = talk(memory)
    assert embedder.texts.count("I mended the canoe.") == 1
    assert not any("Ana" in text or "Bo" in text for text in embedder.texts)
    vectors = memory._open().parts.store.vectors(Scope("pair"), [first.id])[first.id]
    bare = KeywordEmbedder(512).embed_documents(["I mended the canoe.", "With which glue?"])
    np.testing.assert_allclose(vectors["user"], bare[0], atol=1e-6)
    np.testing.assert_allclose(vectors["assistant"], bare[1], atol=1e-6)
    # By word the name is found all the same, and shown.
    assert memory.user("pair").search("Reis", 1)[0].text == "Ana Reis: I mended the canoe."


def test_half_a_page_says_its_words_with_names_and_its_meaning_without(open_memory: Make) -> None:
    first, second = talk(open_memory())
    assert [first.text("user"), first.text("user", named=False)] == [
        "Ana Reis: I mended the canoe.",
        "I mended the canoe.",
    ]
    assert second.text("assistant") == second.text("assistant", named=False) == "Pitch keeps."


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("What did Ana mend?", "What did mend?"),
        ("What is BO's  glue?", "What is glue?"),
        ("Did Ana ask Bo about pitch?", "Did ask about pitch?"),
    ],
)
def test_a_question_that_names_speakers_is_embedded_with_and_without_them(
    open_memory: Make, embedder: Noting, asked_with: list[Any], question: str, rest: str
) -> None:
    memory = open_memory()
    talk(memory)
    embedder.texts.clear()
    assert memory.user("pair", session_id="later").recall(question)
    assert embedder.texts == [question, rest]
    whole, bare = KeywordEmbedder(512).embed_documents([question, rest])
    expected = 0.2 * whole + 0.8 * bare
    np.testing.assert_allclose(asked_with[-1], expected / np.linalg.norm(expected), atol=1e-6)
    assert asked_with[-1].dtype == np.float32


@pytest.mark.parametrize(
    "question", ["Who mended  a canoe\nwith glue?", "Where is Cy?", "Ana?", "Ana, Bo!", "What did Reis mend?"]
)
def test_any_other_question_is_embedded_once_and_as_it_is(
    open_memory: Make, embedder: Noting, asked_with: list[Any], question: str
) -> None:
    memory = open_memory()
    talk(memory)
    talk(memory, "another")
    memory.user("another").add_messages([Message("user", "Hello", name="Cy")])
    embedder.texts.clear()
    memory.user("pair").search(question)
    assert embedder.texts == [question]
    np.testing.assert_array_equal(asked_with[-1], KeywordEmbedder(512).embed_query(question))


@pytest.mark.parametrize(("recall", "times"), [({"nameless": 0.0}, 1), ({"nameless": 1.0}, 2), ({"dense": 0.0}, 0)])
def test_the_share_without_names_is_configured(
    open_memory: Make, embedder: Noting, asked_with: list[Any], recall: dict[str, float], times: int
) -> None:
    memory = open_memory(**recall)
    talk(memory)
    embedder.texts.clear()
    memory.user("pair").search("What did Ana mend?")
    assert embedder.texts == ["What did Ana mend?", "What did mend?"][:times]
    if times:
        np.testing.assert_allclose(asked_with[-1], KeywordEmbedder(512).embed_query(embedder.texts[-1]), atol=1e-6)
    else:
        assert asked_with == [None]


def test_the_one_who_is_named_comes_first_of_two_who_said_the_same(open_memory: Make) -> None:
    memory = open_memory()
    handle = memory.user("pair")
    for name in ("Bo", "Ana", "Bo", "Ana"):
        handle.add_messages([Message("user", "I mended the canoe again", name=name), Message("assistant", "Good")])
    memory.flush()
    for name in ("Ana", "Bo"):
        hits = handle.search(f"When did {name} mend the canoe?", 9)
        assert hits[0].text.startswith(f"{name}: ")
        assert hits[0].signals["speaker"] == pytest.approx(0.6)


def test_where_only_the_second_embedding_fails_the_question_keeps_its_names(
    open_memory: Make, embedder: Noting, asked_with: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    talk(memory)
    whole = embedder.embed_query

    def failing(text: str) -> Any:
        if "Ana" not in text:
            raise ModelError("down")
        return whole(text)

    monkeypatch.setattr(embedder, "embed_query", failing)
    assert memory.user("pair").recall("What did Ana mend?", include_recent=False).hits
    np.testing.assert_allclose(asked_with[-1], KeywordEmbedder(512).embed_query("What did Ana mend?"), atol=1e-6)
