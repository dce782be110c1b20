"""Settings of the worker: who runs consolidation, and how often a model is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from memoryos_core.config.validation import number, one_of, whole

WorkerMode: TypeAlias = Literal["background", "inline", "manual"]


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """Settings for running consolidation: in which thread, and how often a model is asked.

    "background" runs its own threads, "inline" runs inside `add`, "manual" waits for `consolidate()`. A failing
    model is asked `attempts` times, waiting `backoff_seconds` doubled each time up to `backoff_ceiling_seconds`;
    then the extractive twin answers. `max_calls` and `max_tokens` cap what one opened memory may ask; None is no cap.
    While a process works on a scope it has a lease of `lease_seconds`, renewed while work continues: after that
    time another process takes over from one that crashed.
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
