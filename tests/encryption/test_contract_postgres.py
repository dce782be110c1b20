"""The SQL store on a server's database whose values are sealed holds the contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from memoryos_core.ports import Store
from memoryos_core.stores import open_store
from memoryos_core.testing.store_contract import StoreContract
from tests.postgres.breaking import emptied

pytestmark = pytest.mark.postgres

KEY = bytes(range(32))


class TestSealedPostgres(StoreContract):
    @pytest.fixture
    def reopen(self, module_database: str) -> Callable[[], Store]:
        url = emptied(module_database)
        return lambda: open_store(url, key=KEY)

    @pytest.fixture
    def store(self, reopen: Callable[[], Store]) -> Iterator[Store]:
        with closing(reopen()) as store:
            yield store
