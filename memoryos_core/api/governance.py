"""The administration of a memory: roles of actors, the audit log, and facts in quarantine (ADR 0016)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from memoryos_core.api import review as telling
from memoryos_core.api.access import Gate, require_role
from memoryos_core.api.engine import Engine
from memoryos_core.config import RetentionPolicy
from memoryos_core.errors import InvalidInputError
from memoryos_core.ports import Store
from memoryos_core.ports.capabilities import AuditStore, capability
from memoryos_core.rules import validation as accepting
from memoryos_core.rules.safety import access
from memoryos_core.values.audit import WORKER, AuditEntry, AuditReport, AuditSummary, Grant
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.facts import Fact
from memoryos_core.values.reports import ForgetReceipt, RetentionReport


class Governance:
    """Grants and the audit log of one user with one assistant. Every verb may raise AccessError and StoreError.

    Examples:
        >>> from memoryos_core import MemoryOS
        >>> with MemoryOS("sqlite://", embedder=None) as memory:
        ...     memory.user("ada").governance.grant("bot-7", "reader")
        ...     [(grant.actor, grant.role) for grant in memory.user("ada").governance.grants()]
        [('bot-7', 'reader')]
    """

    def __init__(self, engine: Callable[[], Engine], scope: Scope, actor: str | None = None) -> None:
        self._open = engine
        self.scope = scope
        self.gate = Gate(engine, scope, actor)

    @property
    def _log(self) -> AuditStore:
        return capability(self._open().parts.store, AuditStore)

    @require_role
    def grant(self, actor: str, role: str) -> None:
        """Give an actor the role "reader", "writer", "curator" or "admin" here, at once and in all processes.

        Raises InvalidInputError for another role, or a name that no actor can have.
        """
        parts = self._open().parts
        self._log.grant(self.scope, actor_name(actor), access.parse_role(role), parts.clock())

    @require_role
    def revoke(self, actor: str) -> bool:
        """Take an actor's role away, at once and in all processes; return whether it had one."""
        parts = self._open().parts
        return self._log.revoke(self.scope, actor_name(actor), parts.clock())

    @require_role
    def grants(self) -> list[Grant]:
        """Return every actor with a role here, by name. The application needs no role and is not listed."""
        return list(self._log.grants(self.scope))

    @require_role
    def audit(self, *, since: datetime | None = None, after: int = 0, limit: int = 500) -> list[AuditEntry]:
        """Return the audit entries, oldest first: those after the seq `after`, and not before `since`."""
        most, start = accepting.count("limit", limit), accepting.whole_number("after", after)
        begin = accepting.moment("since", since)
        return list(self._log.audit(self.scope, after=start, since=begin, limit=most))

    @require_role
    def verify(self, *, head: str | None = None) -> AuditReport:
        """Check the chain of the audit log, and that the digest `head`, noted earlier, is still in it."""
        noted = None if head is None else accepting.text("head", head)
        return self._log.verify_audit(self.scope, noted)

    @require_role
    def retain(self, policies: Sequence[RetentionPolicy] | None = None, *, dry_run: bool = False) -> RetentionReport:
        """Apply retention policies, else the configured ones, here; `dry_run` only says what would go."""
        return self._open().retain(self.scope, policies, dry_run=accepting.flag("dry_run", dry_run))

    @require_role
    def quarantined(self) -> list[Fact]:
        """Return the facts that wait for review, oldest first; their `labels` say why they were held back."""
        return telling.facts_to_review(self._open(), self.scope)

    @require_role
    def release(self, facts: Sequence[str | Fact]) -> list[Fact]:
        """Make facts in quarantine current, in place of what they were to replace; returns them.

        Raises NotFoundError unless all of them wait, ConflictError when one was reviewed or replaced meanwhile.
        """
        return telling.release(self._open(), self.scope, accepting.ids("facts", facts))

    @require_role
    def reject(self, facts: Sequence[str | Fact]) -> ForgetReceipt:
        """Erase facts in quarantine; their pages stay. Raises NotFoundError unless all of them wait."""
        return telling.reject(self._open(), self.scope, accepting.ids("facts", facts))


def verify_all(store: Store, *, progress: bool) -> AuditSummary:
    """Check every chain of a store, with a bar that counts them."""
    from tqdm import tqdm  # noqa: PLC0415 - only who waits for this long work needs it

    chains = entries = 0
    broken: list[AuditReport] = []
    for report in tqdm(
        capability(store, AuditStore).verify_audits(), desc="verify", unit="chain", disable=not progress
    ):
        chains, entries = chains + 1, entries + report.entries
        if not report.ok:
            broken.append(report)
    return AuditSummary(chains, entries, tuple(broken))


def actor_name(value: object) -> str:
    """The name of an actor, as it is. Raises InvalidInputError."""
    name = accepting.identifier("actor", value)
    if name == WORKER:
        raise InvalidInputError(f"actor={name!r} is reserved for consolidation in the audit log: choose another name")
    return name
