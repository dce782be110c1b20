"""The notebooks about one matter each run from top to bottom offline, and say what their committed outputs say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.notebooks import kernels
from tests.notebooks.kernels import shows

# What a reader must be able to see, each in the output of one cell.
KEY_LINES = {
    "migrate.ipynb": (
        "user: Biscuit is afraid of thunder.",
        "2 messages are new\n0 the second time",
        "[2 March 2026]\nuser: I moved to Porto.",
        "1 turn of ['mira']",
        "2025-06-01  superseded  Eve lives in Lisbon",
        "Lisbon - before\nBraga - now",
        "<b>UserMemory</b> eve",
    ),
    "many_users.ipynb": (
        "100 users, 200 turns",
        "my locker is number 1042.",
        "100 memories wait\n0 wait now",
        "['I moved to Faro.', 'Congratulations!']",
        "'support' is a reader here",
        "support denied",
        "3 turns would go\n3 turns went; 99 users stay",
    ),
    "answer_quality.ipynb": (
        "9 turns in 4 sessions",
        "tokens     words   meaning",
        "Which animal do I have at home?",
        "We adopted a cat from the shelter",
        "cases passed\nexit status 0",
        "failed: What is the name of my dog?",
        "<b>UserMemory</b> ann",
    ),
    "changing_mind.ipynb": (
        "03 Feb 2026  The user lives in Lisbon.",
        "Lisbon: since 03 Feb 2026, until 27 Apr 2026\nPorto: since 27 Apr 2026, still holds",
        "- Home: Porto (since about 30 April 2026; before: Lisbon)",
        "superseded  The user works as a nurse.",
        "['retired']",
        "would go: 1 turn, 1 fact\n[]",
    ),
}
WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.mark.parametrize("name", KEY_LINES)
def test_it_runs_and_says_what_is_committed(name: str, tmp_path: Path) -> None:
    execution = kernels.execute(name, tmp_path)
    ours, theirs = kernels.code(execution.notebook), kernels.code(kernels.read(name))
    for notebook in (ours, theirs):
        shown = ["\n".join(kernels.texts(cell)) for cell in notebook]
        assert [line for line in KEY_LINES[name] if not any(line in text for text in shown)] == []
    for mine, other in zip(ours, theirs, strict=True):
        if not kernels.varies(other):
            assert kernels.compared(mine) == kernels.compared(other), other.source
    assert (execution.network, execution.left) == ("", [])


@pytest.mark.parametrize("name", KEY_LINES)
def test_what_is_committed_is_clean_and_complete(name: str) -> None:
    notebook = kernels.read(name)
    cells = kernels.code(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert [cell.source for cell in cells if bool(cell.outputs) != shows(cell.source)] == []
    for cell in cells:
        assert all(output.output_type != "error" and output.get("name") != "stderr" for output in cell.outputs)
        for text in kernels.texts(cell):
            assert not re.search(r"\x1b|Warning|Traceback|/(?:home|tmp|root|work|Users|usr|var)/", text)
    assert notebook.cells[0].source.startswith("# ")
    assert sum(cell.cell_type == "markdown" for cell in notebook.cells) > 0.6 * len(cells)
    assert max(len(cell.source.splitlines()) for cell in notebook.cells) <= 32
    assert max(len(line) for cell in notebook.cells for line in cell.source.splitlines()) <= 120
    assert "widgets" not in notebook.metadata  # the state of a widget is for the kernel that ran it


def test_every_notebook_is_tried() -> None:
    hosts = {f"{host}_{kind}.ipynb" for host in ("langchain", "llamaindex") for kind in ("quickstart", "agent")}
    assert {path.name for path in kernels.FOLDER.glob("*.ipynb")} == hosts | set(KEY_LINES)


@pytest.mark.parametrize(
    "name", ["migrate.ipynb", "answer_quality.ipynb", "changing_mind.ipynb", "langchain_quickstart.ipynb"]
)
def test_a_memory_is_shown_by_its_widget(name: str) -> None:
    cells = kernels.code(kernels.read(name))
    assert any(WIDGET in output.get("data", {}) for cell in cells for output in cell.outputs)
