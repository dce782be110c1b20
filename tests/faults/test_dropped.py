"""Memories that nobody closes: they go without taking the process, or its log, with them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
    for _ in range(3 if "MEMORYOS_SOAK" in os.environ else 2):
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
