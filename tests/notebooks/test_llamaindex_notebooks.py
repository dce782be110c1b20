"""The LlamaIndex notebooks run from top to bottom offline, and say what their committed outputs say."""

from __future__ import annotations

import os
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.notebooks import kernels
from tests.notebooks.kernels import LOCAL, Execution, shows

QUICKSTART, AGENT = "llamaindex_quickstart.ipynb", "llamaindex_agent.ipynb"
NAMES = (QUICKSTART, AGENT)

# What a reader must be able to see, each line in the output of one cell.
KEY_LINES = {
    QUICKSTART: (
        "[monday] Which tree is on the balcony of my flat in Porto?\n"
        "    You told me: My flat in Porto has a balcony with a lemon tree.",
        "[tuesday] When did I move to Porto?\n    You told me: My name is Ann, and I moved to Porto in January 2026.",
        "<memory>\nSaid earlier:\n[2 March 2026]\nuser: My name is Ann, and I moved to Porto in January 2026.",
        "</memory>\n\nWhen did I move to Porto?",
        "user: When did I move to Porto?\nassistant: You told me: My name is Ann",
        "[tuesday] When did I move to Porto?\n    You have not told me.",
        "8 messages",
        "[monday] What is my flat in Porto above?\n"
        "    You told me: My flat in Porto is above a bakery, so I wake up early.\n"
        "[thursday] What is my flat in Porto above?\n    You told me: My flat in Porto is above a bakery",
        "11 turns moved, 4 segments opened\n3 segments read, 9 facts learned",
        "short-term: 4 turns\nmid-term:   11 turns in 4 segments\nlong-term:  9 facts, 2 fields of the profile",
        "heat 3.0, 2 turns: I bake sourdough bread",
        "- The user's flat in Porto has a balcony with a lemon tree.",
        "name: Ann\nhome: Porto",
        "Porto - before\nBraga - now\nBraga",
        "<b>UserMemory</b> ann with assistant, session thursday",
        "mid_term | user: I bought a new bicycle chain, a bell and brake pads.",
        "0 messages\n[thursday] Which tree is on the balcony of my flat in Porto?\n"
        "    You told me: My flat in Porto has a balcony with a lemon tree.",
        "3 turns went\n[thursday] Which tree is on the balcony?\n    You have not told me.",
        "14 turns and 9 facts went\n[thursday] What is my name?\n    You have not told me.",
    ),
    AGENT: (
        "[ann, monday] What is my dog afraid of?\n    You told me: My dog Biscuit is afraid of thunder.\n"
        "state: ['a lead', 'a blanket']",
        "assistant: ['buy']\ntool: a blanket is on the list\nassistant: Done.",
        "'session_id': 'monday', 'user_id': 'ann', 'assistant_id': 'assistant', 'token_limit': 30000",
        "'insert_method': 'auto', 'actor': None}\nFalse",
        "Done.\nstate: ['a lead', 'a blanket', 'a brush']\n16 messages",
        "[ann, tuesday] What is my dog afraid of?\n    You told me: My dog Biscuit is afraid of thunder.\nstate: []",
        "--- system ---\nYou are a friendly assistant.\n\n--- user ---\nWhat you remember of this user",
        "</memory>\n\nWhat is my dog afraid of?",
        "[bob, tuesday] What is my dog afraid of?\n    You have not told me.",
        "[ann, wednesday] What is Ann allergic to?\n    You told me: - Ann's allergy: walnuts (said 2 March 2026)\n"
        "[bob, tuesday] What is Ann allergic to?\n    You have not told me.",
        "[ann, tuesday] Forget: walnuts\n    Done.\n",
        "forgotten (0 pages, 1 facts).",
        "[ann, thursday] What is Ann allergic to?\n    You have not told me.",
        "sent: [\"{'mood': 'curious'}\"]\nkept: My dog Biscuit likes rain.",
        "turns went\n[ann, friday] What is my dog afraid of?\n    You have not told me.",
    ),
}
# What only the extra `local` can tell: no word of the question was ever said.
BY_MEANING = "user: I bought a new bicycle chain, a bell and brake pads."


# They find by words in the long form alone: the quickstart whose kernel is killed tells whether words are enough.
RUNS: dict[str, tuple[str, tuple[str, ...]]] = {
    "quickstart-as_installed": (QUICKSTART, ()),
    "agent-as_installed": (AGENT, ()),
}
if "MEMORYOS_SOAK" in os.environ:
    RUNS |= {"quickstart-words_only": (QUICKSTART, LOCAL), "agent-words_only": (AGENT, LOCAL)}


@pytest.fixture(scope="module", params=list(RUNS.values()), ids=list(RUNS))
def run(request: Any, tmp_path_factory: Any) -> tuple[str, Execution]:
    """A notebook as it runs here, and as it runs where the extra `local` is not installed."""
    name, hidden = request.param
    return name, kernels.execute(name, tmp_path_factory.mktemp("notebook"), hidden=hidden)


def shown(notebook: Any) -> list[str]:
    """What each cell shows, as one text."""
    return ["\n".join(kernels.texts(cell)) for cell in kernels.code(notebook)]


def missing(name: str, notebook: Any) -> list[str]:
    texts = shown(notebook)
    return [line for line in KEY_LINES[name] if not any(line in text for text in texts)]


def tagged(notebook: Any, tag: str) -> list[int]:
    """The places of the cells of code that have a tag."""
    return [n for n, cell in enumerate(kernels.code(notebook)) if tag in cell.metadata.get("tags", [])]


def of(cells: list[Any]) -> Any:
    """A notebook of these cells alone, each a copy."""
    notebook = kernels.read(QUICKSTART)
    notebook.cells = [deepcopy(cell) for cell in cells]
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
    return notebook


class TestRunning:
    def test_says_what_it_is_there_to_say(self, run: tuple[str, Execution]) -> None:
        name, execution = run
        assert missing(name, execution.notebook) == []

    def test_says_it_again_as_it_is_committed(self, run: tuple[str, Execution]) -> None:
        name, execution = run
        pairs = zip(kernels.code(execution.notebook), kernels.code(kernels.read(name)), strict=True)
        steady = [(ours, theirs) for ours, theirs in pairs if not kernels.varies(theirs)]
        assert len(steady) > 0.8 * len(kernels.code(execution.notebook))  # most say the same whatever is installed
        for ours, theirs in steady:
            assert kernels.compared(ours) == kernels.compared(theirs), theirs.source

    def test_uses_no_network_and_leaves_nothing(self, run: tuple[str, Execution]) -> None:
        _, execution = run
        assert execution.network == ""
        assert execution.left == []

    def test_a_kernel_that_was_killed_and_cells_that_are_run_again_lose_nothing(self, tmp_path: Path) -> None:
        # The cells that open the memory are run twice; then the kernel is killed, and a new one goes on.
        committed = kernels.code(kernels.read(QUICKSTART))
        opening, restart = tagged(kernels.read(QUICKSTART), "again"), tagged(kernels.read(QUICKSTART), "restart")[0]
        first = [cell for n, cell in enumerate(committed[:restart]) for _ in range(1 + (n in opening))]
        before = kernels.run(of(first), tmp_path, hidden=LOCAL, killed=True)
        assert [path.rpartition("/")[2] for path in before.left][:1] == ["quickstart.db"]
        assert [kernels.compared(cell) for cell in kernels.code(before.notebook)] == list(map(kernels.compared, first))

        needed, rest = committed[: opening[0]], committed[restart + 1 :]
        after = kernels.run(of([*needed, *rest]), tmp_path, hidden=LOCAL)
        told = kernels.code(after.notebook)[len(needed) :]
        both = [*shown(before.notebook), *shown(after.notebook), *kernels.texts(committed[restart])]
        assert [line for line in KEY_LINES[QUICKSTART] if not any(line in text for text in both)] == []
        for ours, theirs in zip(told, rest, strict=True):
            assert kernels.varies(theirs) or kernels.compared(ours) == kernels.compared(theirs), theirs.source
        assert (before.network, after.network, after.left) == ("", "", [])

    def test_no_cell_minds_being_run_twice(self, tmp_path: Path) -> None:
        doubled = [cell for name in NAMES for cell in kernels.code(kernels.read(name)) for _ in range(2)]
        execution = kernels.run(of(doubled), tmp_path, hidden=LOCAL)
        assert (execution.network, execution.left) == ("", [])


@pytest.mark.parametrize("name", NAMES)
class TestCommitted:
    def test_shows_the_key_lines(self, name: str) -> None:
        assert missing(name, kernels.read(name)) == []

    def test_was_executed_in_one_go(self, name: str) -> None:
        cells = kernels.code(kernels.read(name))
        assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))

    def test_cells_that_show_something_have_outputs(self, name: str) -> None:
        cells = kernels.code(kernels.read(name))
        assert [cell.source for cell in cells if bool(cell.outputs) != shows(cell.source)] == []

    def test_is_clean(self, name: str) -> None:
        outputs = [output for cell in kernels.code(kernels.read(name)) for output in cell.outputs]
        assert [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"] == []
        unclean = re.compile(r"\x1b|Warning|Traceback|/(?:home|tmp|root|work|Users|usr|var)/|[A-Z]:\\|sk-\w{8}")
        assert [text for text in (*shown(kernels.read(name)), *map(str, outputs)) if unclean.search(text)] == []

    def test_a_person_can_read_it(self, name: str) -> None:
        notebook = kernels.read(name)
        assert notebook.cells[0].cell_type == "markdown"
        assert notebook.cells[0].source.startswith("# ")
        described = sum(cell.cell_type == "markdown" for cell in notebook.cells)
        assert described > 0.6 * len(kernels.code(notebook))
        assert max(len(cell.source.splitlines()) for cell in notebook.cells) <= 35
        assert max(len(line) for cell in notebook.cells for line in cell.source.splitlines()) <= 120


def test_the_committed_quickstart_finds_by_meaning() -> None:
    (found,) = [text for text in shown(kernels.read(QUICKSTART)) if "lexical" in text]
    assert BY_MEANING in found
    assert re.search(r"lexical \+0\.00  dense \+0\.[2-9]", found)
