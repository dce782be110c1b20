"""The table of least scores: what each costs in evidence, and what it keeps out."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks import relevance
from benchmarks.datasets import load
from tests.benchmarks.files import locomo


def test_a_higher_least_score_never_brings_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "locomo.json"
    data.write_text(json.dumps([locomo(), locomo("conv-2", "Oslo")]), encoding="utf-8")
    kept = list(relevance.measure(load("locomo", data), with_embedder=False).values())
    questions = sum(len(talk.questions) for talk in load("locomo", data))
    assert all(len(found.evidence) == len(found.dropped) == questions for found in kept)
    assert all(len(found.noise) == 2 * len(relevance.UNRELATED) for found in kept)
    assert sum(kept[0].evidence) > 0 == sum(kept[0].dropped)
    for less, more in pairwise(kept):
        assert sum(less.evidence) >= sum(more.evidence)
        assert sum(less.dropped) <= sum(more.dropped)
        assert all(a >= b for a, b in zip(less.noise, more.noise, strict=True))
    relevance.main(["--data", str(data), "--dataset", "locomo", "--system", "words"])
    assert capsys.readouterr().out.count("\n| 0.") == len(relevance.LEAST)
