"""The Python blocks of a page of documentation, and a process that runs them from top to bottom, without a network.

A page needs a server or a key where `<!-- run with: NAME -->` stands before a block: a fake of `tests.docs.fakes` takes
its place. A block ```` ```text title="Output" ```` after a block is what that one prints.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = {path.relative_to(ROOT / "docs").as_posix(): path for path in sorted((ROOT / "docs").rglob("*.md"))}

_BLOCK = re.compile(
    r"(?:^<!-- run with: (?P<fake>\w+) -->\n)?^```python\n(?P<code>.*?)^```$"
    r"(?:\n\n^```text title=\"Output\"\n(?P<output>.*?)^```$)?",
    re.DOTALL | re.MULTILINE,
)
_BETWEEN = "\x1e"
# As in a notebook, `await` may stand at the top. LlamaIndex's `Memory` never closes its database, and with an older
# SQLAlchemy the thread of that keeps a process from ending; so this one ends itself.
_RUNNER = """\
import ast, asyncio, os, sys, traceback
from tests.docs import fakes
fakes.no_network()
for name in sys.argv[1:]:
    getattr(fakes, name)()
async def page():
    names = {"__name__": "__main__"}
    for block in sys.stdin.read().split("\\x1e"):
        running = eval(compile(block, "page", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
        if running is not None:
            await running
        print(end="\\x1e", flush=True)
def sync():
    names = {"__name__": "__main__"}
    for block in sys.stdin.read().split("\\x1e"):
        exec(compile(block, "page", "exec"), names)
        print(end="\\x1e", flush=True)
status = 1
try:
    asyncio.run(page()) if AWAITS else sync()
    status = 0
except BaseException:
    traceback.print_exc()
sys.stdout.flush()
sys.stderr.flush()
os._exit(status)
"""


@dataclass(frozen=True, slots=True)
class Block:
    """A block of Python, the fake that it needs, and what the page says that it prints."""

    code: str
    fake: str | None
    output: str | None


def blocks(text: str) -> list[Block]:
    """Return the Python blocks of a page."""
    return [Block(found["code"], found["fake"], found["output"]) for found in _BLOCK.finditer(text)]


def run(given: list[Block], folder: Path) -> list[str]:
    """Run blocks in one process, in order, and return what each printed."""
    awaits = any(re.search(r"^(print\()?await ", block.code, re.MULTILINE) for block in given)
    fakes = sorted({block.fake for block in given if block.fake})
    done = subprocess.run(
        [sys.executable, "-c", _RUNNER.replace("AWAITS", str(awaits)), *fakes],
        input=_BETWEEN.join(block.code for block in given),
        cwd=folder,
        env=_environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout.split(_BETWEEN)[:-1]


def check(given: list[Block], folder: Path) -> list[str]:
    """Run blocks and compare what they print with what the page shows; return what each printed."""
    printed = run(given, folder)
    for block, said in zip(given, printed, strict=True):
        if block.output is not None:
            assert said == block.output, f"the page shows another output than\n{said}\nof\n{block.code}"
    return printed


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "MEMORYOS_"))}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
