"""A disk or a file that fails under an open memory: an error of ours, nothing accepted lost, and it goes on after."""

from __future__ import annotations

import itertools
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from memoryos_core import MemoryOS, StoreBusyError, StoreError, StoreUnwritableError, UserMemory
from memoryos_core.stores import open_store
from tests.faults.opening import broken_laws, page_ids, said, small, talk, url


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with twelve pages of Ada's, in all tiers, closed."""
    path = tmp_path / "m.db"
    with MemoryOS(url(path), embedder=None, config=small()) as memory:
        talk(memory.user("ada"), 12)
        memory.user("ada").consolidate()
    return path


def write_for_ever(user: UserMemory) -> None:
    for line in itertools.repeat("A long line about a tree by the river. " * 50):
        user.add(line)


def read_only(path: Path) -> str:
    return f"sqlite:///file:{path}?mode=ro&uri=true"


def test_a_read_only_file_can_be_read_and_says_why_it_cannot_be_written(path: Path) -> None:
    with MemoryOS(read_only(path), embedder=None, config=small()) as memory:
        ada = memory.user("ada")
        assert ada.stats().pages == 12
        assert len(ada.transcript()) == 24
        assert ada.search("tree number 3", k=1)
        assert "tree" in str(ada.recall("What about tree number 3?"))
        assert ada.facts()
        assert len(list(ada.export())) > 12
        writes: list[Callable[[], object]] = [
            lambda: ada.add("One more."),
            lambda: ada.remember("One more."),
            lambda: ada.forget(everything=True),
        ]
        for write in writes:
            with pytest.raises(StoreUnwritableError, match="written"):
                write()
        assert ada.stats().pages == 12
    assert broken_laws(path) == {}
    assert len(page_ids(path)) == 12


def test_a_read_only_file_in_the_background_keeps_answering(path: Path) -> None:
    with MemoryOS(read_only(path), embedder=None, config=small("background", capacity=1, batch=1)) as memory:
        ada = memory.user("ada")
        for number in range(5):
            assert ada.recall(f"What about tree number {number}?").hits
        assert memory.flush(timeout=60) is False  # there is work, and it cannot be done
    assert broken_laws(path) == {}


def test_a_full_disk_refuses_and_after_room_is_made_everything_goes_on(path: Path) -> None:
    limit = {"pages": 0}

    def connect(connection: object, _: object) -> None:
        cursor = connection.cursor()  # type: ignore[attr-defined]  # a DBAPI connection
        cursor.execute(f"PRAGMA max_page_count={limit['pages'] or 1_000_000}")

    event.listen(Engine, "connect", connect)
    try:
        limit["pages"] = path.stat().st_size // 4_096 + 20
        with MemoryOS(url(path), embedder=None, config=small()) as memory:
            ada = memory.user("ada")
            with pytest.raises(StoreUnwritableError, match="room"):
                write_for_ever(ada)
            accepted = ada.stats().pages - 12
            assert accepted > 0
            before = said(ada.transcript())
            assert len(before) == 24 + accepted
            with suppress(StoreError):  # small moves may still find room
                ada.consolidate()
            assert ada.stats().pages == 12 + accepted
            assert ada.search("tree", k=3)
            assert said(ada.transcript()) == before
        limit["pages"] = 0
        with MemoryOS(url(path), embedder=None, config=small()) as memory:
            ada = memory.user("ada")
            assert said(ada.transcript()) == before
            ada.add("There is room again.", "Good.")
            ada.consolidate()
            assert ada.stats().pages_short_term == 2 + (13 + accepted) % 2  # a batch has two pages
            assert ada.stats().pages == 13 + accepted
    finally:
        event.remove(Engine, "connect", connect)
    assert broken_laws(path) == {}


FULL_FILE = """
import resource, signal, sys
from memoryos_core import MemoryOS, StoreError
from tests.faults.opening import small, url
from pathlib import Path

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
memory = MemoryOS(url(Path(sys.argv[1])), embedder=None, config=small("background"))
ada = memory.user("ada")
resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000))
try:
    for number in range(10_000):
        print(ada.add(f"Line {number}. " + "A long line about a tree by the river. " * 50).id, flush=True)
except StoreError as error:
    print("refused", flush=True)
memory.flush(timeout=5)
memory.close()
"""


def test_a_file_that_the_system_lets_grow_no_further_keeps_what_was_accepted(path: Path) -> None:
    """Write errors from the operating system itself, in the middle of a commit, while the worker writes, too."""
    child = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FULL_FILE), str(path)],
        capture_output=True, text=True, timeout=120, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    *accepted, last = child.stdout.split()
    assert last == "refused", child.stderr
    assert child.returncode == 0, child.stderr
    assert len(accepted) > 10
    ids = page_ids(path)
    assert [i for i in ids if i in set(accepted)] == accepted
    assert len(ids) == 12 + len(accepted)
    with MemoryOS(url(path), embedder=None, config=small()) as memory:
        memory.flush()
        assert memory.user("ada").stats().pages == 12 + len(accepted)
        assert memory.user("ada").stats().pages_short_term == 2 + len(accepted) % 2  # a batch has two pages
    assert broken_laws(path) == {}


@pytest.fixture
def holder(path: Path) -> Iterator[Callable[[str], None]]:
    """Another process that takes the write lock and holds it until it is told to let go."""
    script = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
for line in sys.stdin:
    connection.execute(line.strip())
    print("done", flush=True)
"""
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdin is not None
    assert child.stdout is not None

    def say(statement: str) -> None:
        child.stdin.write(statement + "\n")  # type: ignore[union-attr]  # asserted above
        child.stdin.flush()  # type: ignore[union-attr]
        assert child.stdout.readline() == "done\n"  # type: ignore[union-attr]

    yield say
    child.stdin.close()
    child.wait(timeout=30)
    child.stdout.close()


def test_a_database_locked_by_another_process_is_busy_and_a_later_add_works(
    path: Path, holder: Callable[[str], None]
) -> None:
    with MemoryOS(open_store(url(path), busy_timeout_seconds=0.2), embedder=None, config=small()) as memory:
        ada = memory.user("ada")
        holder("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusyError, match="try again"):
            ada.add("I wait.")
        with pytest.raises(StoreBusyError):
            ada.forget(session=True)
        assert ada.stats().pages == 12  # readers do not wait for writers
        assert ada.recall("What about tree number 3?").hits
        holder("ROLLBACK")
        ada.add("I waited.", "Thank you.")
        ada.consolidate()
        assert said(ada.transcript())[-2:] == ["I waited.", "Thank you."]
        assert ada.stats().pages == 13
    assert broken_laws(path) == {}


def test_the_background_outlasts_a_locked_database(path: Path, holder: Callable[[str], None]) -> None:
    store = open_store(url(path), busy_timeout_seconds=0.2)
    with MemoryOS(store, embedder=None, config=small("background")) as memory:
        ada = memory.user("ada")
        talk(ada, 6, first=12)
        holder("BEGIN IMMEDIATE")
        assert memory.flush(timeout=30) is False or ada.stats().pages_short_term == 2
        with pytest.raises(StoreBusyError):
            ada.add("I wait.")
        holder("ROLLBACK")
        talk(ada, 2, first=18)
        assert memory.flush(timeout=30)
        assert (ada.stats().pages, ada.stats().pages_short_term) == (20, 2)
    assert broken_laws(path) == {}
