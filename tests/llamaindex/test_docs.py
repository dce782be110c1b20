"""What the guide shows is run as it stands, from top to bottom."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import memoryos_llamaindex

GUIDE = (Path(__file__).parents[2] / "docs" / "llamaindex.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", GUIDE, flags=re.DOTALL)
# Shown, and not run: it needs a server.
SHOWN = re.findall(r"```py\n(.*?)```", GUIDE, flags=re.DOTALL)

# A notebook's way: `await` at the top. LlamaIndex's `Memory` never closes its database, and with an older SQLAlchemy
# the thread of that keeps a process from ending; so this one ends itself.
_RUNNER = """\
import ast, asyncio, os, sys, traceback
code = compile(sys.stdin.read(), "guide", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
async def guide():
    running = eval(code, {"__name__": "guide"})
    if running is not None:
        await running
status = 1
try:
    asyncio.run(guide())
    status = 0
except BaseException:
    traceback.print_exc()
sys.stdout.flush()
sys.stderr.flush()
os._exit(status)
"""


def test_the_guide_runs(tmp_path: Path) -> None:
    assert len(BLOCKS) >= 10
    done = subprocess.run(
        [sys.executable, "-c", _RUNNER],
        input="\n".join(BLOCKS),
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    said = done.stdout.splitlines()
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


def test_what_is_only_shown_can_be_read() -> None:
    assert len(SHOWN) == 1
    for block in SHOWN:
        ast.parse(block)


def test_the_guide_names_everything_that_is_public() -> None:
    assert [name for name in memoryos_llamaindex.__all__ if name not in GUIDE] == []
