"""LangChain's embeddings as the memory's embedder, and the core's embedder as LangChain's embeddings."""

from __future__ import annotations

import re
import zlib

import numpy as np
import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_core.vectorstores import InMemoryVectorStore

from memoryos_core import ConfigError, MemoryConfig, MemoryOS, ModelError, WorkerConfig
from memoryos_core.errors import EmbedderMismatchError
from memoryos_core.providers.embedders import CallableEmbedder, TermEmbedder, open_embedder
from memoryos_core.testing.embedder_contract import EmbedderContract
from memoryos_langchain.embeddings import LangChainEmbedder, MemoryOSEmbeddings

WIDTH = 256
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


class WordEmbeddings(Embeddings):
    """Means what its words mean: hashed words, counted, of any length; refuses what servers refuse."""

    model = "words-1"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        if not text:
            raise ValueError("empty input")
        self.asked.append(text)
        vector = [0.0] * WIDTH
        for word in re.findall(r"\w+", text.lower()) or ["?"]:
            vector[zlib.crc32(word.rstrip("s").encode()) % WIDTH] += 1.0
        return vector


class TestWithMeaning(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> LangChainEmbedder:
        return LangChainEmbedder(WordEmbeddings())


class TestLangChainsOwn(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> LangChainEmbedder:
        return LangChainEmbedder(DeterministicFakeEmbedding(size=32))

    def test_a_text_is_nearer_to_its_question_than_another(self) -> None:  # type: ignore[override]
        """Its vectors are drawn from a hash of the text, so a text is near to nothing but itself."""
        embedder = LangChainEmbedder(DeterministicFakeEmbedding(size=32))
        near, far = embedder.embed_documents(["bread", "ferry"])
        assert float(near @ embedder.embed_query("bread")) == pytest.approx(1)
        assert float(far @ embedder.embed_query("bread")) < 0.9


def test_the_name_is_the_same_after_a_restart_and_as_when_given_directly() -> None:
    assert (
        LangChainEmbedder(WordEmbeddings()).name == LangChainEmbedder(WordEmbeddings()).name == "WordEmbeddings:words-1"
    )
    assert LangChainEmbedder(DeterministicFakeEmbedding(size=4)).name == "DeterministicFakeEmbedding"
    assert LangChainEmbedder(WordEmbeddings()).name == open_embedder(WordEmbeddings()).name  # type: ignore[arg-type]
    assert LangChainEmbedder(WordEmbeddings(), name="mine").name == "mine"


def test_the_width_is_found_once_and_only_when_needed() -> None:
    words = WordEmbeddings()
    embedder = LangChainEmbedder(words)
    assert words.asked == []
    assert embedder.dimension == embedder.dimension == WIDTH
    assert len(words.asked) == 1
    known = LangChainEmbedder(words, dimension=WIDTH)
    assert known.dimension == WIDTH
    assert len(words.asked) == 1


def test_a_width_other_than_the_promised_one_is_a_model_error() -> None:
    with pytest.raises(ModelError, match="shape"):
        LangChainEmbedder(WordEmbeddings(), dimension=3).embed_query("tea")


def test_what_the_host_raises_is_a_model_error_without_its_words() -> None:
    class Down(WordEmbeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            raise ConnectionError(f"cannot send {texts}")

    with pytest.raises(ModelError) as caught:
        LangChainEmbedder(Down()).embed_documents(["SECRET"])
    assert caught.value.transient
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("wrong", [None, "auto", WordEmbeddings, TermEmbedder(), len])
def test_anything_else_is_refused_at_once(wrong: object) -> None:
    with pytest.raises(ConfigError, match="LangChain Embeddings"):
        LangChainEmbedder(wrong)  # type: ignore[arg-type]


def test_a_memory_finds_by_it_and_knows_it_again(path: str) -> None:
    with MemoryOS(path, embedder=LangChainEmbedder(WordEmbeddings()), config=MANUAL) as memory:
        ada = memory.user("ada")
        ada.add("The rabbits got out again.", "Mend the fence.")
        ada.add("I like Bach.", "So do I.")
        ada.consolidate()
    with MemoryOS(path, embedder=LangChainEmbedder(WordEmbeddings()), config=MANUAL) as memory:
        # The stemmer of the words' index is not asked: the hit carries a cosine.
        hits = memory.user("ada").search("rabbits")
        assert "rabbits" in hits[0].text
        assert hits[0].signals["dense"] > 0.25
    other = LangChainEmbedder(DeterministicFakeEmbedding(size=8))
    with MemoryOS(path, embedder=other, config=MANUAL) as memory, pytest.raises(EmbedderMismatchError):
        memory.user("ada").search("rabbits")


def test_the_cores_embedder_is_the_same_inside_langchain() -> None:
    core = TermEmbedder()
    ours = MemoryOSEmbeddings(core)
    assert isinstance(ours, Embeddings)
    np.testing.assert_array_equal(np.array(ours.embed_query("tea"), np.float32), core.embed_query("tea"))
    assert all(type(number) is float for number in ours.embed_documents(["tea"])[0])
    assert ours.embed_documents([]) == []
    assert ours.model_name == core.name


def test_there_and_back_gives_the_same_vectors() -> None:
    core = TermEmbedder()
    back = LangChainEmbedder(MemoryOSEmbeddings(core))
    assert back.name == f"MemoryOSEmbeddings:{core.name}"
    np.testing.assert_allclose(
        back.embed_documents(["tea", "bread"]), core.embed_documents(["tea", "bread"]), atol=1e-6
    )


@pytest.mark.parametrize("spec", ["terms", None, lambda texts: [[1.0, 2.0] for _ in texts]])
def test_it_takes_what_a_memory_takes(spec: object) -> None:
    assert len(MemoryOSEmbeddings(spec).embed_query("tea")) > 0  # type: ignore[arg-type]


def test_an_unknown_name_is_refused_at_once() -> None:
    with pytest.raises(ConfigError, match="not known"):
        MemoryOSEmbeddings("zzz")


async def test_langchains_own_vector_store_finds_with_it() -> None:
    store = InMemoryVectorStore(MemoryOSEmbeddings("local"))
    await store.aadd_texts(["The ferry leaves at nine.", "My sister bakes bread.", "The choir meets on Friday."])
    (found,) = await store.asimilarity_search("When does the boat go?", k=1)
    assert "ferry" in found.page_content


def test_a_failing_embedder_says_so_inside_langchain() -> None:
    def fails(texts: list[str]) -> list[list[float]]:
        raise ConnectionError("down")

    with pytest.raises(ModelError):
        MemoryOSEmbeddings(CallableEmbedder(fails)).embed_query("tea")
