"""A database file that goes away while it is open takes nothing more in."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS, StoreUnwritableError, WorkerConfig

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
