"""A process of many that add, recall and forget at once in one store; what it was promised, it says in the end.

Every page has a word of its own, by which it is found again wherever it might have gone, and its user's mark, which
stands in no other user's text.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from memoryos_core import MemoryOS, StoreBusyError, UserMemory
from tests.faults.opening import small

ROOT = Path(__file__).parents[2]
USERS = ("ada", "bob", "eve", "kim")
MARKS = {"ada": "adamantine", "bob": "bobbinet", "eve": "evergreen", "kim": "kimberlite"}
PROCESSES, THREADS = 4, 8


@dataclass
class Promised:
    """By page id: the word of a page that was accepted, and of one whose forgetting was confirmed."""

    kept: dict[str, tuple[str, str]] = field(default_factory=dict)
    gone: dict[str, tuple[str, str]] = field(default_factory=dict)


def busy(call: Callable[[], object]) -> object:
    """Do it, waiting while others hold it up: the error says to try again."""
    while True:
        try:
            return call()
        except StoreBusyError:
            continue


class Somebody:
    """One thread, with sessions of its own and users whom all share."""

    def __init__(self, memory: MemoryOS, name: str, until: float) -> None:
        self._memory = memory
        self._name = name
        self._until = until
        self._chance = random.Random(name)
        self.promised = Promised()

    def live(self, rounds: int) -> None:
        """So many things, or as many as there is time for."""
        for turn in range(rounds):
            if turn >= 6 and time.monotonic() > self._until:
                break
            who = self._chance.choice(USERS)
            user = self._memory.user(who, session_id=f"session-{self._name}")
            kind = self._chance.random()
            if kind < 0.5:
                self._add(user, who, turn)
            elif kind < 0.75:
                self._recall(user, who)
            elif kind < 0.95:
                self._forget()
            else:
                busy(user.consolidate)

    def _add(self, user: UserMemory, who: str, turn: int) -> None:
        word = f"w{self._name}x{turn}q"
        text = f"The {MARKS[who]} tree {word} grows by the river."
        page = busy(lambda: user.add(text, f"{MARKS[who]} {word} noted."))
        self.promised.kept[page.id] = (who, word)  # type: ignore[attr-defined]  # it is a Page

    def _recall(self, user: UserMemory, who: str) -> None:
        recall = busy(lambda: user.recall("Which tree grows by the river?"))
        others = [mark for name, mark in MARKS.items() if name != who]
        assert not [mark for mark in others if mark in f"{recall} {recall!r}"], "a word of another user's"
        mine = [word for page, (whose, word) in self.promised.gone.items() if whose == who]
        assert not [word for word in mine if word in str(recall)], "a word that was forgotten"

    def _forget(self) -> None:
        if not self.promised.kept:
            return
        page = self._chance.choice(sorted(self.promised.kept))
        who, _ = self.promised.kept[page]
        receipt = busy(lambda: self._memory.user(who).forget(pages=[page]))
        assert receipt.pages == 1, "a page that was accepted was not there"  # type: ignore[attr-defined]
        self.promised.gone[page] = self.promised.kept.pop(page)


def process(url: str, number: int, rounds: int, seconds: float) -> Promised:
    """Eight threads over one memory, and all that was promised to them."""
    start, until = threading.Barrier(THREADS), time.monotonic() + seconds
    with MemoryOS(url, embedder=None, config=small("background")) as memory:
        people = [Somebody(memory, f"{number}y{n}", until) for n in range(THREADS)]

        def live(somebody: Somebody) -> None:
            start.wait(timeout=60)
            somebody.live(rounds)

        with ThreadPoolExecutor(THREADS) as pool:
            for done in [pool.submit(live, somebody) for somebody in people]:
                done.result()
    together = Promised()
    for somebody in people:
        together.kept.update(somebody.promised.kept)
        together.gone.update(somebody.promised.gone)
    return together


def crowd(url: str, *, rounds: int = 40, seconds: float = 12.0) -> Promised:
    """Four such processes at once; fails when one of them failed."""
    command = [sys.executable, "-m", "tests.faults.crowd", url]
    running = [
        subprocess.Popen(
            [*command, str(n), str(rounds), str(seconds)],
            cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for n in range(PROCESSES)
    ]  # fmt: skip
    together = Promised()
    ends = [p.communicate(timeout=240) for p in running]
    for done, (out, err) in zip(running, ends, strict=True):
        assert done.returncode == 0, err
        kept, gone = json.loads(out)
        together.kept.update({page: tuple(whose) for page, whose in kept.items()})
        together.gone.update({page: tuple(whose) for page, whose in gone.items()})
    return together


def check(memory: MemoryOS, promised: Promised) -> None:
    """Nothing accepted is lost, nothing forgotten is back, nothing is another's."""
    assert len(promised.kept) > PROCESSES * THREADS
    assert promised.gone
    busy(lambda: memory.flush(timeout=120))
    for who in USERS:
        user = memory.user(who)
        pages, everything = user.pages(), str(list(user.export()))
        mine = {page: word for page, (whose, word) in promised.kept.items() if whose == who}
        assert {p.id for p in pages} == set(mine)
        assert all(mine[p.id] in p.messages[0].text for p in pages)
        assert not [w for whose, w in promised.gone.values() if whose == who and w in everything]
        assert not [mark for name, mark in MARKS.items() if name != who and mark in everything]
        stats = user.stats()
        assert stats.pages == len(mine)
    assert memory.users() == sorted({who for who, _ in promised.kept.values()} | set(memory.users()))


if __name__ == "__main__":
    one = process(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
    print(json.dumps([one.kept, one.gone]))
