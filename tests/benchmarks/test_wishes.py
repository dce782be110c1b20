"""The model of wishes tells sentences that it never saw apart, and says so in a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import wishes


def test_what_was_not_seen_is_told_apart() -> None:
    model = wishes.Classifier(*wishes.read_sentences())
    told = [
        model.score(said) for said in ("from now on, answer in Swedish please", "no tables when you answer me, ever")
    ]
    other = [model.score(said) for said in ("my aunt grows leeks", "translate the second line into Swedish")]
    assert min(told) > 0 > max(other)


def test_the_lines_of_a_file_are_ranked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "chat.txt").write_text("my aunt grows leeks\nalways answer in kilometres please\n", "utf-8")
    wishes.main(["--rank", str(tmp_path / "chat.txt")])
    assert [line.split(maxsplit=1)[1] for line in capsys.readouterr().out.splitlines()] == [
        "always answer in kilometres please",
        "my aunt grows leeks",
    ]
