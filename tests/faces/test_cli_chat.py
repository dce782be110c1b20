"""`memoryos chat`: each line is answered with what is remembered, and its commands show it."""

from __future__ import annotations

import io
import json
import os
import select
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.ops.cli import main
from memoryos_core.providers.llms import CallableChat

Talk = Callable[..., int]


def answer(prompt: str) -> str:
    """Know a city that the prompt tells; fail when asked to."""
    if "fail now" in prompt:
        raise RuntimeError("down")
    return "In Porto.\x1b[2J" if "moved to Porto" in prompt else "I do not know."


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/m.db"


@pytest.fixture
def talk(url: str, monkeypatch: pytest.MonkeyPatch) -> Talk:
    """Type some lines to a chat whose model needs no key."""
    monkeypatch.setattr("memoryos_core.ops.cli.questions.open_chat_model", lambda _: CallableChat(answer))

    def type_lines(*lines: str, options: tuple[str, ...] = ()) -> int:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return main(["chat", url, "--user", "ann", "--llm", "openai:x", "--embedder", "none", *options])

    return type_lines


def test_what_is_said_is_remembered_and_answered_with(talk: Talk, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert talk("I moved to Porto last week.", "", "Which city did I move to?", "/quit", "never read") == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "In Porto.\N{REPLACEMENT CHARACTER}[2J"
    with MemoryOS(url, embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual"))) as memory:
        said = [message.text for page in memory.user("ann").pages() for message in page.messages]
    assert said[::2] == ["I moved to Porto last week.", "Which city did I move to?"]
    assert talk("Which city did I move to?", options=("--session", "next")) == 0
    assert capsys.readouterr().out.startswith("In Porto.")


def test_a_talk_without_a_name_creates_no_memory(talk: Talk, tmp_path: Path) -> None:
    assert talk("I moved to Porto.", options=("--user", "")) == 2
    assert list(tmp_path.iterdir()) == []


def test_commands_show_what_was_recalled_and_what_is_known(
    talk: Talk, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert talk("/why", "I moved to Porto last week.", "/why") == 0
    shown = capsys.readouterr()
    assert "nothing was recalled" in shown.out
    assert "/quit ends" in shown.err  # there was no answer yet to ask about
    with MemoryOS(url, embedder=None) as memory:
        memory.user("ann").remember("Ann likes green tea.")
    assert talk("Which city did I move to?", "/why", "/facts", "/other", options=("--session", "next")) == 0
    shown = capsys.readouterr()
    assert "I moved to Porto last week." in shown.out
    assert "lexical" in shown.out
    assert "green tea" in shown.out
    assert "/quit ends" in shown.err


def test_a_model_that_fails_is_told_and_the_talk_goes_on(
    talk: Talk, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert talk("Please fail now.", "I moved to Porto last week.", options=("--json",)) == 0
    shown = capsys.readouterr()
    assert "no answer, and nothing was remembered" in shown.err
    assert [json.loads(line)["question"] for line in shown.out.splitlines()] == ["I moved to Porto last week."]
    with MemoryOS(url, embedder=None) as memory:
        assert len(memory.user("ann").pages()) == 1


def test_a_recall_that_was_made_is_answered_from_and_not_made_again() -> None:
    with MemoryOS("sqlite://", embedder=None, answer_llm=answer) as memory:
        ann = memory.user("ann")
        ann.add("I moved to Porto last week.", "Noted.")
        known, nothing = memory.user("ann", session_id="x").recall("Where did I move to?"), ann.recall("quantum")
        assert memory.user("bob").chat("Where do I live?", recall=known).startswith("In Porto.")
        assert memory.user("ann", session_id="y").chat("Where did I move to?", recall=nothing) != "In Porto."


def test_what_is_no_text_is_refused(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(io, "StringIO", lambda _: io.TextIOWrapper(io.BytesIO(b"\xff\n"), encoding="utf-8"))
    assert talk("") == 2


def test_an_unknown_model_is_refused_before_a_memory_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["chat", f"sqlite:///{tmp_path}/new.db", "--user", "ann", "--llm", "none"]) == 2
    assert "gguf:" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


_TERMINAL = """
import sys
from memoryos_core.ops.cli import main, questions
from memoryos_core.providers.llms import CallableChat
questions.open_chat_model = lambda _: CallableChat(lambda prompt: "Heard: " + prompt.splitlines()[-2])
sys.exit(main(["chat", sys.argv[1], "--user", "ann", "--llm", "openai:x", "--embedder", "none"]))
"""


def test_at_a_terminal_arrow_keys_edit_the_line_and_ctrl_d_ends(url: str) -> None:
    pty = pytest.importorskip("pty")
    pytest.importorskip("readline")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", _TERMINAL, url],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(theirs)
    shown = ""

    def read_until(text: str, times: int = 1) -> None:
        nonlocal shown
        while shown.count(text) < times:
            assert select.select([ours], [], [], 60)[0], shown
            shown += os.read(ours, 4096).decode()

    read_until("> ")
    os.write(ours, b"I keep bes\x1b[De\r")
    read_until("Heard: I keep bees")
    read_until("> ", 2)
    os.write(ours, b"\x1b[A\r")  # the line before, once more
    read_until("Heard: I keep bees", 2)
    read_until("> ", 3)
    os.write(ours, b"\x04")
    assert process.wait(30) == 0
    os.close(ours)
