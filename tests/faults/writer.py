"""Processes to be killed: each adds pages behind which the worker moves, promotes and evicts.

Run as a program it forks a writer for every line "DATABASE LOG PAGES" that it reads, says its process id, and then how
it ended. It imports and does everything before, so that a writer costs no start of an interpreter.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

from memoryos_core import HeatConfig, MemoryOS, MidTermConfig
from tests.faults.opening import small, url, warm_up

SUBJECTS = (
    "I planted an apple tree with deep roots",
    "My sailing boat lost its rudder near Malta",
    "We rehearsed Bach on violin and cello",
    "Bread rises slowly in a cold oven",
)

# Segments fill, become hot, and are evicted within a few pages, so that a kill may meet every kind of move.
BUSY = replace(
    small("background"),
    heat=HeatConfig(threshold=2.0),
    mid_term=MidTermConfig(capacity_segments=2),
)


def line(number: int) -> str:
    return f"{SUBJECTS[number // 4 % len(SUBJECTS)]}, day{number}."


def write(path: Path, log: Path, pages: int) -> None:
    """Each page's id is in the log once it is safe: what a process has written to a file outlives it."""
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    memory = MemoryOS(url(path), embedder=None, config=BUSY)
    user = memory.user("ada")
    for number in range(pages):
        page = user.add(line(number), line(number).upper())
        os.write(out, f"{page.id}\n".encode())
        if number % 5 == 0:
            user.recall(line(number))
        if number % 7 == 0:
            user.remember(f"Told on purpose {number}")
    memory.flush(timeout=60)
    memory.close()
    os.write(out, b"done\n")


def serve() -> None:
    warm_up()
    for command in sys.stdin:
        path, log, pages = command.split()
        writer = os.fork()
        if not writer:
            write(Path(path), Path(log), int(pages))
            os._exit(0)
        print(writer, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(writer, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
