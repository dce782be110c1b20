"""Grants and the audit log for coroutines: one-line twins of `Governance`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

from memoryos_core.api.aio.pool import Pool
from memoryos_core.api.governance import Governance
from memoryos_core.config import RetentionPolicy
from memoryos_core.values.audit import AuditEntry, AuditReport, Grant
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.facts import Fact
from memoryos_core.values.reports import ForgetReceipt, RetentionReport

T = TypeVar("T")


class AsyncGovernance:
    """`Governance` for coroutines: the same verbs and arguments."""

    def __init__(self, pool: Pool, governance: Callable[[], Governance], scope: Scope) -> None:
        self._pool = pool
        self._governance = governance
        self.scope = scope

    async def _run(self, call: Callable[[Governance], T]) -> T:
        return await self._pool.run(lambda: call(self._governance()))

    async def grant(self, actor: str, role: str) -> None:
        """See `Governance.grant`."""
        await self._run(lambda g: g.grant(actor, role))

    async def revoke(self, actor: str) -> bool:
        """See `Governance.revoke`."""
        return await self._run(lambda g: g.revoke(actor))

    async def grants(self) -> list[Grant]:
        """See `Governance.grants`."""
        return await self._run(Governance.grants)

    async def audit(self, *, since: datetime | None = None, after: int = 0, limit: int = 500) -> list[AuditEntry]:
        """See `Governance.audit`."""
        return await self._run(lambda g: g.audit(since=since, after=after, limit=limit))

    async def verify(self, *, head: str | None = None) -> AuditReport:
        """See `Governance.verify`."""
        return await self._run(lambda g: g.verify(head=head))

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
