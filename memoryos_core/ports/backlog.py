"""Protocol of the backlog: how much work waits in a store."""

from __future__ import annotations

from typing import Protocol

from memoryos_core.values.reports import Backlog


class Measured(Protocol):
    """A store that can say how far behind its workers are."""

    def backlog(self) -> Backlog:
        """Return the waiting work of all scopes; cheap enough to call every few seconds."""
        ...
