"""What the tests of the LangChain adapters share: a real memory on a file, no noise of deprecation."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig

HERE = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Chat histories and chains are deprecated by LangChain and still ours to support: their warnings are expected.

    The one test of the hosts' suites that skips itself for what we are, a model that is not serialised, is left out.
    """
    left_out = [i for i in items if i.path.is_relative_to(HERE) and i.name == "test_serdes"]
    items[:] = [i for i in items if i not in left_out]
    config.hook.pytest_deselected(items=left_out)
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(
                pytest.mark.filterwarnings("ignore::langchain_core._api.deprecation.LangChainDeprecationWarning")
            )
            item.add_marker(
                pytest.mark.filterwarnings("ignore::langchain_core._api.deprecation.LangChainPendingDeprecationWarning")
            )


@pytest.fixture
def path(tmp_path: Path) -> str:
    """The URL of a database file, to open a memory on it again."""
    return f"sqlite:///{tmp_path}/memory.db"


@pytest.fixture
def memory(path: str, tmp_path: Path, empty_file: Path) -> Iterator[MemoryOS]:
    """A memory that finds by words and consolidates when it is told to."""
    shutil.copy(empty_file, tmp_path / "memory.db")
    with MemoryOS(path, embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual"))) as memory:
        yield memory
