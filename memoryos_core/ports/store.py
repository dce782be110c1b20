"""Protocol of the store: each verb is one transaction on one scope."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from memoryos_core.ports.audit import Ledgers
from memoryos_core.ports.backlog import Measured
from memoryos_core.ports.leases import Leasing
from memoryos_core.ports.rekey import Keyed
from memoryos_core.ports.retention import Retaining
from memoryos_core.values.commands import (
    Append,
    Cursor,
    EmbedderStamp,
    Eviction,
    Feed,
    Forgetting,
    PageOut,
    PageQuery,
    Pending,
    Promotion,
    Record,
    Redescription,
    VectorRow,
    Visit,
)
from memoryos_core.values.dialogue import Chain, HeatCounters, Page, Scope, Segment, Vector
from memoryos_core.values.facts import Fact, Profile
from memoryos_core.values.notes import Note, NoteWrite
from memoryos_core.values.reports import ForgetReceipt, RestoreReport, Stats


@runtime_checkable
class Store(Keyed, Leasing, Ledgers, Measured, Retaining, Protocol):
    """The store. Each verb is one transaction and touches one scope only."""

    def append(self, append: Append) -> tuple[Page, ...]:
        """Put new pages in short-term memory, durably; returns them as stored, in order."""
        ...

    def taken(self, scope: Scope, session_id: str, message_ids: Sequence[str]) -> frozenset[str]:
        """Return those of these messages that the session took by an append that `takes` them and still holds."""
        ...

    def end_session(
        self, scope: Scope, session_id: str, notes: Sequence[NoteWrite] = (), at: datetime | None = None
    ) -> None:
        """Mark the session's pages as of an ended conversation; they stay remembered. `notes` are written with it."""
        ...

    def pages(self, query: PageQuery) -> tuple[Page, ...]:
        """Read pages."""
        ...

    def pending(self, scope: Scope) -> tuple[Pending, ...]:
        """Return the pages of short-term memory, in sequence, without those that `pages` could not read."""
        ...

    def sessions(self, scope: Scope, *, after_seq: int, limit: int) -> frozenset[str]:
        """Up to `limit` sessions that have a page after this seq."""
        ...

    def page_out(self, move: PageOut) -> None:
        """Move a batch from short-term memory into segments; ConflictError when a page or segment changed meanwhile."""
        ...

    def redescribe(self, redescription: Redescription) -> None:
        """Replace descriptions after a re-reading; ConflictError as for `page_out`."""
        ...

    def segments(
        self, scope: Scope, *, ids: Sequence[str] | None = None, archived: bool = False
    ) -> tuple[Segment, ...]:
        """The segments of mid-term memory (or, `archived`, those evicted from it), oldest first."""
        ...

    def heat_counters(self, scope: Scope, ids: Sequence[str]) -> dict[str, HeatCounters]:
        """Return the counters behind the heat of these segments, archived ones too; cheap enough for every recall."""
        ...

    def chains(self, scope: Scope, ids: Sequence[str]) -> tuple[Chain, ...]:
        """Dialogue chains by id."""
        ...

    def promote(self, promotion: Promotion) -> None:
        """Store what was learnt, mark the pages that were read as analysed, and cool the segment."""
        ...

    def facts(self, scope: Scope, *, ids: Sequence[str] | None = None, current: bool = True) -> tuple[Fact, ...]:
        """Facts, oldest first; `current=False` also brings superseded, retired and evicted ones."""
        ...

    def facts_like(self, scope: Scope, text: str, *, current: bool = True) -> tuple[Fact, ...]:
        """Facts with the words of this text, whatever the spacing, oldest first; other facts are not read."""
        ...

    def facts_replaced(self, scope: Scope, ids: Sequence[str], *, current: bool = False) -> tuple[Fact, ...]:
        """Facts whose `superseded_by` is one of these, oldest first; other facts are not read."""
        ...

    def profile(self, scope: Scope) -> Profile:
        """The current profile."""
        ...

    def evict(self, eviction: Eviction) -> None:
        """Archive or delete segments with their pages."""
        ...

    def visit(self, visit: Visit) -> None:
        """Count visits."""
        ...

    def save_vectors(self, scope: Scope, rows: Sequence[VectorRow]) -> None:
        """Write the vectors of pages or facts (all parts of an owner at once); rows of vanished owners are ignored."""
        ...

    def vectors(self, scope: Scope, owner_ids: Sequence[str]) -> dict[str, dict[str, Vector]]:
        """Vectors by owner and part."""
        ...

    def write_notes(
        self, scope: Scope, changes: Sequence[NoteWrite], at: datetime, *, embedder: str | None = None
    ) -> None:
        """Put and delete notes; the last change of a name wins, `created_at` outlives updates.

        `embedder` names the maker of the vectors: vectors of another embedder than the store's are left out.
        """
        ...

    def notes(
        self, scope: Scope, prefix: Sequence[str] = (), *, key: str | None = None, vectors: bool = False
    ) -> tuple[Note, ...]:
        """Notes under a prefix of whole labels, last updated first; with `key`, the one note of exactly `prefix`."""
        ...

    def notes_of(self, scope: Scope, fact_ids: Sequence[str]) -> tuple[Note, ...]:
        """Notes that belong to one of these facts, in order of writing; other notes are not read."""
        ...

    def note_namespaces(self, scope: Scope) -> tuple[tuple[str, ...], ...]:
        """Every namespace that holds a note, sorted."""
        ...

    def save_note_vectors(self, scope: Scope, embedded: Sequence[Note], *, embedder: str) -> None:
        """Write vectors of notes with unchanged text; those of another embedder than the store's are left out."""
        ...

    def cursor(self, scope: Scope) -> Cursor:
        """Return the present position of the scope's change feed."""
        ...

    def feed(self, scope: Scope, after: Cursor, *, limit: int = 500) -> Feed:
        """Pages and facts that changed after a cursor."""
        ...

    def forget(self, forgetting: Forgetting) -> ForgetReceipt:
        """Erase, with everything derived from it."""
        ...

    def export(self, scope: Scope) -> Iterator[Record]:
        """Every row of the scope as plain records."""
        ...

    def restore(self, scope: Scope, records: Iterable[Record]) -> RestoreReport:
        """Restore exported records; records that exist already are skipped."""
        ...

    def scopes(self, *, pending_only: bool = False) -> tuple[Scope, ...]:
        """Every scope, or those with short-term, unembedded or marked pages."""
        ...

    def stats(self, scope: Scope | None = None) -> Stats:
        """Counts for one scope, or for the store."""
        ...

    def embedder(self) -> EmbedderStamp | None:
        """Return the stamp of the embedder that wrote the vectors."""
        ...

    def stamp_embedder(self, stamp: EmbedderStamp | None) -> None:
        """Record another embedder; drops all vectors, so pages count as not embedded again."""
        ...

    def close(self) -> None:
        """Release connections."""
        ...
