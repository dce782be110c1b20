"""What is forgotten is not in a SQLite file, its log or its index, and a vacuum gives the room back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memoryos_core import MemoryOS
from memoryos_core.errors import ClosedError, StoreBusyError
from memoryos_core.ports.capabilities import FullStore
from memoryos_core.stores import open_store
from memoryos_core.values.commands import Forgetting
from tests.governance.words import KINDS, fill, found, words_of

MINE, HERS = words_of("ada"), words_of("bea")
# Who acted stays in the audit log, which outlives what it is about.
LOGGED = {"actor"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture
def store(path: Path) -> Iterator[FullStore]:
    with closing(open_store(f"sqlite:///{path}", busy_timeout_seconds=1.0)) as store:
        yield store


def files(path: Path) -> list[Path]:
    """The file, its log, its index, and whatever else lies beside them."""
    return sorted(path.parent.iterdir())


def test_no_word_of_a_user_is_left_in_the_bytes(store: FullStore, path: Path) -> None:
    ada, _ = fill(store, "ada"), fill(store, "bea")
    assert set(found(MINE, files(path))) == set(KINDS)
    store.forget(Forgetting(ada, everything=True))
    assert set(found(MINE, files(path))) <= LOGGED, "gone before any vacuum: erased rows are overwritten"
    store.vacuum()
    assert set(found(MINE, files(path))) <= LOGGED
    assert set(found(HERS, files(path))) == set(KINDS), "of others nothing is lost"


def test_forgetting_pages_leaves_no_word_of_theirs(store: FullStore, path: Path) -> None:
    ada = fill(store, "ada")
    pages = [mark.id for mark in store.marks(ada, "pages")]
    store.forget(Forgetting(ada, tuple(pages)))
    store.vacuum()
    assert set(found(MINE, files(path))) == {"user", "namespace", "value", "text", "actor"}


def test_a_vacuum_gives_the_room_back(store: FullStore, path: Path) -> None:
    ada, bea = fill(store, "ada", pages=2000), fill(store, "bea")
    store.vacuum()
    before, kept = path.stat().st_size, list(store.export(bea))
    store.forget(Forgetting(ada, everything=True))
    assert path.stat().st_size == before, "the file keeps its pages for what comes"
    store.vacuum()
    assert path.stat().st_size < before / 2
    assert path.with_name("m.db-wal").stat().st_size == 0
    assert list(store.export(bea)) == kept


def test_a_reader_in_the_way_is_told_of(store: FullStore, path: Path) -> None:
    fill(store, "ada")
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memoryos_pages").fetchone()
        with pytest.raises(StoreBusyError, match="vacuum again"):
            store.vacuum()
        reader.execute("COMMIT")
    store.vacuum()


def test_a_writer_in_the_way_is_told_of(store: FullStore, path: Path) -> None:
    fill(store, "ada")
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusyError):
            store.vacuum()
        writer.execute("COMMIT")
    store.vacuum()


def test_a_memory_is_vacuumed_through_its_face() -> None:
    memory = MemoryOS("sqlite://", embedder=None)
    memory.user("ada").add("hello", "hi")
    memory.vacuum()
    assert memory.stats().pages == 1
    memory.close()
    with pytest.raises(ClosedError):
        memory.vacuum()
