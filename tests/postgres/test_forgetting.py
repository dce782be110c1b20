"""What is forgotten is not in the server's files of the database, once it was vacuumed whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from memoryos_core.stores import open_store
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.postgres import LocalPostgres
from memoryos_core.testing.store_samples import ALICE
from memoryos_core.values.commands import Forgetting
from tests.governance.memories import plans, play
from tests.governance.words import KINDS, fill, found, words_of

pytestmark = pytest.mark.postgres

MINE, HERS = words_of("ada"), words_of("bea")
LOGGED = {"actor"}


@pytest.fixture
def store(postgres_url: str) -> Iterator[SqlStore]:
    with closing(SqlStore(postgres_url)) as store:
        yield store


@pytest.fixture
def database(postgres_url: str) -> str:
    return postgres_url.split("?")[0].rsplit("/", 1)[1]


@pytest.fixture
def folder(postgres: LocalPostgres, database: str) -> Path:
    """Where the server keeps the tables, indexes, large values and catalogues of this test's database."""
    oid = postgres.sql(f"SELECT oid FROM pg_database WHERE datname = '{database}'")
    return postgres.data / "base" / oid


def in_files(postgres: LocalPostgres, folder: Path, words: dict[str, bytes]) -> set[str]:
    postgres.sql("CHECKPOINT")  # what is in the server's memory is in the files after it
    return set(found(words, (file for file in folder.iterdir() if file.is_file())))


def test_no_word_of_a_user_is_left_in_the_files(
    store: SqlStore, postgres: LocalPostgres, database: str, folder: Path
) -> None:
    ada, bea = fill(store, "ada"), fill(store, "bea")
    postgres.sql("ANALYZE", database=database)  # as autovacuum does: the planner's samples are of what is there
    assert in_files(postgres, folder, MINE) == set(KINDS)
    kept = list(store.export(bea))
    store.forget(Forgetting(ada, everything=True))
    store.vacuum(full=True)
    assert in_files(postgres, folder, MINE) <= LOGGED
    assert in_files(postgres, folder, HERS) == set(KINDS), "of others nothing is lost"
    assert list(store.export(bea)) == kept


def test_the_last_user_leaves_nothing_either(
    store: SqlStore, postgres: LocalPostgres, database: str, folder: Path
) -> None:
    ada = fill(store, "ada")
    postgres.sql("ANALYZE", database=database)
    assert in_files(postgres, folder, MINE) == set(KINDS)
    store.forget(Forgetting(ada, everything=True))
    store.vacuum(full=True)
    assert in_files(postgres, folder, MINE) <= LOGGED


def test_a_plain_vacuum_does_not_lock_out_readers(store: SqlStore) -> None:
    ada = fill(store, "ada")
    with store._database.reading(ada) as connection:
        connection.exec_driver_sql("SELECT count(*) FROM memoryos_pages").scalar_one()
        store.vacuum()
    assert len(store.marks(ada, "pages")) == 40


def test_a_memory_moves_between_a_file_and_a_server_and_stays_the_same(
    new_database: Callable[[], str], tmp_path: Path
) -> None:
    @settings(max_examples=10)
    @given(plans())
    def moves(plan: list[dict[str, Any]]) -> None:
        with closing(open_store("sqlite://")) as file, closing(open_store("sqlite://")) as back:
            play(file, plan)
            out = list(file.export(ALICE))
            server.forget(Forgetting(ALICE, everything=True))
            server.restore(ALICE, out)
            assert list(server.export(ALICE)) == out
            back.restore(ALICE, server.export(ALICE))
            assert list(back.export(ALICE)) == out

    with closing(open_store(new_database())) as server:
        moves()


def test_a_memory_made_on_a_server_comes_back_from_a_file(store: SqlStore) -> None:
    ada = fill(store, "ada")
    out = list(store.export(ada))
    with closing(open_store("sqlite://")) as file:
        file.restore(ada, out)
        assert list(file.export(ada)) == out
