"""A process that dies while it changes the key of a file leaves one that the old key opens, or the new one, whole."""

from __future__ import annotations

import signal
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from memoryos_core.errors import StoreKeyError
from memoryos_core.stores import open_store
from memoryos_core.testing.store_samples import ALICE, T0, texts
from memoryos_core.values.commands import Append, NewPage, PageQuery
from memoryos_core.values.dialogue import Message
from tests.encryption.stored import KEY, OTHER
from tests.faults.forks import Child

PAGES = 300
MEGABYTE = 1 << 20
# How much of the log is written when the process dies: the whole of it is 15 MB, and the cache holds less.
WRITTEN = (1, 4 * MEGABYTE, 9 * MEGABYTE, 14 * MEGABYTE)


def rekey(url: str, *keys: bytes) -> None:
    """Change the key from the first to the second, and back, again and again."""
    store = open_store(url, key=keys[0])
    print("ready", flush=True)
    for i in range(1, 1000):
        store.rekey(keys[i % 2])
        print("done", flush=True)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_killed_rekeying_loses_nothing_and_shuts_nobody_out(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    said = [f"page {i} {'words ' * 8000}" for i in range(PAGES)]
    with closing(open_store(url, key=KEY)) as store:
        pages = tuple(NewPage((Message("user", text),), 1, open=False) for text in said)
        store.append(Append(ALICE, "s", pages, T0))
    key, other = KEY, OTHER
    log = tmp_path / "memory.db-wal"
    for written in WRITTEN:
        told = tmp_path_factory.mktemp("told") / "told"
        child = Child(partial(rekey, url, key, other), told)
        while not (told.exists() and told.read_text().startswith("ready\n")):
            assert child.runs()
            time.sleep(0.001)
        deadline = time.monotonic() + 60
        while not (log.exists() and log.stat().st_size >= written):
            assert time.monotonic() < deadline
            assert child.runs()
            time.sleep(0.001)
        child.kill()
        assert child.wait() == -signal.SIGKILL
        fitting = [candidate for candidate in (KEY, OTHER) if opens(url, candidate, said)]
        assert len(fitting) == 1
        key, other = fitting[0], ({KEY, OTHER} - set(fitting)).pop()
    assert list(tmp_path.iterdir()) == [tmp_path / "memory.db"]


def opens(url: str, key: bytes, said: list[str]) -> bool:
    """Whether this key does; then everything is there."""
    try:
        store = open_store(url, key=key)
    except StoreKeyError:
        return False
    with closing(store):
        assert texts(store.pages(PageQuery(ALICE))) == said
    return True
