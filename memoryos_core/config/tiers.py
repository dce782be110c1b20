"""The numbers of the three tiers and of heat, with the paper's symbols and units."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from memoryos_core.config.validation import number, one_of, whole

_BATCH_WITHOUT_MODEL = 8


@dataclass(frozen=True, slots=True)
class ShortTermConfig:
    """Short-term memory of one session (paper: STM).

    Pages wait until a batch is full, whichever worker runs.

    Attributes:
        capacity_pages: Pages of the working window. Older pages leave in batches.
        capacity_tokens: Tokens of the working window.
        batch_pages: Pages of a batch; the model is asked once for each. Without a model a batch has at most eight.
        active_sessions: A session leaves whole once this number of others were written after it. An answer that comes
            later begins a page of its own.
        idle_hours: A session leaves whole, too, after this silence, by the memory's clock or by the times of its
            messages, and at once when it ended. None is never, as in the paper.
    """

    capacity_pages: int = 10
    capacity_tokens: int = 4000
    batch_pages: int = 16
    active_sessions: int = 4
    idle_hours: float | None = 6.0

    def __post_init__(self) -> None:
        for name in ("capacity_pages", "capacity_tokens", "batch_pages", "active_sessions"):
            whole(f"short_term.{name}", getattr(self, name), 1)
        if self.idle_hours is not None:
            number("short_term.idle_hours", self.idle_hours, 0, 1e6)

    def without_model(self) -> ShortTermConfig:
        """Return the same settings with small batches: without a model call per batch, few pages need to wait."""
        return replace(self, batch_pages=min(self.batch_pages, _BATCH_WITHOUT_MODEL))


@dataclass(frozen=True, slots=True)
class MidTermConfig:
    """Mid-term memory of one scope (paper: MTM).

    Attributes:
        capacity_segments: Segments that are kept; beyond it the coldest are evicted.
        join_threshold: θ, the least F = cosine + Jaccard at which pages join a segment (Eq. 3), -1 to 2; with "topics"
            among the first sixteen pages alone.
        continuity: The least cosine at which a page continues its chain, when no model decides.
        lexical_join_threshold: Replaces `join_threshold` without an embedder.
        lexical_continuity: Replaces `continuity` without an embedder.
        max_keywords: Keywords of a segment.
        summary_sentences: Sentences of a segment's summary.
        archive: Keep evicted segments readable. Without it their pages are deleted.
        segments: How pages are grouped. "topics": cut where similarity falls, joined by a cosine that is measured from
            the middle of the scope. "chains": pages that continue one another, joined by the plain F, as in the paper.
        closeness: The least F at which pages join a segment of the scope, -1 to 2; 0 is any two pages, 1 the same one.
        lexical_closeness: Replaces `closeness` without an embedder.
        pause_hours: A topic ends after a pause of this length.
    """

    capacity_segments: int = 2000
    join_threshold: float = 0.7
    continuity: float = 0.55
    lexical_join_threshold: float = 0.6
    lexical_continuity: float = 0.3
    max_keywords: int = 12
    summary_sentences: int = 3
    archive: bool = True
    segments: Literal["topics", "chains"] = "topics"
    closeness: float = 0.14
    lexical_closeness: float = 0.07
    pause_hours: float = 6.0

    def __post_init__(self) -> None:
        for name in ("capacity_segments", "max_keywords", "summary_sentences"):
            whole(f"mid_term.{name}", getattr(self, name), 1)
        one_of("mid_term.segments", self.segments, ("topics", "chains"))
        number("mid_term.pause_hours", self.pause_hours, 0)
        for name in ("closeness", "lexical_closeness", "join_threshold", "lexical_join_threshold"):
            number(f"mid_term.{name}", getattr(self, name), -1, 2)
        for name in ("continuity", "lexical_continuity"):
            number(f"mid_term.{name}", getattr(self, name), -1, 1)

    def without_embedder(self) -> MidTermConfig:
        """Return the same settings with thresholds for closeness by words."""
        return replace(
            self,
            closeness=self.lexical_closeness,
            join_threshold=self.lexical_join_threshold,
            continuity=self.lexical_continuity,
        )


@dataclass(frozen=True, slots=True)
class HeatConfig:
    """Heat = alpha·N_visit + beta·L_interaction + gamma·exp(-Δt/mu) (paper Eq. 4).

    Attributes:
        alpha: α, weight of the visits of a segment.
        beta: β, weight of its pages.
        gamma: γ, weight of its recency.
        mu_seconds: μ, the time constant of recency, in seconds.
        threshold: τ, the heat at which a segment is read into long-term memory.
        visit_seconds: The time constant with which visits and pages that were not read fade since the last access;
            None: they never do, as in the paper.
        visited_segments: The most segments that one recall counts as visited: that of its best hit, and those with
            several of the best. None: every segment of which something is quoted, as in the paper.
    """

    alpha: float = 1.0
    beta: float = 1.0
    gamma: float = 1.0
    mu_seconds: float = 1e7
    threshold: float = 5.0
    visit_seconds: float | None = 2.6e6
    visited_segments: int | None = 2

    def __post_init__(self) -> None:
        for name in ("alpha", "beta", "gamma", "threshold"):
            number(f"heat.{name}", getattr(self, name), 0)
        number("heat.mu_seconds", self.mu_seconds, 1e-9)
        if self.visit_seconds is not None:
            number("heat.visit_seconds", self.visit_seconds, 1e-9)
        if self.visited_segments is not None:
            whole("heat.visited_segments", self.visited_segments, 1)


@dataclass(frozen=True, slots=True)
class LongTermConfig:
    """Long-term personal memory of one scope (paper: LPM).

    Attributes:
        reads: Pages that are read into long-term memory. "everything": each page as it leaves short-term memory, by
            rules that ask no model, and by the model where there is one. "model_when_hot": the same, but the model
            reads pages of hot segments alone, which asks it less often. "hot": nothing but pages of hot segments is
            read, as in the paper.
        capacity_facts: Current facts about the user; the same number about the assistant.
        eviction: Facts that go when there are more: the oldest ("fifo", the paper) or the least valuable.
        same_fact: The least cosine at which two facts say the same.
        known_facts_shown: Known facts that the model sees when it reads a segment.
    """

    reads: Literal["everything", "model_when_hot", "hot"] = "everything"
    capacity_facts: int = 4000
    eviction: Literal["fifo", "lowest_value"] = "lowest_value"
    same_fact: float = 0.95
    known_facts_shown: int = 12

    def __post_init__(self) -> None:
        one_of("long_term.reads", self.reads, ("everything", "model_when_hot", "hot"))
        whole("long_term.capacity_facts", self.capacity_facts, 1)
        whole("long_term.known_facts_shown", self.known_facts_shown, 0)
        one_of("long_term.eviction", self.eviction, ("fifo", "lowest_value"))
        number("long_term.same_fact", self.same_fact, 0, 1)
