"""SIGKILL at random moments: every page whose `add` returned is there afterwards, once, in one tier, in its order."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from memoryos_core import MemoryOS
from tests.faults.opening import broken_laws, page_ids, said, small, url
from tests.faults.writer import BUSY, line

ROOT = Path(__file__).parents[2]
KILLS_A_FILE = 10
FILES = 5
TOGETHER = 2
ENDLESS = 100_000


class Writers:
    """A process that forks writers, one at a time."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.faults.writer"]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def __enter__(self) -> Writers:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=60)

    def start(self, path: Path, log: Path, pages: int) -> int:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{path} {log} {pages}\n")
        return self._said()

    def ended(self) -> int:
        return self._said()

    def _said(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())


def logged(log: Path) -> list[str]:
    """The lines that were written whole."""
    return log.read_text().split("\n")[:-1] if log.exists() else []


def killed(writers: Writers, path: Path, log: Path, pages: int, seconds: float) -> list[str]:
    """Let a writer add some pages and go on for a moment, kill it, and return the pages it was promised."""
    writer = writers.start(path, log, ENDLESS)
    deadline = time.monotonic() + 120
    while len(logged(log)) < pages and time.monotonic() < deadline:
        time.sleep(0.002)
    time.sleep(seconds)
    os.kill(writer, signal.SIGKILL)
    assert writers.ended() == -signal.SIGKILL
    return logged(log)


def check(path: Path, accepted: list[str], kills: int) -> None:
    """One page for each kill may be there although nobody lived to hear that it was accepted."""
    ids = page_ids(path)
    assert [i for i in ids if i in set(accepted)] == accepted
    assert len(accepted) <= len(ids) <= len(accepted) + kills
    assert broken_laws(path) == {}


def rounds(path: Path, seed: int) -> int:
    """Kill again and again over one file; returns how many pages were accepted."""
    moments = random.Random(seed)
    accepted: list[str] = []
    with Writers() as writers:
        for kill in range(1, KILLS_A_FILE + 1):
            log = path.with_suffix(f".{kill}.log")
            accepted += killed(writers, path, log, moments.randint(0, 25), moments.random() * 0.05)
            if path.exists() and accepted:
                check(path, accepted, kill)
    before = page_ids(path)
    with MemoryOS(url(path), embedder=None, config=BUSY) as memory:
        assert memory.flush(timeout=120)
        ada = memory.user("ada")
        stats = ada.stats()
        assert stats.pages == len(before)
        assert stats.pages_short_term == 2 + len(before) % 2  # a batch that is not full waits
        assert stats.pages_mid_term > 0
        assert stats.pages_archived > 0
        assert stats.facts_user > 0
        assert len(said(ada.transcript())) == 2 * len(before)
        assert all(f.text.startswith("Told on purpose") or f.page_ids for f in ada.facts(current=False))
        assert ada.search("What about the tree?", k=1)
        assert memory.check(deep=True, progress=False).findings == ()
    assert page_ids(path) == before
    check(path, accepted, KILLS_A_FILE)
    return len(accepted)


def test_fifty_kills_lose_nothing_and_leave_no_page_twice(tmp_path: Path) -> None:
    assert FILES * KILLS_A_FILE >= 50
    with ThreadPoolExecutor(TOGETHER) as pool:
        accepted = list(pool.map(lambda n: rounds(tmp_path / f"{n}.db", n), range(FILES)))
    assert sum(accepted) > FILES * KILLS_A_FILE * 10  # the killed were at work


def test_a_kill_in_the_middle_of_two_processes_harms_neither(tmp_path: Path) -> None:
    path, mine, theirs = tmp_path / "m.db", tmp_path / "mine.log", tmp_path / "theirs.log"
    with Writers() as survivors, Writers() as victims:
        survivors.start(path, mine, 60)
        for _ in range(3):
            killed(victims, path, theirs, len(logged(theirs)) + 10, 0.01)
        assert survivors.ended() == 0
    *survived, done = logged(mine)
    assert done == "done"
    assert len(survived) == 60
    ids = page_ids(path)
    assert [i for i in ids if i in set(survived)] == survived
    assert [i for i in ids if i in set(logged(theirs))] == logged(theirs)
    assert len(ids) <= 60 + len(logged(theirs)) + 3
    assert broken_laws(path) == {}
    with MemoryOS(url(path), embedder=None, config=small("background")) as memory:
        assert memory.flush(timeout=60)
        assert memory.user("ada").stats().pages_short_term == 2 + len(ids) % 2  # a batch that is not full waits
        assert said(memory.user("ada").transcript())[0] == line(0)
    assert broken_laws(path) == {}
