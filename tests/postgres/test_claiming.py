"""Claims beside writers that hold the rows: whoever polls passes over them, whoever ends when nothing is due waits."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import pytest

from memoryos_core import MemoryOS, StoreBusyError
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.store_capabilities import settle
from memoryos_core.testing.store_samples import ALICE, add
from tests.faults.opening import small, talk
from tests.postgres.breaking import LONG, WAITING, raw, until

pytestmark = pytest.mark.postgres

LEASE = 60.0


@pytest.fixture
def store(postgres_url: str) -> Iterator[SqlStore]:
    with closing(SqlStore(postgres_url)) as store:
        yield store


@contextmanager
def written_to(url: str, change: bytes = b"") -> Generator[None, None, None]:
    """Every scope, by a transaction that ends with the block."""
    with raw(url) as connection, connection.transaction():
        connection.execute("SELECT set_config('memoryos.scope', '*', true)")
        connection.execute("SELECT 1 FROM memoryos_scopes FOR UPDATE")
        yield
        if change:
            connection.execute(change)


def waited_for(url: str) -> bool:
    """Whether somebody waits for a row."""
    with raw(url) as connection:
        return connection.execute(WAITING).fetchone() != (0,)


def test_a_claim_passes_over_what_is_written_to_or_waits_for_it(store: SqlStore, postgres_url: str) -> None:
    add(store, "one")
    with ThreadPoolExecutor(1) as pool:
        with written_to(postgres_url):
            assert store.claim("w", LEASE) == ()
            claimed = pool.submit(store.claim, "w", LEASE, wait=True)
            until(lambda: waited_for(postgres_url))
        assert claimed.result(LONG) == (ALICE,)


def test_what_came_due_while_it_was_waited_for_is_claimed(store: SqlStore, postgres_url: str) -> None:
    add(store, "one")
    later = b"UPDATE memoryos_scopes SET due = (extract(epoch FROM clock_timestamp()) * 500000)::bigint * 2"
    with ThreadPoolExecutor(1) as pool:
        with written_to(postgres_url, later):
            claimed = pool.submit(store.claim, "w", LEASE, wait=True)
            until(lambda: waited_for(postgres_url))
        assert claimed.result(LONG) == (ALICE,)


def test_what_is_due_no_more_is_not_waited_for_again(store: SqlStore, postgres_url: str) -> None:
    add(store, "one")
    with ThreadPoolExecutor(1) as pool:
        with written_to(postgres_url, b"UPDATE memoryos_scopes SET due = NULL"):
            claimed = pool.submit(store.claim, "w", LEASE, wait=True)
            until(lambda: waited_for(postgres_url))
        assert claimed.result(LONG) == ()


def test_without_work_nobody_is_waited_for(store: SqlStore, postgres_url: str) -> None:
    add(store, "one")
    settle(store, ALICE)
    with written_to(postgres_url):
        assert store.claim("w", LEASE, wait=True) == ()


def test_nobody_is_waited_for_for_ever(postgres_url: str) -> None:
    with closing(SqlStore(postgres_url, busy_timeout_seconds=0.2)) as store:
        add(store, "one")
        with written_to(postgres_url), pytest.raises(StoreBusyError):
            store.claim("w", LEASE, wait=True)
        assert store.claim("w", LEASE) == (ALICE,)


def test_a_worker_that_runs_once_does_not_leave_work_that_is_locked(postgres_url: str) -> None:
    with MemoryOS(postgres_url, embedder=None, config=small()) as memory, ThreadPoolExecutor(1) as pool:
        talk(memory.user("ada"), 4)
        with written_to(postgres_url):
            working = pool.submit(memory.run_worker, threads=1, once=True)
            until(lambda: waited_for(postgres_url) or working.done())
            time.sleep(0.05)
            assert not working.done()
        assert working.result(LONG).pages_moved == 2
