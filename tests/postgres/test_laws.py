"""The laws of tests/stores/test_laws.py and tests/faults/test_laws.py, on PostgreSQL."""

from __future__ import annotations

import psycopg
import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from memoryos_core import MemoryOS
from memoryos_core.config import WorkerMode
from memoryos_core.ports import Store
from memoryos_core.stores import open_store
from tests.faults import test_laws as lives
from tests.faults.opening import LAWS, small
from tests.postgres.emptying import emptied
from tests.stores.test_laws import StoreMachine

pytestmark = pytest.mark.postgres


def test_whatever_is_interleaved_the_store_holds_its_laws(postgres_url: str) -> None:
    class Machine(StoreMachine):
        def __init__(self) -> None:
            super().__init__()
            emptied(postgres_url)

        def opened(self) -> Store:
            return open_store(postgres_url)

    run_state_machine_as_test(Machine, settings=settings(max_examples=5, stateful_step_count=20, deadline=None))


def test_whatever_is_done_a_memory_holds_its_laws(postgres_url: str) -> None:
    class Life(lives.Life):
        def opened(self, mode: WorkerMode, capacity: int) -> MemoryOS:
            if not hasattr(self, "memory"):
                emptied(postgres_url)
            return MemoryOS(postgres_url, embedder=None, config=small(mode, capacity=capacity), clock=self.clock)

        def broken(self) -> dict[str, list[str]]:
            return broken_laws(postgres_url)

    run_state_machine_as_test(Life, settings=settings(max_examples=4, stateful_step_count=12, deadline=None))


def broken_laws(url: str) -> dict[str, list[str]]:
    """What is wrong with the rows, seen with SQL and not with our own eyes; empty when nothing is."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("SELECT set_config('memoryos.scope', '*', true)")
        found = {law: [str(row[0]) for row in connection.execute(sql)] for law, sql in LAWS.items()}
    return {law: rows for law, rows in found.items() if rows}
