"""LangChain's own suites for embeddings, unmodified."""

from __future__ import annotations

from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_tests.integration_tests import EmbeddingsIntegrationTests
from langchain_tests.unit_tests import EmbeddingsUnitTests

from memoryos_langchain.embeddings import MemoryOSEmbeddings


class TestUnit(EmbeddingsUnitTests):
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return MemoryOSEmbeddings

    @property
    def embedding_model_params(self) -> dict[str, Any]:
        return {"embedder": "terms"}

    @property
    def init_from_env_params(self) -> tuple[dict[str, str], dict[str, Any], dict[str, Any]]:
        return {"OPENAI_API_KEY": "k"}, {"embedder": "openai:small"}, {"model_name": "openai:small"}


class TestByWords(EmbeddingsIntegrationTests):
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return MemoryOSEmbeddings

    @property
    def embedding_model_params(self) -> dict[str, Any]:
        return {"embedder": "terms"}


class TestByMeaning(TestByWords):
    @property
    def embedding_model_params(self) -> dict[str, Any]:
        return {"embedder": "local"}
