"""LlamaIndex's embeddings as the memory's embedder, and the core's embedder as LlamaIndex's embedding."""

from __future__ import annotations

import asyncio
import copy
import pickle
import re
import threading
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from llama_index.core import MockEmbedding, Settings, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.schema import TextNode
from pydantic import PrivateAttr

from memoryos_core import ConfigError, MemoryConfig, MemoryOS, ModelError, WorkerConfig
from memoryos_core.errors import EmbedderMismatchError
from memoryos_core.providers.embedders import CallableEmbedder, TermEmbedder, open_embedder
from memoryos_core.testing.embedder_contract import EmbedderContract
from memoryos_llamaindex import embeddings
from memoryos_llamaindex.embeddings import LlamaIndexEmbedder, MemoryOSEmbedding

WIDTH = 256
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


class WordEmbedding(BaseEmbedding):
    """Means what its words mean: hashed words, counted, of any length; refuses what servers refuse."""

    model_name: str = "words-1"
    _asked: list[str] = PrivateAttr(default_factory=list)

    @property
    def asked(self) -> list[str]:
        return self._asked

    def _get_text_embedding(self, text: str) -> list[float]:
        if not text:
            raise ValueError("empty input")
        self._asked.append(text)
        vector = [0.0] * WIDTH
        for word in re.findall(r"\w+", text.lower()) or ["?"]:
            vector[zlib.crc32(word.rstrip("s").encode()) % WIDTH] += 1.0
        return vector

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        raise AssertionError("never asked in a loop")


class Instructed(WordEmbedding):
    """Puts an instruction before each, as e5 and bge want it."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return super()._get_text_embedding(f"passage: {text}")

    def _get_query_embedding(self, query: str) -> list[float]:
        return WordEmbedding._get_text_embedding(self, f"query: {query}")


class TestWithMeaning(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> LlamaIndexEmbedder:
        return LlamaIndexEmbedder(WordEmbedding())


def test_texts_and_questions_are_told_apart() -> None:
    both = Instructed()
    embedder = LlamaIndexEmbedder(both)
    ((document,), query) = embedder.embed_documents(["tea"]), embedder.embed_query("tea")
    assert both.asked == ["passage: tea", "query: tea"]
    assert not np.allclose(document, query)
    assert document.dtype == query.dtype == np.float32


def test_texts_go_in_batches_of_the_embeddings_own_size() -> None:
    sizes: list[int] = []

    class Counting(WordEmbedding):
        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            sizes.append(len(texts))
            return super()._get_text_embeddings(texts)

    LlamaIndexEmbedder(Counting(embed_batch_size=3)).embed_documents([f"text {n}" for n in range(7)])
    assert sizes == [3, 3, 1]


def test_no_progress_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    LlamaIndexEmbedder(WordEmbedding()).embed_documents(["tea"] * 30)
    assert capsys.readouterr() == ("", "")


def test_the_name_is_the_class_and_the_model() -> None:
    assert LlamaIndexEmbedder(WordEmbedding()).name == LlamaIndexEmbedder(WordEmbedding()).name
    assert LlamaIndexEmbedder(WordEmbedding()).name == "WordEmbedding:words-1"
    assert LlamaIndexEmbedder(MockEmbedding(embed_dim=4)).name == "MockEmbedding"
    assert LlamaIndexEmbedder(WordEmbedding(), name="mine").name == "mine"


def test_the_width_is_found_once_and_only_when_needed() -> None:
    words = WordEmbedding()
    embedder = LlamaIndexEmbedder(words)
    assert words.asked == []
    assert embedder.dimension == embedder.dimension == WIDTH
    assert len(words.asked) == 1
    assert LlamaIndexEmbedder(words, dimension=WIDTH).dimension == WIDTH
    assert len(words.asked) == 1


def test_a_width_other_than_the_promised_one_is_a_model_error() -> None:
    with pytest.raises(ModelError, match="shape"):
        LlamaIndexEmbedder(WordEmbedding(), dimension=3).embed_query("tea")


@pytest.mark.parametrize("answer", [None, [], [1.0, "x"], [float("nan")] * 4, [[1.0, 2.0]]])
def test_nonsense_is_a_model_error(answer: Any) -> None:
    class Nonsense(WordEmbedding):
        def _get_query_embedding(self, query: str) -> Any:
            return answer

    with pytest.raises(ModelError):
        LlamaIndexEmbedder(Nonsense()).embed_query("tea")


def test_what_the_host_raises_is_a_model_error_without_its_words() -> None:
    class Down(WordEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            raise ConnectionError(f"cannot send {text}")

    with pytest.raises(ModelError) as caught:
        LlamaIndexEmbedder(Down()).embed_documents(["SECRET"])
    assert caught.value.transient
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("wrong", [None, "auto", WordEmbedding, TermEmbedder(), len])
def test_anything_else_is_refused_at_once(wrong: object) -> None:
    with pytest.raises(ConfigError, match="LlamaIndex embedding"):
        LlamaIndexEmbedder(wrong)  # type: ignore[arg-type]


def test_settings_are_not_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for field in ("_llm", "_embed_model", "_callback_manager"):
        monkeypatch.setattr(Settings, field, None)
    LlamaIndexEmbedder(WordEmbedding()).embed_documents(["tea"])
    MemoryOSEmbedding("terms").get_text_embedding_batch(["tea"])
    assert (Settings._llm, Settings._embed_model, Settings._callback_manager) == (None, None, None)


def test_a_memory_finds_by_it_and_knows_it_again(path: str) -> None:
    with MemoryOS(path, embedder=LlamaIndexEmbedder(WordEmbedding()), config=MANUAL) as memory:
        ada = memory.user("ada")
        ada.add("The rabbits got out again.", "Mend the fence.")
        ada.add("I like Bach.", "So do I.")
        ada.consolidate()
    with MemoryOS(path, embedder=LlamaIndexEmbedder(WordEmbedding()), config=MANUAL) as memory:
        hits = memory.user("ada").search("rabbits")
        assert "rabbits" in hits[0].text
        assert hits[0].signals["dense"] > 0.25
    other = LlamaIndexEmbedder(MockEmbedding(embed_dim=8))
    with MemoryOS(path, embedder=other, config=MANUAL) as memory, pytest.raises(EmbedderMismatchError):
        memory.user("ada").search("rabbits")


def test_the_cores_embedder_is_the_same_inside_llamaindex() -> None:
    core = TermEmbedder()
    ours = MemoryOSEmbedding(core)
    assert isinstance(ours, BaseEmbedding)
    np.testing.assert_array_equal(np.array(ours.get_query_embedding("tea"), np.float32), core.embed_query("tea"))
    assert ours.get_text_embedding("tea") == ours.get_text_embedding_batch(["tea"])[0]
    assert all(type(number) is float for number in ours.get_text_embedding("tea"))
    assert ours.get_text_embedding_batch([]) == []
    assert (ours.model_name, ours.class_name()) == (core.name, "MemoryOSEmbedding")


class TwoFaced:
    """An embedder of the core's kind that tells texts and questions apart."""

    name = "two-faced"
    dimension = 2
    semantic = True

    def __init__(self) -> None:
        self.threads: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> Any:
        self.threads.append(threading.current_thread().name)
        return np.array([[1.0, 0.0]] * len(texts), np.float32)

    def embed_query(self, text: str) -> Any:
        self.threads.append(threading.current_thread().name)
        return np.array([0.0, 1.0], np.float32)


async def test_the_coroutines_give_the_same_and_keep_off_the_loop() -> None:
    core = TwoFaced()
    ours = MemoryOSEmbedding(core)
    assert await ours.aget_query_embedding("tea") == ours._get_query_embedding("tea") == [0.0, 1.0]
    assert await ours.aget_text_embedding("tea") == ours._get_text_embedding("tea") == [1.0, 0.0]
    assert await ours.aget_text_embedding_batch(["tea"] * 25) == [[1.0, 0.0]] * 25
    # Query and text in the pool and then here, and a batch of 10, 10 and 5 in the pool.
    here = threading.current_thread().name
    assert len(core.threads) == 7
    assert [name == here for name in core.threads] == [False, True, False, True, False, False, False]


async def test_many_coroutines_of_many_objects_share_one_pool() -> None:
    before = threading.active_count()
    texts = [f"text {n}" for n in range(200)]
    vectors = await asyncio.gather(*(MemoryOSEmbedding("terms").aget_text_embedding(text) for text in texts))
    assert vectors == MemoryOSEmbedding("terms").get_text_embedding_batch(texts)
    assert threading.active_count() - before <= embeddings._THREADS


def test_it_works_in_one_loop_after_another() -> None:
    ours = MemoryOSEmbedding("terms")
    first, second = (asyncio.new_event_loop() for _ in range(2))
    try:
        assert first.run_until_complete(ours.aget_query_embedding("tea")) == second.run_until_complete(
            ours.aget_query_embedding("tea")
        )
    finally:
        first.close()
        second.close()


def test_there_and_back_gives_the_same_vectors() -> None:
    core = TermEmbedder()
    back = LlamaIndexEmbedder(MemoryOSEmbedding(core))
    assert back.name == f"MemoryOSEmbedding:{core.name}"
    np.testing.assert_allclose(
        back.embed_documents(["tea", "bread"]), core.embed_documents(["tea", "bread"]), atol=1e-6
    )


def two(texts: list[str]) -> list[list[float]]:
    return [[3.0, 4.0] for _ in texts]


@pytest.mark.parametrize("spec", ["terms", None, two, TermEmbedder()])
def test_it_takes_what_a_memory_takes(spec: Any) -> None:
    ours = MemoryOSEmbedding(spec, embed_batch_size=3)
    assert np.linalg.norm(ours.get_query_embedding("tea")) == pytest.approx(1)
    assert ours.embed_batch_size == 3


@pytest.mark.parametrize("wrong", ["zzz", 7, TermEmbedder])
def test_an_unknown_name_is_refused_at_once(wrong: Any) -> None:
    with pytest.raises(ConfigError):
        MemoryOSEmbedding(wrong)


def test_a_dictionary_of_it_opens_the_same_again() -> None:
    ours = MemoryOSEmbedding("terms", embed_batch_size=7)
    data = ours.to_dict()
    assert data["embedder"] == "terms"
    again = MemoryOSEmbedding.from_dict(data)
    assert (again.model_name, again.embed_batch_size) == (ours.model_name, 7)
    assert again.get_query_embedding("tea") == ours.get_query_embedding("tea")
    assert MemoryOSEmbedding.from_json(MemoryOSEmbedding(None).to_json()).embedder == "terms"


def test_a_dictionary_that_would_open_another_is_refused() -> None:
    data = MemoryOSEmbedding(two).to_dict()
    with pytest.raises(ConfigError, match="'two'"):
        MemoryOSEmbedding.from_dict(data)
    again = MemoryOSEmbedding.from_dict({**data, "embedder": two})
    assert again.get_query_embedding("tea") == pytest.approx([0.6, 0.8])


def test_nothing_of_the_live_embedder_is_told() -> None:
    class Keyed:
        name = "keyed"
        dimension = 2
        semantic = True
        api_key = "SECRET"

        def embed_documents(self, texts: Sequence[str]) -> Any:
            return two(list(texts))

        def embed_query(self, text: str) -> Any:
            return [3.0, 4.0]

    ours = MemoryOSEmbedding(Keyed())
    for told in (ours.to_dict(), ours.model_dump(), ours.to_json(), repr(ours), str(ours)):
        assert "SECRET" not in str(told)
        assert "Keyed" not in str(told)


@pytest.mark.parametrize("spec", ["terms", None, two])
def test_pickled_it_is_the_same_in_another_process(spec: Any) -> None:
    ours = MemoryOSEmbedding(spec, embed_batch_size=7)
    again = pickle.loads(pickle.dumps(ours))
    assert (again.model_name, again.embed_batch_size, again.embedder) == (ours.model_name, 7, ours.embedder)
    assert again.get_query_embedding("tea") == ours.get_query_embedding("tea")


def test_what_cannot_be_pickled_says_so_and_loses_nothing_silently() -> None:
    with pytest.raises((pickle.PicklingError, AttributeError, TypeError)):
        pickle.dumps(MemoryOSEmbedding(lambda texts: two(texts)))


def test_copies_share_the_embedder() -> None:
    core = CallableEmbedder(lambda texts: two(texts))  # holds a lock, which nobody can copy
    ours = MemoryOSEmbedding(core)
    for again in (copy.copy(ours), copy.deepcopy(ours), ours.model_copy(deep=True), copy.deepcopy([ours])[0]):
        assert again is not ours
        assert again.get_query_embedding("tea") == pytest.approx([0.6, 0.8])
    larger = ours.model_copy(update={"embed_batch_size": 5}, deep=True)
    assert (larger.embed_batch_size, ours.embed_batch_size) == (5, 10)


@pytest.fixture
def index() -> VectorStoreIndex:
    texts = ["The ferry leaves at nine.", "My sister bakes bread.", "The choir meets on Friday."]
    nodes = [TextNode(text=text, id_=str(n)) for n, text in enumerate(texts)]
    return VectorStoreIndex(nodes, embed_model=MemoryOSEmbedding("terms"))


async def test_llamaindexs_own_index_finds_with_it(index: VectorStoreIndex) -> None:
    retriever = index.as_retriever(similarity_top_k=1)
    (found,) = retriever.retrieve("When does the ferry leave?")
    assert "ferry" in found.node.get_content()
    (found,) = await retriever.aretrieve("Who bakes the bread?")
    assert "bread" in found.node.get_content()


def test_a_pipeline_embeds_with_it() -> None:
    (node,) = IngestionPipeline(transformations=[MemoryOSEmbedding("terms")]).run(nodes=[TextNode(text="tea")])
    assert node.embedding == MemoryOSEmbedding("terms")._get_text_embedding(node.get_content(metadata_mode="embed"))  # type: ignore[arg-type]


def test_a_failing_embedder_says_so_inside_llamaindex() -> None:
    def fails(texts: list[str]) -> list[list[float]]:
        raise ConnectionError("down")

    with pytest.raises(ModelError):
        MemoryOSEmbedding(CallableEmbedder(fails)).get_query_embedding("tea")


def test_the_memory_takes_a_llamaindex_embedding_as_it_is() -> None:
    given = open_embedder(Instructed())  # type: ignore[arg-type]
    ours = LlamaIndexEmbedder(Instructed())
    assert given.name == ours.name
    assert given.embed_query("x").tolist() == ours.embed_query("x").tolist()
    assert given.embed_documents(["x"]).tolist() == ours.embed_documents(["x"]).tolist()
    assert given.embed_query("x").tolist() != given.embed_documents(["x"])[0].tolist()


def test_a_misspelt_setting_is_refused() -> None:
    with pytest.raises(ValueError, match="embed_batch_siz"):
        MemoryOSEmbedding("terms", embed_batch_siz=3)
