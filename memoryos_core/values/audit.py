"""Values of grants and of the audit log (ADR 0016)."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from memoryos_core.values.dialogue import Scope

AccessRole: TypeAlias = Literal["reader", "writer", "curator", "admin"]
"""Role of an actor in one scope; each role includes the rights of those before it."""

Detail: TypeAlias = Mapping[str, int | str | list[str]]
"""Counts and ids of an act, never remembered text."""

WORKER = "worker"
"""Actor name of consolidation, which no caller requested. No other actor may use this name."""


class Acting:
    """The current actor with its scope and role, while a verb runs."""

    __slots__ = ("actor", "over", "role", "scope", "store")

    def __init__(
        self,
        actor: str | None,
        scope: Scope | None = None,
        role: AccessRole | None = None,
        store: object = None,
    ) -> None:
        self.actor = actor
        self.scope = scope
        self.role: AccessRole | None = role
        self.store = store
        self.over = False  # a task that copied the context may outlive the verb: its permission ends with the verb


ACTING: ContextVar[Acting | None] = ContextVar("memoryos_acting", default=None)
"""None while the application itself acts. Set by the access check and by the worker, read for the audit log."""


@contextmanager
def as_worker() -> Generator[None, None, None]:
    """Run the block without an actor: work done inside is not attributed to the caller."""
    token = ACTING.set(Acting(WORKER))
    try:
        yield
    finally:
        ACTING.reset(token)


@dataclass(frozen=True, slots=True)
class Grant:
    """The role of one actor in one scope."""

    actor: str
    role: AccessRole
    granted_at: datetime


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One act. `actor` is None for the application; `digest` covers all of it, and `previous` the entry before."""

    seq: int
    at: datetime
    actor: str | None
    action: str
    detail: Detail
    previous: str
    digest: str


@dataclass(frozen=True, slots=True)
class AuditReport:
    """Result of checking one chain: `broken` is the seq of the first altered or missing entry, or 0.

    `head` is the digest of the last entry. Keep a copy elsewhere: a chain whose end was deleted still checks out.
    """

    scope: str
    entries: int
    head: str
    broken: int = 0
    why: str = ""

    @property
    def ok(self) -> bool:
        """Return True when the chain is intact up to its last entry."""
        return self.broken == 0


@dataclass(frozen=True, slots=True)
class AuditSummary:
    """Result of checking every chain of a store; `broken` holds the reports of damaged chains."""

    chains: int = 0
    entries: int = 0
    broken: tuple[AuditReport, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Return True when every chain is intact up to its last entry."""
        return not self.broken
