"""What the readme shows is run as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

BLOCKS = re.findall(
    r"```python\n(.*?)```", (Path(__file__).parents[1] / "README.md").read_text("utf-8"), flags=re.DOTALL
)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_every_block_runs(number: int, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BLOCKS[number]], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    if "recall(" in BLOCKS[number]:
        assert "Lisbon" in done.stdout
    if "datetime(2025, 4, 7" in BLOCKS[number]:
        assert "2025-04-07" in done.stdout


def test_there_is_something_to_run() -> None:
    assert len(BLOCKS) >= 2
