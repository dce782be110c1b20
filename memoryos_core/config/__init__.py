"""Every number of the algorithm, with the paper's symbol and its unit. Nothing here is read from the environment.

The defaults are what measures best on the development conversations; `MemoryConfig.paper()` is §4.1 to the letter.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from memoryos_core.config.recall import Coverage, GenerationConfig, RecallConfig
from memoryos_core.config.retention import RetentionPolicy, named_apart
from memoryos_core.config.tiers import HeatConfig, LongTermConfig, MidTermConfig, ShortTermConfig
from memoryos_core.config.validation import flag
from memoryos_core.config.worker import LimitsConfig, SafetyConfig, WorkerConfig, WorkerMode
from memoryos_core.errors import ConfigError
from memoryos_core.values.reports import RetentionAction, RetentionKind

__all__ = [
    "Coverage",
    "GenerationConfig",
    "HeatConfig",
    "LimitsConfig",
    "LongTermConfig",
    "MemoryConfig",
    "MidTermConfig",
    "RecallConfig",
    "RetentionAction",
    "RetentionKind",
    "RetentionPolicy",
    "SafetyConfig",
    "ShortTermConfig",
    "WorkerConfig",
    "WorkerMode",
]


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    """All parts together; replace a part with `dataclasses.replace`. Raises ConfigError at construction.

    Attributes:
        short_term: Settings of short-term memory.
        mid_term: Settings of mid-term memory.
        heat: Constants of heat.
        long_term: Settings of long-term memory.
        recall: Settings of recall.
        worker: Settings of consolidation.
        generation: Settings of `chat`.
        safety: Filters against poison and secrets.
        limits: Limits of what one call may bring and take.
        retention: Policies for how long pages and facts are kept; none by default.
        audit: Write each change into the audit log of a store that the memory opens. A store object that is passed in
            keeps its own setting.
        recall_log: Write each recall into the audit log, too: ids of what it brought, never the question. Off by
            default, since a recall then writes; needs `audit`.
    """

    short_term: ShortTermConfig = field(default_factory=ShortTermConfig)
    mid_term: MidTermConfig = field(default_factory=MidTermConfig)
    heat: HeatConfig = field(default_factory=HeatConfig)
    long_term: LongTermConfig = field(default_factory=LongTermConfig)
    recall: RecallConfig = field(default_factory=RecallConfig)
    worker: WorkerConfig = field(default_factory=WorkerConfig)
    generation: GenerationConfig = field(default_factory=GenerationConfig)
    safety: SafetyConfig = field(default_factory=SafetyConfig)
    limits: LimitsConfig = field(default_factory=LimitsConfig)
    retention: tuple[RetentionPolicy, ...] = ()
    audit: bool = True
    recall_log: bool = False

    def __post_init__(self) -> None:
        named_apart(self.retention)
        flag("audit", self.audit)
        flag("recall_log", self.recall_log)
        if self.recall_log and not self.audit:
            raise ConfigError("recall_log=True needs audit=True: recalls are entries of the audit log")

    @classmethod
    def paper(cls) -> MemoryConfig:
        """§4.1 of the paper; ours stay the archive, a window a session, and a budget near its 3,874 tokens."""
        return cls(
            short_term=ShortTermConfig(capacity_pages=7, capacity_tokens=1_000_000, batch_pages=1, idle_hours=None),
            mid_term=MidTermConfig(capacity_segments=200, segments="chains", join_threshold=0.6),
            heat=HeatConfig(
                alpha=1.0,
                beta=1.0,
                gamma=1.0,
                mu_seconds=1e7,
                threshold=5.0,
                visit_seconds=None,
                visited_segments=None,
            ),
            long_term=LongTermConfig(reads="hot", capacity_facts=100, eviction="fifo", known_facts_shown=8),
            safety=SafetyConfig(quarantine=False, redact_secrets=False),
            recall=RecallConfig(
                budget_tokens=4000,
                top_pages=10,
                gate=True,
                knowledge_share=0.0,
                overview_share=0.0,
                min_score=0.0,
                coverage="never",
                lexical=0.0,
                nameless=0.0,
                window=0.0,
                meaning_window=0.0,
                segment=0.0,
                session=0.0,
                date=0.0,
                speaker=0.0,
                heat=0.0,
                recency=0.0,
                thread=0.0,
                length=0.0,
                disclosure=0.0,
                resolve_times=False,
                rerank=0,
            ),
        )
