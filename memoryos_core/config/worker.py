"""Settings of the worker: who runs consolidation, and how often a model is asked.

Settings of safety: poison and secrets kept out of long-term memory. Limits of what a stranger can send.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, TypeAlias

from memoryos_core.config.validation import flag, number, one_of, whole

WorkerMode: TypeAlias = Literal["background", "inline", "manual"]


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """Settings of consolidation: who runs it, and how often a model is asked.

    Attributes:
        mode: "background" runs threads of its own, "inline" runs inside `add`, "manual" waits for `consolidate()`.
        threads: Users that are consolidated at the same time.
        attempts: Calls to a failing model before the extractive twin answers.
        backoff_seconds: Pause before the second attempt; it doubles each time.
        backoff_ceiling_seconds: The longest pause.
        max_calls: Model calls of one opened memory. None is no cap.
        max_tokens: Model tokens of one opened memory. None is no cap.
        lease_seconds: Time after which another process takes over from one that crashed. A working process renews it.
    """

    mode: WorkerMode = "background"
    threads: int = 2
    attempts: int = 3
    backoff_seconds: float = 0.5
    backoff_ceiling_seconds: float = 30.0
    max_calls: int | None = None
    max_tokens: int | None = None
    lease_seconds: float = 60.0

    def __post_init__(self) -> None:
        one_of("worker.mode", self.mode, ("background", "inline", "manual"))
        whole("worker.threads", self.threads, 1)
        whole("worker.attempts", self.attempts, 1)
        number("worker.backoff_seconds", self.backoff_seconds, 0)
        number("worker.backoff_ceiling_seconds", self.backoff_ceiling_seconds, 0)
        number("worker.lease_seconds", self.lease_seconds, 0.1)
        for name in ("max_calls", "max_tokens"):
            if getattr(self, name) is not None:
                whole(f"worker.{name}", getattr(self, name), 0)


@dataclass(frozen=True, slots=True)
class SafetyConfig:
    """Filters for long-term memory, summaries and keywords (ADR 0017). Pages stay verbatim and are labelled.

    Attributes:
        quarantine: Learn nothing from text that tries to steer the model, spread, or send data. Facts from it wait for
            review, and so do facts from a less trusted source that would replace those of a more trusted one.
        learn_from_documents: Learn facts that only a tool or a document says, at once. Otherwise they wait for review,
            like suspicious ones.
        redact_secrets: Replace keys, tokens, passwords and card numbers by the name of their kind.
    """

    quarantine: bool = True
    learn_from_documents: bool = False
    redact_secrets: bool = True

    def __post_init__(self) -> None:
        for part in fields(self):
            flag(f"safety.{part.name}", getattr(self, part.name))


@dataclass(frozen=True, slots=True)
class LimitsConfig:
    """Limits of one call of a verb of a user's memory. None is no limit.

    Consolidation has none, nor have the verbs of the whole store, which are the application's.

    Attributes:
        characters: Characters of all texts of one call.
        items: Texts, messages, ids and other values of one call.
        verbs_per_minute: Calls for one user with one assistant in this process: as many at once, then evenly.
        verb_seconds: Time of one call, looked at before each statement and each question to a model until something is
            written. A statement that runs, and the wait for another writer, are not cut off.
    """

    characters: int | None = 10_000_000
    items: int | None = 1_000_000
    verbs_per_minute: int | None = None
    verb_seconds: float | None = None

    def __post_init__(self) -> None:
        for name in ("characters", "items", "verbs_per_minute"):
            if getattr(self, name) is not None:
                whole(f"limits.{name}", getattr(self, name), 1)
        if self.verb_seconds is not None:
            number("limits.verb_seconds", self.verb_seconds, 0)
