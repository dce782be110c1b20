"""Memories in which each page is read at once, and models that answer as they are told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Literal

from memoryos_core import (
    ChatRequest,
    ConsolidationReport,
    HeatConfig,
    LongTermConfig,
    MemoryConfig,
    Message,
    Page,
    SafetyConfig,
    ShortTermConfig,
    UserMemory,
    WorkerConfig,
)


def eager(*, reads: Literal["everything", "hot"] = "everything", documents: bool = False) -> MemoryConfig:
    """One page stays in short-term memory, every other one is hot; facts of `documents` may be learnt at once."""
    return MemoryConfig(
        long_term=LongTermConfig(reads=reads),
        short_term=ShortTermConfig(capacity_pages=1, batch_pages=1, active_sessions=1),
        heat=HeatConfig(threshold=0.0),
        worker=WorkerConfig(mode="manual", attempts=1, backoff_seconds=0.0),
        safety=SafetyConfig(learn_from_documents=documents),
    )


_FILLER = "Hm."


def digest(user: UserMemory) -> ConsolidationReport:
    """Consolidate all that was added until now; of itself it adds a page that says nothing."""
    user.add(_FILLER, "Yes.")
    return user.consolidate()


def paste(user: UserMemory, text: str) -> Page:
    """Add a page that the user pasted from a document."""
    said = [Message("user", text, trust="document"), Message("assistant", "I have read it.")]
    return user.add_messages(said)[-1]


def shown(request: ChatRequest) -> list[int]:
    """The numbers of the pages that a question shows."""
    return [int(n) for n in re.findall(r"^\[(\d+)\]", request.prompts[-1].text, re.MULTILINE)]


def reading(
    facts: Sequence[object],
    *,
    summary: str = "They talk.",
    keywords: Sequence[str] = ("talk",),
    persona: Callable[[str], str] | None = None,
) -> Callable[[ChatRequest], str]:
    """A model that finds these facts in every segment."""

    def answer(request: ChatRequest) -> str:
        if request.schema_name == "page_out":
            topics = [{"pages": shown(request), "summary": summary, "keywords": list(keywords)}]
            chains = [{"first": 1, "summary": summary}]
            return json.dumps({"continues_previous": False, "chains": chains, "topics": topics})
        if shown(request) == [1] and f"user: {_FILLER}" in request.prompts[-1].text:
            return json.dumps({"facts": []})
        return (
            persona(request.prompts[-1].text)
            if persona
            else json.dumps({"facts": list(facts), "profile": [], "traits": []})
        )

    return answer
