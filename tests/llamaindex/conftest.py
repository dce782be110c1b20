"""What the tests of the LlamaIndex adapter share: a memory on a file, no noise of deprecation, no loop left open."""

from __future__ import annotations

import asyncio
import inspect
import shutil
import threading
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig

HERE = Path(__file__).parent
# What LlamaIndex's own code warns of, once in a process or once an agent; whether a test sees it depends on the others.
UPSTREAM = (
    "ignore::pydantic.warnings.PydanticDeprecationWarning",  # workflows look at every attribute of an agent
    "ignore:is_running called from within a step:DeprecationWarning",
    "ignore:ServiceManager is deprecated:DeprecationWarning",  # 0.13, by itself
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Our own code is held to its warnings by the rest of the suite."""
    for item in items:
        if item.path.is_relative_to(HERE):
            for known in UPSTREAM:
                item.add_marker(pytest.mark.filterwarnings(known), append=False)


@pytest.fixture(autouse=True)
def no_loop_left(request: pytest.FixtureRequest) -> None:
    """LlamaIndex's plain calls open a loop where none was ever set, and leave it open.

    Told that there is none, they run one that they close. Else a later test is blamed, when garbage is collected.
    Closing what is there harms nobody: the loops of pytest-asyncio are made anew for each test that is awaited.
    """
    if inspect.iscoroutinefunction(request.function):
        return
    with warnings.catch_warnings(), suppress(RuntimeError):
        warnings.simplefilter("ignore", DeprecationWarning)
        asyncio.get_event_loop().close()
    asyncio.set_event_loop(None)


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set when a thread has died of an exception, as LlamaIndex's streams do; no later test is to be blamed for it."""
    died = threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda args: died.set())
    return died


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
