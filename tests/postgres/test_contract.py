"""The SQL store on PostgreSQL holds the contract, as a role that is no superuser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from memoryos_core.ports import Store
from memoryos_core.stores import open_store
from memoryos_core.testing.store_contract import StoreContract
from tests.postgres.breaking import emptied

pytestmark = pytest.mark.postgres


class TestPostgres(StoreContract):
    @pytest.fixture
    def reopen(self, module_database: str) -> Callable[[], Store]:
        url = emptied(module_database)
        return lambda: open_store(url)

    @pytest.fixture
    def store(self, reopen: Callable[[], Store]) -> Iterator[Store]:
        with closing(reopen()) as store:
            yield store
