"""Protocol of grants and the audit log: who may use a scope, and what was done in it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Protocol

from memoryos_core.values.audit import AccessRole, AuditEntry, AuditReport, Grant
from memoryos_core.values.dialogue import Scope


class Ledgers(Protocol):
    """Grants and the audit log. The current actor is read from `memoryos_core.values.audit.ACTING`."""

    def role(self, scope: Scope, actor: str) -> AccessRole | None:
        """The role that an actor has now; None when it has none."""
        ...

    def grant(self, scope: Scope, actor: str, role: AccessRole, at: datetime) -> None:
        """Give an actor a role, in place of the one it has; the scope need not exist yet."""
        ...

    def revoke(self, scope: Scope, actor: str, at: datetime) -> bool:
        """Take an actor's role away; return True when it had one."""
        ...

    def grants(self, scope: Scope) -> tuple[Grant, ...]:
        """Every actor with a role in the scope, by name."""
        ...

    def deny(self, scope: Scope, verb: str, at: datetime) -> None:
        """Note that the acting actor was refused a verb."""
        ...

    def audit(
        self, scope: Scope, *, after: int = 0, since: datetime | None = None, limit: int = 500
    ) -> tuple[AuditEntry, ...]:
        """The oldest entries with a greater seq than `after`, written at `since` or later; survives forgetting."""
        ...

    def verify_audit(self, scope: Scope, head: str | None = None) -> AuditReport:
        """Check the scope's chain; one in which the digest `head` does not occur is broken, too."""
        ...

    def verify_audits(self) -> Iterator[AuditReport]:
        """Check every chain, one after another, those of forgotten users too."""
        ...
