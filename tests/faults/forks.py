"""Forked children: some that begin at once, for other tests; and those of eight threads that use a memory at first.

Usage: python -m tests.faults.forks FOLDER FORKS, which counts the latter that hang. A child that does not end by itself
is killed by its alarm. Prints how many children did, with the places where their stacks stood.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import NoReturn

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig

_THREADS = 8
_CHILD_SECONDS = 40


def end_after(work: Callable[[], object]) -> NoReturn:
    """Do the work in this forked child, and end it: with zero, or with one after it has printed the error."""
    status = 1
    try:
        work()
        status = 0
    except BaseException:  # noqa: BLE001 - told, and the status says it
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


class Child:
    """A forked process that works until it is killed, where an interpreter would first import for half a second."""

    def __init__(self, work: Callable[[], object], said: Path) -> None:
        self._id = os.fork()
        if not self._id:
            _say_into(said)
            end_after(work)

    def runs(self) -> bool:
        """Return True until it has ended."""
        return os.waitpid(self._id, os.WNOHANG) == (0, 0)

    def kill(self) -> None:
        """Send it the signal that nothing outlives."""
        os.kill(self._id, signal.SIGKILL)

    def wait(self) -> int:
        """Return how it ended."""
        return os.waitstatus_to_exitcode(os.waitpid(self._id, 0)[1])


def fork_at_once(works: Iterable[Callable[[], object]], said: Path) -> list[int]:
    """Do each work in a child of its own, all from one moment on; return how they ended. The file has what they say."""
    waits, starts = os.pipe()

    def wait_and_do(work: Callable[[], object]) -> None:
        os.close(starts)
        assert os.read(waits, 1) == b""  # until nobody holds the other end
        work()

    children = [Child(partial(wait_and_do, work), said) for work in works]
    os.close(starts)
    os.close(waits)
    return [child.wait() for child in children]


def _say_into(said: Path) -> None:
    out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(out, 1)
    os.dup2(out, 2)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")


def _use(memory: MemoryOS, user: str, rounds: int) -> None:
    handle = memory.user(user)
    for number in range(rounds):
        handle.add(f"page {number} of {user} about tea", "noted")
        handle.recall("tea")


def _work(memory: MemoryOS, folder: Path, number: int, stop: threading.Event) -> None:
    while not stop.wait(0.01):
        _use(memory, f"user {number}", 1)
        if number == 0:  # and one thread goes on opening files
            MemoryOS(f"sqlite:///{folder}/other.db", embedder=None).close()


def _child(memory: MemoryOS, number: int, stack: Path) -> None:
    status = 1
    try:
        with stack.open("w") as file:
            faulthandler.dump_traceback_later(_CHILD_SECONDS / 2, file=file)
            signal.alarm(_CHILD_SECONDS)
            _use(memory, f"child {number}", 2)
            memory.user(f"child {number}").consolidate()
            status = 0
    finally:
        os._exit(status)


def _forked(folder: Path, forks: int) -> Counter[str]:
    config = MemoryConfig(worker=WorkerConfig(mode="background", threads=2))
    failed: Counter[str] = Counter()
    memory = MemoryOS(f"sqlite:///{folder}/m.db", embedder=None, config=config)
    stop = threading.Event()
    threads = [threading.Thread(target=_work, args=(memory, folder, n, stop)) for n in range(_THREADS)]
    for thread in threads:
        thread.start()
    try:
        for number in range(forks):
            stack = folder / f"stack {number}"
            child = os.fork()
            if not child:
                _child(memory, number, stack)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if status:
                places = [line.strip() for line in stack.read_text().splitlines() if line.startswith("  File")]
                failed[f"{status}: {' < '.join(place.rpartition('/')[2] for place in places[:4])}"] += 1
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        memory.close()
    return failed


if __name__ == "__main__":
    warnings.simplefilter("ignore", DeprecationWarning)
    hung = _forked(Path(sys.argv[1]), int(sys.argv[2]))
    print(hung.total(), dict(hung))
