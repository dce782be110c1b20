"""What is kept out of long-term memory."""

from __future__ import annotations

from dataclasses import dataclass, fields

from memoryos_core.config.validation import flag


@dataclass(frozen=True, slots=True)
class SafetyConfig:
    """Filters for long-term memory, summaries and keywords; pages stay verbatim (issue 6, ADR 0017).

    `quarantine`: text that wants to steer, spread or send data is not learnt from; what it taught, and what would put
    a less trusted source's word in the place of a more trusted one's, waits for review. `redact_secrets`: keys,
    tokens, passwords and card numbers are replaced by what they were. Pages are labelled in any case.
    """

    quarantine: bool = True
    redact_secrets: bool = True

    def __post_init__(self) -> None:
        for part in fields(self):
            flag(f"safety.{part.name}", getattr(self, part.name))
