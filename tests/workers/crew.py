"""Workers to be killed: the command `memoryos worker`, each in a process of its own, forked so that it starts at once.

Run as a program it reads lines of JSON: ["start", ARGUMENTS…] forks a process that runs the command and says its id,
["wait", ID] says how it ended. It imports and does everything before, so that a worker costs no start of an
interpreter.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Connection, create_engine, text

from memoryos_core import HeatConfig, MemoryConfig, MemoryOS, Message, ShortTermConfig, WorkerConfig
from memoryos_core.ops.cli import main
from tests.faults.opening import LAWS, warm_up

ROOT = Path(__file__).parents[2]
BATCH = 8
KEPT = 2
CONFIG = MemoryConfig(
    short_term=ShortTermConfig(capacity_pages=KEPT, batch_pages=BATCH, idle_hours=None),
    heat=HeatConfig(threshold=3.0),
    worker=WorkerConfig(mode="manual", lease_seconds=2.0, backoff_seconds=0.05, backoff_ceiling_seconds=0.2),
)
"""Small batches, hot segments, leases that a crash leaves behind for two seconds, and no session that a clock ends."""
SMALL_BATCH = CONFIG.short_term.without_model().batch_pages
"""How many pages a batch of the crew has, which asks no model."""

SUBJECTS = (
    "I planted an apple tree with deep roots",
    "I sail a boat that lost its rudder near Malta",
    "I rehearsed Bach on violin and cello",
    "I bake bread that rises slowly in a cold oven",
)
_PATIENCE_SECONDS = 240


def until(condition: Callable[[], object], seconds: float = _PATIENCE_SECONDS) -> None:
    """Wait until it holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def lines(first: int, pages: int) -> list[Message]:
    """Turns whose words tell them apart."""
    found: list[Message] = []
    for number in range(first, first + pages):
        said = f"{SUBJECTS[number // 3 % len(SUBJECTS)]}, on day{number}."
        found += [Message("user", said), Message("assistant", f"Noted for day{number}.")]
    return found


def fill(url: str, users: int, pages: int) -> None:
    """So many pages of each user, in few writes; nobody consolidates them."""
    with MemoryOS(url, embedder=None, config=CONFIG) as memory:
        for number in range(users):
            memory.user(f"user-{number}").add_messages(lines(0, pages))


class Crew:
    """The processes; a context manager that ends them."""

    def __init__(self, url: str, *options: str) -> None:
        self._command = ["worker", url, "--embedder", "none", "--config", "tests.workers.crew:CONFIG"]
        self._command += ["--threads", "1", "--poll", "0.05", *options]
        self._parent = subprocess.Popen(
            [sys.executable, "-m", "tests.workers.crew"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.alive: list[int] = []

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in list(self.alive):
            self.kill(worker)
        self._parent.communicate(timeout=60)

    def start(self) -> int:
        """One more worker."""
        worker = self._ask("start", *self._command)
        self.alive.append(worker)
        return worker

    def kill(self, worker: int) -> None:
        """Without a warning."""
        os.kill(worker, signal.SIGKILL)
        assert self._ended(worker) == -signal.SIGKILL

    def stop(self, worker: int, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to end; returns its exit status."""
        os.kill(worker, number)
        return self._ended(worker)

    def replace_one(self, chance: random.Random) -> None:
        """Kill one of them and start another."""
        self.kill(chance.choice(self.alive))
        self.start()

    def _ended(self, worker: int) -> int:
        self.alive.remove(worker)
        return self._ask("wait", worker)

    def _ask(self, *words: object) -> int:
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.write(json.dumps(words) + "\n")
        return int(self._parent.stdout.readline())


class Truth:
    """What SQL says of a store, seen past our own code."""

    def __init__(self, url: str) -> None:
        self._engine = create_engine(url)

    def __enter__(self) -> Truth:
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.dispose()

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        with self._engine.connect() as connection:
            _see_everything(connection)
            return [tuple(row) for row in connection.execute(text(sql))]

    def number(self, sql: str) -> int:
        return int(str(self.rows(sql)[0][0]))

    def tiers(self) -> dict[str, int]:
        """How many pages each tier holds."""
        return {str(t): int(str(n)) for t, n in self.rows("SELECT tier, COUNT(*) FROM memoryos_pages GROUP BY tier")}

    def held_by(self, worker: int) -> int:
        """How many scopes a process of this number holds, by the server's clock."""
        return self.number(
            f"SELECT COUNT(*) FROM memoryos_scopes WHERE lease_holder LIKE '%:{worker}:%' "
            "AND lease_until > extract(epoch FROM clock_timestamp()) * 1000000"
        )

    def unfinished(self) -> int:
        """Scopes that are due, or held."""
        return self.number(
            "SELECT COUNT(*) FROM memoryos_scopes WHERE due IS NOT NULL OR lease_holder IS NOT NULL "
            "OR lease_until IS NOT NULL"
        )

    def broken(self) -> dict[str, list[tuple[object, ...]]]:
        """Every law that is broken, with the rows that break it."""
        found = {law: self.rows(sql) for law, sql in (LAWS | BATCH_LAWS).items()}
        return {law: rows for law, rows in found.items() if rows}


BATCH_LAWS = {
    # Each page that is moved gives its segment one, and takes it away when it is read: once each.
    "a batch that was applied not once": """
        SELECT s.id, s.l_interaction FROM memoryos_segments s WHERE s.l_interaction != (
            SELECT COUNT(*) FROM memoryos_pages p
            WHERE p.scope = s.scope AND p.segment_id = s.id AND p.analysed = false)""",
    "a page that takes another's place": """
        SELECT scope, seq FROM memoryos_pages GROUP BY scope, seq HAVING COUNT(*) > 1""",
}


def _see_everything(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET memoryos.scope = '*'"))


def hunted(url: str, *, workers: int, kills: int, users: int, pages: int, seed: int) -> None:
    """Fill a store, let workers consolidate it, kill some of them again and again, and look at what they leave."""
    fill(url, users, pages)
    chance = random.Random(seed)
    total = users * pages
    with Truth(url) as truth, Crew(url) as crew:
        assert truth.tiers() == {"short_term": total}
        for _ in range(workers):
            crew.start()
        for kill in range(1, kills + 1):
            # Between two kills something gets done, so that they are spread over the work however slow it is.
            goal = chance.uniform(kill - 0.5, kill) * 0.9 * total / kills
            until(lambda goal=goal: total - truth.tiers()["short_term"] >= goal)  # type: ignore[misc]
            crew.replace_one(chance)
        until(lambda: truth.unfinished() == 0)
        assert [crew.stop(worker) for worker in list(crew.alive)] == [0] * workers
        assert truth.unfinished() == 0
        assert truth.broken() == {}
        left = KEPT + (pages - KEPT) % SMALL_BATCH
        assert truth.tiers() == {"short_term": users * left, "mid_term": users * (pages - left)}
        assert truth.number("SELECT COUNT(*) FROM memoryos_facts WHERE status = 'current'") >= users


def serve() -> None:
    warm_up()
    for line in sys.stdin:
        verb, *words = json.loads(line)
        if verb == "start":
            worker = os.fork()
            if not worker:
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, 1)  # what it says at its end is not an answer of ours
                os._exit(main(words))
            print(worker, flush=True)
        else:
            print(os.waitstatus_to_exitcode(os.waitpid(int(words[0]), 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
