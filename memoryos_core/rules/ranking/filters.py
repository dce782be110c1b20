"""Filters of a search: dates, a session, tiers, or the paper's gate of segments."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from memoryos_core.values.candidates import Candidates
from memoryos_core.values.dialogue import Hit, Tier


@dataclass(frozen=True, slots=True)
class Filter:
    """The conditions of a search; None and () set no condition. A fact belongs to no session."""

    since: datetime | None = None
    until: datetime | None = None
    session_id: str | None = None
    tiers: tuple[Tier | str, ...] = ()

    def __bool__(self) -> bool:
        """Return whether the filter has any condition."""
        return self != Filter()

    @property
    def only_facts(self) -> bool:
        """Return whether only long-term memory is searched."""
        return set(self.tiers) == {"long_term"}

    def admits(self, hit: Hit) -> bool:
        """Return whether a hit passes the filter."""
        return (
            (self.since is None or hit.timestamp >= self.since)
            and (self.until is None or hit.timestamp < self.until)
            and (self.session_id is None or hit.session_id == self.session_id)
            and (not self.tiers or hit.tier in self.tiers)
        )


def filter_mask(found: Candidates, narrowed: Filter) -> NDArray[np.bool_]:
    """Mark the candidates that may pass the filter. Facts are checked again as hits; their page may replace them."""
    facts = np.array([part == "fact" for part in found.parts], dtype=np.bool_)
    allowed = np.ones(len(found), dtype=np.bool_)
    if narrowed.since is not None:
        allowed &= found.times >= narrowed.since.timestamp()
    if narrowed.until is not None:
        allowed &= found.times < narrowed.until.timestamp()
    if narrowed.session_id is not None:
        allowed &= np.array([s == narrowed.session_id for s in found.sessions], dtype=np.bool_)
    return allowed | facts


def inside(found: Candidates, gate: Collection[str]) -> NDArray[np.bool_]:
    """Mark the candidates of these segments; facts, which belong to no segment, pass."""
    passes = (part == "fact" or s in gate for part, s in zip(found.parts, found.segments, strict=True))
    return np.fromiter(passes, dtype=np.bool_, count=len(found))
