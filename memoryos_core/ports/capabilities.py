"""Capabilities that a store may offer beside its core: each is one protocol, used where it is offered.

A store without a capability works. A verb that needs it raises UnsupportedError (`capability`), except for leases: a
store without them belongs to one process, which shares out the work itself (consolidation/leases.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar, runtime_checkable

from memoryos_core.config import RetentionKind
from memoryos_core.errors import UnsupportedError
from memoryos_core.ports.browsing import BrowseStore
from memoryos_core.ports.store import Store
from memoryos_core.values.audit import AccessRole, AuditEntry, AuditHead, AuditReport, Grant
from memoryos_core.values.commands import NoteWrite, Record
from memoryos_core.values.dialogue import Page, Recall, Scope, Vector
from memoryos_core.values.encryption_keys import KeyChoice
from memoryos_core.values.facts import Fact
from memoryos_core.values.notes import Note
from memoryos_core.values.queries import Analysed, Candidates, IndexChunk, IndexOwners, Mark, VectorBlock
from memoryos_core.values.reports import Backlog, CheckFinding, ForgetReceipt, RestoreReport

Analyse: TypeAlias = Callable[[Page | Fact], Sequence[Analysed]]
"""Returns the searchable units of a page or a fact. For the same words it must always return the same result."""

Prune: TypeAlias = Callable[[Scope, IndexChunk, Collection[str], Collection[str]], IndexChunk | None]
"""Returns a chunk without these pages and facts: the same one if it holds none of them, None if it cannot be read."""

_Capability = TypeVar("_Capability")


@runtime_checkable
class LeaseStore(Protocol):
    """Leases of scopes, with an end by the store's clock, since the clocks of hosts may differ by hours.

    A scope is due when an append, a restore, a forgetting or another embedder left work in it. Commands that name their
    holder (such as `commands.PageOut`) are refused once another process holds the lease.
    """

    def claim(self, holder: str, seconds: float, *, limit: int = 1, wait: bool = False) -> tuple[Scope, ...]:
        """Lease scopes that are due and that nobody holds, the longest due first; two never get the same.

        A scope that another process is writing to is skipped; with `wait`, it is waited for when no other is due.
        Raises StoreBusyError when that takes too long.
        """
        ...

    def lease(self, scope: Scope, holder: str, seconds: float) -> bool:
        """Take or extend the lease of one scope, due or not; False while another holds it, or without the scope."""
        ...

    def renew(self, scope: Scope, holder: str, seconds: float) -> bool:
        """Extend the holder's lease, expired or not; False when another process has taken it."""
        ...

    def release(self, scope: Scope, holder: str, *, again_after: float | None = None) -> None:
        """End the lease. The scope is due no more, or after some seconds; at once if work was written meanwhile.

        Does nothing when another process holds the lease.
        """
        ...

    def holder(self, scope: Scope) -> str | None:
        """Return the current holder of the scope; None without one."""
        ...


@runtime_checkable
class AuditStore(Protocol):
    """Grants and the audit log. The current actor is read from `memoryos_core.values.audit.ACTING`."""

    def roles(self, scope: Scope, actor: str, at: datetime) -> Mapping[str, AccessRole]:
        """Return the roles that hold at a moment: the actor's own, by its name, and those of all teams, by theirs.

        A team is a grant to "team:…"; its members are the grants in the scope `team_scope` of that name.
        """
        ...

    def grant(self, scope: Scope, actor: str, role: AccessRole, at: datetime, *, until: datetime | None = None) -> None:
        """Give an actor or a team a role, in place of the one it has; the scope need not exist yet."""
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

    def log_read(self, scope: Scope, verb: str, items: int, at: datetime) -> None:
        """Note that the acting actor is about to be given so many things by a verb."""
        ...

    def audit(
        self, scope: Scope, *, after: int = 0, since: datetime | None = None, limit: int = 500
    ) -> tuple[AuditEntry, ...]:
        """The oldest entries with a greater seq than `after`, written at `since` or later; survives forgetting."""
        ...

    def newest_audit(
        self,
        scope: Scope,
        actions: Sequence[str] = (),
        *,
        actor: str | None = None,
        naming: str | None = None,
        since: datetime | None = None,
        limit: int = 500,
    ) -> tuple[AuditEntry, ...]:
        """The newest entries first: of these actions, of this actor, with this id in the detail, since a moment.

        Only the newest ten thousand entries are looked at, so that the time does not grow with the log.
        """
        ...

    def record_recall(self, scope: Scope, recall: Recall, at: datetime) -> None:
        """Note that the acting actor recalled something: ids and counts, never the question."""
        ...

    def verify_audit(
        self, scope: Scope, head: str | None = None, noted: Mapping[int, str] | None = None
    ) -> AuditReport:
        """Check the scope's chain.

        One in which the digest `head` does not occur is broken, too, or one where an entry that was `noted` elsewhere,
        a digest by its number, is missing or another.
        """
        ...

    def verify_audits(self, noted: Mapping[str, Mapping[int, str]] | None = None) -> Iterator[AuditReport]:
        """Check every chain, one after another, those of forgotten users too, and that each of `noted` is there."""
        ...

    def audit_heads(self) -> Iterator[AuditHead]:
        """Return the last entry of every chain, without a check."""
        ...


@runtime_checkable
class NoteStore(Protocol):
    """Values of the application under its own names, apart from the conversation (ADR 0007)."""

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


@runtime_checkable
class ExportStore(Protocol):
    """A scope as plain records, out and in."""

    def export(self, scope: Scope) -> Iterator[Record]:
        """Every row of the scope as plain records."""
        ...

    def restore(self, scope: Scope, records: Iterable[Record]) -> RestoreReport:
        """Restore exported records; records that exist already are skipped."""
        ...


@runtime_checkable
class RetentionStore(Protocol):
    """The verbs that retention policies need, and the vacuum that leaves no trace of forgotten rows."""

    def marks(self, scope: Scope, kind: RetentionKind, *, after: int = 0, limit: int = 5000) -> tuple[Mark, ...]:
        """Return times and sources, without content, of pages or facts with a seq above `after`, in that order."""
        ...

    def archive(self, scope: Scope, kind: RetentionKind, ids: Sequence[str]) -> int:
        """Take pages out of mid-term memory, or facts out of the current ones (as "evicted"); return their number.

        Items elsewhere are skipped; archived items stay readable. Pages stay in their segment, which is archived when
        no page of mid-term memory is left in it; they are no longer read into long-term memory.
        """
        ...

    def scopes_of(self, user_id: str) -> tuple[Scope, ...]:
        """Every scope of one user, whatever the assistant."""
        ...

    def vacuum(self, *, full: bool = False) -> None:
        """Free the space of erased rows; with `full`, leave no old image of them in the files of the tables."""
        ...


@runtime_checkable
class RekeyStore(Protocol):
    """The capability that `MemoryOS.rekey` needs from a store."""

    def rekey(self, new_key: KeyChoice) -> None:
        """Encrypt everything with another key; when interrupted, one of the two keys opens everything.

        Raises StoreKeyError when it is not encrypted; nothing was changed then.
        """
        ...


@runtime_checkable
class CheckStore(Protocol):
    """A store that can look for broken rows in itself, and for damage to its files. Nothing is changed."""

    def check_database(self, *, deep: bool) -> tuple[CheckFinding, ...]:
        """Ask the database whether it is sound; with `deep`, down to each page of its file."""
        ...

    def check_scope(self, scope: Scope, *, deep: bool) -> tuple[CheckFinding, ...]:
        """Return the laws that rows of one scope break; with `deep`, every row is read and decoded."""
        ...


@runtime_checkable
class BackupStore(Protocol):
    """A store that can be copied while it is in use."""

    def backup(self, path: Path, *, incremental: bool = False) -> None:
        """Write a copy of one moment to a new file; nothing stands at the path before the copy is complete.

        `incremental` adds a backup to a folder: what has changed since its last one, or everything.

        Raises UnsupportedError for a database that brings its own tools, and StoreUnwritableError.
        """
        ...


@runtime_checkable
class ForgottenStore(Protocol):
    """A store that keeps receipts of what was forgotten, for copies that were made before (ADR 0035)."""

    def forgotten(self, *, secret: bool = False) -> Iterator[Mapping[str, object]]:
        """Yield receipts of all that was forgotten; with `secret`, the head holds the key of their digests."""
        ...

    def forget_again(self, receipts: Iterable[Mapping[str, object]]) -> ForgetReceipt:
        """Forget what receipts of this store name, and return what went. Raises InvalidInputError."""
        ...


@runtime_checkable
class BacklogStore(Protocol):
    """A store that can say how far behind its workers are."""

    def backlog(self) -> Backlog:
        """Return the waiting work of all scopes; cheap enough to call every few seconds."""
        ...


@runtime_checkable
class SearchStore(Protocol):
    """The part of a store that ranks where it can (PostgreSQL, opened with an `Analyse`)."""

    @property
    def searches(self) -> bool:
        """Return True when `ranked` and `speakers` work on this database."""
        ...

    def ranked(
        self,
        scope: Scope,
        terms: Mapping[str, float],
        vector: Vector | None,
        k: int,
        *,
        window: float,
        counted: Mapping[str, float] | None = None,
    ) -> Candidates:
        """The k best units by words and the k best by vector, oldest first, as `PageIndex.candidates` promises.

        The score of each term counts by its weight, 0 to 1. `coverage` is the share of the `counted` terms of weight 1,
        None is all terms; those of less weight, which are among the terms, add to it.
        """
        ...

    def speakers(self, scope: Scope) -> frozenset[str]:
        """The names that messages of the scope carry."""
        ...

    def analyse_again(self, scope: Scope, *, if_marked: bool = False) -> None:
        """Make the scope's units and postings afresh from its pages and facts.

        With `if_marked` only where something was written without being analysed: a worker asks before each run.
        """
        ...


@runtime_checkable
class IndexStore(Protocol):
    """A store that keeps the resident index of a scope in chunks, so that a process starts from them (ADR 0032).

    Chunks hold words of the user: whatever erases rows of a scope prunes its chunks in the same transaction, or erases
    them all.
    """

    def index_owners(self, scope: Scope) -> IndexOwners:
        """Return the pages and facts that are there, so that an index drops the others when something was erased."""
        ...

    def index_chunks(self, scope: Scope, *, after: int = 0, heads: bool = False) -> tuple[IndexChunk, ...]:
        """Return the chunks with a greater number than `after`, in order; with `heads` without their content."""
        ...

    def write_index_chunk(self, scope: Scope, chunk: IndexChunk, *, seen: Sequence[str]) -> bool:
        """Store a chunk in place of all with its number or a greater one; return True when it was written.

        Nothing is written when the checksums of the scope's chunks are no longer those `seen`, when the scope has
        another epoch than the chunk, or when the chunk ends beyond the scope's version.
        """
        ...

    def read_index_vectors(self, scope: Scope, take: Callable[[VectorBlock], None]) -> bool:
        """Give all vectors of the store's embedder to `take`, block by block, as they are at one moment.

        False without an embedder, and for a vector that cannot be read: then whoever asks reads the feed.
        """
        ...


class FullStore(
    Store,
    LeaseStore,
    AuditStore,
    NoteStore,
    ExportStore,
    RetentionStore,
    RekeyStore,
    CheckStore,
    BackupStore,
    BacklogStore,
    BrowseStore,
    Protocol,
):
    """A store with every capability but the search and the kept index, which only speed up what works without them."""


def capability(store: object, kind: type[_Capability]) -> _Capability:
    """Return the store as one that has this capability. Raises UnsupportedError when it has not."""
    if isinstance(store, kind):
        return store
    raise UnsupportedError(
        f"{type(store).__name__} is not a {kind.__name__}; "
        "open the memory with a store that is one, such as MemoryOS(url) does"
    )
