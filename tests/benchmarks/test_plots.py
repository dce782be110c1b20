"""What is drawn: the numbers behind lines and bars, and that files come out."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from benchmarks.asking import Answered
from benchmarks.figures import by_system
from benchmarks.plots import budget_figure, category_figure, draw, require_matplotlib

PNG = b"\x89PNG\r\n\x1a\n"


def answered(system: str, talk: str, category: str, *found: bool) -> Answered:
    """One question under 10, 20 and 40 tokens, its one turn found or not."""
    metrics = ("R@10t", "R@20t", "R@40t", "R@10p")
    missed: dict[str, tuple[str, ...]] = {
        metric: () if hit else ("D1:1",) for metric, hit in zip(metrics, (*found, True), strict=True)
    }
    tokens = {"10": 9, "20": 9, "40": 9}
    return Answered(system, talk, f"{talk}/{category}", "?", category, ("D1:1",), missed, tokens, 2.0, 1.0)


ROWS = [
    answered("ours", "a", "hard", False, True, True),
    answered("ours", "b", "easy", True, True, True),
    answered("bm25", "a", "hard", False, False, True),
    answered("bm25", "b", "easy", False, True, True),
]
SYSTEMS = ["ours", "bm25"]


def test_a_line_a_system_with_its_band() -> None:
    [axes] = budget_figure(by_system(ROWS, SYSTEMS), [10, 20, 40]).axes
    drawn = {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines}
    assert drawn == {"ours": ([10, 20, 40], [50, 100, 100]), "bm25": ([10, 20, 40], [0, 50, 100])}
    ours, bm25 = (band.get_paths()[0].vertices for band in axes.collections)
    assert {tuple(point) for point in ours} >= {(10, 0), (10, 100), (20, 100)}
    assert {tuple(point) for point in bm25} >= {(20, 0), (20, 100), (40, 100)}
    assert [text.get_text() for text in axes.get_legend().get_texts()] == SYSTEMS
    assert len({line.get_color() for line in axes.lines}) == 2


def test_one_conversation_has_no_band() -> None:
    rows = by_system([row for row in ROWS if row.conversation == "a"], SYSTEMS)
    [axes] = budget_figure(rows, [10, 20, 40]).axes
    assert len(axes.lines) == 2
    assert not axes.collections
    [axes] = category_figure(rows, 20).axes
    assert not axes.collections


def test_a_group_of_bars_a_category() -> None:
    [axes] = category_figure(by_system(ROWS, SYSTEMS), 20).axes
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["easy", "hard"]
    assert [[bar.get_height() for bar in bars] for bars in axes.containers] == [[100, 100], [100, 0]]
    assert [[round(bar.get_center()[0], 2) for bar in bars] for bars in axes.containers] == [[-0.2, 0.8], [0.2, 1.2]]
    assert axes.get_ylabel() == "R@20t, percent"


def test_bars_show_their_interval() -> None:
    rows = [answered("ours", talk, "easy", *[talk == "a"] * 3) for talk in ("a", "b")]
    [axes] = category_figure(by_system(rows, ["ours"]), 20).axes
    [line] = axes.collections
    assert line.get_segments()[0].tolist() == [[0, 0], [0, 100]]


def test_both_are_written_at_the_middle_budget(tmp_path: Path) -> None:
    before = {name for name in sys.modules if name.startswith("matplotlib.pyplot")}
    paths = draw(ROWS, SYSTEMS, [10, 20, 40], tmp_path)
    assert [path.name for path in paths] == ["recall_by_budget.png", "recall_by_category.png"]
    assert all(path.read_bytes().startswith(PNG) for path in paths)
    assert {name for name in sys.modules if name.startswith("matplotlib.pyplot")} == before


def test_the_middle_of_two_budgets_is_the_smaller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def noted(rows: dict, budget: int) -> object:
        asked.append(budget)
        return category_figure(rows, budget)

    monkeypatch.setattr("benchmarks.plots.category_figure", noted)
    for budgets in ([10, 20, 40], [20, 40], [40]):
        draw(ROWS, SYSTEMS, budgets, tmp_path)
    assert asked == [20, 20, 40]


def test_more_systems_than_ten_keep_their_colours_apart() -> None:
    names = [f"system {n}" for n in range(12)]
    rows = by_system([answered(name, "a", "easy", True, True, True) for name in names], names)
    [axes] = budget_figure(rows, [10, 20, 40]).axes
    assert len({line.get_color() for line in axes.lines}) == 12


def test_without_matplotlib_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ModuleNotFoundError, match=r"^'matplotlib' is not installed; run: .*pip install matplotlib"):
        require_matplotlib()
