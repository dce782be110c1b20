"""Many at once on one file, processes and threads: nothing lost, nothing doubled, everybody sees everybody's pages."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from memoryos_core import ConflictError, MemoryOS, Message
from tests.faults.opening import broken_laws, open_small, page_ids, said, small, talk, url

ROOT = Path(__file__).parents[2]
PEER = """
import sys
from pathlib import Path
from memoryos_core import MemoryOS
from tests.faults.opening import small, url

path, name, session = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
memory = MemoryOS(url(path), embedder=None, config=small("background"))
user = memory.user("ada", session_id=session)
for number in range(40):
    print(user.add(f"{name} planted tree number {number} by the river.", f"{name} waters it.").id, flush=True)
    if number % 10 == 9:
        user.consolidate()
other = sys.stdin.readline()
assert memory.flush(timeout=100)
print("sees", *[h.page_ids[0] for h in user.search(other, k=2)], flush=True)
memory.close()
"""


def peers(path: Path, *sessions: str) -> list[list[str]]:
    """Two processes at work on one user at once; the pages of each, and at last what it finds of the other's."""
    command = [sys.executable, "-c", PEER, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    names = ("Anna", "Boris")
    running = [
        subprocess.Popen([*command, name, session], cwd=ROOT, text=True, **pipes)  # type: ignore[call-overload]
        for name, session in zip(names, sessions, strict=True)
    ]
    said_so_far: list[list[str]] = []
    for process in running:
        said_so_far.append([process.stdout.readline().strip() for _ in range(40)])
    for process, other in zip(running, reversed(names), strict=True):
        process.stdin.write(f"What did {other} plant? {other}\n")
        process.stdin.flush()
    for process, lines in zip(running, said_so_far, strict=True):
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        lines.append(out.strip())
    return said_so_far


def check_peers(path: Path, first: list[str], second: list[str]) -> None:
    *annas, sees_boris = first
    *boriss, sees_anna = second
    assert len(set(annas + boriss)) == 80
    ids = page_ids(path)
    assert sorted(ids) == sorted(annas + boriss)
    assert [i for i in ids if i in annas] == annas
    assert [i for i in ids if i in boriss] == boriss
    assert set(sees_boris.split()[1:]) <= set(boriss)
    assert set(sees_anna.split()[1:]) <= set(annas)
    assert len(sees_boris.split()) > 1
    assert len(sees_anna.split()) > 1
    assert broken_laws(path) == {}


def test_two_processes_in_one_session(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    check_peers(path, *peers(path, "shared", "shared"))
    with open_small(path) as memory:
        stats = memory.user("ada", session_id="shared").stats()
        assert (stats.pages_short_term, stats.pages_mid_term) == (2, 78)


def test_two_processes_in_sessions_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    check_peers(path, *peers(path, "hers", "his"))
    with open_small(path) as memory:
        assert (memory.stats().pages_short_term, memory.stats().pages_mid_term) == (4, 76)


def test_an_open_memory_sees_what_another_writes_moves_and_forgets(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_small(path) as one, open_small(path) as two:
        here, there = one.user("ada"), two.user("ada")
        assert here.search("tree") == []
        pages = talk(there, 8)
        assert {h.tier for h in here.search("tree number 1", k=20)} == {"short_term"}
        there.consolidate()
        assert {h.tier for h in here.search("tree number 1", k=20)} == {"short_term", "mid_term"}
        there.remember("Owns a harpsichord.")
        assert here.search("harpsichord", k=1)[0].text == "Owns a harpsichord."
        here.forget(pages=pages[:4])
        assert not set(pages[:4]) & {p for h in there.search("tree number 1", k=20) for p in h.page_ids}
        here.forget(everything=True)
        assert there.search("tree", k=20) == []
        assert there.recall("tree").hits == ()


class Threads:
    """Eight threads that do everything at once, each with pages of its own."""

    def __init__(self, memory: MemoryOS, rounds: int) -> None:
        self._memory = memory
        self._rounds = rounds
        self._start = threading.Barrier(8)
        self.kept: dict[int, list[str]] = {n: [] for n in range(8)}
        self.forgotten: set[str] = set()

    def run(self, number: int) -> None:
        chance = random.Random(number)
        user = self._memory.user(f"user-{number % 2}", session_id=f"session-{number % 4}")
        mine = self.kept[number]
        self._start.wait(timeout=60)
        for turn in range(self._rounds):
            kind = chance.random()
            if kind < 0.45:
                mine.append(user.add(f"Thread {number} planted tree {turn}.", "A fine tree.").id)
            elif kind < 0.6:
                user.add_messages([Message("user", f"Thread {number} says {turn}."), Message("assistant", "I hear.")])
            elif kind < 0.75:
                assert all(h.score == h.score for h in user.recall(f"Which tree did thread {number} plant?").hits)
            elif kind < 0.82 and mine:
                gone = mine.pop(chance.randrange(len(mine)))
                self.forgotten.add(gone)
                user.forget(pages=[gone])
            elif kind < 0.88:
                user.remember(f"Thread {number} told fact {turn}.")
            elif kind < 0.94:
                user.transcript()
                user.stats()
            else:
                user.consolidate()


def at_once(*work: Callable[[], object]) -> None:
    with ThreadPoolExecutor(len(work)) as pool:
        for done in [pool.submit(task) for task in work]:
            done.result(timeout=120)


def test_eight_threads_do_everything_at_once(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with open_small(path, "background") as memory:
        threads = Threads(memory, rounds=60)
        at_once(*(lambda n=n: threads.run(n) for n in range(8)))
        assert memory.flush(timeout=120)
        ids = page_ids(path)
        for kept in threads.kept.values():
            assert [i for i in ids if i in set(kept)] == kept
        assert not threads.forgotten & set(ids)
        for number in range(2):
            user = memory.user(f"user-{number}")
            words = str(list(user.export()))
            others = [n for n in range(8) if n % 2 != number]
            assert not [n for n in others if f"Thread {n} " in words]
            assert memory.user(f"user-{number}").stats().pages_short_term <= 2 * (
                2 + 1
            )  # a batch that is not full waits
    assert broken_laws(path) == {}


def test_eight_threads_pair_one_session_without_losing_a_message(tmp_path: Path) -> None:
    path = tmp_path / "m.db"

    def speak(number: int) -> None:
        for turn in range(12):
            for role in ("user", "assistant"):
                try:
                    user.add_messages([Message(role, f"{number}.{turn}.{role}")])
                except ConflictError:
                    refused.append(f"{number}.{turn}.{role}")

    refused: list[str] = []
    with open_small(path, "background") as memory:
        user = memory.user("ada")
        at_once(*(lambda n=n: speak(n) for n in range(8)))
        memory.flush(timeout=60)
        told = said(user.transcript())
        everything = [f"{n}.{t}.{r}" for n in range(8) for t in range(12) for r in ("user", "assistant")]
        assert sorted(told + refused) == sorted(everything)
        assert len(refused) < 10
    assert broken_laws(path) == {}


def test_many_memories_open_one_new_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "m.db"

    def live(number: int) -> None:
        with MemoryOS(url(path), embedder=None, config=small()) as memory:
            talk(memory.user(f"user-{number}"), 5)
            memory.user(f"user-{number}").consolidate()

    at_once(*(lambda n=n: live(n) for n in range(8)))
    with open_small(path) as memory:
        assert memory.stats().pages == 40
        assert memory.users() == [f"user-{n}" for n in range(8)]
    assert broken_laws(path) == {}
