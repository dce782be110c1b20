"""The store of docs/stores.md holds the core of the contract."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from docs.examples.in_memory_store import InMemoryStore
from memoryos_core.ports import Store
from memoryos_core.testing.store_contract import CoreStoreContract


class TestInMemoryStore(CoreStoreContract):
    @pytest.fixture
    def store(self) -> Iterator[Store]:
        with closing(InMemoryStore()) as store:
            yield store
