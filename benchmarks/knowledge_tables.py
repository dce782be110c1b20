"""Rows of `benchmarks.knowledge`, their means with 95 % intervals, and the tables in which they are printed.

The bootstrap draws whole units, as `benchmarks.figures` does, since the values of one conversation depend on one
another. It has draws of its own: those of the harness in `../shared/memobench`, so that both print the same digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.figures import table

TOTAL = "all"
_DRAWS = 2000
_SEED = 0
_LARGEST_SHARE = 1.5  # a mean above it is a count, printed with fewer digits


@dataclass(frozen=True, slots=True)
class Row:
    """The values of one statement, question or fact, in one group of one table.

    A value is from 0 to 1, a count, or None where it does not apply. `unit` is what the bootstrap draws. `is_totalled`
    rows also count in the group "all".
    """

    table: str
    group: str
    unit: str
    values: Mapping[str, float | None]
    text: str = ""
    is_totalled: bool = False

    def record(self) -> dict[str, Any]:
        """Return the row as JSON takes it."""
        return {**asdict(self), "values": dict(self.values)}


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean of `count` values; `interval` is None when there is only one unit."""

    mean: float
    count: int
    interval: tuple[float, float] | None

    def cell(self, rows: int) -> str:
        """Return the mean as a table shows it, with its count where that is not the number of rows."""
        digits = 1 if self.mean > _LARGEST_SHARE else 3
        text = f"{self.mean:.{digits}f}"
        if self.interval is not None:
            low, high = self.interval
            text += f" [{low:.{digits}f}, {high:.{digits}f}]"
        return text if self.count == rows else f"{text} (n {self.count})"


def mean_of(values: Iterable[tuple[str, float]]) -> Mean:
    """Return the mean of values that each belong to a unit, with its interval."""
    by_unit: dict[str, list[float]] = {}
    for unit, value in values:
        by_unit.setdefault(unit, []).append(value)
    sums = np.array([sum(of_unit) for of_unit in by_unit.values()])
    counts = np.array([len(of_unit) for of_unit in by_unit.values()])
    mean, count = float(sums.sum() / counts.sum()), int(counts.sum())
    units = len(by_unit)
    if units < 2:
        return Mean(mean, count, None)
    times = np.random.default_rng(_SEED).multinomial(units, np.full(units, 1 / units), size=_DRAWS)
    low, high = np.percentile((times @ sums) / (times @ counts), (2.5, 97.5))
    return Mean(mean, count, (float(low), float(high)))


def means(rows: Sequence[Row]) -> dict[str, Mean]:
    """Return the mean of each metric that at least one of the rows has a value for."""
    metrics = dict.fromkeys(metric for row in rows for metric in row.values)
    values = {
        metric: [(row.unit, float(value)) for row in rows if (value := row.values.get(metric)) is not None]
        for metric in metrics
    }
    return {metric: mean_of(of_metric) for metric, of_metric in values.items() if of_metric}


def by_group(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows of one table by group, in the order in which they came, and in the end all that are totalled."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    totalled = [row for of_group in groups.values() for row in of_group if row.is_totalled]
    if totalled and len(groups) > 1:
        groups[TOTAL] = totalled
    return groups


def report(rows: Sequence[Row]) -> str:
    """Return all tables, each under its name."""
    tables: dict[str, list[Row]] = {}
    for row in rows:
        tables.setdefault(row.table, []).append(row)
    return "\n\n".join(f"**{name}**\n\n{_render(of_table)}" for name, of_table in tables.items())


def _render(rows: Sequence[Row]) -> str:
    groups = by_group(rows)
    figures = {name: means(of_group) for name, of_group in groups.items()}
    metrics = list(dict.fromkeys(metric for of_group in figures.values() for metric in of_group))
    body = [
        [
            name,
            str(len(of_group)),
            str(len({row.unit for row in of_group})),
            *(figures[name][metric].cell(len(of_group)) if metric in figures[name] else "" for metric in metrics),
        ]
        for name, of_group in groups.items()
    ]
    return table(["", "n", "units", *metrics], body)
