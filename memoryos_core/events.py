"""What happened, for a hook and for the log. Events carry ids and counts, never remembered text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from memoryos_core.models import Scope


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
    """Pages left short-term memory for segments."""

    page_ids: tuple[str, ...]
    segment_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SegmentOpened(Event):
    """No segment fitted, so one was opened."""

    segment_id: str


@dataclass(frozen=True, slots=True)
class Promoted(Event):
    """A hot segment was read into long-term memory."""

    segment_id: str
    facts: int
    traits: int
    profile_fields: int


@dataclass(frozen=True, slots=True)
class Evicted(Event):
    """The coldest segments left mid-term memory."""

    segment_ids: tuple[str, ...]
    archived: bool


@dataclass(frozen=True, slots=True)
class Recalled(Event):
    """A question was answered from memory."""

    hits: int
    tokens: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Forgotten(Event):
    """Pages or facts were erased."""

    pages: int
    facts: int


@dataclass(frozen=True, slots=True)
class StepFailed(Event):
    """A step failed, and nothing was lost by it.

    "page_out", "persona", "reread": the model gave no usable answer; the extractive twin took over, the pages stay
    marked. "recall": the embedder failed; words alone were searched. "consolidate": a run failed and is tried again.
    "rerank", "decompose": an optional model of recall failed; hits kept their order, the question was looked up whole.
    """

    step: str
    error: str


Hook: TypeAlias = Callable[[Event], None]
