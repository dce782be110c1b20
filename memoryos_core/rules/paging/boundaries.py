"""Ends of topics: cuts between the pages of a batch, by how deep similarity falls between the turns around.

Depth is that of TextTiling (Hearst, 1997): how far the similarity at a gap lies below the peaks on both sides of it.
Similarity is that of windows of two turns, and of four; by vectors, and by the share of words that both sides use. A
question keeps its answer. Turns that say little, or what their speaker always says, hardly count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from memoryos_core.rules.text.words import terms
from memoryos_core.values.dialogue import HALVES, Half, Page, Vector

__all__ = ["Turn", "cuts", "turns_of", "weigh"]

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
