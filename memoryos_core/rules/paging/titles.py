"""Titles of segments: the keywords that tell one from the others, by the statistics of the scope alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from memoryos_core.rules.paging.heat import term_set
from memoryos_core.values.dialogue import Segment

__all__ = ["titles"]

_WORDS = 3
# How much less the next keyword of a segment counts than the one before: they stand in order of weight.
_FALLING = 0.9


def titles(segments: Sequence[Segment]) -> dict[str, str]:
    """Return a title of up to three words by segment id; "" for a segment without keywords.

    A keyword counts by its place, and by how few of the segments have it.
    """
    having = Counter(term for segment in segments for term in term_set(segment.keywords))

    def rarity(keyword: str) -> float:
        return math.log((1 + len(segments)) / max((having[term] for term in term_set((keyword,))), default=1))

    found: dict[str, str] = {}
    for segment in segments:
        words = segment.keywords
        weights = [rarity(word) * _FALLING**place for place, word in enumerate(words)]
        best = sorted(range(len(words)), key=lambda place: (-weights[place], place))[:_WORDS]
        title = ", ".join(words[place] for place in sorted(best))
        found[segment.id] = title[:1].upper() + title[1:]
    return found
