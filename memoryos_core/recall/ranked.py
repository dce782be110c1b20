"""The ranked findings of a question, best first, and the merging of several questions' findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np

from memoryos_core.rules.ranking.hits import Unit
from memoryos_core.rules.ranking.signals import Scores


@dataclass(frozen=True, slots=True)
class Ranked:
    """Units by number: owner, part, score and signals of each, and those among them that may come back, best first.

    `scores` are relevances, 0 to 1 (`rules.relevance`). `strength` is how well the best one answers, 0 to 1
    (`rules.compound`). With `spread` the order is not that of the scores: it takes sessions in turn.
    """

    owners: tuple[str, ...]
    parts: tuple[str, ...]
    scores: Scores
    signals: Mapping[str, Scores]
    chosen: tuple[int, ...]
    strength: float
    spread: bool = False

    def unit(self, number: int) -> Unit:
        """One unit."""
        signals = {name: round(float(values[number]), 4) for name, values in self.signals.items()}
        return Unit(self.owners[number], self.parts[number], float(self.scores[number]), signals)


def merge_rankings(rankings: Sequence[Ranked]) -> Ranked:
    """Merge the findings of several questions: a unit keeps the score for the question that it answers best.

    Equal scores keep the order of the questions.
    """
    owners = tuple(chain.from_iterable(r.owners for r in rankings))
    parts = tuple(chain.from_iterable(r.parts for r in rankings))
    scores = np.concatenate([r.scores for r in rankings])
    names = dict.fromkeys(chain.from_iterable(r.signals for r in rankings))
    signals = {name: np.concatenate([r.signals.get(name, np.zeros(len(r.scores))) for r in rankings]) for name in names}
    starts = accumulate((len(r.scores) for r in rankings), initial=0)
    numbers = [start + i for start, r in zip(starts, rankings, strict=False) for i in r.chosen]
    best: dict[tuple[str, str], int] = {}
    for i in sorted(numbers, key=lambda i: -float(scores[i])):
        best.setdefault((owners[i], parts[i]), i)
    return Ranked(owners, parts, scores, signals, tuple(best.values()), max(r.strength for r in rankings))
