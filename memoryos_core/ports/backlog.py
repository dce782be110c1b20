"""How much work waits in a store, as a protocol."""

from __future__ import annotations

from typing import Protocol

from memoryos_core.values.reports import Backlog


class Measured(Protocol):
    """A store that can say how far behind its workers are."""

    def backlog(self) -> Backlog:
        """How much work waits, of all scopes; cheap enough to be asked every few seconds."""
        ...
