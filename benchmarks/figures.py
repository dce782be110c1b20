"""Means with their 95 % intervals over conversations, and the tables in which they are printed.

Questions about one conversation rise and fall together, so whole conversations are drawn, not questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.asking import AT_PAGES, Answered, at_budget

_DRAWS = 10_000
_SEED = 5
_BATCH = 1000  # draws at a time, so that many conversations need little memory


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over questions; `low` and `high` are None when one conversation leaves nothing to draw from."""

    mean: float
    low: float | None
    high: float | None

    def percent(self, *, signed: bool = False) -> str:
        """In percent, with the interval behind it."""
        form = "+.1f" if signed else ".1f"
        text = f"{100 * self.mean:{form}}"
        if self.low is None or self.high is None:
            return text
        return f"{text} [{100 * self.low:{form}}, {100 * self.high:{form}}]"


def figure(values: Iterable[tuple[str, float]]) -> Figure:
    """The mean of values that each belong to a conversation, with the percentile interval of a seeded bootstrap."""
    sums: dict[str, list[float]] = {}
    for conversation, value in values:
        sums.setdefault(conversation, []).append(value)
    totals = np.array([sum(of) for of in sums.values()])
    counts = np.array([len(of) for of in sums.values()])
    mean = float(totals.sum() / counts.sum())
    if len(sums) < 2:
        return Figure(mean, None, None)
    low, high = np.percentile(_drawn(totals, counts), (2.5, 97.5))
    return Figure(mean, float(low), float(high))


def _drawn(totals: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    generator = np.random.default_rng(_SEED)
    means: list[NDArray[np.float64]] = []
    for _ in range(_DRAWS // _BATCH):
        drawn = generator.integers(len(totals), size=(_BATCH, len(totals)))
        means.append(totals[drawn].sum(axis=1) / counts[drawn].sum(axis=1))
    return np.concatenate(means)


def by_system(answered: Sequence[Answered], systems: Sequence[str]) -> dict[str, list[Answered]]:
    """Each system's rows, systems in the order given."""
    return {system: [a for a in answered if a.system == system] for system in systems}


def categories(rows: Mapping[str, Sequence[Answered]]) -> list[str]:
    """Every category that a question is of, sorted."""
    return sorted({a.category for answers in rows.values() for a in answers})


def mean_recall(answers: Iterable[Answered], metric: str) -> Figure:
    """A metric's mean over questions."""
    return figure((a.conversation, a.recall(metric)) for a in answers)


def report(answered: Sequence[Answered], systems: Sequence[str], budgets: Sequence[int], reference: str) -> str:
    """All tables: every system overall and by category, and each one's lead over `reference` on the same questions.

    There is no table of leads when the reference is not one of the systems, or the only one.
    """
    rows = by_system(answered, systems)
    metrics = [*map(at_budget, budgets), AT_PAGES]
    parts = [_overall(rows, metrics, budgets)]
    if reference in rows and len(rows) > 1:
        parts.append(_leads(rows, metrics, reference))
    parts.append(_categories(rows, metrics))
    return "\n\n".join(parts)


def _overall(rows: Mapping[str, Sequence[Answered]], metrics: Sequence[str], budgets: Sequence[int]) -> str:
    body = [
        [
            system,
            *(mean_recall(answers, metric).percent() for metric in metrics),
            " / ".join(f"{sum(a.tokens[str(b)] for a in answers) / len(answers):.0f}" for b in budgets),
            f"{sum(a.milliseconds for a in answers) / len(answers):.1f}",
            f"{sum(a.embedding for a in answers) / len(answers):.1f}",
            str(len(answers)),
        ]
        for system, answers in rows.items()
    ]
    return table(["system", *metrics, "mean tokens", "ms a question", "of it embedder", "questions"], body)


def _leads(rows: Mapping[str, Sequence[Answered]], metrics: Sequence[str], reference: str) -> str:
    other = {a.question_id: a for a in rows[reference]}
    body = [
        [
            f"{system} - {reference}",
            *(
                figure(
                    (a.conversation, a.recall(metric) - other[a.question_id].recall(metric)) for a in answers
                ).percent(signed=True)
                for metric in metrics
            ),
        ]
        for system, answers in rows.items()
        if system != reference
    ]
    return table(["points, same questions", *metrics], body)


def _categories(rows: Mapping[str, Sequence[Answered]], metrics: Sequence[str]) -> str:
    body: list[list[str]] = []
    for category in categories(rows):
        for system, answers in rows.items():
            of = [a for a in answers if a.category == category]
            body.append([category, system, *(mean_recall(of, metric).percent() for metric in metrics), str(len(of))])
    return table(["category", "system", *metrics, "questions"], body)


def table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    rule = ["---"] * len(head)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *body))
