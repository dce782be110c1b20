"""Protocol of retention: marks without content, archiving, vacuum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memoryos_core.config import RetentionKind
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.queries import Mark


class Retaining(Protocol):
    """The verbs that retention policies need, and the vacuum that leaves no trace of forgotten rows."""

    def marks(self, scope: Scope, kind: RetentionKind, *, after: int = 0, limit: int = 5000) -> tuple[Mark, ...]:
        """Return times and sources, without content, of pages or facts with a seq above `after`, in that order."""
        ...

    def archive(self, scope: Scope, kind: RetentionKind, ids: Sequence[str]) -> int:
        """Take pages out of mid-term memory, or facts out of the current ones (as "evicted"); return their number.

        Items elsewhere are skipped; archived items stay readable. Pages stay in their segment, which is archived when
        no page of mid-term memory is left in it; they are no longer read into long-term memory.
        """
        ...

    def scopes_of(self, user_id: str) -> tuple[Scope, ...]:
        """Every scope of one user, whatever the assistant."""
        ...

    def vacuum(self, *, full: bool = False) -> None:
        """Free the space of erased rows; with `full`, leave no old image of them in the files of the tables."""
        ...
