"""Settings of recall and of `chat`: candidates, weights, budgets and generation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from memoryos_core.config.validation import flag, number, one_of, whole

Coverage: TypeAlias = Literal["asked", "always", "never"]
Index: TypeAlias = Literal["auto", "resident", "database"]


@dataclass(frozen=True, slots=True)
class RecallConfig:
    """Settings of recall. Weights multiply signals from 0 to 1, unless said otherwise.

    Attributes:
        budget_tokens: Tokens of the whole text for the prompt.
        top_segments: m, segments that pages are taken from when `gate` is on.
        top_pages: k, pages that are recalled at most. None is as many as the budget holds.
        top_facts: Facts that are recalled at most.
        gate: Rank only pages of the `top_segments` best segments, as the paper does. Without it segments and sessions
            are priors.
        candidates: Candidates that each search brings to the ranking.
        coverage: Spread the hits over sessions: where the question asks for a summary ("asked"), "always" or "never".
        recent_share: Share of the budget for the recent turns of the session, 0 to 1.
        persona_share: Share of the budget for the profile and traits, 0 to 1.
        knowledge_share: Share of the budget for lines about what is known that the question asks for; part of
            `persona_share`. Three times as much, at most half, where the lines are the answer: what lies ahead, or what
            is known about the user. 0 switches them off.
        overview_share: Share of the budget for dated titles of topics, each with a sentence, where the question asks
            for an overview. Of one subject: this share of what the budget has above 250 tokens. Of everything: three
            times this share of the whole budget, at most half of it. 0 switches them off.
        min_score: Relevance that a fact, or the best message of a page, needs to be recalled, 0 to 1. A quarter of it
            is enough beside a page of the same talk that has at least 0.4 (ADR 0024).
        lexical: Weight of shared words (BM25).
        dense: Weight of the cosine, in standard deviations of the scope's cosines.
        nameless: Share of the question's vector that is made without the names of speakers, 0 to 1.
        window: Weight of the words of the turns next to a turn; those two turns away get its square. 0 switches it off.
        meaning_window: Share of the meaning of the turn before a turn that counts for it, and half as much of the turn
            after: a reply is found by what it answers. 0 switches it off (ADR 0034).
        segment: Weight of the segment that a page is in.
        session: Weight of the session that a page is in.
        date: Weight of dates that the question names.
        speaker: Weight of a speaker that the question names.
        heat: Weight of the heat of the segment.
        recency: Weight of how recent a page is.
        thread: Weight of the sessions of the same segment that led up to the best page, where a message begins with a
            statement: it goes on with a talk. 0 switches it off (ADR 0043).
        length: Weight of the logarithm of a hit's length, subtracted: of two hits that are ranked alike the shorter one
            comes first, and leaves room for others. 0 switches it off.
        disclosure: Weight of how much a message tells of its speaker: a statement comes before a question or a remark
            that is ranked alike. 0 switches it off (ADR 0042).
        resolve_times: Where the question asks for a time, say behind a message which day, week, month or year its
            words mean: "(yesterday: 8 May 2023)".
        rerank: Hits that a reranker reads, when one is passed to `MemoryOS`; 0 switches it off.
        index: Where candidates are found: in the "database" where it can search (PostgreSQL, ADR 0013), "resident" in
            this process, or "auto", where it is faster for a user's memory of that size.
    """

    budget_tokens: int = 1000
    top_segments: int = 5
    top_pages: int | None = None
    top_facts: int = 10
    gate: bool = False
    candidates: int = 300
    coverage: Coverage = "asked"
    recent_share: float = 0.4
    persona_share: float = 0.2
    knowledge_share: float = 0.15
    overview_share: float = 0.15
    min_score: float = 0.12
    lexical: float = 1.0
    dense: float = 0.17
    nameless: float = 0.8
    window: float = 0.5
    meaning_window: float = 0.3
    segment: float = 0.1
    session: float = 0.2
    date: float = 1.0
    speaker: float = 0.6
    heat: float = 0.02
    recency: float = 0.01
    thread: float = 0.8
    length: float = 0.3
    disclosure: float = 0.08
    resolve_times: bool = True
    rerank: int = 30
    index: Index = "auto"

    def __post_init__(self) -> None:
        for name in ("budget_tokens", "top_segments", "candidates"):
            whole(f"recall.{name}", getattr(self, name), 1)
        for name in ("top_facts", "rerank"):
            whole(f"recall.{name}", getattr(self, name), 0)
        for name in ("gate", "resolve_times"):
            flag(f"recall.{name}", getattr(self, name))
        one_of("recall.coverage", self.coverage, ("asked", "always", "never"))
        one_of("recall.index", self.index, ("auto", "resident", "database"))
        whole("recall.top_pages", 1 if self.top_pages is None else self.top_pages, 1)
        shares = (
            "recent_share",
            "persona_share",
            "knowledge_share",
            "overview_share",
            "min_score",
            "nameless",
            "window",
            "meaning_window",
        )
        for name in shares:
            number(f"recall.{name}", getattr(self, name), 0, 1)
        number("recall.recent_share + recall.persona_share", self.recent_share + self.persona_share, 0, 1)
        signals = ("lexical", "dense", "segment", "session", "date", "speaker", "heat", "recency", "thread")
        for name in (*signals, "length", "disclosure"):
            number(f"recall.{name}", getattr(self, name), 0)


@dataclass(frozen=True, slots=True)
class GenerationConfig:
    """Settings of `chat`.

    Attributes:
        system_prompt: Replaces the default system prompt.
        language: Language of the answer, an instruction to the model.
        max_words: Words of the answer, an instruction to the model.
        temperature: Temperature of the model, 0 to 2.
        max_tokens: Tokens of the answer. None is the model's own limit.
        polish: Ask once more to put the answer in the assistant's voice: a second call.
        vote: Ask all models of `answer_llm` at once and give the answer whose words the other answers hold most, and
            next to them what is remembered. Else they are asked in their order, each when the one before fails.
    """

    system_prompt: str | None = None
    language: str | None = None
    max_words: int | None = None
    temperature: float = 0.7
    max_tokens: int | None = None
    polish: bool = False
    vote: bool = False

    def __post_init__(self) -> None:
        for name in ("vote", "polish"):
            flag(f"generation.{name}", getattr(self, name))
        for name in ("max_words", "max_tokens"):
            if getattr(self, name) is not None:
                whole(f"generation.{name}", getattr(self, name), 1)
        number("generation.temperature", self.temperature, 0, 2)
