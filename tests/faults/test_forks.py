"""Children forked while threads of the parent work, from their first calls on: none of them hangs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")


def hung(folder: Path, forks: int) -> str:
    """How many children of a new process hung, and where."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.forks", str(folder), str(forks)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=3600,
    )  # fmt: skip
    assert not done.returncode, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("number", range(5))
def test_a_child_forked_during_the_first_calls_of_eight_threads_can_work(tmp_path: Path, number: int) -> None:
    assert hung(tmp_path, 20) == "0 {}"


@pytest.mark.slow
def test_a_thousand_children_can_work(tmp_path: Path) -> None:
    for number in range(50):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert hung(folder, 20) == "0 {}"
