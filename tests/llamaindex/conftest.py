"""What the tests of the LlamaIndex adapter share: a real memory on a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig


@pytest.fixture
def path(tmp_path: Path) -> str:
    """The URL of a database file, to open a memory on it again."""
    return f"sqlite:///{tmp_path}/memory.db"


@pytest.fixture
def memory(path: str) -> Iterator[MemoryOS]:
    """A memory that finds by words and consolidates when it is told to."""
    with MemoryOS(path, embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual"))) as memory:
        yield memory
