"""The LangChain notebooks run from top to bottom offline, and say what their committed outputs say."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest
from nbclient.exceptions import CellExecutionError

from tests.notebooks import kernels
from tests.notebooks.kernels import LOCAL, Execution, shows

QUICKSTART, AGENT = "langchain_quickstart.ipynb", "langchain_agent.ipynb"
NAMES = (QUICKSTART, AGENT)

# Without an embedder "My flat in Porto" and "I moved to Porto" stay apart.
COUNTS = (
    "10 turns moved, 4 segments opened\n1 segments read, 8 facts learned",
    "short-term: 5 turns\nmid-term:   10 turns in 4 segments\nlong-term:  8 facts, 2 fields of the profile",
)
COUNTS_BY_WORDS = (
    "10 turns moved, 5 segments opened\n0 segments read, 8 facts learned",
    "short-term: 5 turns\nmid-term:   10 turns in 5 segments\nlong-term:  8 facts, 2 fields of the profile",
)
# What a reader must be able to see, each line in the output of one cell.
KEY_LINES = {
    QUICKSTART: (
        "[monday] Which tree is on the balcony of my flat in Porto?\n"
        "    You told me: My flat in Porto has a balcony with a lemon tree.",
        "[tuesday] When did I move to Porto?\n    You have not told me.",
        "[wednesday] When did I move to Porto?\n    You told me: My name is Ann, and I moved to Porto in January 2026.",
        "[thursday] What is my flat above?\n    You told me: My flat in Porto is above a bakery, so I wake up early.",
        "[2 March 2026]\nuser: My name is Ann, and I moved to Porto in January 2026.",
        "<memory>\nSaid earlier:\n[2 March 2026]\nuser: My flat in Porto is above a bakery, so I wake up early.",
        *COUNTS,
        "heat 3.0, 2 turns: I bake sourdough bread",
        "heat 3.0, 2 turns: My bicycle has a broken chain",
        "- The user's flat in Porto has a balcony with a lemon tree.",
        "name: Ann\nhome: Porto",
        "Porto - before\nBraga - now\nBraga",
        "<b>UserMemory</b> ann with assistant, session friday",
        "speaker +0.60",
        "user: I bought a new bicycle chain, a bell and brake pads.",
        "long_term | Ann's sister Marta lives in Braga.\n"
        "2026-03-02 | user: My flat in Porto is above a bakery, so I wake up early.",
        "'You told me: Olga is two years old, I feed the starter with rye flour.'",
    ),
    AGENT: (
        "[ann, ann-2] What is my dog afraid of?\n    You told me: My dog Biscuit is afraid of thunder.",
        "--- system ---\nYou are a friendly assistant.\n\nWhat you remember of this user",
        "human: What is my dog afraid of?\nai: You told me: My dog Biscuit is afraid of thunder.\n",
        "[bob, bob-1] What is my dog afraid of?\n    You have not told me.",
        "[bob, bob-2] What is my dog afraid of?\n    You told me: My dog is called Bruno",
        "[ann, ann-3] What is my dog afraid of?\n    You told me: My dog Biscuit is afraid of thunder.",
        "ai: save_memory\ntool: Remembered as fact ",
        "[ann, ann-5] What is Ann allergic to?\n    You told me: - Ann's allergy: walnuts (said 2 March 2026)",
        "[bob, bob-3] What is Ann allergic to?\n    You have not told me.",
        "('ann', 'facts') Ann is allergic to walnuts.",
        "('ann', 'settings') food {'text': 'Ann eats no meat on Fridays.', 'strict': True}",
        "forgotten (0 pages, 1 facts).",
        "[ann, ann-7] What is Ann allergic to?\n    You have not told me.",
        "[ann, ann-8] What is my dog afraid of?\n    You have not told me.\n[bob, bob-4]",
    ),
}


# The agent finds by words in the long form alone: the quickstart tells whether words are enough.
RUNS = {
    "quickstart-as_installed": (QUICKSTART, ()),
    "quickstart-words_only": (QUICKSTART, LOCAL),
    "agent-as_installed": (AGENT, ()),
    **({"agent-words_only": (AGENT, LOCAL)} if "MEMORYOS_SOAK" in os.environ else {}),
}


@pytest.fixture(scope="module", params=list(RUNS.values()), ids=list(RUNS))
def run(request: Any, tmp_path_factory: Any) -> tuple[str, Execution]:
    """A notebook as it runs here, and as it runs where the extra `local` is not installed."""
    name, hidden = request.param
    return name, kernels.execute(name, tmp_path_factory.mktemp("notebook"), hidden=hidden)


def _as_told_by(text: str, request: pytest.FixtureRequest) -> str:
    """Return a text as a run with an embedder shows it, or one by words alone."""
    for usual, by_words in zip(COUNTS, COUNTS_BY_WORDS, strict=True) if "words_only" in request.node.name else ():
        text = text.replace(usual, by_words)
    return text


class TestRunning:
    def test_says_what_it_is_there_to_say(self, run: tuple[str, Execution], request: pytest.FixtureRequest) -> None:
        name, execution = run
        shown = ["\n".join(kernels.texts(cell)) for cell in kernels.code(execution.notebook)]
        lines = [_as_told_by(line, request) for line in KEY_LINES[name]]
        missing = [line for line in lines if not any(line in text for text in shown)]
        assert missing == []

    def test_says_it_again_as_it_is_committed(self, run: tuple[str, Execution], request: pytest.FixtureRequest) -> None:
        name, execution = run
        pairs = zip(kernels.code(execution.notebook), kernels.code(kernels.read(name)), strict=True)
        steady = [(ours, theirs) for ours, theirs in pairs if not kernels.varies(theirs)]
        assert len(steady) > len(KEY_LINES[name])  # most cells say the same whatever is installed
        for ours, theirs in steady:
            told = [_as_told_by(text, request) for text in kernels.compared(theirs)]
            assert kernels.compared(ours) == told, theirs.source

    def test_uses_no_network_and_leaves_nothing(self, run: tuple[str, Execution]) -> None:
        _, execution = run
        assert execution.network == ""
        assert execution.left == []


@pytest.mark.parametrize("name", NAMES)
class TestCommitted:
    def test_shows_the_key_lines(self, name: str) -> None:
        shown = ["\n".join(kernels.texts(cell)) for cell in kernels.code(kernels.read(name))]
        assert [line for line in KEY_LINES[name] if not any(line in text for text in shown)] == []

    def test_was_executed_in_one_go(self, name: str) -> None:
        cells = kernels.code(kernels.read(name))
        assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))

    def test_cells_that_show_something_have_outputs(self, name: str) -> None:
        cells = kernels.code(kernels.read(name))
        assert [cell.source for cell in cells if bool(cell.outputs) != shows(cell.source)] == []

    def test_is_clean(self, name: str) -> None:
        for cell in kernels.code(kernels.read(name)):
            assert all(output.output_type != "error" for output in cell.outputs)
            assert all(output.get("name") != "stderr" for output in cell.outputs)
            for text in kernels.texts(cell):
                assert not re.search(r"\x1b|Warning|Traceback|/(?:home|tmp|root|work|Users|usr|var)/|[A-Z]:\\", text)

    def test_a_person_can_read_it(self, name: str) -> None:
        notebook = kernels.read(name)
        assert notebook.cells[0].cell_type == "markdown"
        assert notebook.cells[0].source.startswith("# ")
        described = sum(cell.cell_type == "markdown" for cell in notebook.cells)
        assert described > 0.6 * len(kernels.code(notebook))
        assert max(len(cell.source.splitlines()) for cell in notebook.cells) <= 32
        assert max(len(line) for cell in notebook.cells for line in cell.source.splitlines()) <= 120


class TestTheRunner:
    """What the tests above rely on would be worth nothing if it could not fail."""

    def test_sees_the_network_errors_and_files(self, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        notebook = kernels.read(QUICKSTART)
        notebook.cells = kernels.code(notebook)[:2]
        notebook.cells[
            0
        ].source = "import socket\ntry:\n    socket.create_connection(('192.0.2.1', 9))\nexcept OSError: 0"
        notebook.cells[1].source = "open('left.txt', 'w').close()"
        monkeypatch.setattr(kernels, "read", lambda _: notebook)
        seen = kernels.execute(QUICKSTART, tmp_path / "one")
        assert "socket." in seen.network
        assert [path.rpartition("/")[2] for path in seen.left] == ["left.txt"]

        notebook.cells[1].source = "import onnxruntime"
        with pytest.raises(CellExecutionError, match="onnxruntime"):
            kernels.execute(QUICKSTART, tmp_path / "two", hidden=LOCAL)
