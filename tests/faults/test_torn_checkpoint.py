"""A checkpoint that is cut short tears the first page of the file, while the log still holds it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.errors import StoreUnwritableError

KEY = bytes(range(32))
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


def opened(path: Path, key: bytes | None) -> MemoryOS:
    return MemoryOS(f"sqlite:///{path}", embedder=None, config=MANUAL, key=key)


def overwrite(path: Path, start: int, content: bytes) -> None:
    """Write into the file as another program may; another time of change than the last one is told from it."""
    with path.open("r+b") as file:
        file.seek(start)
        file.write(content)
    later = path.stat().st_mtime_ns + 2_000_000_000
    os.utime(path, ns=(later, later))


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
def test_an_open_memory_goes_on_and_nothing_is_lost(tmp_path: Path, key: bytes | None) -> None:
    path = tmp_path / "m.db"
    with opened(path, key) as memory:
        memory.user("ann").add("I sing in a choir.", "Lovely.")
    with opened(path, key) as memory:
        user = memory.user("ann")
        for number in range(40):  # the file grows, so its first page is in the log
            user.add(f"Line {number} " + "x" * 2000, "Noted.")
        overwrite(path, 2048, bytes(2048))
        user.add("The last line.", "Noted.")
    with opened(path, key) as memory:
        assert len(memory.user("ann").pages()) == 42
        assert memory.check(deep=True, progress=False).ok


@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "encrypted"])
def test_a_file_that_somebody_overwrote_is_still_refused(tmp_path: Path, key: bytes | None) -> None:
    path = tmp_path / "m.db"
    with opened(path, key) as memory:
        user = memory.user("ann")
        for number in range(40):
            user.add(f"Line {number} " + "x" * 2000, "Noted.")
        overwrite(path, 0, os.urandom(path.stat().st_size))
        with pytest.raises(StoreUnwritableError, match="overwritten"):
            user.add("The last line.", "Noted.")
