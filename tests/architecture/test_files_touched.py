"""How many files a reader opens to follow `add` and `recall`: the calls of each are traced.

The limits only go down. The aim is 15 and 25 (ADR 0025).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from types import FrameType

import pytest

import memoryos_core
from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig

MOST_FOR_ADD, MOST_FOR_RECALL = 22, 45
ROOT = str(Path(memoryos_core.__file__).parent)
NOON = datetime(2026, 5, 1, 12, tzinfo=timezone.utc)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryOS]:
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=config, clock=lambda: NOON) as memory:
        user = memory.user("ann")
        for number in range(30):
            user.add(f"I keep {number} hives behind the house.", "So many!")
        user.consolidate()
        assert memory.user("ann", session_id="later").recall("Where are the hives?").hits
        yield memory


def files_of(verb: Callable[[], object]) -> list[str]:
    """Return the files of the core whose functions run, in the order of their first call."""
    seen: dict[str, None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(ROOT):
            seen.setdefault(name[len(ROOT) + 1 :])

    sys.setprofile(note)
    try:
        verb()
    finally:
        sys.setprofile(None)
    return list(seen)


def test_add_touches_few_files(memory: MemoryOS) -> None:
    user = memory.user("ann")
    files = files_of(lambda: user.add("The bees swarmed today.", "Did you catch them?"))
    assert files[0] == "api/access.py"
    assert "stores/sql/writing/pages.py" in files
    assert len(files) <= MOST_FOR_ADD, files


def test_recall_touches_few_files(memory: MemoryOS) -> None:
    user = memory.user("ann", session_id="later")
    files = files_of(lambda: user.recall("Where are the hives?"))
    assert "rules/ranking/packing.py" in files
    assert len(files) <= MOST_FOR_RECALL, files
