"""Settings of the worker: who runs consolidation, and how often a model is asked.

Settings of safety: poison and secrets kept out of long-term memory.
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
        redact_secrets: Replace keys, tokens, passwords and card numbers by the name of their kind.
    """

    quarantine: bool = True
    redact_secrets: bool = True

    def __post_init__(self) -> None:
        for part in fields(self):
            flag(f"safety.{part.name}", getattr(self, part.name))
