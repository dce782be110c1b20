"""The segment that pages join: the segments of a scope as one matrix, and the closest of them to a topic; titles.

Closeness is F = cosine + Jaccard (paper Eq. 2). The paper takes plain cosines. Those of one embedder lie between 0 and
0.3, those of another between 0.7 and 0.9; a threshold for them fits one embedder, and one kind of talk. So by default
cosines are measured from the middle of the scope, and against its spread: 0 is as close as any two pages, 1 the same.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from memoryos_core.rules.paging.heat import term_set
from memoryos_core.values.dialogue import Segment, Vector

__all__ = ["SegmentIndex", "titles"]

# Above the rounding of float32: equal candidates stay equal however their centroids came about.
_EPSILON = 1e-5
_TITLE_WORDS = 3
# How much less the next keyword of a segment counts in its title than the one before: they stand in order of weight.
_FALLING = 0.9
# The weight of Jaccard where cosines are measured from the middle of the scope: RealMem's persons, 0 to 1 (ADR 0030).
_KEYWORD_WEIGHT = 0.25
_FIRST_ROWS = 64


class SegmentIndex:
    """Segments in the order in which they were put in, oldest first, for one run of consolidation."""

    def __init__(self, segments: Iterable[Segment] = ()) -> None:
        self._segments: list[Segment] = []
        self._row_of: dict[str, int] = {}
        self._terms: list[frozenset[str]] = []
        self._rows_with: dict[str, set[int]] = {}
        self._directions: NDArray[np.float32] = np.zeros((0, 0), dtype=np.float32)
        self._lengths: NDArray[np.float64] = np.zeros(0)
        for segment in segments:
            self.put(segment)

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self._segments)

    @property
    def pages(self) -> int:
        """Return the number of pages in all segments."""
        return sum(segment.page_count for segment in self._segments)

    def __iter__(self) -> Iterator[Segment]:
        """Iterate over the segments, oldest first."""
        return iter(self._segments)

    def get(self, segment_id: str) -> Segment | None:
        """Return the segment of this id, or None."""
        row = self._row_of.get(segment_id)
        return None if row is None else self._segments[row]

    def put(self, segment: Segment) -> None:
        """Add a segment, or replace the one with its id."""
        row = self._row_of.setdefault(segment.id, len(self._segments))
        if row == len(self._segments):
            self._segments.append(segment)
            self._terms.append(frozenset())
        self._segments[row] = segment
        fresh = term_set(segment.keywords)
        for term in self._terms[row] - fresh:
            self._rows_with[term].discard(row)
        for term in fresh - self._terms[row]:
            self._rows_with.setdefault(term, set()).add(row)
        self._terms[row] = fresh
        if row < len(self._directions):
            self._fill(row)

    def closest(self, vector: Vector, keywords: Iterable[str], threshold: float) -> Segment | None:
        """Return the segment with the highest F, the oldest of equals; None when it is below θ (paper Eq. 3)."""
        if not self._segments:
            return None
        cosines = self._products(_direction(vector))
        return self._best(np.minimum(1.0, np.maximum(-1.0, cosines)), keywords, 1.0, threshold)

    def closest_in_scope(self, vector: Vector, keywords: Iterable[str], threshold: float) -> Segment | None:
        """Return the segment with the highest F, its cosine measured from the middle of the scope; else as `closest`.

        It is the mean over all pairs of their pages of (a - m)·(b - m), divided by the mean of |a - m|², where m is the
        mean of all pages.
        """
        if not self._segments or not vector.size:
            return None
        middle = self._middle(vector.size)
        squared = float(middle @ middle)
        wide = np.asarray(vector, dtype=np.float64)
        near = self._products(wide) * self._lengths[: len(self)]
        common = self._products(middle) * self._lengths[: len(self)]
        centred = (near - common - float(middle @ wide) + squared) / max(1.0 - squared, _EPSILON)
        return self._best(centred, keywords, _KEYWORD_WEIGHT, threshold)

    def _best(
        self, scores: NDArray[np.float64], keywords: Iterable[str], weight: float, threshold: float
    ) -> Segment | None:
        wanted = term_set(tuple(keywords))
        shared = Counter(row for term in wanted for row in self._rows_with.get(term, ()))
        for row, both in shared.items():
            scores[row] += weight * both / (len(wanted) + len(self._terms[row]) - both)
        highest = float(scores.max())
        if highest < threshold - _EPSILON:
            return None
        return self._segments[int(np.argmax(scores >= highest - _EPSILON))]

    def _middle(self, size: int) -> NDArray[np.float64]:
        self._stack(size)
        rows = len(self)
        pages = np.array([segment.page_count for segment in self._segments], dtype=np.float64)
        weights = pages * self._lengths[:rows]
        total = np.einsum("i,ij->j", weights.astype(np.float32), self._directions[:rows])
        middle: NDArray[np.float64] = total.astype(np.float64) / max(1.0, float(pages.sum()))
        return middle

    def _products(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the product of each segment's direction with the vector; one of another length is close to nothing."""
        self._stack(vector.size)
        # Not `@`: threads of BLAS cost more than they save here.
        found = np.einsum("ij,j->i", self._directions[: len(self)], vector.astype(np.float32))
        products: NDArray[np.float64] = found.astype(np.float64)
        return products

    def _stack(self, size: int) -> None:
        """Make room for all segments in a matrix of vectors of this length."""
        rows = len(self._directions)
        if self._directions.shape[1] == size and rows >= len(self):
            return
        kept = rows if self._directions.shape[1] == size else 0
        room = max(_FIRST_ROWS, 2 * len(self))
        directions, lengths = np.zeros((room, size), dtype=np.float32), np.zeros(room)
        if kept:
            directions[:kept], lengths[:kept] = self._directions, self._lengths
        self._directions, self._lengths = directions, lengths
        for row in range(kept, len(self)):
            self._fill(row)

    def _fill(self, row: int) -> None:
        centroid = self._segments[row].centroid
        if centroid.size == self._directions.shape[1]:
            direction = _direction(centroid)
            self._directions[row] = direction
            self._lengths[row] = float(np.linalg.norm(centroid.astype(np.float64))) if direction.any() else 0.0
        else:
            self._directions[row], self._lengths[row] = 0.0, 0.0


def _direction(vector: Vector) -> NDArray[np.float64]:
    wide = np.asarray(vector, dtype=np.float64).ravel()
    norm = float(np.linalg.norm(wide)) if np.isfinite(wide).all() else 0.0
    return wide / norm if norm > 0 else np.zeros_like(wide)


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
        best = sorted(range(len(words)), key=lambda place: (-weights[place], place))[:_TITLE_WORDS]
        title = ", ".join(words[place] for place in sorted(best))
        found[segment.id] = title[:1].upper() + title[1:]
    return found
