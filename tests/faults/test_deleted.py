"""A database file that goes away, or is overwritten, while it is open takes nothing more in."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from memoryos_core import Keys, MemoryConfig, MemoryOS, StoreBusyError, StoreUnwritableError, WorkerConfig
from memoryos_core.stores.sql import sqlite as sqlite_module
from memoryos_core.stores.sql.dialect import Sight
from memoryos_core.stores.sql.dialects import FLAVOURS
from memoryos_core.stores.sql.sqlite import SQLITE, peek

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


def test_a_deleted_file_accepts_no_page(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with MemoryOS(f"sqlite:///{path}", embedder=None, config=MANUAL) as memory:
        memory.user("ada").add("I moved to Lisbon", "Nice")
        path.unlink()
        with pytest.raises(StoreUnwritableError, match="removed"):
            memory.user("ada").add("I moved on", "Where to?")


@pytest.fixture(params=[None, bytes(range(32))], ids=["plain", "encrypted"])
def key(request: pytest.FixtureRequest) -> bytes | None:
    chosen: bytes | None = request.param
    return chosen


def test_a_removed_log_is_noticed_and_nothing_acknowledged_is_lost(tmp_path: Path, key: bytes | None) -> None:
    path, copy = tmp_path / "m.db", tmp_path / "copy.db"
    with MemoryOS(f"sqlite:///{path}", embedder=None, config=MANUAL, key=key) as memory:
        user = memory.user("ada")
        for n in range(30):
            user.add(f"page {n}", "x")
        (tmp_path / "m.db-wal").unlink()
        with pytest.raises(StoreUnwritableError, match="-wal"):
            user.add("lost", "x")
        with pytest.raises(StoreUnwritableError, match="-wal"):
            user.pages()
        copy.write_bytes(path.read_bytes())  # as after a crash: nothing was closed
    for left in (path, copy):
        with MemoryOS(f"sqlite:///{left}", embedder=None, config=MANUAL, key=key) as memory:
            assert len(memory.user("ada").pages()) == 30


def test_what_others_do_to_a_file_by_sqlite_is_not_taken_for_damage(tmp_path: Path, key: bytes | None) -> None:
    """Checkpoints, vacuums, openings and closings of another handle."""
    url = f"sqlite:///{tmp_path}/m.db"
    with MemoryOS(url, embedder=None, config=MANUAL, key=key) as memory:
        for n in range(4):
            memory.user("ada").add(f"page {n}", "x")
            with MemoryOS(url, embedder=None, config=MANUAL, key=key) as other:
                other.user("ada").add("y" * 20_000, "x")
                other.user("ada").forget(pages=[other.user("ada").pages()[0].id])
                other.vacuum()
                memory.user("ada").pages()
            assert memory.user("ada").pages()


def other_database(path: Path, _key: bytes | None) -> bytes:
    with MemoryOS(f"sqlite:///{path}", embedder=None, config=MANUAL) as memory:
        for n in range(30):
            memory.user("bob").add(f"another {n}", "x")
    return path.read_bytes()


def same_kind(path: Path, key: bytes | None) -> bytes:
    with MemoryOS(f"sqlite:///{path}", embedder=None, config=MANUAL, key=key) as memory:
        memory.user("ada").add("another", "x")
    return path.read_bytes()


def foreign(path: Path, _key: bytes | None) -> bytes:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (x)")
    return path.read_bytes()


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that says the same for a tenth of a second is taken for overwritten."""
    monkeypatch.setattr(sqlite_module, "_QUIET_SECONDS", 0.1)


CONTENTS: dict[str, Callable[[Path, bytes | None], bytes]] = {
    "another memory": other_database,
    "another memory with the key": same_kind,
    "somebody's database": foreign,
    "garbage": lambda *_: b"\xa5" * 50_000,
    "nothing": lambda *_: b"",
}


def overwrite(path: Path, content: bytes) -> None:
    """Keep the inode, as `cp` and editors that save in place do."""
    with path.open("r+b") as file:
        file.truncate()
        file.write(content)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("verb", ["add", "pages"])
def test_a_file_that_is_overwritten_in_place_is_noticed(
    tmp_path: Path, key: bytes | None, content: str, verb: str
) -> None:
    path = tmp_path / "m.db"
    written = CONTENTS[content](tmp_path / "other.db", key)
    with MemoryOS(f"sqlite:///{path}", embedder=None, config=MANUAL, key=key) as memory:
        user = memory.user("ada")
        user.add("I moved to Lisbon", "Nice")
        overwrite(path, written)
        for _ in range(2):
            with pytest.raises(StoreUnwritableError, match="overwritten"):
                user.add("lost", "x") if verb == "add" else user.pages()


def test_an_older_copy_over_the_file_is_noticed(tmp_path: Path, key: bytes | None) -> None:
    path = tmp_path / "m.db"
    url = f"sqlite:///{path}"
    with MemoryOS(url, embedder=None, config=MANUAL, key=key) as memory:
        memory.user("ada").add("page", "x")
    older = path.read_bytes()
    with MemoryOS(url, embedder=None, config=MANUAL, key=key) as memory:
        for n in range(30):
            memory.user("ada").add(f"page {n}" + "y" * 2000, "x")
        memory.user("ada").forget(pages=memory.user("ada").pages()[:1])  # moves the log into the file
        overwrite(path, older)
        with pytest.raises(StoreUnwritableError, match="overwritten"):
            memory.user("ada").add("lost", "x")


def test_a_file_that_is_put_back_is_used_again(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with MemoryOS(f"sqlite:///{path}", embedder=None, config=MANUAL) as memory:
        memory.user("ada").add("kept", "x")
        right = path.read_bytes()
        overwrite(path, b"oh")
        with pytest.raises(StoreUnwritableError, match="overwritten"):
            memory.user("ada").pages()
        overwrite(path, right)
        assert len(memory.user("ada").pages()) == 1


def test_the_file_is_looked_into_once_for_each_change_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0

    def counted(path: Path, *others: Any) -> Sight | None:
        nonlocal looks
        looks += 1
        return peek(path, *others)

    monkeypatch.setitem(FLAVOURS, "sqlite", replace(SQLITE, peek=counted))
    monkeypatch.setattr("memoryos_core.stores.sql.dialects.SQLITE", replace(SQLITE, peek=counted))
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=MANUAL) as memory:
        memory.user("ada").add("page", "x")
        time.sleep(0.05)  # as coarse as the clock of files
        memory.user("ada").pages()
        before = looks
        for _ in range(50):
            memory.user("ada").add("page", "x")
            memory.user("ada").pages()
        assert looks == before > 0
        memory.vacuum()
        time.sleep(0.05)
        for _ in range(5):
            memory.user("ada").pages()
        assert looks == before + 1


def test_a_file_that_has_just_changed_is_looked_into_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once at once, and once when a later write must leave other times; not at every call in between."""
    looks = 0

    def counted(path: Path, *others: Any) -> Sight | None:
        nonlocal looks
        looks += 1
        return peek(path, *others)

    monkeypatch.setattr("memoryos_core.stores.sql.dialects.SQLITE", replace(SQLITE, peek=counted))
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=MANUAL) as memory:
        memory.user("ada").add("page", "x")
        monkeypatch.setattr(sqlite_module, "_TICK_NANOSECONDS", 10**18)
        memory.vacuum()
        before = looks
        for _ in range(20):
            memory.user("ada").pages()
        assert looks == before + 1
        monkeypatch.setattr(sqlite_module, "_TICK_NANOSECONDS", 0)
        for _ in range(20):
            memory.user("ada").pages()
        assert looks == before + 2


def write_and_checkpoint(url: str, number: int, key: bytes | None) -> None:
    with MemoryOS(url, embedder=None, config=MANUAL, key=key) as memory:
        user = memory.user(f"user {number}")
        for n in range(12):
            user.add(f"page {n}" + "y" * 5000, "x")
            user.pages()
            if n % 4 == number % 4:
                user.forget(pages=user.pages()[:1])
                with suppress(StoreBusyError):
                    memory.vacuum()


@pytest.fixture(scope="module")
def processes() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as pool:
        yield pool


def test_processes_that_write_erase_and_vacuum_do_not_take_each_other_for_damage(
    tmp_path: Path, key: bytes | None, processes: ProcessPoolExecutor
) -> None:
    url = f"sqlite:///{tmp_path}/m.db"
    for done in [processes.submit(write_and_checkpoint, url, number, key) for number in range(4)]:
        done.result()


def test_a_key_that_is_changed_is_not_taken_for_damage(tmp_path: Path) -> None:
    url, keys = f"sqlite:///{tmp_path}/m.db", [bytes([n] * 32) for n in range(4)]
    with (
        MemoryOS(url, embedder=None, config=MANUAL, key=keys[0]) as memory,
        MemoryOS(url, embedder=None, config=MANUAL, key=Keys(*reversed(keys))) as other,
    ):
        for key in keys[1:]:
            other.user("ada").add("page", "x")
            memory.rekey(key)
            memory.user("ada").add("page", "x")
            assert len(other.user("ada").pages()) == len(memory.user("ada").pages())
