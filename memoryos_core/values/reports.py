"""Reports of the verbs: counts and receipts, never content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Literal, TypeAlias

from memoryos_core.values.dialogue import Scope, Tier
from memoryos_core.values.facts import About, FactStatus

RetentionKind: TypeAlias = Literal["pages", "facts"]
RetentionAction: TypeAlias = Literal["archive", "purge"]


@dataclass(frozen=True, slots=True)
class ConsolidationReport:
    """Counts of one consolidation run in one scope.

    `facts_refused` counts what a model said that no page bears out.
    """

    pages_embedded: int = 0
    pages_moved: int = 0
    segments_opened: int = 0
    segments_promoted: int = 0
    facts_learned: int = 0
    facts_superseded: int = 0
    pages_reread: int = 0
    segments_evicted: int = 0
    fallbacks: int = 0
    conflicts: int = 0
    facts_quarantined: int = 0
    facts_refused: int = 0

    def __add__(self, other: ConsolidationReport) -> ConsolidationReport:
        """The sum of two runs, field by field."""
        return ConsolidationReport(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


@dataclass(frozen=True, slots=True)
class ForgetReceipt:
    """Counts of erased rows, by tier; `audit` holds the digests of the audit log entries.

    `taken` counts digests of messages that a session stores once, `units` the rows of the word index. Fields that
    differ between stores or runs are not compared.
    """

    pages_short_term: int = 0
    pages_mid_term: int = 0
    pages_archived: int = 0
    segments: int = 0
    chains: int = 0
    facts: int = 0
    traits: int = 0
    profile_fields: int = 0
    vectors: int = 0
    notes: int = 0
    grants: int = 0
    taken: int = 0
    units: int = field(default=0, compare=False)
    at: datetime | None = field(default=None, compare=False)
    audit: tuple[str, ...] = field(default=(), compare=False)

    @property
    def pages(self) -> int:
        """Pages of all tiers."""
        return self.pages_short_term + self.pages_mid_term + self.pages_archived

    def __add__(self, other: ForgetReceipt) -> ForgetReceipt:
        """Return the sum of two receipts; `at` is the later time."""
        sums = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self) if f.name != "at"}
        return ForgetReceipt(**sums, at=max(filter(None, (self.at, other.at)), default=None))


@dataclass(frozen=True, slots=True)
class RetentionEntry:
    """Items that one policy took, or would take, from one tier of a scope, or from one status of facts."""

    scope: Scope
    policy: str
    kind: RetentionKind
    action: RetentionAction
    place: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RetentionReport:
    """Result of retention policies, planned only with `dry_run`; `receipt` counts all that the purge erased."""

    entries: tuple[RetentionEntry, ...] = ()
    receipt: ForgetReceipt = field(default_factory=ForgetReceipt)
    dry_run: bool = False

    def count(self, *, kind: RetentionKind | None = None, action: RetentionAction | None = None) -> int:
        """Return the number of pages and facts, or of those of one kind or action."""
        named = (e for e in self.entries if kind in (None, e.kind) and action in (None, e.action))
        return sum(len(e.ids) for e in named)

    def __add__(self, other: RetentionReport) -> RetentionReport:
        """Return the sum of two reports."""
        return RetentionReport(
            self.entries + other.entries, self.receipt + other.receipt, self.dry_run or other.dry_run
        )


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of a scope or, summed, of a store.

    `damaged` counts rows that could not be read since the store was opened: reads leave them out, the log names them.
    `profile_fields` of a scope are those that its profile shows, of a store those that it has in rows of their own.
    """

    users: int = 0
    sessions: int = 0
    pages_short_term: int = 0
    pages_mid_term: int = 0
    pages_archived: int = 0
    pages_to_reread: int = 0
    segments: int = 0
    segments_archived: int = 0
    facts_user: int = 0
    facts_assistant: int = 0
    facts_quarantined: int = 0
    traits: int = 0
    profile_fields: int = 0
    damaged: int = 0

    @property
    def pages(self) -> int:
        """Pages of all tiers: what was accepted and not forgotten."""
        return self.pages_short_term + self.pages_mid_term + self.pages_archived


@dataclass(frozen=True, slots=True)
class MonthCount:
    """The pages of one month (1 to 12, UTC), in one tier or in one segment; `until` is the time of the last one."""

    year: int
    month: int
    pages: int
    until: datetime
    tier: Tier | None = None
    segment_id: str | None = None


@dataclass(frozen=True, slots=True)
class FactCount:
    """The facts of one status about one side."""

    status: FactStatus
    about: About
    facts: int


@dataclass(frozen=True, slots=True)
class SessionSpan:
    """A session, the number of its pages, and the times of the first and the last of them."""

    id: str
    pages: int
    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class Backlog:
    """The work that waits in a store: scopes for a worker, pages for their vectors, pages to be read again.

    `seconds` is the longest wait of a scope without a worker, by the database's clock.
    """

    scopes: int = 0
    pages: int = 0
    pages_to_reread: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Usage:
    """Model calls since the memory was opened."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    retries: int = 0
    repairs: int = 0
    failures: int = 0


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """Counts of records that were restored or imported. `remarks` name what could not be."""

    pages: int = 0
    segments: int = 0
    facts: int = 0
    traits: int = 0
    profile_fields: int = 0
    skipped: int = 0
    remarks: tuple[str, ...] = ()
    notes: int = 0


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """Rows that break one law of the store: `count` of them, and the ids of the first twenty.

    `scope` is None for what concerns the database as a whole.
    """

    scope: Scope | None
    law: str
    count: int
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Result of checking a whole store; `deep` tells that every row was read."""

    scopes: int
    deep: bool
    findings: tuple[CheckFinding, ...] = ()

    @property
    def ok(self) -> bool:
        """Return True when no law is broken."""
        return not self.findings


@dataclass(frozen=True, slots=True)
class SalvageReport:
    """Rows that were taken out of a damaged file, by kind; `lost` names every row and page that could not be read."""

    rows: Mapping[str, int]
    lost: tuple[CheckFinding, ...] = ()

    @property
    def ok(self) -> bool:
        """Return True when nothing is known to be lost."""
        return not self.lost


@dataclass(frozen=True, slots=True)
class BackupReport:
    """Result of restoring a backup: its moment, None for a single file, and what it held that was forgotten since."""

    at: datetime | None
    forgotten: ForgetReceipt
