"""Every Python block of every page of docs/ runs as it stands, from top to bottom, and prints what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, blocks, check

# Tests of these hosts run them, and look closer.
OF_HOSTS = {"langchain.md", "llamaindex.md", "openai-agents.md", "google-adk.md"}
WITH_CODE = [name for name, path in PAGES.items() if blocks(path.read_text("utf-8")) and name not in OF_HOSTS]
# Seen when the page has run, where the page itself shows no output.
SEEN = {"access.md": "needs the role 'writer'", "safety.md": "instruction", "stores.md": "Porto"}


@pytest.mark.parametrize("name", WITH_CODE)
def test_a_page_runs(name: str, tmp_path: Path) -> None:
    printed = check(blocks(PAGES[name].read_text("utf-8")), tmp_path)
    assert SEEN.get(name, "") in "".join(printed)


@pytest.mark.parametrize("name", PAGES)
def test_no_block_is_left_out(name: str) -> None:
    text = PAGES[name].read_text("utf-8")
    fences = re.findall(r"^[ \t>]*(?:```|~~~)\s*\{?\.?(?:py|python|python3|pycon)\b", text, flags=re.MULTILINE)
    assert len(fences) == len(blocks(text)), "write Python as ```python at the beginning of a line"
    shown = len(re.findall(r'title="Output"', text))
    assert shown == sum(block.output is not None for block in blocks(text)), "an output follows its block"


def test_there_is_something_to_run() -> None:
    assert {"index.md", "quickstart.md", "concepts.md", "configuration.md"} <= set(WITH_CODE)
