"""The SQL store on a server's database whose values are sealed holds the contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from memoryos_core.ports import Store
from memoryos_core.stores import open_store
from memoryos_core.testing.store_contract import StoreContract
from tests.postgres.emptying import Standing, emptied

pytestmark = pytest.mark.postgres

KEY = bytes(range(32))


@pytest.fixture(scope="module")
def standing(module_database: str) -> Iterator[Standing]:
    with closing(Standing(lambda: open_store(module_database, key=KEY))) as standing:
        yield standing


class TestSealedPostgres(StoreContract):
    @pytest.fixture
    def reopen(self, standing: Standing) -> Callable[[], Store]:
        return standing.reopen

    @pytest.fixture
    def store(self, module_database: str, standing: Standing) -> Store:
        emptied(module_database)
        return standing()
