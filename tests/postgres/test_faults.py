"""A server that stops, refuses or hangs: told in our own words, nothing accepted is lost, and the memory goes on."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import text

from memoryos_core import MemoryConfig, MemoryOS, Message, WorkerConfig
from memoryos_core.errors import OutcomeUnknownError, StoreError, StoreUnreachableError
from memoryos_core.stores import open_store
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.postgres import LocalPostgres
from memoryos_core.testing.store_samples import ALICE, add
from memoryos_core.values.commands import PageQuery
from tests.faults.forks import Child
from tests.postgres.breaking import LONG, SECRET, kept, others, raw_pages, refused, until
from tests.stores.test_sigkill import write

pytestmark = pytest.mark.postgres

QUIET = MemoryConfig(worker=WorkerConfig(mode="manual"))


@pytest.fixture(scope="module")
def own() -> Iterator[LocalPostgres]:
    """A server that tests of this file may stop, and that loses nothing of what it has committed."""
    with LocalPostgres(durable=True) as server:
        yield server


@pytest.fixture
def url(own: LocalPostgres) -> str:
    own.start()  # should a test before this one have left it stopped
    return own.database()


@pytest.fixture
def store(url: str) -> Iterator[SqlStore]:
    with closing(SqlStore(url)) as store:
        yield store


def test_a_server_that_dies_in_mid_transaction_loses_only_that(own: LocalPostgres, store: SqlStore) -> None:
    add(store, "accepted")
    inside, leave = threading.Event(), threading.Event()
    ended: list[BaseException] = []

    def write() -> None:
        try:
            with store._database.writing(ALICE) as connection:
                connection.execute(text("UPDATE memoryos_pages SET tokens = 77"))
                inside.set()
                leave.wait(LONG)
                connection.execute(text("UPDATE memoryos_pages SET tokens = 78"))
        except StoreError as error:
            ended.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    assert inside.wait(LONG)
    own.restart(mode="immediate")
    leave.set()
    writer.join(LONG)
    (error,) = ended
    assert isinstance(error, StoreUnreachableError)
    assert not error.outcome_unknown
    assert [page.tokens for page in store.pages(PageQuery(ALICE))] == [10]
    add(store, "after")
    assert kept(store) == ["accepted", "after"]


def test_a_connection_that_an_administrator_ends_is_replaced(own: LocalPostgres, store: SqlStore) -> None:
    add(store, "before")
    assert int(terminate(own)) >= 1
    # Idle in the pool: the caller notices nothing.
    add(store, "between")
    with refused(StoreUnreachableError, "nothing was changed"), store._database.writing(ALICE) as connection:
        connection.execute(text("UPDATE memoryos_pages SET tokens = 77"))
        terminate(own)
        connection.execute(text("SELECT 1"))
    assert [page.tokens for page in store.pages(PageQuery(ALICE))] == [10, 10]
    with refused(StoreUnreachableError, "nothing was changed"), store._database.reading(ALICE) as connection:
        terminate(own)
        connection.execute(text("SELECT 1"))
    assert kept(store) == ["before", "between"]


def test_a_connection_lost_at_commit_says_that_nobody_knows(own: LocalPostgres, store: SqlStore) -> None:
    add(store, "before")
    with refused(OutcomeUnknownError, "once=True") as caught, store._database.writing(ALICE) as connection:
        connection.execute(text("UPDATE memoryos_pages SET tokens = 77"))
        terminate(own)
    (error,) = caught
    assert isinstance(error, StoreUnreachableError)
    assert error.outcome_unknown
    add(store, "after")


def terminate(server: LocalPostgres) -> str:
    """End every connection of the application; returns how many there were."""
    return server.sql("SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity WHERE usename = 'app'")


def test_a_pool_of_dead_connections_is_replaced_without_an_error(own: LocalPostgres, store: SqlStore) -> None:
    together = threading.Barrier(6)

    def hold(n: int) -> None:
        with store._database.reading(ALICE):
            together.wait(LONG)

    threads = [threading.Thread(target=hold, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    assert store._database._engine.pool.checkedin() == 6  # type: ignore[attr-defined]
    own.restart(mode="immediate")
    for n in range(8):
        add(store, f"{n}")
    assert kept(store) == [f"{n}" for n in range(8)]


def test_a_server_that_is_away_for_a_while_costs_only_what_it_refused(own: LocalPostgres, url: str) -> None:
    with MemoryOS(url, embedder=None) as memory:
        user = memory.user("ada", session_id="monday")
        accepted = ["I planted an apple tree"]
        user.add(accepted[0])
        own.stop()
        for _ in range(3):
            with refused(StoreUnreachableError, "check that the server runs"):
                user.add(SECRET)
        with refused(StoreUnreachableError, "check that the server runs"):
            user.recall("Which tree?")
        with refused(StoreUnreachableError, "check that the server runs"):
            open_store(url)
        own.start()
        for n in range(3):
            accepted.append(f"apple {n}")
            user.add(accepted[-1])
        assert [message.text for message in user.transcript()] == accepted
        until(lambda: memory.flush(timeout=LONG))  # what the worker could not do is done
        assert accepted[0] in user.recall("Which tree did I plant?").text


def test_what_is_repeated_for_want_of_an_answer_is_taken_once(own: LocalPostgres, url: str) -> None:
    """The server dies again and again under a writer that repeats what it has no answer for."""
    given = [[Message(role, f"{role} {n}", id=f"{role} {n}") for role in ("user", "assistant")] for n in range(60)]

    def write() -> None:
        for messages in given:
            until(lambda messages=messages: accepted(messages))  # type: ignore[misc]

    def accepted(messages: list[Message]) -> bool:
        try:
            user.add_messages(messages, once=True)
        except StoreUnreachableError:
            return False
        return True

    with MemoryOS(url, embedder=None, config=QUIET) as memory:
        user = memory.user("ada", session_id="monday")
        writer = threading.Thread(target=write)
        writer.start()
        for share in (15, 30):
            until(lambda share=share: len(raw_pages(url)) >= share)  # type: ignore[misc]
            own.restart(mode="immediate")
        writer.join(2 * LONG)
        assert [message.text for message in user.transcript()] == [m.text for messages in given for m in messages]


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
@pytest.mark.slow
def test_a_writer_that_is_killed_loses_nothing_it_was_told_of(store: SqlStore, url: str, tmp_path: Path) -> None:
    acknowledged: set[str] = set()
    for round_, wanted in enumerate((1, 6, 12)):
        said = [tmp_path / f"{round_}.{n}" for n in range(2)]
        writers = [Child(partial(write, url, file.name), file) for file in said]
        until(lambda wanted=wanted, said=said: all(len(lines(file)) >= wanted for file in said))  # type: ignore[misc]
        for writer in writers:
            writer.kill()
        assert [writer.wait() for writer in writers] == [-signal.SIGKILL] * 2
        # The server ends a dead client's transaction when it notices: what is read then is what will stay.
        until(lambda: not others(url))
        acknowledged.update(line for file in said for line in lines(file))
        pages = store.pages(PageQuery(ALICE))
        assert acknowledged <= {page.id for page in pages}
        # Each writer may have had one commit that it could not tell of any more.
        assert len(pages) <= len(acknowledged) + 2 * (round_ + 1)
        assert len({page.seq for page in pages}) == len(pages)
        for page in pages:
            assert (page.tier == "short_term") == (page.segment_id is None)
        assert sum(s.page_count for s in store.segments(ALICE)) == sum(p.tier == "mid_term" for p in pages)


def lines(said: Path) -> list[str]:
    """A line that the signal cut short acknowledges nothing."""
    return [line for line in said.read_text().splitlines() if len(line) == 32] if said.exists() else []
