"""Every number of the algorithm, with the paper's symbol and its unit. Nothing here is read from the environment.

The defaults are what measures best on the development conversations; `MemoryConfig.paper()` is §4.1 to the letter.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from memoryos_core.bounds import number, one_of, whole

WorkerMode: TypeAlias = Literal["background", "inline", "manual"]
Coverage: TypeAlias = Literal["asked", "always", "never"]


@dataclass(frozen=True, slots=True)
class ShortTermConfig:
    """Short-term memory of one session (paper: STM).

    `capacity_pages` and `capacity_tokens` bound the working window; older pages are pending work. The worker starts
    when `batch_pages` of them wait, and asks the model once for each such batch. Sessions other than the
    `active_sessions` last written leave whole.
    """

    capacity_pages: int = 10
    capacity_tokens: int = 4000
    batch_pages: int = 16
    active_sessions: int = 4

    def __post_init__(self) -> None:
        for name in ("capacity_pages", "capacity_tokens", "batch_pages", "active_sessions"):
            whole(f"short_term.{name}", getattr(self, name), 1)


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
        """The same with the thresholds that fit closeness by words."""
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


@dataclass(frozen=True, slots=True)
class RecallConfig:
    """How a question is answered from memory.

    `top_segments` is m and `top_pages` is k. With `gate` only pages of the m best segments are ranked (the paper), else
    segments and sessions are priors. Weights multiply signals that run from 0 to 1, `dense` standard deviations of the
    scope's cosines. `nameless` is the share of the question that is embedded without the names of speakers, 0 to 1.
    `window` is how much the words of the turn before or after count for a turn, its square those two away (0: none).
    `coverage` spreads what is recalled over sessions: where a summary is "asked" for, "always" or "never".
    `floor`, 0 to 1: the share of the question's information that the best hit must match, or nothing is recalled.
    Of use only to who gives more to MemoryOS: `sparse` weighs what a sparse encoder finds; a reranker reads the best
    `rerank` hits, 0 for none. With `decompose` a hard question is put to the chat model, once and for at most
    `decompose_seconds`, and its parts are looked up, too: the one exception to "no model call on recall" (ADR 0011).
    """

    budget_tokens: int = 1000
    top_segments: int = 5
    top_pages: int | None = None
    top_facts: int = 10
    gate: bool = False
    candidates: int = 200
    coverage: Coverage = "asked"
    recent_share: float = 0.4
    persona_share: float = 0.2
    floor: float = 0.0
    lexical: float = 1.0
    dense: float = 0.17
    nameless: float = 0.8
    window: float = 0.5
    segment: float = 0.05
    session: float = 0.1
    date: float = 1.0
    speaker: float = 0.6
    heat: float = 0.02
    recency: float = 0.01
    sparse: float = 0.3
    rerank: int = 30
    decompose: bool = False
    decompose_seconds: float = 5.0

    def __post_init__(self) -> None:
        for name in ("budget_tokens", "top_segments", "candidates"):
            whole(f"recall.{name}", getattr(self, name), 1)
        for name in ("top_facts", "rerank"):
            whole(f"recall.{name}", getattr(self, name), 0)
        number("recall.decompose_seconds", self.decompose_seconds, 0)
        one_of("recall.coverage", self.coverage, ("asked", "always", "never"))
        whole("recall.top_pages", 1 if self.top_pages is None else self.top_pages, 1)
        for name in ("recent_share", "persona_share", "floor", "nameless", "window"):
            number(f"recall.{name}", getattr(self, name), 0, 1)
        number("recall.recent_share + recall.persona_share", self.recent_share + self.persona_share, 0, 1)
        for name in ("lexical", "dense", "segment", "session", "date", "speaker", "heat", "recency", "sparse"):
            number(f"recall.{name}", getattr(self, name), 0)


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """Who runs consolidation and how often a model is asked.

    "background" runs threads of our own, "inline" runs inside `add`, "manual" waits for `consolidate()`. A failing
    model is asked `attempts` times, waiting `backoff_seconds` doubled each time up to `backoff_ceiling_seconds`;
    then the extractive twin answers. `max_calls` and `max_tokens` cap what one opened memory may ask; None is no cap.
    """

    mode: WorkerMode = "background"
    threads: int = 2
    attempts: int = 3
    backoff_seconds: float = 0.5
    backoff_ceiling_seconds: float = 30.0
    max_calls: int | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        one_of("worker.mode", self.mode, ("background", "inline", "manual"))
        whole("worker.threads", self.threads, 1)
        whole("worker.attempts", self.attempts, 1)
        number("worker.backoff_seconds", self.backoff_seconds, 0)
        number("worker.backoff_ceiling_seconds", self.backoff_ceiling_seconds, 0)
        for name in ("max_calls", "max_tokens"):
            if getattr(self, name) is not None:
                whole(f"worker.{name}", getattr(self, name), 0)


@dataclass(frozen=True, slots=True)
class GenerationConfig:
    """How `chat` asks. `system_prompt` None is ours; `language` and `max_words` are instructions when given.

    With `polish` the answer is asked once more to be put in the assistant's voice (one more call).
    """

    system_prompt: str | None = None
    language: str | None = None
    max_words: int | None = None
    temperature: float = 0.7
    max_tokens: int | None = None
    polish: bool = False

    def __post_init__(self) -> None:
        for name in ("max_words", "max_tokens"):
            if getattr(self, name) is not None:
                whole(f"generation.{name}", getattr(self, name), 1)
        number("generation.temperature", self.temperature, 0, 2)


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    """All parts together; every part may be replaced (`dataclasses.replace`). Raises ConfigError at construction."""

    short_term: ShortTermConfig = field(default_factory=ShortTermConfig)
    mid_term: MidTermConfig = field(default_factory=MidTermConfig)
    heat: HeatConfig = field(default_factory=HeatConfig)
    long_term: LongTermConfig = field(default_factory=LongTermConfig)
    recall: RecallConfig = field(default_factory=RecallConfig)
    worker: WorkerConfig = field(default_factory=WorkerConfig)
    generation: GenerationConfig = field(default_factory=GenerationConfig)

    @classmethod
    def paper(cls) -> MemoryConfig:
        """§4.1 of the paper; ours stay the archive, a window a session, and a budget near its 3,874 tokens."""
        return cls(
            short_term=ShortTermConfig(capacity_pages=7, capacity_tokens=1_000_000, batch_pages=1),
            mid_term=MidTermConfig(capacity_segments=200, join_threshold=0.6),
            heat=HeatConfig(alpha=1.0, beta=1.0, gamma=1.0, mu_seconds=1e7, threshold=5.0),
            long_term=LongTermConfig(capacity_facts=100, eviction="fifo"),
            recall=RecallConfig(
                budget_tokens=4000,
                top_pages=10,
                gate=True,
                coverage="never",
                lexical=0.0,
                nameless=0.0,
                window=0.0,
                segment=0.0,
                session=0.0,
                date=0.0,
                speaker=0.0,
                heat=0.0,
                recency=0.0,
                sparse=0.0,
                rerank=0,
            ),
        )
