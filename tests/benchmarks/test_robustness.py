"""Every form of a conversation in one table, beside the plain telling."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import robustness
from benchmarks.asking import Answered
from benchmarks.robustness import FORMS, PLAIN, recall_of_any
from tests.benchmarks import published_files
from tests.benchmarks.files import locomo


def test_every_form_is_compared_with_the_plain_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = published_files.write(tmp_path / "locomo.json", [locomo(), locomo("conv-2", "Oslo")])
    out = tmp_path / "rows.jsonl"
    command = ["--data", str(data), "--dataset", "locomo", "--system", "words", "bm25", "--out", str(out)]
    robustness.main(command)
    said = capsys.readouterr().out
    lines = [line.strip("| ").split(" | ") for line in said.splitlines() if line.startswith("| ")]
    assert lines[0] == [
        "system",
        "form",
        *("R@500t", "R@1000t", "R@2000t", "any sentence, R@1000t", "Ans@1000t", "questions"),
    ]
    assert [line[:2] for line in lines[2:]] == [[system, form] for system in ("words", "bm25") for form in FORMS]
    assert lines[2][2:5] == ["66.7", "66.7", "66.7"], "a word in common has one of three questions not"
    assert all(line[2].endswith(".0)") or line[2].endswith(".7)") for line in lines[3 : 2 + len(FORMS)])
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert {row["change"] for row in rows} == {changes.label for changes in FORMS.values()}
    assert len(rows) == 2 * 6 * len(FORMS)
    robustness.main([*command, "--resume"])
    assert capsys.readouterr().out == said
    assert len(out.read_text(encoding="utf-8").splitlines()) == len(rows), "nothing is asked again"


def test_what_cannot_be_done_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = published_files.personamem_v2(tmp_path)
    (tmp_path / "rows.jsonl").touch()
    command = ["--data", str(data), "--dataset", "personamem", "--system", "words"]
    for more, told in (
        (["--resume"], "--resume needs --out"),
        (["--out", str(tmp_path / "rows.jsonl")], "is there already: --resume goes on with it"),
    ):
        with pytest.raises(SystemExit):
            robustness.main([*command, *more])
        assert told in capsys.readouterr().err


def test_roles_are_left_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = published_files.personamem_v2(tmp_path)
    robustness.main(["--data", str(data), "--dataset", "personamem", "--system", "words"])
    said = capsys.readouterr().out
    assert said.startswith(f"personamem: 1 conversations in {len(FORMS) - 2} forms")
    assert "other names" not in said


def test_a_sentence_stands_for_its_turn() -> None:
    gold = ("D1:1/1", "D1:1/2", "D2:2")
    row = Answered("s", "t", "q", "?", "easy", gold, {"R@9t": ("D1:1/2", "D2:2")}, {}, 0, 0)
    assert recall_of_any(row, "R@9t") == 1 / 2
    assert row.recall("R@9t") == pytest.approx(1 / 3)
    assert next(iter(FORMS)) == PLAIN
