"""How warm a segment is (paper Eq. 4): which segments are promoted, and which are evicted.

Heat is never stored. It is worked out from a segment's counters whenever it is asked for, so an idle segment
cools by itself; the published code froze it at the last touch, where recency is always 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime

from memoryos_core.config import HeatConfig
from memoryos_core.models import HeatCounters, Segment

__all__ = ["coldest", "heat", "hot", "recency"]


def recency(elapsed_seconds: float, mu_seconds: float) -> float:
    """The factor exp(-Δt/μ), from 1 (just touched) towards 0; a clock going backwards counts as Δt = 0."""
    return math.exp(-max(0.0, elapsed_seconds) / mu_seconds)


def heat(segment: Segment | HeatCounters, config: HeatConfig, now: datetime) -> float:
    """α·N_visit + β·L_interaction + γ·R_recency; a segment that was never touched has no recency."""
    fresh = 0.0
    if segment.last_access is not None:
        fresh = recency((now - segment.last_access).total_seconds(), config.mu_seconds)
    return config.alpha * segment.n_visit + config.beta * segment.l_interaction + config.gamma * fresh


def _by_heat(segments: Iterable[Segment], config: HeatConfig, now: datetime) -> list[tuple[float, Segment]]:
    """Coldest first, with the heat; ids break ties, so that the order of the input never shows."""
    return sorted(((heat(s, config, now), s) for s in segments), key=lambda pair: (pair[0], pair[1].id))


def hot(segments: Iterable[Segment], config: HeatConfig, now: datetime) -> tuple[Segment, ...]:
    """Every segment due for promotion (heat ≥ τ and something unread in it), hottest first, ties by id."""
    # All of them, not the top of a heap: a much visited segment with nothing new would starve the others.
    due = [(h, s) for h, s in _by_heat(segments, config, now) if h >= config.threshold and s.unanalysed > 0]
    return tuple(s for _, s in sorted(due, key=lambda pair: (-pair[0], pair[1].id)))


def coldest(segments: Iterable[Segment], capacity: int, config: HeatConfig, now: datetime) -> tuple[Segment, ...]:
    """The segments to evict so that `capacity` remain, coldest first, ties by id; empty when all fit."""
    ranked = _by_heat(segments, config, now)
    return tuple(s for _, s in ranked[: max(0, len(ranked) - max(0, capacity))])
