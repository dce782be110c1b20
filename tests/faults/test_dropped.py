"""Memories that nobody closes: they go without taking the process, or its log, with them."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import Dialect

from memoryos_core import MemoryOS

ROOT = Path(__file__).parents[2]
CODE = """
import sys
from memoryos_core import MemoryOS
def turn(n):
    memory = MemoryOS(sys.argv[1].format(n=n), embedder=None)
    ann = memory.user("ann")
    ann.add("My dog Biscuit is afraid of thunder", "Poor Biscuit")
    ann.search("thunder")
for n in range(12):
    turn(n)
print("still here")
"""


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///{n}.db"])
def test_a_memory_that_is_dropped_while_its_worker_works_takes_nothing_down(url: str, tmp_path: Path) -> None:
    for _ in range(3 if "MEMORYOS_SOAK" in os.environ else 1):
        done = subprocess.run(
            [sys.executable, "-c", CODE, url],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert (done.returncode, done.stdout) == (0, "still here\n")
        assert done.stderr == ""


def test_a_memory_that_was_closed_leaves_none_of_its_statements_behind(tmp_path: Path) -> None:
    def compiled() -> int:
        gc.collect()
        return sum(isinstance(item, Dialect) for item in gc.get_objects())

    def open_and_close(number: int) -> None:
        with MemoryOS(f"sqlite:///{tmp_path / str(number)}.db", embedder=None) as memory:
            user = memory.user("ann")
            user.add("I live in Leeds.", "Nice.")
            user.recall("Where do I live?")

    open_and_close(0)
    before = compiled()
    for number in range(1, 6):
        open_and_close(number)
    assert compiled() <= before
