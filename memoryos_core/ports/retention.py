"""What a store does about age and about traces, as a protocol: marks without content, archiving, vacuum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memoryos_core.config import RetentionKind
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.queries import Mark


class Retaining(Protocol):
    """The verbs that retention policies need, and the vacuum that leaves no trace of forgotten rows."""

    def marks(self, scope: Scope, kind: RetentionKind, *, after: int = 0, limit: int = 5000) -> tuple[Mark, ...]:
        """When and whence the pages, or facts, with a greater seq than `after` are, in its order, without content."""
        ...

    def archive(self, scope: Scope, kind: RetentionKind, ids: Sequence[str]) -> int:
        """Take pages out of mid-term memory, or facts out of those that hold (as "evicted"); says how many went.

        What is elsewhere is passed over, what went stays readable. Pages stay in their segment, which follows when no
        page of mid-term memory is left in it; nobody reads them into long-term memory any more.
        """
        ...

    def scopes_of(self, user_id: str) -> tuple[Scope, ...]:
        """Every scope of one user, whatever the assistant."""
        ...

    def vacuum(self, *, full: bool = False) -> None:
        """Give back the room of what was erased; with `full`, leave no old image of it in the tables' own files."""
        ...
