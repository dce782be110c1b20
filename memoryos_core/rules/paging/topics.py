"""Topics: cuts between the pages of a batch, the segment that pages join, and titles.

A batch is cut by how deep similarity falls between the turns around. Depth is that of TextTiling (Hearst, 1997): how
far the similarity at a gap lies below the peaks on both sides of it. Similarity is that of windows of two turns, and of
four; by vectors, and by the share of words that both sides use. A question keeps its answer. Turns that say little, or
what their speaker always says, hardly count.

The segments of a scope are one matrix. Closeness is F = cosine + Jaccard (paper Eq. 2). The paper takes plain cosines.
Those of one embedder lie between 0 and 0.3, those of another between 0.7 and 0.9; a threshold for them fits one
embedder, and one kind of talk. So by default cosines are measured from the middle of the scope, and against its spread:
0 is as close as any two pages, 1 the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from memoryos_core.rules.paging.heat import term_set
from memoryos_core.rules.text.words import terms
from memoryos_core.values.dialogue import HALVES, Half, Page, Segment, Vector

__all__ = [
    "SegmentIndex",
    "Turn",
    "cuts",
    "titles",
    "turns_of",
    "weigh",
]

# Fitted by logistic regression on the development halves of three public sets (ADR 0030).
_WIDE_DEPTH, _WORD_DEPTH, _QUESTION = 0.65, 0.35, 0.5
_DEEP, _DEEP_BY_WORDS = 0.3, 0.2
_NEAR, _WIDE = 2, 4  # turns of a window
_QUESTION_MARKS = ("?", "？", "؟", ";")
_READ_CHARS = 4000
_FULL_TERMS = 4
_FEWEST_TURNS = 4
_NO_VECTOR: Vector = np.zeros(0, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Turn:
    """One half of a page: its distinct terms, its vector, and how much it says, from 0 to 1."""

    half: Half
    terms: frozenset[str]
    vector: Vector
    asks: bool
    weight: float = 1.0


def turns_of(page: Page, vectors: Mapping[Half, Vector]) -> tuple[Turn, ...]:
    """Return the turns of a page, the user's before the assistant's; none for a half in which nothing is said."""
    found: list[Turn] = []
    for half in HALVES:
        text = page.text(half, named=False)[:_READ_CHARS].rstrip()
        if text:
            vector = vectors.get(half, _NO_VECTOR)
            found.append(Turn(half, frozenset(terms(text)), vector, text.endswith(_QUESTION_MARKS)))
    return tuple(found)


def weigh(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns with their weights: the terms that their speaker does not always use, up to four, count.

    An assistant that answers everything with the same words so has no say in where a topic ends.
    """
    weighed: list[Turn] = []
    spoken = Counter(turn.half for turn in turns)
    used = Counter((turn.half, term) for turn in turns for term in turn.terms)
    for turn in turns:
        most = spoken[turn.half] / 2 if spoken[turn.half] >= _FEWEST_TURNS else spoken[turn.half]
        telling = frozenset(term for term in turn.terms if used[turn.half, term] <= most)
        weighed.append(replace(turn, terms=telling, weight=min(1.0, len(telling) / _FULL_TERMS)))
    return tuple(weighed)


def cuts(pages: Sequence[Sequence[Turn]]) -> tuple[bool, ...]:
    """Return for every page whether a topic begins with it; the first never does."""
    turns = weigh([turn for page in pages for turn in page])
    starts = np.cumsum([0, *map(len, pages)])[:-1]
    words = _depths(_by_words(turns, _WIDE))
    near, wide = (_depths(_by_vectors(turns, width)) for width in (_NEAR, _WIDE))
    has_vectors = any(turn.vector.any() for turn in turns)
    out = [False] * len(pages)
    for number, gap in enumerate(map(int, starts)):
        if not 0 < gap < len(turns):
            continue
        question = _QUESTION * turns[gap - 1].asks
        depth = near[gap] + _WIDE_DEPTH * wide[gap] + _WORD_DEPTH * words[gap] if has_vectors else words[gap]
        out[number] = bool(depth - question > (_DEEP if has_vectors else _DEEP_BY_WORDS))
    return tuple(out)


def _by_vectors(turns: Sequence[Turn], width: int) -> NDArray[np.float64]:
    sizes = Counter(len(turn.vector) for turn in turns)
    length: int = max(sizes, key=lambda size: (size > 0, sizes[size], size), default=0)
    stacked = np.zeros((len(turns), length))
    for i, turn in enumerate(turns):
        if turn.vector.size == length and np.isfinite(turn.vector).all():
            stacked[i] = turn.weight * turn.vector / (float(np.linalg.norm(turn.vector)) or 1.0)

    def similarity(gap: int) -> float:
        before, after = stacked[max(0, gap - width) : gap].sum(axis=0), stacked[gap : gap + width].sum(axis=0)
        norms = float(np.linalg.norm(before)) * float(np.linalg.norm(after))
        return float(before @ after) / norms if norms else 0.0

    return _at_gaps(len(turns), similarity)


def _by_words(turns: Sequence[Turn], width: int) -> NDArray[np.float64]:
    def similarity(gap: int) -> float:
        before = frozenset[str]().union(*(turn.terms for turn in turns[max(0, gap - width) : gap]))
        after = frozenset[str]().union(*(turn.terms for turn in turns[gap : gap + width]))
        return len(before & after) / (min(len(before), len(after)) or 1)

    return _at_gaps(len(turns), similarity)


def _at_gaps(turns: int, similarity: Callable[[int], float]) -> NDArray[np.float64]:
    """Return the similarity at the gap before each turn; before the first there is none."""
    return np.array([0.0, *(similarity(gap) for gap in range(1, turns))])


def _depths(similarities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far each gap lies below the peaks to its left and right, both added."""
    out = np.zeros(len(similarities))
    for gap in range(1, len(similarities)):
        here = float(similarities[gap])
        out[gap] = _climb(similarities[gap:], here) + _climb(similarities[gap:0:-1], here)
    return out


def _climb(slope: NDArray[np.float64], start: float) -> float:
    peak = start
    for value in slope.tolist():
        if value < peak:
            break
        peak = value
    return peak - start


# Above the rounding of float32: equal candidates stay equal however their centroids came about.
_EPSILON = 1e-5
_TITLE_KEYWORDS, _TITLE_WORDS = 3, 5
# The weight of Jaccard where cosines are measured from the middle of the scope: RealMem's persons, 0 to 1 (ADR 0030).
_KEYWORD_WEIGHT = 0.25
# What a segment must be closer by to take in a topic to which the talk has just turned from it, unless the cosine of
# the two is so large that the cut was none (ADR 0030).
_TURNED_AWAY, _ALIKE = 0.4, 0.75
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

    def closest(
        self, vector: Vector, keywords: Iterable[str], threshold: float, left: str | None = None
    ) -> Segment | None:
        """Return the segment with the highest F, the oldest of equals; None when it is below θ (paper Eq. 3).

        The one with the id `left`, from which the talk has just turned away, must be closer by far.
        """
        if not self._segments:
            return None
        cosines = self._products(_direction(vector))
        return self._best(
            self._less_of(left, vector, np.minimum(1.0, np.maximum(-1.0, cosines))), keywords, 1.0, threshold
        )

    def closest_in_scope(
        self, vector: Vector, keywords: Iterable[str], threshold: float, left: str | None = None
    ) -> Segment | None:
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
        return self._best(self._less_of(left, wide, centred), keywords, _KEYWORD_WEIGHT, threshold)

    def _less_of(
        self, left: str | None, vector: NDArray[np.floating], scores: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the scores, that of the segment which was left lower, unless what comes is hardly another matter."""
        row = None if left is None else self._row_of.get(left)
        if row is not None and float(self._directions[row] @ _direction(vector)) < _ALIKE:
            scores[row] -= _TURNED_AWAY
        return scores

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
    """Return a title by segment id: the first keywords, up to three, of five words; "" for a segment without keywords.

    Those that most segments have stand behind the others.
    """
    having = Counter(term for segment in segments for term in term_set(segment.keywords))
    most = max(2, sum(bool(segment.keywords) for segment in segments)) / 2
    found: dict[str, str] = {}
    for segment in segments:
        common = {
            word: min((having[term] for term in term_set((word,))), default=0) > most for word in segment.keywords
        }
        chosen: list[str] = []
        for word in sorted(segment.keywords, key=common.__getitem__):
            if len(chosen) < _TITLE_KEYWORDS and len(" ".join((*chosen, word)).split()) <= _TITLE_WORDS:
                chosen.append(word)
        title = ", ".join(word for word in segment.keywords if word in chosen)
        found[segment.id] = title[:1].upper() + title[1:]
    return found
