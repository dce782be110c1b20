"""What the verbs of the face answer with when they have done something: counts and receipts, never content."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class ConsolidationReport:
    """What one run of the updater did for one scope."""

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

    def __add__(self, other: ConsolidationReport) -> ConsolidationReport:
        """The sum of two runs, field by field."""
        return ConsolidationReport(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


@dataclass(frozen=True, slots=True)
class ForgetReceipt:
    """What went, tier by tier."""

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

    @property
    def pages(self) -> int:
        """Pages of all tiers."""
        return self.pages_short_term + self.pages_mid_term + self.pages_archived


@dataclass(frozen=True, slots=True)
class Stats:
    """How much a scope (or, summed, a store) holds."""

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
    traits: int = 0
    profile_fields: int = 0

    @property
    def pages(self) -> int:
        """Pages of all tiers: what was accepted and not forgotten."""
        return self.pages_short_term + self.pages_mid_term + self.pages_archived


@dataclass(frozen=True, slots=True)
class Usage:
    """What the models were asked since the memory was opened."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    retries: int = 0
    repairs: int = 0
    failures: int = 0


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """What `restore` or the importer of published files brought in. `remarks` say what could not be."""

    pages: int = 0
    segments: int = 0
    facts: int = 0
    traits: int = 0
    profile_fields: int = 0
    skipped: int = 0
    remarks: tuple[str, ...] = ()
    notes: int = 0
