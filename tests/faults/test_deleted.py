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
