"""Four processes of eight threads at once on one PostgreSQL: nothing lost, nothing back, nothing crosses users."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from memoryos_core import MemoryOS
from memoryos_core.ports import Store
from memoryos_core.stores import open_store
from memoryos_core.testing.postgres import LocalPostgres
from memoryos_core.values.commands import EmbedderStamp
from memoryos_core.values.reports import Backlog
from tests.faults.crowd import check, crowd
from tests.faults.opening import LAWS, small, talk

pytestmark = pytest.mark.postgres

ROUNDS, SECONDS = (40, 12.0) if "MEMORYOS_SOAK" in os.environ else (8, 3.0)
"""So many things each thread does, or as many as there is time for."""


@pytest.mark.slow
def test_thirty_two_threads_of_four_processes_on_one_server(postgres: LocalPostgres, postgres_url: str) -> None:
    promised = crowd(postgres_url, rounds=ROUNDS, seconds=SECONDS)
    with MemoryOS(postgres_url, embedder=None, config=small()) as memory:
        check(memory, promised)
    database = postgres_url.split("?")[0].rsplit("/", 1)[1]
    assert {law: rows for law, sql in LAWS.items() if (rows := postgres.sql(sql, database=database))} == {}


def test_what_waits_is_counted_over_all_users(postgres_url: str) -> None:
    """Row security confines a scope's own verbs; whoever watches the store sees how much waits in all of it."""
    with MemoryOS(postgres_url, embedder=None, config=small()) as memory:
        for name in ("ada", "bob"):
            talk(memory.user(name), 3)
        before = memory.backlog()
        assert (before.scopes, before.pages) == (2, 6)
        assert 0 <= before.seconds < 600
        assert memory.flush()
        assert memory.backlog() == Backlog()


def test_many_who_stamp_a_new_store_at_once_agree(postgres_url: str) -> None:
    """Each consolidates for the first time: one stamps, the others see it, and nobody drops another's vectors."""
    stores = [open_store(postgres_url) for _ in range(8)]
    start = threading.Barrier(len(stores))

    def stamp(store: Store) -> None:
        start.wait(timeout=60)
        store.stamp_embedder(EmbedderStamp("mine", 3))

    try:
        for attempt in range(10):
            with ThreadPoolExecutor(len(stores)) as pool:
                for done in [pool.submit(stamp, store) for store in stores]:
                    done.result()
            assert stores[0].embedder() == EmbedderStamp("mine", 3), attempt
            stores[0].stamp_embedder(None)
    finally:
        for store in stores:
            store.close()
