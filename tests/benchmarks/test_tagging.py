"""The trainer reads marked lines, trains small models, and says how well they read lines that they have not seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import tagging as training
from memoryos_core.extract import tagging


def test_a_line_is_its_text_and_its_marks() -> None:
    read = training.read_line("moved from {no home:Leeds} to {home:York}, {wish:short answers pls}")
    assert read.text == "moved from Leeds to York, short answers pls"
    assert [(read.text[mark.start : mark.end], mark.label, mark.status) for mark in read.marks] == [
        ("Leeds", "home", "no"),
        ("York", "home", "now"),
        ("short answers pls", "wish", "now"),
    ]


def test_every_line_is_marked_with_labels_that_are_told_of() -> None:
    known = set(tagging.models().spans.labels) | {"wish"}
    lines = (training.SENTENCES / "marked.txt").read_text("utf-8").split("\n")
    assert not [line for line in lines if any(mark.label not in known for mark in training.read_line(line).marks)]
    assert not [line for line in lines if "{" in training.read_line(line).text]


def test_models_of_a_few_lines_read_others(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    messages = training.read_messages()[:400]
    training.measure(messages)
    shown = capsys.readouterr().out
    assert "| all |" in shown
    assert "| wishes: least |" in shown
    (tmp_path / "chat.txt").write_text("they've put me on ramipril 5 mg\n", "utf-8")
    training.main(["--read", str(tmp_path / "chat.txt")])
    assert "medication ramipril 5 mg" in capsys.readouterr().out
