"""What the guide shows is run as it stands, from top to bottom."""

from __future__ import annotations

from pathlib import Path

import memoryos_langchain
from tests.docs.pages import PAGES, blocks, check

GUIDE = PAGES["langchain.md"].read_text("utf-8")


def test_the_guide_runs(tmp_path: Path) -> None:
    given = blocks(GUIDE)
    assert len(given) >= 9
    printed = "".join(check(given, tmp_path))
    assert "moved to Lisbon" in printed  # found by the tool
    assert "Ann eats no nuts." in printed  # found in the store
    recalled = printed.partition("\nsystem: What you remember")[2].partition("\nhuman:")[0]
    assert "Lisbon" in recalled  # in front of the turns of RunnableWithMessageHistory
    assert "learn the cello" in printed  # in the history


def test_the_guide_names_everything_that_is_public() -> None:
    assert [name for name in memoryos_langchain.__all__ if name not in GUIDE and name != "Identity"] == []
