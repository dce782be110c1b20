"""Settings of safety: poison and secrets kept out of long-term memory."""

from __future__ import annotations

from dataclasses import dataclass, fields

from memoryos_core.config.validation import flag


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
