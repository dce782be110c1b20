"""What the guide shows is run as it stands, from top to bottom."""

from __future__ import annotations

import re
from pathlib import Path

import memoryos_llamaindex
from tests.docs.pages import PAGES, blocks, check

GUIDE = PAGES["llamaindex.md"].read_text("utf-8")


def test_the_guide_runs(tmp_path: Path) -> None:
    given = blocks(GUIDE)
    assert len(given) >= 10
    said = "".join(check(given, tmp_path)).splitlines()
    assert said[0] == "In Lisbon."  # another conversation of the same user
    assert "user: I moved to Lisbon in March." in said  # what a model is sent
    assert "['Which city did I move to?', 'In Lisbon.']" in said  # what was said
    assert "6 messages" in said  # after the context went through JSON
    assert "[] 5" in said  # after the reset: one turn of Monday, one of Friday, three of Sunday
    assert "3 turns of Sunday are gone" in said
    assert any("learn the cello" in line and "short_term" in line for line in said)  # found by the retriever
    assert "  Ann eats no nuts." in said  # found by the tool
    assert "The cello has four strings." in said  # found in an index
    assert any(re.fullmatch(r"ann \d+ hits, \d+ tokens", line) for line in said)  # heard by the handler


def test_the_guide_names_everything_that_is_public() -> None:
    assert [name for name in memoryos_llamaindex.__all__ if name not in GUIDE] == []
