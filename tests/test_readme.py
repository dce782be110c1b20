"""The readme is short, and what it shows runs as it stands and prints what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks, check

README = (ROOT / "README.md").read_text("utf-8")
MOST_LINES = 120


@pytest.mark.parametrize("number", range(len(blocks(README))))
def test_every_block_shows_what_it_prints(number: int) -> None:
    block = blocks(README)[number]
    assert block.output is not None, "show what it prints"
    assert block.fake is None, "what the readme shows needs no key and no server"


# The first runs alone below, before the others.
@pytest.mark.parametrize("number", range(1, len(blocks(README))))
def test_a_later_block_runs_without_those_before_it(number: int, tmp_path: Path) -> None:
    check([blocks(README)[number]], tmp_path)


def test_the_blocks_run_one_after_the_other(tmp_path: Path) -> None:
    for block in blocks(README):
        check([block], tmp_path)


def test_no_block_is_left_out() -> None:
    assert len(blocks(README)) == README.count("```python") == 3


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= MOST_LINES
