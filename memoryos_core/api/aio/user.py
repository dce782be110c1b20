"""One user's memory for coroutines: one-line twins of `UserMemory`, `Timeline`, `Notes` and `Governance`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from datetime import datetime
from functools import partial
from typing import TypeAlias, TypeVar

from memoryos_core.api.aio.pool import Pool
from memoryos_core.api.audit_heads import ShippedHeads
from memoryos_core.api.governance import Governance, Team
from memoryos_core.api.knowledge import Timeline
from memoryos_core.api.notes import Notes
from memoryos_core.api.user import NoteOfPages, UserMemory
from memoryos_core.config import RetentionPolicy
from memoryos_core.rules.paging.heat import Heat
from memoryos_core.values.audit import Activity, AuditEntry, AuditReport, Grant, LoggedRecall
from memoryos_core.values.dialogue import Hit, Message, Page, Recall, Scope, Segment, Tier, Topic
from memoryos_core.values.facts import About, Dispute, Fact, FactStatus, KnownValue, Profile
from memoryos_core.values.notes import Note, NoteWrite
from memoryos_core.values.reports import (
    ConsolidationReport,
    FactCount,
    ForgetReceipt,
    MonthCount,
    RetentionReport,
    SessionSpan,
    Stats,
)

T = TypeVar("T")


class AsyncUserMemory:
    """`UserMemory` for coroutines: the same verbs and arguments."""

    def __init__(self, pool: Pool, user: Callable[[], UserMemory], scope: Scope, session_id: str) -> None:
        self._pool = pool
        self._user = user
        self.scope = scope
        self.session_id = session_id

    async def _run(self, call: Callable[[UserMemory], T]) -> T:
        return await self._pool.run(lambda: call(self._user()))

    async def add(
        self,
        user: str,
        assistant: str | None = None,
        *,
        timestamp: datetime | None = None,
        user_name: str | None = None,
        assistant_name: str | None = None,
    ) -> Page:
        """See `UserMemory.add`."""
        said = partial(UserMemory.add, user=user, assistant=assistant, timestamp=timestamp)
        return await self._run(lambda u: said(u, user_name=user_name, assistant_name=assistant_name))

    async def add_messages(
        self,
        messages: Sequence[Message],
        *,
        once: bool = False,
        replaces: Collection[str] = (),
        follows: Collection[str] = (),
        reply_to: str | None = None,
    ) -> tuple[Page, ...]:
        """See `UserMemory.add_messages`."""
        said = partial(UserMemory.add_messages, once=once, replaces=replaces, follows=follows, reply_to=reply_to)
        return await self._run(lambda u: said(u, messages))

    async def messages(self, *, budget_tokens: int | None = None) -> tuple[Message, ...]:
        """See `UserMemory.messages`."""
        return await self._run(lambda u: u.messages(budget_tokens=budget_tokens))

    async def transcript(self) -> tuple[Message, ...]:
        """See `UserMemory.transcript`."""
        return await self._run(UserMemory.transcript)

    async def pages(self, ids: Sequence[str] | None = None, *, session: bool = False) -> tuple[Page, ...]:
        """See `UserMemory.pages`."""
        return await self._run(lambda u: u.pages(ids, session=session))

    async def end_session(
        self,
        *,
        note: NoteWrite | NoteOfPages | None = None,
        ended: Sequence[Message] = (),
        messages: Sequence[Message] = (),
    ) -> None:
        """See `UserMemory.end_session`."""
        await self._run(lambda u: u.end_session(note=note, ended=ended, messages=messages))

    async def recall(
        self,
        query: str,
        *,
        budget_tokens: int | None = None,
        include_recent: bool = True,
        shown: Collection[str | Message] = (),
        min_score: float | None = None,
        standing: Collection[str] = (),
    ) -> Recall:
        """See `UserMemory.recall`."""
        asked = partial(UserMemory.recall, query=query, budget_tokens=budget_tokens, include_recent=include_recent)
        return await self._run(lambda u: asked(u, shown=shown, min_score=min_score, standing=standing))

    async def search(  # noqa: PLR0913 - each narrows the search, all by keyword
        self,
        query: str,
        k: int = 5,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        session_id: str | None = None,
        tiers: Sequence[Tier | str] = (),
        min_score: float = 0.0,
    ) -> list[Hit]:
        """See `UserMemory.search`."""
        asked = partial(UserMemory.search, query=query, k=k, since=since, until=until, session_id=session_id)
        return await self._run(lambda u: asked(u, tiers=tiers, min_score=min_score))

    async def chat(self, question: str, *, recall: Recall | None = None) -> str:
        """See `UserMemory.chat`."""
        return await self._run(lambda u: u.chat(question, recall=recall))

    async def profile(self) -> Profile:
        """See `UserMemory.profile`."""
        return await self._run(UserMemory.profile)

    async def facts(
        self,
        about: About | None = None,
        *,
        ids: Sequence[str] | None = None,
        text: str | None = None,
        replaced_by: Sequence[str] | None = None,
        current: bool = True,
        at: datetime | None = None,
    ) -> list[Fact]:
        """See `UserMemory.facts`."""
        return await self._run(
            lambda u: u.facts(about, ids=ids, text=text, replaced_by=replaced_by, current=current, at=at)
        )

    async def history(self, name: str) -> list[KnownValue]:
        """See `UserMemory.history`."""
        return await self._run(lambda u: u.history(name))

    async def disputes(self) -> list[Dispute]:
        """See `UserMemory.disputes`."""
        return await self._run(UserMemory.disputes)

    async def upcoming(self, days: int = 14) -> list[Fact]:
        """See `UserMemory.upcoming`."""
        return await self._run(lambda u: u.upcoming(days))

    async def segments(self, ids: Sequence[str] | None = None, *, archived: bool = False) -> list[Segment]:
        """See `UserMemory.segments`."""
        return await self._run(lambda u: u.segments(ids, archived=archived))

    async def topics(self) -> list[Topic]:
        """See `UserMemory.topics`."""
        return await self._run(lambda u: u.topics())

    async def heat(self, segment: Segment) -> Heat:
        """See `UserMemory.heat`."""
        return await self._run(lambda u: u.heat(segment))

    @property
    def notes(self) -> AsyncNotes:
        """See `UserMemory.notes`: no input or output, so not awaited."""
        return AsyncNotes(self._pool, lambda: self._user().notes, self.scope)

    @property
    def timeline(self) -> AsyncTimeline:
        """See `UserMemory.timeline`: no input or output, so not awaited."""
        return AsyncTimeline(self._pool, lambda: self._user().timeline, self.scope)

    @property
    def governance(self) -> AsyncGovernance:
        """See `UserMemory.governance`: no input or output, so not awaited."""
        return AsyncGovernance(self._pool, lambda: self._user().governance, self.scope)

    async def epoch(self) -> int:
        """See `UserMemory.epoch`."""
        return await self._run(UserMemory.epoch)

    async def stats(self) -> Stats:
        """See `UserMemory.stats`."""
        return await self._run(UserMemory.stats)

    async def inspect(self) -> object:
        """See `UserMemory.inspect`."""
        return await self._run(UserMemory.inspect)

    async def remember(self, text: str, *, about: About = "user", note: NoteWrite | None = None) -> Fact:
        """See `UserMemory.remember`."""
        return await self._run(lambda u: u.remember(text, about=about, note=note))

    async def correct(self, fact_id: Hit | Fact | str, text: str, *, note: NoteWrite | None = None) -> Fact:
        """See `UserMemory.correct`."""
        return await self._run(lambda u: u.correct(fact_id, text, note=note))

    async def useful(self, what: Hit | Fact | str) -> list[Fact]:
        """See `UserMemory.useful`."""
        return await self._run(lambda u: u.useful(what))

    async def retire(self, what: Hit | Fact | str, *, wrong: bool = False) -> list[Fact]:
        """See `UserMemory.retire`."""
        return await self._run(lambda u: u.retire(what, wrong=wrong))

    async def forget(
        self,
        *,
        pages: Sequence[str | Page] = (),
        facts: Sequence[str | Fact] = (),
        session: bool = False,
        everything: bool = False,
        dry_run: bool = False,
    ) -> ForgetReceipt:
        """See `UserMemory.forget`."""
        chosen = partial(UserMemory.forget, pages=pages, facts=facts, session=session)
        return await self._run(lambda u: chosen(u, everything=everything, dry_run=dry_run))

    async def export(self) -> AsyncIterator[dict[str, object]]:
        """See `UserMemory.export`."""
        records = await self._run(UserMemory.export)
        while (record := await self._pool.run(next, records, None)) is not None:
            yield record

    async def consolidate(self) -> ConsolidationReport:
        """See `UserMemory.consolidate`."""
        return await self._run(UserMemory.consolidate)


_Listed: TypeAlias = list[Note]  # inside the class, `list` is a verb


class AsyncNotes:
    """`Notes` for coroutines: the same verbs and arguments."""

    def __init__(self, pool: Pool, notes: Callable[[], Notes], scope: Scope) -> None:
        self._pool = pool
        self._notes = notes
        self.scope = scope

    async def _run(self, call: Callable[[Notes], T]) -> T:
        return await self._pool.run(lambda: call(self._notes()))

    async def write(self, changes: Sequence[NoteWrite]) -> None:
        """See `Notes.write`."""
        await self._run(lambda n: n.write(changes))

    async def get(self, namespace: Sequence[str], key: str) -> Note | None:
        """See `Notes.get`."""
        return await self._run(lambda n: n.get(namespace, key))

    async def search(self, prefix: Sequence[str], query: str, *, min_score: float = 0.0) -> list[tuple[Note, float]]:
        """See `Notes.search`."""
        return await self._run(lambda n: n.search(prefix, query, min_score=min_score))

    async def namespaces(self) -> list[tuple[str, ...]]:
        """See `Notes.namespaces`."""
        return await self._run(Notes.namespaces)

    async def list(self, prefix: Sequence[str] = ()) -> _Listed:
        """See `Notes.list`."""
        return await self._run(lambda n: n.list(prefix))

    async def of_facts(self, fact_ids: Sequence[str]) -> _Listed:
        """See `Notes.of_facts`."""
        return await self._run(lambda n: n.of_facts(fact_ids))


class AsyncGovernance:
    """`Governance` for coroutines: the same verbs and arguments."""

    def __init__(self, pool: Pool, governance: Callable[[], Governance], scope: Scope) -> None:
        self._pool = pool
        self._governance = governance
        self.scope = scope

    async def _run(self, call: Callable[[Governance], T]) -> T:
        return await self._pool.run(lambda: call(self._governance()))

    async def grant(self, actor: str, role: str, *, on: str | None = None, until: datetime | None = None) -> None:
        """See `Governance.grant`."""
        await self._run(lambda g: g.grant(actor, role, on=on, until=until))

    async def revoke(self, actor: str, *, on: str | None = None) -> bool:
        """See `Governance.revoke`."""
        return await self._run(lambda g: g.revoke(actor, on=on))

    async def grants(self) -> list[Grant]:
        """See `Governance.grants`."""
        return await self._run(Governance.grants)

    async def audit(self, *, since: datetime | None = None, after: int = 0, limit: int = 500) -> list[AuditEntry]:
        """See `Governance.audit`."""
        return await self._run(lambda g: g.audit(since=since, after=after, limit=limit))

    async def recalls(self, *, of: str | None = None, limit: int = 100) -> list[LoggedRecall]:
        """See `Governance.recalls`."""
        return await self._run(lambda g: g.recalls(of=of, limit=limit))

    async def activity(self, *, days: int = 7) -> Activity:
        """See `Governance.activity`."""
        return await self._run(lambda g: g.activity(days=days))

    async def verify(self, *, head: str | None = None, shipped: ShippedHeads | None = None) -> AuditReport:
        """See `Governance.verify`."""
        return await self._run(lambda g: g.verify(head=head, shipped=shipped))

    async def retain(
        self, policies: Sequence[RetentionPolicy] | None = None, *, dry_run: bool = False
    ) -> RetentionReport:
        """See `Governance.retain`."""
        return await self._run(lambda g: g.retain(policies, dry_run=dry_run))

    async def quarantined(self) -> list[Fact]:
        """See `Governance.quarantined`."""
        return await self._run(Governance.quarantined)

    async def release(self, facts: Sequence[str | Fact]) -> list[Fact]:
        """See `Governance.release`."""
        return await self._run(lambda g: g.release(facts))

    async def reject(self, facts: Sequence[str | Fact]) -> ForgetReceipt:
        """See `Governance.reject`."""
        return await self._run(lambda g: g.reject(facts))


class AsyncTeam:
    """`Team` for coroutines: the same verbs and arguments."""

    def __init__(self, pool: Pool, team: Callable[[], Team]) -> None:
        self._pool = pool
        self._team = team

    async def add(self, actor: str, *, until: datetime | None = None) -> None:
        """See `Team.add`."""
        await self._pool.run(lambda: self._team().add(actor, until=until))

    async def remove(self, actor: str) -> bool:
        """See `Team.remove`."""
        return await self._pool.run(lambda: self._team().remove(actor))

    async def members(self) -> list[Grant]:
        """See `Team.members`."""
        return await self._pool.run(lambda: self._team().members())

    async def audit(self, *, after: int = 0, limit: int = 500) -> list[AuditEntry]:
        """See `Team.audit`."""
        return await self._pool.run(lambda: self._team().audit(after=after, limit=limit))


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
