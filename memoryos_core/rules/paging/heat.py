"""The heat of a segment (paper Eq. 4): it decides which segments are promoted, and which are evicted.

Heat is never stored. It is worked out from a segment's counters whenever it is asked for, so an idle segment
cools by itself; the published code froze it at the last touch, where recency is always 1. What is promoted or evicted
is decided at times that follow from the data, so that it does not depend on when a worker looks (ADR 0023).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone

from memoryos_core.config import HeatConfig
from memoryos_core.values.dialogue import HeatCounters, Segment

__all__ = ["coldest", "heat", "hot", "recency"]

_NEVER = datetime(1970, 1, 1, tzinfo=timezone.utc)  # any moment: what was never accessed has no recency


def recency(elapsed_seconds: float, mu_seconds: float) -> float:
    """The factor exp(-Δt/μ), from 1 (just touched) towards 0; a clock going backwards counts as Δt = 0."""
    return math.exp(-max(0.0, elapsed_seconds) / mu_seconds)


def heat(segment: Segment | HeatCounters, config: HeatConfig, now: datetime) -> float:
    """α·N_visit + β·L_interaction + γ·R_recency; a segment that was never touched has no recency."""
    fresh = 0.0
    if segment.last_access is not None:
        fresh = recency((now - segment.last_access).total_seconds(), config.mu_seconds)
    return config.alpha * segment.n_visit + config.beta * segment.l_interaction + config.gamma * fresh


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
