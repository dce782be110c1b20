"""An optional capability of a store: to count and list what a scope holds in parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from memoryos_core.values.dialogue import Scope
from memoryos_core.values.queries import FactList
from memoryos_core.values.reports import FactCount, MonthCount, SessionSpan


@runtime_checkable
class BrowseStore(Protocol):
    """A store that counts and lists pages and facts in parts, without reading what they say."""

    def months(self, scope: Scope, segment_ids: Sequence[str] | None = None) -> tuple[MonthCount, ...]:
        """Count the pages of each month (UTC) and tier, or of each month and named segment."""
        ...

    def session_spans(
        self, scope: Scope, ids: Sequence[str] | None = None, *, limit: int, offset: int = 0
    ) -> tuple[SessionSpan, ...]:
        """Return all sessions, or those of these ids, with the number and the dates of their pages.

        The one with the newest page comes first.
        """
        ...

    def page_ids(
        self, scope: Scope, *, session_id: str | None = None, segment_id: str | None = None, limit: int, offset: int = 0
    ) -> tuple[str, ...]:
        """Return ids of pages of a session or a segment, oldest first."""
        ...

    def fact_counts(self, scope: Scope) -> tuple[FactCount, ...]:
        """Count the facts of each status about each side."""
        ...

    def fact_ids(self, wanted: FactList) -> tuple[str, ...]:
        """Return ids of facts, newest first."""
        ...
