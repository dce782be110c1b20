"""Contract of every embedder. Inherit `EmbedderContract` and give it an `embedder` fixture.

class TestMine(EmbedderContract):
@pytest.fixture
def embedder(self):
return MyEmbedder()
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from memoryos_core.ports import Embedder

_THREADS = 8
_SENTENCES = (
    "The ferry to the island leaves at nine.",
    "My sister bakes bread every Sunday morning.",
    "Ok.",
    "The committee moved the budget meeting to the second week of March because two of its members were ill.",
    "Na so-so linjaro, 5 km?",
    "猫が窓の外の鳥を見ている。",
)
_HOSTILE = (
    "",
    "   \n\t ",
    "nul\x00inside",
    "half a pair \ud83d here",
    "\ud800",
    "👩‍👩‍👧‍👦 🏳️‍🌈",
    "\u202eright to left\u202c",
    "x" * 300_000,
    "word " * 200_000,
    "<|endoftext|> [CLS] </s>",
)


class EmbedderContract:
    """The promises of `memoryos_core.ports.Embedder`, as tests.

    `tolerance` is how far a number may differ between a text alone and the same text in a batch.
    """

    tolerance: float = 1e-5

    def test_it_says_what_it_is(self, embedder: Embedder) -> None:
        assert isinstance(embedder.name, str)
        assert embedder.name.strip()
        assert isinstance(embedder.dimension, int)
        assert embedder.dimension > 0
        assert isinstance(embedder.semantic, bool)

    def test_one_float32_row_for_each_text(self, embedder: Embedder) -> None:
        vectors = embedder.embed_documents(_SENTENCES)
        assert vectors.shape == (len(_SENTENCES), embedder.dimension)
        assert vectors.dtype == np.float32

    def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        assert embedder.embed_documents([]).shape == (0, embedder.dimension)

    def test_a_query_is_one_vector(self, embedder: Embedder) -> None:
        vector = embedder.embed_query(_SENTENCES[0])
        assert vector.shape == (embedder.dimension,)
        assert vector.dtype == np.float32
        assert abs(float(np.linalg.norm(vector)) - 1) < self.tolerance

    def test_vectors_have_length_one(self, embedder: Embedder) -> None:
        lengths = np.linalg.norm(embedder.embed_documents(_SENTENCES), axis=1)
        np.testing.assert_allclose(lengths, 1, atol=self.tolerance)

    def test_rows_come_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        forward = embedder.embed_documents(_SENTENCES)
        backward = embedder.embed_documents(_SENTENCES[::-1])
        np.testing.assert_allclose(forward, backward[::-1], atol=self.tolerance)
        assert not np.allclose(forward[0], forward[1], atol=self.tolerance)

    def test_a_batch_equals_one_by_one(self, embedder: Embedder) -> None:
        texts = [f"{text} {number}" for number in range(30) for text in _SENTENCES]
        together = embedder.embed_documents(texts)
        alone = np.concatenate([embedder.embed_documents([text]) for text in texts[:12]])
        np.testing.assert_allclose(together[:12], alone, atol=self.tolerance)

    def test_the_same_text_gives_the_same_vector(self, embedder: Embedder) -> None:
        twice = embedder.embed_documents([_SENTENCES[3], _SENTENCES[0], _SENTENCES[3]])
        np.testing.assert_allclose(twice[0], twice[2], atol=self.tolerance)
        np.testing.assert_allclose(twice[0], embedder.embed_documents([_SENTENCES[3]])[0], atol=self.tolerance)

    def test_hostile_texts_give_finite_vectors(self, embedder: Embedder) -> None:
        vectors = embedder.embed_documents(_HOSTILE)
        assert np.isfinite(vectors).all()
        lengths = np.linalg.norm(vectors, axis=1)
        # A text without content may have no direction; a half-long vector would distort every comparison.
        assert np.all((np.abs(lengths - 1) < self.tolerance) | (lengths == 0))
        for text in _HOSTILE:
            assert np.isfinite(embedder.embed_query(text)).all()

    def test_eight_threads_get_what_one_gets(self, embedder: Embedder) -> None:
        texts = [f"{text} {number}" for number in range(_THREADS) for text in _SENTENCES]
        expected = embedder.embed_documents(texts)
        with ThreadPoolExecutor(_THREADS) as pool:
            batches = list(pool.map(embedder.embed_documents, [texts] * _THREADS))
            queries = list(pool.map(embedder.embed_query, texts))
        for batch in batches:
            np.testing.assert_allclose(batch, expected, atol=self.tolerance)
        for text, vector in zip(texts, queries, strict=True):
            np.testing.assert_allclose(vector, embedder.embed_query(text), atol=self.tolerance)

    def test_a_text_is_nearer_to_its_question_than_another(self, embedder: Embedder) -> None:
        near, far = embedder.embed_documents(
            ["My sister bakes bread every Sunday morning.", "The ferry to the island leaves at nine."]
        )
        query = embedder.embed_query("When does the sister bake bread?")
        assert float(near @ query) > float(far @ query)
