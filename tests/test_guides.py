"""What the guides of docs/ show runs as it stands, from top to bottom. The hosts' guides have tests of their own."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"

# What an application has already when it comes to the first line of a guide.
GIVEN = {
    "access": "",
    "encryption": "import os\nkey = old = os.urandom(32)\nnew = os.urandom(32)\nurl = 'sqlite:///memory.db'\n"
    "def fetch_from_vault(): return key\n",
    "observability": "",
    "retention": "",
    "safety": "",
    "stores": f"import sys\nsys.path.insert(0, {str(DOCS / 'examples')!r})\n",
}
# What is seen when it has run.
SHOWN = {"access": "needs the role 'writer'", "safety": "instruction", "stores": "Porto"}
# These name a server of the application's.
READ_ONLY = ("postgresql",)
OWN_TESTS = ("langchain", "llamaindex")


def blocks(guide: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (DOCS / f"{guide}.md").read_text("utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("guide", GIVEN)
def test_a_guide_runs(guide: str, tmp_path: Path) -> None:
    code = GIVEN[guide] + "\n".join(blocks(guide))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert SHOWN.get(guide, "") in done.stdout


@pytest.mark.parametrize("guide", READ_ONLY)
def test_what_needs_a_server_can_be_read(guide: str) -> None:
    assert blocks(guide)
    for block in blocks(guide):
        ast.parse(block)


def test_no_guide_is_left_out() -> None:
    with_code = {path.stem for path in DOCS.glob("*.md") if blocks(path.stem)}
    assert with_code == {*GIVEN, *READ_ONLY, *OWN_TESTS}
