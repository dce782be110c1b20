"""One file opened several times in one process: each keeps its locks, whatever is opened and closed beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

import pytest

from memoryos_core import MemoryConfig, MemoryOS, StoreError, StoreKeyError, WorkerConfig
from memoryos_core.stores.sql import files
from memoryos_core.stores.sql.opening import holds_memory

ROOT = Path(__file__).parents[2]
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
KEY = bytes(range(32))


@pytest.fixture(params=[None, KEY], ids=["plain", "encrypted"])
def key(request: pytest.FixtureRequest) -> bytes | None:
    chosen: bytes | None = request.param
    if chosen is not None:
        pytest.importorskip("sqlcipher3")
    return chosen


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def opened(path: Path, key: bytes | str | None) -> MemoryOS:
    return MemoryOS(f"sqlite:///{path}", embedder=None, config=MANUAL, key=key)


_WRITER = """
import sys
from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
manual = MemoryConfig(worker=WorkerConfig(mode="manual"))
for line in sys.stdin:
    key, path = line.rstrip().split(" ", 1)
    with MemoryOS(f"sqlite:///{path}", embedder=None, config=manual, key=bytes.fromhex(key) or None) as memory:
        memory.user("ada").add("from another process", "noted")
    print("written", flush=True)
"""
Write: TypeAlias = Callable[[Path, bytes | None], None]


@pytest.fixture(scope="module")
def write_in_another_process() -> Iterator[Write]:
    """Opens a file in another process, adds a page and closes it, as the last of the processes that use it would.

    That process has nothing open between two calls, so it is as good as a new one each time.
    """
    with subprocess.Popen(
        [sys.executable, "-c", _WRITER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def write(path: Path, key: bytes | None) -> None:
            print((key or b"").hex(), path, file=process.stdin, flush=True)
            assert process.stdout.readline() == "written\n"  # type: ignore[union-attr]

        yield write
        process.stdin.close()
        assert process.wait(60) == 0


def open_and_close(path: Path, key: bytes | None) -> None:
    opened(path, key).close()


def open_and_leave_open(path: Path, key: bytes | None) -> MemoryOS:
    return opened(path, key)


def open_with_a_wrong_key(path: Path, key: bytes | None) -> None:
    for wrong in (None if key else KEY, "a passphrase", bytes(32)):
        with pytest.raises(StoreKeyError):
            opened(path, wrong)


def look_for_a_memory(path: Path, key: bytes | None) -> None:
    with ExitStack() as raises:
        if key is not None:
            raises.enter_context(pytest.raises(StoreKeyError))
        assert holds_memory(f"sqlite:///{path}", None)


@pytest.mark.parametrize("beside", [open_and_close, open_and_leave_open, open_with_a_wrong_key, look_for_a_memory])
def test_what_is_opened_beside_a_memory_leaves_it_its_locks(
    path: Path,
    key: bytes | None,
    beside: Callable[[Path, bytes | None], MemoryOS | None],
    write_in_another_process: Write,
) -> None:
    if beside is open_with_a_wrong_key:
        pytest.importorskip("sqlcipher3")
    with opened(path, key) as memory:
        memory.user("ada").add("before", "noted")
        other = beside(path, key)
        write_in_another_process(path, key)
        memory.user("ada").add("after", "noted")  # refused where the other process took itself for the last one
        assert [p.messages[0].text for p in memory.user("ada").pages()] == ["before", "from another process", "after"]
        if other is not None:
            other.user("ada").add("by the second", "noted")
            other.close()
            write_in_another_process(path, key)
            assert len(memory.user("ada").pages()) == 5
    with opened(path, key) as memory:
        assert len(memory.user("ada").pages()) == (5 if other else 3)


def descriptors(path: Path) -> list[str]:
    """Return the names that this process has open of the database's files."""
    links = list(Path("/proc/self/fd").iterdir())
    return [str(link.readlink()) for link in links if link.is_symlink() and str(path) in str(link.readlink())]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")
def test_nothing_of_the_file_stays_open_after_the_last_memory(path: Path, key: bytes | None) -> None:
    first = opened(path, key)
    for _ in range(3):
        open_and_close(path, key)
    first.close()
    assert descriptors(path) == []


def test_a_second_name_by_a_symbolic_link_is_the_same_memory(
    path: Path, key: bytes | None, write_in_another_process: Write
) -> None:
    other = path.with_name("link.db")
    with opened(path, key) as memory:
        other.symlink_to(path)
        memory.user("ada").add("by the file", "noted")
        with opened(other, key) as second:
            second.user("ada").add("by the link", "noted")
            write_in_another_process(other, key)
            assert len(memory.user("ada").pages()) == 3
        write_in_another_process(path, key)
        memory.user("ada").add("at the end", "noted")
        assert len(memory.user("ada").pages()) == 5


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
def test_a_hard_link_is_refused_and_what_to_do_is_said(
    path: Path, key: bytes | None, is_open: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_CREATION_SECONDS", 0.05)  # an encrypted file that is being made has two names as well
    memory = opened(path, key)
    memory.user("ada").add("before", "noted")
    if not is_open:
        memory.close()
    other = path.with_name("other.db")
    os.link(path, other)
    for name in (path, other):  # SQLite keeps a log for each name: what is written by one is lost by the other
        with pytest.raises(StoreError, match="hard link"):
            opened(name, key)
        with pytest.raises(StoreError, match="hard link"):
            holds_memory(f"sqlite:///{name}", None)
    assert not list(path.parent.glob("other.db-*"))
    if is_open:
        memory.user("ada").add("after", "noted")
        memory.close()
    other.unlink()
    with opened(path, key) as memory:
        assert len(memory.user("ada").pages()) == (2 if is_open else 1)
