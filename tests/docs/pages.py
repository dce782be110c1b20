"""The Python blocks of a page of documentation, and a process that runs them from top to bottom, without a network.

A page needs a server or a key where `<!-- run with: NAME -->` stands before a block: a fake of `tests.docs.fakes` takes
its place. A block ```` ```text title="Output" ```` after a block is what that one prints.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.docs.running import BETWEEN

ROOT = Path(__file__).parents[2]
PAGES = {path.relative_to(ROOT / "docs").as_posix(): path for path in sorted((ROOT / "docs").rglob("*.md"))}

_BLOCK = re.compile(
    r"(?:^<!-- run with: (?P<fake>\w+) -->\n)?^```python\n(?P<code>.*?)^```$"
    r"(?:\n\n^```text title=\"Output\"\n(?P<output>.*?)^```$)?",
    re.DOTALL | re.MULTILINE,
)


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
    return _run(folder, fakes, awaits, [block.code for block in given])


def elsewhere(code: str, folder: Path, given: str = "") -> str:
    """Run code in another process, which reads what is given, and return what it printed."""
    return _run(folder, [], False, [code], given)[0]


def _run(folder: Path, fakes: list[str], awaits: bool, given: list[str], read: str = "") -> list[str]:
    asked, out, wrong = (folder / name for name in (".asked", ".printed", ".wrong"))
    asked.write_text(read, "utf-8")
    status = _server.run([str(folder), fakes, awaits, given, str(asked), str(out), str(wrong)])
    printed, told = (file.read_text("utf-8") for file in (out, wrong))
    for file in (asked, out, wrong):
        file.unlink()
    assert status == 0, told
    assert "Traceback" not in told, told
    return printed.split(BETWEEN)[:-1]


class _Server:
    """The process that runs the pages of one process of tests."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(self, page: list[object]) -> int:
        """Run a page and return its status."""
        if self._process is None:
            command = [sys.executable, "-m", "tests.docs.running"]
            pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "encoding": "utf-8"}
            self._process = subprocess.Popen(command, cwd=ROOT, env=_environment(), **pipes)
            atexit.register(self.end)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(page), file=self._process.stdin, flush=True)
        said = self._process.stdout.readline()
        return int(said) if said else self.end()

    def end(self) -> int:
        """Let the process go; return its status."""
        process, self._process = self._process, None
        if process is None:
            return 0
        process.communicate(timeout=60)
        return process.returncode


_server = _Server()


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
