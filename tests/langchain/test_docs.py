"""What the guide shows is run as it stands, from top to bottom."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import memoryos_langchain

GUIDE = (Path(__file__).parents[2] / "docs" / "langchain.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", GUIDE, flags=re.DOTALL)


def test_the_guide_runs(tmp_path: Path) -> None:
    assert len(BLOCKS) >= 9
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(BLOCKS)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "moved to Lisbon" in done.stdout  # found by the tool
    assert "Ann eats no nuts." in done.stdout  # found in the store
    assert "learn the cello" in done.stdout  # in the history


def test_the_guide_names_everything_that_is_public() -> None:
    assert [name for name in memoryos_langchain.__all__ if name not in GUIDE and name != "Identity"] == []
