"""The SQL store on SQLite holds the contract, in a file and in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memoryos_core.ports import Store
from memoryos_core.stores import open_store
from memoryos_core.testing.store_contract import StoreContract, VolatileStoreContract


class TestSqliteFile(StoreContract):
    @pytest.fixture
    def reopen(self, tmp_path: Path) -> Callable[[], Store]:
        return lambda: open_store(f"sqlite:///{tmp_path / 'memory.db'}")

    @pytest.fixture
    def store(self, reopen: Callable[[], Store]) -> Iterator[Store]:
        with closing(reopen()) as store:
            yield store


class TestSqliteMemory(VolatileStoreContract):
    """One connection that every thread takes turns on, and that nothing outlives."""

    @pytest.fixture
    def store(self) -> Iterator[Store]:
        with closing(open_store("sqlite://")) as store:
            yield store
