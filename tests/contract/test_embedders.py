"""Every embedder we ship holds the same contract."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from memoryos_core.ports import Embedder
from memoryos_core.providers.embedders import CallableEmbedder, TermEmbedder
from memoryos_core.providers.embedders.openai import OpenAIEmbedder
from memoryos_core.providers.embedders.runtime import OnnxEmbedder
from memoryos_core.testing.embedder_contract import EmbedderContract
from memoryos_core.testing.fakes import KeywordEmbedder
from tests.llms.endpoint import Reply, embedding_reply, serving


def _hashed(texts: list[str]) -> list[list[float]]:
    """Not normalised and not numpy: what a caller's own function may well return."""
    vectors = 7 * TermEmbedder(96).embed_documents(texts)
    vectors[:, 0] += 0.5  # no zero rows: a server never sends any
    return [[float(x) for x in row] for row in vectors]


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    return OnnxEmbedder()


class TestTermEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return TermEmbedder()


class TestKeywordEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return KeywordEmbedder()


class TestOnnxEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self, minilm: Embedder) -> Embedder:
        return minilm


class TestCallableEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return CallableEmbedder(_hashed)


class TestOpenAIEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Iterator[Embedder]:
        def answer(asked: dict[str, Any]) -> Reply:
            return embedding_reply(_hashed(asked["input"]))

        with serving(answer) as endpoint:
            yield OpenAIEmbedder("m", base_url=endpoint.url, dimension=96)


def test_the_contract_catches_an_embedder_that_mixes_rows_up() -> None:
    class Mixed(TermEmbedder):
        def embed_documents(self, texts):
            return super().embed_documents(sorted(texts))

    with pytest.raises(AssertionError):
        EmbedderContract().test_rows_come_in_the_order_of_the_texts(Mixed())


def test_the_contract_catches_long_vectors() -> None:
    class Long(TermEmbedder):
        def embed_documents(self, texts):
            return np.asarray(super().embed_documents(texts) * 2, dtype=np.float32)

    with pytest.raises(AssertionError):
        EmbedderContract().test_vectors_have_length_one(Long())
