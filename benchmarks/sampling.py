"""A part of the questions that stands for all of them: every category in its proportion, small ones kept visible."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence

from benchmarks.talks import Question

_AT_LEAST = 5
_SEED = 5


def stratified(questions: Sequence[Question], count: int) -> tuple[Question, ...]:
    """`count` of the questions in their order, drawn with a seed; all when there are no more.

    A larger sample holds a smaller one, as far as the shares allow, so that a run can be extended.
    """
    share = shares(Counter(question.category for question in questions), count)
    drawn: set[str] = set()
    for category, most in share.items():
        ids = [question.id for question in questions if question.category == category]
        random.Random(f"{_SEED} {category}").shuffle(ids)
        drawn.update(ids[:most])
    return tuple(question for question in questions if question.id in drawn)


def shares(sizes: Mapping[str, int], count: int) -> dict[str, int]:
    """How many of each category: in proportion, but five where there are so many and the count allows it for all."""
    total = sum(sizes.values())
    least = min(_AT_LEAST, count // max(len(sizes), 1))
    share = {category: min(least, size) for category, size in sizes.items()}
    for _ in range(min(count, total) - sum(share.values())):
        left = (category for category in sorted(sizes) if share[category] < sizes[category])
        share[max(left, key=lambda category: sizes[category] * count / total - share[category])] += 1
    return share
