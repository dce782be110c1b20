"""Many acknowledged adds over many kills: `python -m tests.faults.soak ADDS KILLS` on SQLite and on PostgreSQL.

Four processes add, recall, remember and consolidate; one after another is killed and replaced. In the end every page
whose `add` returned must be there, once and in its order, and `check --deep` must find nothing.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from memoryos_core import MemoryOS
from memoryos_core.errors import ConflictError, StoreBusyError
from memoryos_core.testing.postgres import LocalPostgres
from tests.faults.writer import BUSY, line

WORKERS = 4
ID = 32


def work(url: str, log: Path, user_id: str) -> None:
    """Add for ever; what is in the log was accepted before. Each line has the same length."""
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    user = MemoryOS(url, embedder=None, config=BUSY).user(user_id)
    number = 0
    while True:
        try:
            page = user.add(line(number), line(number).upper())
        except (StoreBusyError, ConflictError):
            continue
        os.write(out, f"{page.id}\n".encode())
        number += 1
        if number % 50 == 0:
            user.recall(line(number))
        if number % 70 == 0:
            user.remember(f"Told on purpose {number}")


class Crowd:
    """The workers, each with a log; the one that is killed is replaced by one with another user."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url, self._folder = url, folder
        self._workers: dict[int, Path] = {}
        self._started = 0

    def start(self) -> None:
        user_id = f"user-{self._started}"
        self._started += 1
        log = self._folder / user_id
        log.touch()
        worker = os.fork()
        if not worker:
            try:
                work(self._url, log, user_id)
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
        return sum(log.stat().st_size for log in self._folder.iterdir()) // (ID + 1)

    def end(self) -> None:
        while self._workers:
            self.kill(random.Random(0))

    def logs(self) -> dict[str, list[str]]:
        return {log.name: log.read_text().split("\n")[:-1] for log in self._folder.iterdir()}


def soak(url: str, folder: Path, adds: int, kills: int) -> str:
    """Return the figures in a line; AssertionError when a promise is broken."""
    MemoryOS(url, embedder=None, config=BUSY).close()
    began, chance = time.monotonic(), random.Random(adds)
    crowd = Crowd(url, folder)
    for _ in range(WORKERS):
        crowd.start()
    try:
        for number in range(1, kills + 1):
            while crowd.accepted() < adds * number // kills:
                time.sleep(0.01 * chance.random())
            crowd.kill(chance)
            crowd.start()
    finally:
        crowd.end()
    took, accepted = time.monotonic() - began, crowd.logs()
    doubtful = 0
    with MemoryOS(url, embedder=None, config=BUSY) as memory:
        for user_id, ids in accepted.items():
            there = [page.id for page in memory.user(user_id).pages()] if ids or user_id in memory.users() else []
            assert [i for i in there if i in set(ids)] == ids, f"{user_id} lost what was accepted"
            doubtful += len(there) - len(ids)
        assert doubtful <= kills + WORKERS, "more pages than kills may explain"
        findings = memory.check(deep=True, progress=False).findings
        assert not findings, findings
        assert memory.verify_audit(progress=False).ok
    count = sum(map(len, accepted.values()))
    return (
        f"{count:,} accepted adds, {kills} kills and {WORKERS} at the end, {took:.0f} s: 0 lost, 0 twice, "
        f"{doubtful} written whose caller was killed before it heard; check --deep clean"
    )


def main() -> None:
    adds, kills = (int(sys.argv[1]), int(sys.argv[2])) if len(sys.argv) > 2 else (100_000, 200)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sqlite").mkdir()
        print("SQLite:", soak(f"sqlite:///{folder}/m.db", folder / "sqlite", adds, kills), flush=True)
        (folder / "postgres").mkdir()
        with LocalPostgres(durable=True) as server:
            print("PostgreSQL:", soak(server.database(), folder / "postgres", adds, kills), flush=True)


if __name__ == "__main__":
    main()
