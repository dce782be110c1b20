"""The heat of a segment (paper Eq. 4): it decides which segments are promoted, and which are evicted.

Heat is never stored. It is worked out from a segment's counters whenever it is asked for, so an idle segment
cools by itself; the published code froze it at the last touch, where recency is always 1. What is promoted or evicted
is decided at times that follow from the data, so that it does not depend on when a worker looks (ADR 0023).

How close two topics are by the paper (Eq. 2), and the change of a segment when pages join it.

Vectors are compared by direction only. One without a direction (zero, not finite, or of another length than
its partner) is like nothing: cosine 0, never nan. So keywords alone decide in a memory without an embedder.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from memoryos_core.config import HeatConfig
from memoryos_core.rules.text.words import terms
from memoryos_core.values.dialogue import HeatCounters, Segment, Vector

__all__ = [
    "Heat",
    "absorb",
    "centroid",
    "coldest",
    "cosine",
    "f_score",
    "heat",
    "heat_in_month",
    "hot",
    "jaccard",
    "merge_keywords",
    "page_vector",
    "recency",
    "term_set",
]

_NEVER = datetime(1970, 1, 1, tzinfo=timezone.utc)  # any moment: what was never accessed has no recency


# With so many times the pages of what joins it, a segment goes by the name that it has.
_SETTLED = 2


def recency(elapsed_seconds: float, mu_seconds: float) -> float:
    """The factor exp(-Δt/μ), from 1 (just touched) towards 0; a clock going backwards counts as Δt = 0."""
    return math.exp(-max(0.0, elapsed_seconds) / mu_seconds)


class Heat(float):
    """The heat of a segment, a number, with what it is made of: visits, pages and recency, which add up to it."""

    visits: float
    pages: float
    recency: float
    _counted: Segment | HeatCounters
    _now: datetime

    def __new__(
        cls, visits: float, pages: float, recency: float, counted: Segment | HeatCounters, now: datetime
    ) -> Heat:
        """Add up the three parts."""
        heat = super().__new__(cls, visits + pages + recency)
        heat.visits, heat.pages, heat.recency = visits, pages, recency
        heat._counted, heat._now = counted, now
        return heat

    def explain(self) -> str:
        """Return one line that says what the heat is made of."""
        since = "never touched"
        if self._counted.last_access is not None:
            since = f"last touched {max(0, (self._now - self._counted.last_access).days)} days ago"
        counted = self._counted
        return (
            f"{float(self):.2f} = {self.visits:.2f} of {counted.n_visit} visits + {self.pages:.2f} of "
            f"{counted.l_interaction} pages that were not read + {self.recency:.2f} of recency; {since}"
        )


def heat(segment: Segment | HeatCounters, config: HeatConfig, now: datetime) -> Heat:
    """α·N_visit + β·L_interaction + γ·R_recency; a segment that was never touched has no recency.

    Visits and pages that were not read fade since the last access, unless `visit_seconds` is None: neither tells of an
    interest for ever. Promotion looks at the last access, so what has faded is read all the same.
    """
    fresh, lasting = 0.0, 1.0
    if segment.last_access is not None:
        elapsed = (now - segment.last_access).total_seconds()
        fresh = recency(elapsed, config.mu_seconds)
        lasting = 1.0 if config.visit_seconds is None else recency(elapsed, config.visit_seconds)
    visits, pages = config.alpha * segment.n_visit * lasting, config.beta * segment.l_interaction * lasting
    return Heat(visits, pages, config.gamma * fresh, segment, now)


def heat_in_month(segment: Segment, config: HeatConfig, *, pages: int, last: datetime, end: datetime) -> Heat:
    """The heat that a segment had at the end of a month, as far as rows tell.

    Its pages of that month count as not read, and its recency is that of its last page until then, at `last`. Visits
    are stored as one count without dates: they count from the month of the last access on, and have no part before.
    """
    visited = segment.last_access is not None and segment.last_access <= end
    access = max(last, segment.last_access) if visited and segment.last_access else last
    return heat(HeatCounters(segment.n_visit if visited else 0, pages, access), config, end)


def _at_access(segment: Segment, config: HeatConfig) -> float:
    """Heat at the segment's last access. It only falls between accesses, so this is the most it has been since."""
    return heat(segment, config, segment.last_access or _NEVER)


def hot(segments: Iterable[Segment], config: HeatConfig) -> tuple[Segment, ...]:
    """Every segment due for promotion, hottest first; of equals the first given (hand in the oldest first).

    That is one with something unread whose heat reached τ when it was last accessed, whenever a worker looks at it.
    """
    # All of them, not the top of a heap: a much visited segment with nothing new would starve the others.
    warm = [(_at_access(s, config), s) for s in segments if s.unanalysed > 0]
    return tuple(s for h, s in sorted(warm, key=lambda pair: -pair[0]) if h >= config.threshold)


def coldest(segments: Sequence[Segment], capacity: int, config: HeatConfig) -> tuple[Segment, ...]:
    """The segments to evict so that `capacity` remain, coldest first; of equals the first given goes first.

    They are compared at the last access that any of them had. Empty when all fit.
    """
    moment = max((s.last_access for s in segments if s.last_access), default=_NEVER)
    ranked = sorted(segments, key=lambda s: heat(s, config, moment))
    return tuple(ranked[: max(0, len(ranked) - max(0, capacity))])


@lru_cache(maxsize=65_536)
def _key(keyword: str) -> tuple[str, ...]:
    """A keyword's terms; one made of function words alone ("US", "who") stands for itself."""
    return tuple(terms(keyword)) or ((keyword.strip().lower(),) if keyword.strip() else ())


@lru_cache(maxsize=8_192)
def term_set(keywords: tuple[str, ...]) -> frozenset[str]:
    """Return the terms of keywords; a function word alone stands for itself."""
    return frozenset(term for keyword in keywords for term in _key(keyword))


def _overlap(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a and b else 0.0


def jaccard(a: Iterable[str], b: Iterable[str]) -> float:
    """Shared terms over all terms of two sets of keywords, 0 to 1; 0 when either is empty."""
    return _overlap(term_set(tuple(a)), term_set(tuple(b)))


def _unit(vector: NDArray[np.floating]) -> NDArray[np.float64]:
    wide = np.asarray(vector, dtype=np.float64).ravel()
    norm = math.sqrt(float(wide.dot(wide)))  # as `np.linalg.norm`, which takes four times as long
    if not math.isfinite(norm) and not np.isfinite(wide).all():
        norm = 0.0
    return wide / norm if norm > 0 else np.zeros_like(wide)


def cosine(a: Vector, b: Vector) -> float:
    """The cosine of two vectors, -1 to 1; 0 when either has no direction or their lengths differ."""
    if np.size(a) != np.size(b):
        return 0.0
    return min(1.0, max(-1.0, float(_unit(a) @ _unit(b))))


def f_score(centroid: Vector, keywords: Iterable[str], vector: Vector, vector_keywords: Iterable[str]) -> float:
    """F = cos(e_segment, e_page) + Jaccard(K_segment, K_page), -1 to 2 (paper Eq. 2)."""
    return cosine(centroid, vector) + jaccard(keywords, vector_keywords)


def centroid(vectors: Sequence[Vector]) -> Vector:
    """The mean of the directions of vectors; length 0 when there are none.

    Empty ones, and those of another length than most have, take no part. It is not normalised, so that `absorb` goes
    on with it as if all vectors had come at once.
    """
    alike = _of_one_length(vectors)
    if not alike:
        return np.zeros(0, dtype=np.float32)
    total = _unit(alike[0])
    for vector in alike[1:]:  # a page has two or three, for which a stack takes twice as long
        total = total + _unit(vector)
    return (total / len(alike)).astype(np.float32)


def _of_one_length(vectors: Sequence[Vector]) -> list[Vector]:
    """The vectors of the length that most have, the first of equals; empty ones do not count."""
    sizes = {v.size for v in vectors}
    if len(sizes) == 1 and 0 not in sizes:
        return list(vectors)
    lengths = Counter(np.size(v) for v in vectors if np.size(v))
    return [v for v in vectors if np.size(v) == lengths.most_common(1)[0][0]] if lengths else []


def page_vector(halves: Sequence[Vector]) -> Vector:
    """One vector for a page: the normalised mean of the vectors of its halves; length 0 when it has none."""
    return _unit(centroid(halves)).astype(np.float32)


def merge_keywords(
    before: tuple[str, ...], fresh: Iterable[str], limit: int, *, settled: bool = False
) -> tuple[str, ...]:
    """Return up to `limit` keywords that do not say the same: first those that come again, then the fresh ones.

    A `settled` segment keeps its best ones before them; a third is left for the fresh ones.
    """
    new, known = tuple(fresh), term_set(before)
    repeated = [word for word in new if known & set(_key(word))]
    best = limit - limit // 3 if settled else 0
    seen: dict[tuple[str, ...], str] = {}
    for keyword in (*repeated, *before[:best], *new, *before[best:]):
        key = _key(keyword)
        if key and len(seen) < limit:
            seen.setdefault(key, keyword)
    return tuple(seen.values())


def absorb(segment: Segment, vectors: Sequence[Vector], keywords: Iterable[str], max_keywords: int) -> Segment:
    """The segment with one more page for each vector: centroid, keywords and page count, nothing else.

    The centroid stays the mean over all pages, in whichever batches they came; one of another length than the new
    vectors (from another embedder) is dropped.
    """
    filled = _of_one_length(vectors)
    mean = segment.centroid
    if filled:
        total, count = np.sum([_unit(v) for v in filled], axis=0), len(filled)
        if segment.centroid.size == total.size and np.isfinite(segment.centroid).all():
            total = total + segment.centroid.astype(np.float64).ravel() * segment.page_count
            count += segment.page_count
        mean = (total / count).astype(np.float32)
    return replace(
        segment,
        centroid=mean,
        keywords=merge_keywords(
            segment.keywords, keywords, max_keywords, settled=0 < _SETTLED * len(vectors) < segment.page_count
        ),
        page_count=segment.page_count + len(vectors),
    )
