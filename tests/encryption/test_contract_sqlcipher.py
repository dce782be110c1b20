"""The SQL store on a file that SQLCipher encrypts holds the contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memoryos_core.ports import Store
from memoryos_core.stores import open_store
from memoryos_core.testing.store_contract import StoreContract

KEY = bytes(range(32))


class TestSqlcipher(StoreContract):
    @pytest.fixture
    def reopen(self, tmp_path: Path) -> Callable[[], Store]:
        return lambda: open_store(f"sqlite:///{tmp_path / 'memory.db'}", key=KEY)

    @pytest.fixture
    def store(self, reopen: Callable[[], Store]) -> Iterator[Store]:
        with closing(reopen()) as store:
            yield store
