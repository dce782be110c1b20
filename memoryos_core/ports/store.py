"""Protocols of the store, each verb of which is one transaction on one scope, and of the index of a scope."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

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
from memoryos_core.values.queries import Candidates, Near, Postings
from memoryos_core.values.reports import ForgetReceipt, Stats


class PageIndex(Protocol):
    """Finds candidates among all pages and current facts of one scope; follows every writer of the store."""

    def candidates(self, scope: Scope, query: str, vector: Vector | None, k: int) -> Candidates:
        """The k best units by words and the k best by vector."""
        ...

    def speakers(self, scope: Scope) -> frozenset[str]:
        """The names that messages of the scope carry."""
        ...

    def forget(self, scope: Scope) -> None:
        """Drop the resident data of a scope."""
        ...

    def keep(self, scope: Scope, stopping: Callable[[], bool]) -> None:
        """Store what a later process starts from, where much of it is not stored yet; give up once `stopping`."""
        ...

    def disagreements(self, scope: Scope) -> tuple[str, ...]:
        """Return the pages and facts of which the stored index says something else than the rows."""
        ...


class VectorIndex(Protocol):
    """Resident nearest-neighbour search over small integer ids; inner product of normalised vectors."""

    def add(self, ids: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        """Add vectors; they replace the earlier vectors of these ids."""
        ...

    def remove(self, ids: NDArray[np.int64]) -> None:
        """Remove ids; unknown ids are ignored."""
        ...

    def scores(self, query: Vector) -> NDArray[np.float32]:
        """Inner product of every id, indexed by id; nan for an id without a vector.

        The score of a vector depends on it and the query alone, not on what else is held or in which order it came.
        """
        ...

    def __len__(self) -> int: ...


class LexicalIndex(Protocol):
    """Resident BM25 over small integer ids, with the statistics of this scope alone."""

    def add(self, id: int, text: str) -> None:
        """Add a text; it replaces the earlier text of this id."""
        ...

    def add_all(self, texts: Mapping[int, str]) -> None:
        """Add texts by id; each replaces the earlier one."""
        ...

    def remove(self, id: int) -> None:
        """Remove an id; an unknown id is ignored."""
        ...

    def scores(self, query: str, near: Sequence[Near] = ()) -> NDArray[np.float32]:
        """BM25 of every id, indexed by id; `near` names the neighbours of an id whose words count too, with weights.

        In one `near` no two ids have the same neighbour. Its numbers do not change: an index may keep what follows.
        """
        ...

    def take(self, texts: Sequence[Postings], ids: NDArray[np.int64]) -> None:
        """Take over texts, the nth of all with the nth id, those with -1 as removed; the index is empty before."""
        ...

    def postings(self, ids: NDArray[np.int64]) -> Postings:
        """Return the words of these ids, numbered from 0 in this order."""
        ...

    def rest(self) -> None:
        """Drop what the next query makes again: none is expected soon."""
        ...

    def coverage(self, query: str, ids: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
        """Share of the query's idf mass that each of these ids matches, or each id, indexed by id."""
        ...

    def __len__(self) -> int: ...


@runtime_checkable
class Store(Protocol):
    """The core of a store: pages, segments, facts, vectors, and the feed of their changes.

    Each verb is one transaction and touches one scope only: when it raises, nothing was changed. A scope begins with
    the first row that is written to it; a write that changes nothing begins none. After `close` every verb but `close`
    raises ClosedError. A store without leases ignores the `holder` of a command, and one without notes is never given
    any. What a store may offer beside it: ports/capabilities.py. The guide: docs/stores.md.
    """

    def append(self, append: Append) -> tuple[Page, ...]:
        """Put new pages in short-term memory, durably; returns them as stored, in order.

        A page is as old as its first message, or as `at`. Raises InvalidInputError for a time without a zone, and when
        another page than the first `extends_last`; ConflictError as `Append` says; StoreError for an id in use.
        """
        ...

    def taken(self, scope: Scope, session_id: str, message_ids: Sequence[str]) -> frozenset[str]:
        """Return those of these messages that the session took by an append that `takes` them and still holds."""
        ...

    def end_session(
        self, scope: Scope, session_id: str, notes: Sequence[NoteWrite] = (), at: datetime | None = None
    ) -> None:
        """Mark the session's pages as of an ended conversation; they stay remembered. `notes` are written with it.

        An ended page never grows, and is no longer the session's last page: the next append begins a new one.
        """
        ...

    def pages(self, query: PageQuery) -> tuple[Page, ...]:
        """Read pages, oldest first: in the order of their seq, which rises with every new page of the scope."""
        ...

    def pending(self, scope: Scope) -> tuple[Pending, ...]:
        """Return the pages of short-term memory, in sequence, without those that `pages` could not read."""
        ...

    def sessions(self, scope: Scope, *, after_seq: int, limit: int) -> frozenset[str]:
        """Up to `limit` sessions that have a page after this seq."""
        ...

    def page_out(self, move: PageOut) -> None:
        """Move a batch from short-term memory into segments; ConflictError when a page or segment changed meanwhile.

        Raises InvalidInputError when a page is moved twice, or into a segment that the command does not describe.
        A chain without a description is stored with an empty summary.
        """
        ...

    def redescribe(self, redescription: Redescription) -> None:
        """Replace descriptions of known segments and chains after a re-reading; ConflictError as for `page_out`."""
        ...

    def segments(
        self, scope: Scope, *, ids: Sequence[str] | None = None, archived: bool = False
    ) -> tuple[Segment, ...]:
        """The segments of mid-term memory (or, `archived`, those evicted from it), oldest first.

        `page_count` and `unanalysed` are counted from their pages.
        """
        ...

    def heat_counters(self, scope: Scope, ids: Sequence[str]) -> dict[str, HeatCounters]:
        """Return the counters behind the heat of these segments, archived ones too; cheap enough for every recall."""
        ...

    def chains(self, scope: Scope, ids: Sequence[str]) -> tuple[Chain, ...]:
        """Dialogue chains by id, in the order of the ids; unknown ids are left out."""
        ...

    def promote(self, promotion: Promotion) -> None:
        """Store what was learnt, mark the pages that were read as analysed, and cool the segment, to 0 at the least."""
        ...

    def facts(
        self,
        scope: Scope,
        *,
        ids: Sequence[str] | None = None,
        text: str | None = None,
        replaced_by: Sequence[str] | None = None,
        after_version: int | None = None,
        current: bool = True,
    ) -> tuple[Fact, ...]:
        """Facts, oldest first; `current=False` also brings superseded, retired and evicted ones.

        Every filter narrows: `text` to facts with the words of this text, whatever the spacing; `replaced_by` to facts
        whose `superseded_by` is one of these ids; `after_version` to facts that changed since the scope's `Cursor` had
        this version. A filter reads no other facts.
        """
        ...

    def profile(self, scope: Scope) -> Profile:
        """The current profile. Its version is 0 before the first trait or field, and grows when one changes or goes."""
        ...

    def evict(self, eviction: Eviction) -> None:
        """Archive or delete segments with their pages; unknown ids are ignored.

        Archived pages stay readable with their vectors, and lose their reread mark. Deleting also takes the chains, the
        vectors and the taken messages of the pages, and starts another epoch. What was learnt stays, without the pages.
        """
        ...

    def visit(self, visit: Visit) -> None:
        """Count visits; unknown ids are ignored. No rev, version or epoch changes, and no access turns back."""
        ...

    def save_vectors(self, scope: Scope, rows: Sequence[VectorRow]) -> None:
        """Write the vectors of pages or facts (all parts of an owner at once); rows of vanished owners are ignored."""
        ...

    def vectors(self, scope: Scope, owner_ids: Sequence[str]) -> dict[str, dict[str, Vector]]:
        """Vectors by owner and part."""
        ...

    def cursor(self, scope: Scope) -> Cursor:
        """Return the present position of the scope's change feed; `Cursor()` for a scope that was not begun.

        The epoch changes whenever pages, facts, traits, fields or all vectors are erased. A scope that begins again
        after it was forgotten gets an epoch that it never had.
        """
        ...

    def feed(self, scope: Scope, after: Cursor, *, limit: int = 500) -> Feed:
        """Pages and facts that changed after a cursor, at most `limit` in all; all of them when the epoch is another.

        Every cursor of an answer is a place to go on from, so each changed page or fact has a version of its own. New
        vectors are a change of their owner.
        """
        ...

    def forget(self, forgetting: Forgetting) -> ForgetReceipt:
        """Erase, with everything derived from it; the receipt counts what went. Unknown ids are ignored.

        A `dry_run` changes nothing, and gives the receipt that erasing would give now.

        Facts, traits and fields that only erased pages support go too; the others lose these pages. A fact replaced by
        an erased one stays replaced: by what had replaced that, or by nothing. Segments and chains without a page go.
        Of the others that lost one, the summary and the keywords become empty and the rev of the segment grows; the
        centroid becomes the mean direction of its pages: empty when some of them have no vector, zeros when none has
        one. The pages of mid-term memory beside an erased page, in its segment or chain, are marked to be read again.
        When nothing was erased, the cursor stays.
        """
        ...

    def scopes(self, *, pending_only: bool = False) -> tuple[Scope, ...]:
        """Every scope that was begun, or those with short-term, unembedded or marked pages.

        In the order of user id and assistant id. One without any row left may be among them, unless it was forgotten
        with `everything`.
        """
        ...

    def stats(self, scope: Scope | None = None) -> Stats:
        """Counts for one scope, or for the store."""
        ...

    def embedder(self) -> EmbedderStamp | None:
        """Return the stamp of the embedder that wrote the vectors."""
        ...

    def stamp_embedder(self, stamp: EmbedderStamp | None) -> None:
        """Record another embedder; drops all vectors, so pages count as not embedded again.

        The centroids become empty, revs grow and every scope starts another epoch. The same stamp changes nothing.
        """
        ...

    def close(self) -> None:
        """Release connections. Closing twice is closing."""
        ...
