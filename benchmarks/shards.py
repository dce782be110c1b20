"""A memory of many users on one PostgreSQL server and on two: adds and recalls a second.

    python -m benchmarks.shards [--users 10000] [--recalls 4000] [--processes 4]

Every server is durable and on this machine, so two of them share its cores and its disk with each other and with those
who ask: the figures say what it costs to keep users apart, and not what a second machine would bring.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import time
from collections.abc import Callable
from contextlib import ExitStack

from benchmarks.stores import Speech
from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.testing.postgres import LocalPostgres

CONFIG = MemoryConfig(worker=WorkerConfig(mode="manual"))
_FORKED = multiprocessing.get_context("fork")


def main() -> None:
    """Measure one server and two, and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--recalls", type=int, default=4_000)
    parser.add_argument("--processes", type=int, default=4)
    asked = parser.parse_args()
    print("| servers | users in each | adds/s | recalls/s |\n|---|---|---|---|")
    with ExitStack() as stack:
        servers = [stack.enter_context(LocalPostgres(None, durable=True)) for _ in range(2)]
        for count in (1, 2, 1, 2):  # twice, so that the noise can be seen
            urls = [server.database() for server in servers[:count]]
            print(measure(urls, asked.users, asked.recalls, asked.processes), flush=True)


def measure(urls: list[str], users: int, recalls: int, processes: int) -> str:
    """Return a row for a memory in these databases."""
    url = " ".join(urls)
    with MemoryOS(url, embedder=None, config=CONFIG):
        pass

    def add(memory: MemoryOS, worker: int) -> None:
        speech = Speech(worker)
        for number in range(worker, users, processes):
            memory.user(f"user-{number}").add(speech.sentence(), speech.sentence())

    def recall(memory: MemoryOS, worker: int) -> None:
        speech, chance = Speech(worker), random.Random(worker)
        for _ in range(recalls // processes):
            memory.user(f"user-{chance.randrange(users)}").recall(speech.sentence(), include_recent=False)

    added, recalled = (_timed(url, work, processes) for work in (add, recall))
    parts = []
    for one in urls:
        with MemoryOS(one, embedder=None, config=CONFIG) as memory:
            parts.append(f"{memory.stats().users:,}")
    return f"| {len(urls)} | {', '.join(parts)} | {users / added:,.0f} | {recalls / recalled:,.0f} |"


def _timed(url: str, work: Callable[[MemoryOS, int], None], processes: int) -> float:
    """Return the seconds that the work takes in so many processes."""

    def run(number: int) -> None:
        with MemoryOS(url, embedder=None, config=CONFIG) as memory:
            work(memory, number)

    crowd = [_FORKED.Process(target=run, args=(number,)) for number in range(processes)]
    began = time.perf_counter()
    for process in crowd:
        process.start()
    for process in crowd:
        process.join()
    if any(process.exitcode for process in crowd):
        raise RuntimeError("a process failed")
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
