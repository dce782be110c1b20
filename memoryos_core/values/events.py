"""Events for a hook and for the log. They carry ids and counts, never remembered text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from memoryos_core.values.dialogue import Scope
from memoryos_core.values.reports import ConsolidationReport


@dataclass(frozen=True, slots=True)
class Event:
    """Base of all events."""

    scope: Scope


@dataclass(frozen=True, slots=True)
class PageAdded(Event):
    """A page is durable in short-term memory."""

    page_id: str
    session_id: str


@dataclass(frozen=True, slots=True)
class PagedOut(Event):
    """Pages left short-term memory for segments; rules learnt so many facts from them."""

    page_ids: tuple[str, ...]
    segment_ids: tuple[str, ...]
    facts: int = 0
    milliseconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class SegmentOpened(Event):
    """No segment fitted, so one was opened."""

    segment_id: str


@dataclass(frozen=True, slots=True)
class Promoted(Event):
    """A hot segment was read into long-term memory, or, with None for it, pages that left short-term memory."""

    segment_id: str | None
    facts: int
    traits: int
    profile_fields: int
    milliseconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Evicted(Event):
    """The coldest segments left mid-term memory."""

    segment_ids: tuple[str, ...]
    archived: bool
    milliseconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Recalled(Event):
    """A question was answered from memory; milliseconds are those of the search and the packing."""

    hits: int
    tokens: int
    milliseconds: float
    budget_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Searched(Event):
    """The best hits were looked up."""

    hits: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Forgotten(Event):
    """Pages or facts were erased."""

    pages: int
    facts: int
    milliseconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class Consolidated(Event):
    """A run behind the caller ended, in the thread where it ran; without `report` it ended in the error."""

    report: ConsolidationReport | None
    milliseconds: float
    error: str = ""


@dataclass(frozen=True, slots=True)
class ModelAsked(Event):
    """The chat model was called once: "page_out", "persona", or "answer" for `chat`.

    Tokens are the model's own count, else ours. `error` is the error's type when there was no reply.
    """

    step: str
    prompt_tokens: int
    completion_tokens: int
    milliseconds: float
    error: str = ""


@dataclass(frozen=True, slots=True)
class Retained(Event):
    """Retention policies took pages and facts; a `Forgotten` event before it reports the purge."""

    archived: int
    purged: int


@dataclass(frozen=True, slots=True)
class StepFailed(Event):
    """A step failed, and nothing was lost by it.

    "page_out", "persona", "reread": the model gave no usable answer; the extractive twin took over, the pages stay
    marked. "recall": the embedder failed; words alone were searched. "consolidate": a run failed and is tried again.
    "rerank": the reranker failed; hits kept their order.
    """

    step: str
    error: str


@dataclass(frozen=True, slots=True)
class VerbFailed(Event):
    """A verb of a handle raised one of our errors; an outer verb (`chat` calls `recall`) is reported too."""

    verb: str
    error: str


Hook: TypeAlias = Callable[[Event], None]
