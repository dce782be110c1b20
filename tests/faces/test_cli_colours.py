"""Colours of the command line on a terminal, with the extra `terminal`."""

from __future__ import annotations

import io
import re

import pytest

from memoryos_core import MemoryOS
from memoryos_core.ops.cli import main
from tests.faces.test_cli_every import ANN, MANUAL, run, url

__all__ = ["url"]  # a fixture


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_our_own_lines_have_colours(
    url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = run(capsys, "facts", url, *ANN)[1]
    assert "\x1b" not in plain
    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("sys.stdout", terminal)
    assert main(["facts", url, *ANN]) == 0
    first, *_ = terminal.getvalue().splitlines()
    assert first.startswith("\x1b[36mfact ")
    assert "  Ann likes green tea." in terminal.getvalue()
    assert re.sub(r"\x1b\[[\d;]*m", "", terminal.getvalue()) == plain


def test_remembered_text_brings_no_colour_of_its_own(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with MemoryOS(url, embedder=None, config=MANUAL) as memory:
        memory.user("ann").remember("[bold red]Ann[/] keeps \x1b[31mred\x1b[0m hens.")
    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr("sys.stdout", terminal)
    assert main(["facts", url, *ANN]) == 0
    assert "[bold red]Ann[/]" in terminal.getvalue()
    assert "\x1b[31m" not in terminal.getvalue()


def test_no_color_and_a_missing_extra_leave_lines_plain(
    url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = run(capsys, "facts", url, *ANN)[1]
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr("memoryos_core.ops.cli.output.is_installed", lambda module: module != "rich")
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    assert main(["facts", url, *ANN]) == 0
    assert terminal.getvalue() == plain
    monkeypatch.setattr("memoryos_core.ops.cli.output.is_installed", lambda _: True)
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    assert main(["facts", url, *ANN]) == 0
    assert terminal.getvalue() == plain
