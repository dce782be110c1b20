"""Settings of safety: poison and secrets kept out of long-term memory."""

from __future__ import annotations

from dataclasses import dataclass, fields

from memoryos_core.config.validation import flag


@dataclass(frozen=True, slots=True)
class SafetyConfig:
    """Filters for long-term memory, summaries and keywords; pages stay verbatim (issue 6, ADR 0017).

    `quarantine`: text that tries to steer the model, spread, or send data is not learnt from; facts from it, and facts
    from a less trusted source that would replace those of a more trusted one, wait for review. `redact_secrets`: keys,
    tokens, passwords and card numbers are replaced by the name of their kind. Pages are labelled in any case.
    """

    quarantine: bool = True
    redact_secrets: bool = True

    def __post_init__(self) -> None:
        for part in fields(self):
            flag(f"safety.{part.name}", getattr(self, part.name))
