"""Settings of recall and of `chat`: candidates, weights, budgets and generation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from memoryos_core.config.validation import number, one_of, whole

Coverage: TypeAlias = Literal["asked", "always", "never"]
Index: TypeAlias = Literal["auto", "resident", "database"]


@dataclass(frozen=True, slots=True)
class RecallConfig:
    """Settings of recall.

    `top_segments` is m and `top_pages` is k. With `gate` only pages of the m best segments are ranked (the paper), else
    segments and sessions are priors. Weights multiply signals from 0 to 1; `dense` multiplies standard deviations of
    the scope's cosines. `nameless` is the share of the question that is embedded without the names of speakers, 0 to 1.
    `window` is the weight of words of the turns next to a turn; those two turns away get its square (0: none).
    `coverage` spreads what is recalled over sessions: where a summary is "asked" for, "always" or "never".
    `min_score`, 0 to 1, is the relevance that the better half of a page, or a fact, must have to be recalled
    (`rules.relevance`, ADR 0024).
    Where a reranker is given, it reads the best `rerank` hits, 0 for none (ADR 0011).
    `index` says where candidates are found: by the "database" where that can (PostgreSQL, ADR 0013), "resident" in this
    process, or "auto", the first that works.
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
    min_score: float = 0.12
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
    rerank: int = 30
    index: Index = "auto"

    def __post_init__(self) -> None:
        for name in ("budget_tokens", "top_segments", "candidates"):
            whole(f"recall.{name}", getattr(self, name), 1)
        for name in ("top_facts", "rerank"):
            whole(f"recall.{name}", getattr(self, name), 0)
        one_of("recall.coverage", self.coverage, ("asked", "always", "never"))
        one_of("recall.index", self.index, ("auto", "resident", "database"))
        whole("recall.top_pages", 1 if self.top_pages is None else self.top_pages, 1)
        for name in ("recent_share", "persona_share", "min_score", "nameless", "window"):
            number(f"recall.{name}", getattr(self, name), 0, 1)
        number("recall.recent_share + recall.persona_share", self.recent_share + self.persona_share, 0, 1)
        for name in ("lexical", "dense", "segment", "session", "date", "speaker", "heat", "recency"):
            number(f"recall.{name}", getattr(self, name), 0)


@dataclass(frozen=True, slots=True)
class GenerationConfig:
    """Settings of `chat`. `system_prompt` None is the default; `language` and `max_words` add instructions.

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
