"""Many acknowledged adds over many kills: `python -m tests.faults.soak ADDS KILLS` on SQLite and on PostgreSQL.

`--minutes N` ends each store's part after so long, and says how far it came; `--only sqlite` or `postgres` runs one.

Four processes add, recall, remember and consolidate; one after another is killed and replaced. Each serves one user
after another, as applications do. In the end every page whose `add` returned must be there, once and in its order, and
`check --deep` must find nothing.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import random
import signal
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from memoryos_core import MemoryOS
from memoryos_core.errors import ConflictError, StoreBusyError
from memoryos_core.testing.postgres import LocalPostgres
from tests.faults.writer import BUSY, line

WORKERS = 4
LINE = len(f"{0:05} {'0' * 32}\n")  # of a log: the number of a user of the worker, and the id of a page
PAGES = 100  # of one user, then comes the next: what is told here repeats itself, and is compared with all before it


def warm() -> None:
    """Import and compile all that a worker needs, so that a forked one begins at once."""
    with MemoryOS("sqlite://", embedder=None, config=BUSY) as memory:
        serve(memory, "ada", lambda _: None)
        memory.flush()


def serve(memory: MemoryOS, user_id: str, accept: Callable[[str], None]) -> None:
    """Add one user's pages, and tell the id of each that was accepted."""
    user, number = memory.user(user_id), 0
    while number < PAGES:
        try:
            page = user.add(line(number), line(number).upper())
        except (StoreBusyError, ConflictError):
            continue
        accept(page.id)
        number += 1
        if number % 50 == 0:
            user.recall(line(number))
        if number % 70 == 0:
            user.remember(f"Told on purpose {number}")


def work(url: str, log: Path) -> None:
    """Serve one user after another for ever; what is in the log was accepted before."""
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    memory = MemoryOS(url, embedder=None, config=BUSY)
    for number in itertools.count():

        def accept(page: str, number: int = number) -> None:
            os.write(out, f"{number:05} {page}\n".encode())

        serve(memory, f"{log.name}-{number}", accept)


class Crowd:
    """The workers, each with a log; the one that is killed is replaced by one with other users."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url, self._folder = url, folder
        self._workers: dict[int, Path] = {}
        self._started = 0

    def start(self) -> None:
        log = self._folder / f"worker-{self._started}"
        self._started += 1
        log.touch()
        worker = os.fork()
        if not worker:
            try:
                work(self._url, log)
            finally:
                os._exit(1)
        self._workers[worker] = log

    def kill(self, chance: random.Random) -> None:
        worker = chance.choice(sorted(self._workers))
        os.kill(worker, signal.SIGKILL)
        _, status = os.waitpid(worker, 0)
        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, "a worker ended by itself"
        del self._workers[worker]

    def accepted(self) -> int:
        return sum(log.stat().st_size for log in self._folder.iterdir()) // LINE

    def end(self) -> None:
        while self._workers:
            self.kill(random.Random(0))

    def logs(self) -> dict[str, list[str]]:
        """The ids of the accepted pages, in order, by user."""
        accepted = defaultdict[str, list[str]](list)
        for log in self._folder.iterdir():
            for number, page in map(str.split, log.read_text().splitlines()):
                accepted[f"{log.name}-{int(number)}"].append(page)
        return accepted


def soak(url: str, folder: Path, adds: int, kills: int, minutes: float = math.inf) -> str:
    """Return the figures in a line; AssertionError when a promise is broken."""
    MemoryOS(url, embedder=None, config=BUSY).close()
    warm()
    began, chance, killed = time.monotonic(), random.Random(adds), 0
    crowd = Crowd(url, folder)
    for _ in range(WORKERS):
        crowd.start()
    try:
        while killed < kills and time.monotonic() < began + minutes * 60:
            if crowd.accepted() < adds * (killed + 1) // kills:
                time.sleep(0.01 * chance.random())
                continue
            crowd.kill(chance)
            crowd.start()
            killed += 1
    finally:
        crowd.end()
    took, accepted = time.monotonic() - began, crowd.logs()
    return f"{verify(url, accepted, killed)}; {took:.0f} s" + (f", ended before {kills} kills" * (killed < kills))


def verify(url: str, accepted: dict[str, list[str]], kills: int) -> str:
    """Return what was found of what users' workers were told is kept, in a line; AssertionError when some is not."""
    doubtful = moved = 0
    with MemoryOS(url, embedder=None, config=BUSY) as memory:
        for user_id in {*accepted, *memory.users()}:
            pages, ids = memory.user(user_id).pages(), accepted.get(user_id, [])
            assert [page.id for page in pages if page.id in set(ids)] == ids, f"{user_id} lost what was accepted"
            doubtful += len(pages) - len(ids)
            moved += sum(page.tier != "short_term" for page in pages)
        assert doubtful <= kills + WORKERS, "more pages than kills may explain"
        findings = memory.check(deep=True, progress=False).findings
        assert not findings, findings
        assert memory.verify_audit(progress=False).ok
    count = sum(map(len, accepted.values()))
    return (
        f"{count:,} accepted adds, {kills} kills and {WORKERS} at the end: 0 lost, 0 twice, "
        f"{doubtful} written whose caller was killed before it heard; {moved:,} pages had left short-term memory; "
        "check --deep clean"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("adds", type=int, nargs="?", default=100_000)
    parser.add_argument("kills", type=int, nargs="?", default=200)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--only", choices=("sqlite", "postgres"))
    asked = parser.parse_args()
    size = (asked.adds, asked.kills, asked.minutes)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if asked.only != "postgres":
            (folder / "sqlite").mkdir()
            print("SQLite:", soak(f"sqlite:///{folder}/m.db", folder / "sqlite", *size), flush=True)
        if asked.only != "sqlite":
            (folder / "postgres").mkdir()
            with LocalPostgres(durable=True) as server:
                print("PostgreSQL:", soak(server.database(), folder / "postgres", *size), flush=True)


if __name__ == "__main__":
    main()
