"""Protocol of the store: each verb is one transaction on one scope."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

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
    Redescription,
    VectorRow,
    Visit,
)
from memoryos_core.values.dialogue import Chain, HeatCounters, Page, Scope, Segment, Vector
from memoryos_core.values.facts import Fact, Profile
from memoryos_core.values.notes import NoteWrite
from memoryos_core.values.reports import ForgetReceipt, Stats


@runtime_checkable
class Store(Protocol):
    """The core of a store: pages, segments, facts, vectors, and the feed of their changes.

    Each verb is one transaction and touches one scope only. What a store may offer beside it: ports/capabilities.py.
    """

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

    def facts(
        self,
        scope: Scope,
        *,
        ids: Sequence[str] | None = None,
        text: str | None = None,
        replaced_by: Sequence[str] | None = None,
        current: bool = True,
    ) -> tuple[Fact, ...]:
        """Facts, oldest first; `current=False` also brings superseded, retired and evicted ones.

        Every filter narrows: `text` to facts with the words of this text, whatever the spacing; `replaced_by` to facts
        whose `superseded_by` is one of these ids. A filter reads no other facts.
        """
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

    def cursor(self, scope: Scope) -> Cursor:
        """Return the present position of the scope's change feed."""
        ...

    def feed(self, scope: Scope, after: Cursor, *, limit: int = 500) -> Feed:
        """Pages and facts that changed after a cursor."""
        ...

    def forget(self, forgetting: Forgetting) -> ForgetReceipt:
        """Erase, with everything derived from it."""
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
