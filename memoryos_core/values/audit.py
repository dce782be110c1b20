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

TEAM = "team:"
"""Begins the name of a team where a grant names one, as in "team:physio". No actor's name may begin so."""


def team_scope(team: str) -> Scope:
    """Return the scope whose grants are the members of a team; its user has no name, so no handle opens it."""
    return Scope("", team)


class Acting:
    """The current actor with its scope and role, while a verb runs."""

    __slots__ = ("actor", "over", "role", "scope", "store", "within")

    def __init__(
        self,
        actor: str | None,
        scope: Scope | None = None,
        role: AccessRole | None = None,
        store: object = None,
        *,
        within: bool = False,
    ) -> None:
        self.actor = actor
        self.scope = scope
        self.role: AccessRole | None = role
        self.store = store
        self.within = within  # a verb that another verb of the same actor calls
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
    """The role of one actor, or of one team, in one scope; it ends at `until`, by the memory's clock."""

    actor: str
    role: AccessRole
    granted_at: datetime
    until: datetime | None = None


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
class AuditHead:
    """The last entry of a chain: its number, which is that of the entries, and its digest."""

    scope: str
    entries: int
    digest: str


@dataclass(frozen=True, slots=True)
class LoggedRecall:
    """One recall as the audit log tells it, without its question.

    `actor` is None for the application. `ids` are those of the pages and facts it brought, best first, and `hits` says
    how many there were: only the first hundred are named.
    """

    seq: int
    at: datetime
    actor: str | None
    hits: int
    tokens: int
    budget_tokens: int
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Activity:
    """Counts of acts in a memory since a moment, by the newest entries of its audit log.

    Attributes:
        worker_at: when consolidation wrote here last; None when none of these entries is of a worker.
        pages_added: turns that were added.
        pages_moved: turns that left short-term memory for a topic.
        segments_evicted: topics that left mid-term memory.
        facts_read: facts that were read from pages.
        facts_told: facts that were told, corrected or released on purpose.
        erased: times that something was forgotten.
    """

    worker_at: datetime | None = None
    pages_added: int = 0
    pages_moved: int = 0
    segments_evicted: int = 0
    facts_read: int = 0
    facts_told: int = 0
    erased: int = 0


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
