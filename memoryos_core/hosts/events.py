"""Events of the core that an adapter passes on or emits."""

from __future__ import annotations

from memoryos_core.values.events import Event, Promoted, StepFailed

__all__ = ["Event", "Promoted", "StepFailed"]
