"""What PostgreSQL refuses is told in our own words with what to do about it, and the memory goes on."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from sqlalchemy import text

from memoryos_core.errors import StoreBusyError, StoreError, StoreUnreachableError, StoreUnwritableError
from memoryos_core.ops.cli import main
from memoryos_core.stores import open_store
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.postgres import LocalPostgres
from memoryos_core.testing.store_samples import ALICE, add
from memoryos_core.values.commands import PageQuery
from tests.postgres.breaking import LONG, SECRET, kept, raw, refused, until

pytestmark = pytest.mark.postgres


@pytest.fixture
def url(postgres_url: str) -> str:
    return postgres_url


@pytest.fixture
def store(url: str) -> Iterator[SqlStore]:
    with closing(SqlStore(url)) as store:
        yield store


def test_a_pool_without_a_free_connection_is_busy(url: str) -> None:
    with closing(SqlStore(url, busy_timeout_seconds=0.2)) as store:
        add(store, "before")
        with many(store, 64), refused(StoreBusyError, "every connection is in use"):
            add(store, SECRET)
        add(store, "after")
        assert kept(store) == ["before", "after"]


@contextmanager
def many(store: SqlStore, count: int) -> Iterator[None]:
    """So many connections in use at once."""
    engine = store._database._engine
    held = [engine.connect() for _ in range(count)]
    try:
        yield
    finally:
        for connection in held:
            connection.close()


def test_a_server_without_a_free_connection_is_unreachable_for_a_new_one(postgres: LocalPostgres, url: str) -> None:
    role = f"narrow{os.getpid()}"
    postgres.sql(f"CREATE ROLE {role} LOGIN NOSUPERUSER CONNECTION LIMIT 1; GRANT app TO {role}")
    with closing(open_store(url.replace("://app:", f"://{role}:"))) as store:
        add(store, "before")
        with refused(StoreUnreachableError, "try again"):
            open_store(url.replace("://app:", f"://{role}:"))
        add(store, "after")
        assert kept(store) == ["before", "after"]


def test_a_statement_that_takes_too_long_is_cancelled(url: str) -> None:
    """What the URL says of the session holds, as libpq's own option."""
    with closing(SqlStore(f"{url}&options=-c%20statement_timeout%3D1000")) as store:
        add(store, "before")
        with refused(StoreBusyError, "statement_timeout"), store._database.writing(ALICE) as connection:
            connection.execute(text("UPDATE memoryos_pages SET tokens = 77"))
            connection.execute(text("SELECT pg_sleep(60)"))
        assert [page.tokens for page in store.pages(PageQuery(ALICE))] == [10]


def test_rows_that_another_holds_are_busy(url: str) -> None:
    with closing(SqlStore(url, busy_timeout_seconds=0.3)) as store:
        add(store, "before")
        with raw(url) as other:
            other.execute("BEGIN; SET LOCAL memoryos.scope = '*'; SELECT 1 FROM memoryos_scopes FOR UPDATE")
            with refused(StoreBusyError, "another transaction holds"):
                add(store, SECRET)
            assert kept(store) == ["before"]  # readers do not wait
            other.execute("ROLLBACK")
        add(store, "after")
        assert kept(store) == ["before", "after"]


def test_two_that_wait_for_each_other_are_busy(store: SqlStore, url: str) -> None:
    add(store, "one", "two")
    ours, theirs = (f"UPDATE memoryos_pages SET tokens = {n} WHERE seq = {n}" for n in (1, 2))
    # Of another, who is patient: the server ends the transaction of whoever notices first. Only a superuser may wait.
    with raw(url.replace("://app:", "://postgres:")) as other:
        other.execute("SET deadlock_timeout = '300s'")
        other.execute("BEGIN")
        other.execute(theirs)
        waiting = threading.Thread(target=lambda: other.execute(ours))
        with refused(StoreBusyError, "another transaction holds"), store._database.writing(ALICE) as connection:
            connection.execute(text(ours))
            waiting.start()
            until(lambda: waits(url))
            connection.execute(text(theirs))
        waiting.join(LONG)
        other.execute("ROLLBACK")
    assert [page.tokens for page in store.pages(PageQuery(ALICE))] == [10, 10]


def waits(url: str) -> bool:
    with raw(url) as connection:
        return bool(connection.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchall())


def test_a_server_that_takes_no_writes_can_be_read(url: str) -> None:
    with closing(open_store(url)) as store:
        add(store, "kept")
    with closing(open_store(f"{url}&options=-c%20default_transaction_read_only%3Don")) as store:
        assert kept(store) == ["kept"]
        with refused(StoreUnwritableError, "primary server"):
            add(store, SECRET)


def test_a_role_that_may_not_write_says_whose_the_tables_must_be(postgres: LocalPostgres, url: str) -> None:
    with closing(open_store(url)) as store:
        add(store, "kept")
    role = f"reader{os.getpid()}"
    name = url.split("?")[0].rsplit("/", 1)[1]
    postgres.sql(f"CREATE ROLE {role} LOGIN NOSUPERUSER")
    postgres.sql(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}", database=name)
    with closing(open_store(url.replace("://app:", f"://{role}:"))) as store:
        assert kept(store) == ["kept"]
        with refused(StoreUnwritableError, "own the tables"):
            add(store, SECRET)


def test_a_full_disk_loses_only_what_was_refused(postgres: LocalPostgres, store: SqlStore, url: str) -> None:
    """What the server says then (53100) is raised by the server itself: no file system is small enough for a test."""
    add(store, "kept")
    with raw(url) as connection:
        connection.execute(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'no space: %', NEW.messages USING ERRCODE = '53100'; END $$"
        )
        connection.execute(
            "CREATE TRIGGER full_disk BEFORE INSERT ON memoryos_pages FOR EACH ROW EXECUTE FUNCTION full_disk()"
        )
        with refused(StoreUnwritableError, "disk is full"):
            add(store, SECRET)
        connection.execute("DROP TRIGGER full_disk ON memoryos_pages")
    add(store, "room again")
    assert kept(store) == ["kept", "room again"]


def test_a_database_without_pgvector_names_who_can_add_it(postgres: LocalPostgres) -> None:
    name = f"bare{os.getpid()}"
    postgres.sql(f"CREATE DATABASE {name} OWNER app")
    with refused(StoreError, "CREATE EXTENSION vector"):
        open_store(postgres.url(name))
    postgres.sql("CREATE EXTENSION vector", database=name)
    with closing(open_store(postgres.url(name))) as store:
        add(store, "kept")


@pytest.mark.parametrize("wrong", ["postgresql://ada:hunter2@127.0.0.1:1/none", "{url}nobody"])
def test_a_server_that_does_not_answer_is_unreachable(url: str, wrong: str) -> None:
    missing = wrong.format(url=url.split("?")[0]) + "?" + url.split("?")[1] if "{url}" in wrong else wrong
    with refused(StoreUnreachableError, "check that the server runs"):
        open_store(missing)


@pytest.mark.parametrize("command", [["audit", "verify"], ["export"], ["retain", "--policy", "older_than=1d"]])
def test_a_database_without_a_memory_is_left_without_one(
    command: list[str], postgres: LocalPostgres, capsys: pytest.CaptureFixture[str]
) -> None:
    url = postgres.database()
    assert main([*command, url]) == 2
    assert "there is no memory at this URL" in capsys.readouterr().err
    name = url.split("?")[0].rsplit("/", 1)[1]
    assert postgres.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", database=name) == "0"
