"""Processes that end, fork or lose their memory without closing it: nobody hangs, nothing accepted is lost."""

from __future__ import annotations

import gc
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from memoryos_core import MemoryOS
from tests.faults.opening import broken_laws, open_small, page_ids, talk, url

ROOT = Path(__file__).parents[2]
START = """
import os, sys, threading, time
from pathlib import Path
from memoryos_core import MemoryOS
from tests.faults.opening import small, talk, url

def never(request):
    threading.Event().wait()

path = Path(sys.argv[1])
"""
ENDINGS = {
    "without closing": """
        memory = MemoryOS(url(path), embedder=None, config=small("background"))
        print(*talk(memory.user("ada"), 30))
    """,
    "while a model never answers": """
        memory = MemoryOS(url(path), embedder=None, llm=never, config=small("background"))
        print(*talk(memory.user("ada"), 30))
    """,
    "by an error": """
        memory = MemoryOS(url(path), embedder=None, config=small("background"))
        print(*talk(memory.user("ada"), 30), flush=True)
        raise SystemExit("the application failed")
    """,
    "in another thread": """
        memory = MemoryOS(url(path), embedder=None, config=small("background"))
        thread = threading.Thread(target=lambda: print(*talk(memory.user("ada"), 30)))
        thread.start()
    """,
    "by os._exit": """
        memory = MemoryOS(url(path), embedder=None, config=small("background"))
        print(*talk(memory.user("ada"), 30), flush=True)
        os._exit(0)
    """,
    "many memories at once": """
        memories = [MemoryOS(url(path), embedder=None, config=small("background")) for _ in range(4)]
        print(*(p for m in memories for p in talk(m.user("ada"), 8)))
    """,
    "after a fork": """
        memory = MemoryOS(url(path), embedder=None, config=small("background"))
        first = talk(memory.user("ada"), 10)
        assert memory.flush(timeout=60)  # whoever forks while threads run forks their locks as well
        child = os.fork()
        if not child:
            ids = talk(memory.user("bob"), 10)
            done = memory.flush(timeout=60)
            stats = memory.user("bob").stats()
            assert done and stats.pages_short_term == 2, (done, stats)
            os.write(1, (" ".join(ids) + " ").encode())
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        print(*first, *talk(memory.user("ada"), 10, first=10))
        assert memory.flush(timeout=60)
        memory.close()
    """,
}


@pytest.mark.parametrize("name", ENDINGS)
def test_a_process_ends_and_loses_nothing(tmp_path: Path, name: str) -> None:
    path = tmp_path / "m.db"
    script = START + textwrap.dedent(ENDINGS[name])
    # The time limit is for a process that hangs; five seconds are what closing may wait for a model.
    child = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script, str(path)],
        capture_output=True, text=True, timeout=120, check=False, cwd=ROOT,
    )  # fmt: skip
    accepted = child.stdout.split()
    assert len(accepted) >= 20, child.stderr
    assert "Traceback" not in child.stderr
    assert sorted(page_ids(path)) == sorted(accepted)
    assert broken_laws(path) == {}
    with open_small(path, "background") as memory:
        assert memory.flush(timeout=60)
        assert memory.stats().pages == len(accepted)
        assert memory.user("ada").stats().pages_short_term == 2
    assert sorted(page_ids(path)) == sorted(accepted)
    assert broken_laws(path) == {}


def test_a_memory_that_nobody_holds_any_more_lets_its_threads_and_file_go(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    before = set(threading.enumerate())
    memory = open_small(path, "background")
    pages = talk(memory.user("ada"), 8)
    workers = set(threading.enumerate()) - before
    for worker in workers:  # one that is just being started is listed before it can be joined
        while not worker.is_alive() and worker in threading.enumerate():
            time.sleep(0.001)
    assert workers
    del memory
    gc.collect()
    for worker in workers:
        worker.join(timeout=60)
        assert not worker.is_alive()
    assert page_ids(path) == pages
    assert broken_laws(path) == {}


def test_closing_twice_and_from_many_threads_is_closing(tmp_path: Path) -> None:
    memory = open_small(tmp_path / "m.db", "background")
    talk(memory.user("ada"), 8)
    threads = [threading.Thread(target=memory.close) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    memory.close()
    with MemoryOS(url(tmp_path / "m.db"), embedder=None) as again:
        assert again.stats().pages == 8
