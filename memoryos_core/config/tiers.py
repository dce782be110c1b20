"""The numbers of the three tiers and of heat, with the paper's symbols and units."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from memoryos_core.config.validation import number, one_of, whole

_BATCH_WITHOUT_MODEL = 8


@dataclass(frozen=True, slots=True)
class ShortTermConfig:
    """Short-term memory of one session (paper: STM).

    `capacity_pages` and `capacity_tokens` bound the working window. Older pages leave in batches of `batch_pages`, and
    the model is asked once for each; without a model a batch has at most eight. Pages wait until a batch is full,
    whichever worker runs. A session leaves whole once `active_sessions` others were written after it; an answer that
    comes later begins a page of its own.
    """

    capacity_pages: int = 10
    capacity_tokens: int = 4000
    batch_pages: int = 16
    active_sessions: int = 4

    def __post_init__(self) -> None:
        for name in ("capacity_pages", "capacity_tokens", "batch_pages", "active_sessions"):
            whole(f"short_term.{name}", getattr(self, name), 1)

    def without_model(self) -> ShortTermConfig:
        """Return the same settings with small batches: without a model call per batch, few pages need to wait."""
        return replace(self, batch_pages=min(self.batch_pages, _BATCH_WITHOUT_MODEL))


@dataclass(frozen=True, slots=True)
class MidTermConfig:
    """Mid-term memory of one scope (paper: MTM).

    `capacity_segments`; `join_threshold` is θ, the least F = cos + Jaccard with which pages join a segment (Eq. 3,
    range -1 to 2); `continuity` is the extractive twin's least cosine for a page to continue its chain; the two
    `lexical_…` stand in for them without an embedder, where cosines run lower; `max_keywords` and
    `summary_sentences` bound a segment's description; `archive` keeps evicted segments readable.
    """

    capacity_segments: int = 2000
    join_threshold: float = 0.7
    continuity: float = 0.55
    lexical_join_threshold: float = 0.6
    lexical_continuity: float = 0.3
    max_keywords: int = 12
    summary_sentences: int = 3
    archive: bool = True

    def __post_init__(self) -> None:
        for name in ("capacity_segments", "max_keywords", "summary_sentences"):
            whole(f"mid_term.{name}", getattr(self, name), 1)
        for name in ("join_threshold", "lexical_join_threshold"):
            number(f"mid_term.{name}", getattr(self, name), -1, 2)
        for name in ("continuity", "lexical_continuity"):
            number(f"mid_term.{name}", getattr(self, name), -1, 1)

    def without_embedder(self) -> MidTermConfig:
        """Return the same settings with thresholds for closeness by words."""
        return replace(self, join_threshold=self.lexical_join_threshold, continuity=self.lexical_continuity)


@dataclass(frozen=True, slots=True)
class HeatConfig:
    """Heat = alpha·N_visit + beta·L_interaction + gamma·exp(-Δt/mu) (paper Eq. 4).

    `mu_seconds` is μ, the time constant of recency; `threshold` is τ, the heat at which a segment is promoted.
    """

    alpha: float = 1.0
    beta: float = 1.0
    gamma: float = 1.0
    mu_seconds: float = 1e7
    threshold: float = 5.0

    def __post_init__(self) -> None:
        for name in ("alpha", "beta", "gamma", "threshold"):
            number(f"heat.{name}", getattr(self, name), 0)
        number("heat.mu_seconds", self.mu_seconds, 1e-9)


@dataclass(frozen=True, slots=True)
class LongTermConfig:
    """Long-term personal memory of one scope (paper: LPM).

    `capacity_facts` bounds the current facts about the user, and those about the assistant; `eviction` says which
    go: the oldest (paper) or the least valuable. `same_fact` is the least cosine at which two facts say the same.
    """

    capacity_facts: int = 500
    eviction: Literal["fifo", "lowest_value"] = "lowest_value"
    same_fact: float = 0.95
    known_facts_shown: int = 8

    def __post_init__(self) -> None:
        whole("long_term.capacity_facts", self.capacity_facts, 1)
        whole("long_term.known_facts_shown", self.known_facts_shown, 0)
        one_of("long_term.eviction", self.eviction, ("fifo", "lowest_value"))
        number("long_term.same_fact", self.same_fact, 0, 1)
