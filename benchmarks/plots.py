"""Recall against the budget, and by category, as PNG. Opens no window and touches no state of pyplot's."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.asking import Answered, at_budget
from benchmarks.figures import by_system, categories, mean_recall

_SIZE = (9.0, 5.0)  # inches
_BAND = 0.12  # opacity
_GROUP = 0.8  # of the room between two categories
_MARKERS = "osD^vPX*"
_DASHES = ("-", "--", ":")  # with the markers they show lines that lie on one another


def require_matplotlib() -> None:
    """Raises ModuleNotFoundError, which says what to install."""
    if importlib.util.find_spec("matplotlib") is None:
        raise ModuleNotFoundError(
            "'matplotlib' is not installed; run: uv pip install --group bench (or: pip install matplotlib)"
        )


def draw(answered: Sequence[Answered], systems: Sequence[str], budgets: Sequence[int], folder: Path) -> list[Path]:
    """Both plots, in a folder that is there; `budgets` from small to large. Says which files.

    Raises:
        ModuleNotFoundError: matplotlib is not installed.
        OSError: they cannot be written.
    """
    rows = by_system(answered, systems)
    drawn = {
        folder / "recall_by_budget.png": budget_figure(rows, budgets),
        folder / "recall_by_category.png": category_figure(rows, budgets[(len(budgets) - 1) // 2]),
    }
    for path, figure in drawn.items():
        figure.savefig(path, dpi=150, bbox_inches="tight")
    return list(drawn)


def budget_figure(rows: Mapping[str, Sequence[Answered]], budgets: Sequence[int]) -> Any:  # noqa: ANN401 - optional
    """A line a system, percent over tokens, with the 95 % interval as a band where there is one."""
    figure, axes = new_figure()
    for number, (colour, (system, answers)) in enumerate(zip(_colours(rows), rows.items(), strict=True)):
        means = [mean_recall(answers, at_budget(budget)) for budget in budgets]
        marker, dashes = _MARKERS[number % len(_MARKERS)], _DASHES[number % len(_DASHES)]
        axes.plot(budgets, [100 * m.mean for m in means], dashes, marker=marker, color=colour, label=system)
        lows, highs = [m.low for m in means if m.low is not None], [m.high for m in means if m.high is not None]
        if lows:
            axes.fill_between(
                budgets, [100 * x for x in lows], [100 * x for x in highs], color=colour, alpha=_BAND, linewidth=0
            )
    axes.set_xticks(budgets)
    axes.set_xlabel("budget in tokens")
    _finish(axes, "evidence recall, percent")
    return figure


def category_figure(rows: Mapping[str, Sequence[Answered]], budget: int) -> Any:  # noqa: ANN401
    """A group of bars a category, a bar a system, with the 95 % interval where there is one."""
    figure, axes = new_figure()
    names = categories(rows)
    width = _GROUP / len(rows)
    for number, (colour, (system, answers)) in enumerate(zip(_colours(rows), rows.items(), strict=True)):
        means = [mean_recall([a for a in answers if a.category == name], at_budget(budget)) for name in names]
        left = [place - _GROUP / 2 + (number + 0.5) * width for place in range(len(names))]
        axes.bar(left, [100 * m.mean for m in means], width, color=colour, label=system)
        for place, mean in zip(left, means, strict=True):
            if mean.low is not None and mean.high is not None:
                axes.vlines(place, 100 * mean.low, 100 * mean.high, color="black", linewidth=0.8)
    axes.set_xticks(range(len(names)), names, rotation=0 if len(names) < 6 else 30)
    _finish(axes, f"{at_budget(budget)}, percent")
    return figure


def new_figure() -> tuple[Any, Any]:
    """Return an empty figure and its axes. Raises ModuleNotFoundError without matplotlib."""
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE)
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


def _colours(rows: Mapping[str, Sequence[Answered]]) -> list[Any]:
    """One for each system: in both plots the same."""
    from matplotlib import colormaps

    map_ = colormaps["tab10" if len(rows) <= 10 else "tab20"]
    return [map_(number) for number in range(len(rows))]


def _finish(axes: Any, what: str) -> None:  # noqa: ANN401
    axes.set_ylabel(what)
    axes.set_ylim(0, 100)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
