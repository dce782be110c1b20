"""Turns and facts in parts for coroutines: one-line twins of `Timeline`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from memoryos_core.api.aio.pool import Pool
from memoryos_core.api.topics import Timeline
from memoryos_core.values.dialogue import Page, Scope
from memoryos_core.values.facts import About, Fact, FactStatus
from memoryos_core.values.reports import FactCount, MonthCount, SessionSpan

T = TypeVar("T")


class AsyncTimeline:
    """`Timeline` for coroutines: the same verbs and arguments."""

    def __init__(self, pool: Pool, timeline: Callable[[], Timeline], scope: Scope) -> None:
        self._pool = pool
        self._timeline = timeline
        self.scope = scope

    async def _run(self, call: Callable[[Timeline], T]) -> T:
        return await self._pool.run(lambda: call(self._timeline()))

    async def months(self, segments: Sequence[str] | None = None) -> list[MonthCount]:
        """See `Timeline.months`."""
        return await self._run(lambda t: t.months(segments))

    async def sessions(
        self, ids: Sequence[str] | None = None, *, limit: int = 25, offset: int = 0
    ) -> list[SessionSpan]:
        """See `Timeline.sessions`."""
        return await self._run(lambda t: t.sessions(ids, limit=limit, offset=offset))

    async def pages(
        self, *, session: str | None = None, segment: str | None = None, limit: int = 25, offset: int = 0
    ) -> tuple[Page, ...]:
        """See `Timeline.pages`."""
        return await self._run(lambda t: t.pages(session=session, segment=segment, limit=limit, offset=offset))

    async def facts(
        self,
        statuses: Sequence[FactStatus] = ("current",),
        *,
        about: About | None = None,
        pages: Sequence[Page | str] | None = None,
        limit: int = 25,
        offset: int = 0,
    ) -> list[Fact]:
        """See `Timeline.facts`."""
        return await self._run(lambda t: t.facts(statuses, about=about, pages=pages, limit=limit, offset=offset))

    async def fact_counts(self) -> list[FactCount]:
        """See `Timeline.fact_counts`."""
        return await self._run(Timeline.fact_counts)
