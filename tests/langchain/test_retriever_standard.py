"""LangChain's own suite for retrievers, unmodified."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_tests.integration_tests import RetrieversIntegrationTests

from memoryos_core import MemoryOS
from memoryos_langchain.retriever import MemoryOSRetriever


class TestMemoryOSRetriever(RetrieversIntegrationTests):
    """At least three documents answer the example."""

    @pytest.fixture(autouse=True)
    def _seeded(self, memory: MemoryOS) -> None:
        self._memory = memory
        ann = memory.user("ann")
        ann.add("My dog Biscuit is afraid of thunder", "A dog that hears well, then")
        ann.add("The dog slept under my desk", "Dogs like a cave")
        ann.remember("Has a dog")

    @property
    def retriever_constructor(self) -> type[MemoryOSRetriever]:
        return MemoryOSRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memory": self._memory, "user_id": "ann"}

    @property
    def retriever_query_example(self) -> str:
        return "dog"
