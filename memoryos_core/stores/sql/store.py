"""The Store port on a SQL database: each verb is one transaction around the statements of its own file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import datetime

from memoryos_core.models import Chain, Fact, HeatCounters, Page, Profile, Scope, Segment, Vector
from memoryos_core.moves import (
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
from memoryos_core.noted import Note, NoteWrite
from memoryos_core.reports import ForgetReceipt, RestoreReport, Stats
from memoryos_core.stores.sql import (  # noqa: F401 - their tables are part of the schema
    conversations,
    counting,
    facts,
    feed,
    pages,
    persona,
    schema_ledger,
    schema_search,
    scopes,
    warmth,
)
from memoryos_core.stores.sql import forgetting as leaving
from memoryos_core.stores.sql import notes as note_rows
from memoryos_core.stores.sql import promotion as long_term
from memoryos_core.stores.sql import segments as mid_term
from memoryos_core.stores.sql import vectors as vector_rows
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.exporting import Export
from memoryos_core.stores.sql.opening import bring_up_to_date
from memoryos_core.stores.sql.restoring import Restoring, added, chunks


class SqlStore:
    """Opens, and if need be creates, the schema at a SQLAlchemy URL.

    Thread-safe; any number of processes may share a file. Every verb raises ClosedError after `close`, StoreBusyError
    when a lock is not free in time, StoreUnwritableError, StoreCorruptError or StoreError.
    """

    def __init__(self, url: str, *, busy_timeout_seconds: float = 30.0) -> None:
        self._database = Database(url, busy_timeout_seconds)
        with ExitStack() as on_failure:
            on_failure.callback(self._database.close)
            bring_up_to_date(self._database)
            on_failure.pop_all()

    def append(self, append: Append) -> tuple[Page, ...]:
        """Put new pages in short-term memory, durably; returns them as stored, in order."""
        with self._database.writing(append.scope) as connection:
            return pages.append(connection, append)

    def taken(self, scope: Scope, session_id: str, message_ids: Sequence[str]) -> frozenset[str]:
        """Which of these messages the session has taken once already."""
        with self._database.reading(scope) as connection:
            return conversations.taken(connection, scope, session_id, message_ids)

    def end_session(
        self, scope: Scope, session_id: str, notes: Sequence[NoteWrite] = (), at: datetime | None = None
    ) -> None:
        """Mark the session's pages as of an ended conversation; they stay remembered, so caches need not follow."""
        with self._database.writing(scope) as connection:
            conversations.end(connection, scope, session_id)
            erased = at is not None and bool(notes) and note_rows.write(connection, scope, notes, at, None)
        if erased:
            self._database.scrub()

    def pages(self, query: PageQuery) -> tuple[Page, ...]:
        """Read pages; `since` is included, `until` and both seqs are not."""
        with self._database.reading(query.scope) as connection:
            return pages.read(connection, query)

    def pending(self, scope: Scope) -> tuple[Pending, ...]:
        """What short-term memory holds, session by session, oldest first."""
        with self._database.reading(scope) as connection:
            return pages.pending(connection, scope)

    def page_out(self, move: PageOut) -> None:
        """Move a batch into segments; each gains its moved pages as interaction. Raises ConflictError."""
        with self._database.writing(move.scope) as connection:
            mid_term.page_out(connection, move)

    def redescribe(self, redescription: Redescription) -> None:
        """Replace descriptions after a re-reading. Raises ConflictError."""
        with self._database.writing(redescription.scope) as connection:
            mid_term.redescribe(connection, redescription)

    def segments(
        self, scope: Scope, *, ids: Sequence[str] | None = None, archived: bool = False
    ) -> tuple[Segment, ...]:
        """The segments of mid-term memory (or, `archived`, those evicted from it), oldest first."""
        with self._database.reading(scope) as connection:
            return mid_term.read(connection, scope, ids, archived=archived)

    def heat_counters(self, scope: Scope, ids: Sequence[str]) -> dict[str, HeatCounters]:
        """What the heat of these segments is worked out from."""
        with self._database.reading(scope) as connection:
            return warmth.counters(connection, scope, ids)

    def chains(self, scope: Scope, ids: Sequence[str]) -> tuple[Chain, ...]:
        """Dialogue chains by id, in the order asked for; unknown ids are left out."""
        with self._database.reading(scope) as connection:
            return mid_term.read_chains(connection, scope, ids)

    def promote(self, promotion: Promotion) -> None:
        """File what was learnt, mark the pages that were read, cool the segment."""
        with self._database.writing(promotion.scope) as connection:
            long_term.promote(connection, promotion)

    def facts(self, scope: Scope, *, ids: Sequence[str] | None = None, current: bool = True) -> tuple[Fact, ...]:
        """Facts, oldest first; `current=False` also brings superseded, retired and evicted ones."""
        with self._database.reading(scope) as connection:
            return facts.read(connection, scope, ids, current=current)

    def profile(self, scope: Scope) -> Profile:
        """The current profile."""
        with self._database.reading(scope) as connection:
            return persona.read(connection, scope)

    def evict(self, eviction: Eviction) -> None:
        """Archive or delete segments with their pages; what is not in mid-term memory is passed over."""
        with self._database.writing(eviction.scope) as connection:
            leaving.evict(connection, eviction)

    def visit(self, visit: Visit) -> None:
        """Count visits; caches need not follow, so no version changes."""
        with self._database.writing(visit.scope) as connection:
            warmth.visit(connection, visit)

    def save_vectors(self, scope: Scope, rows: Sequence[VectorRow]) -> None:
        """Replace the vectors of pages and facts; rows of vanished owners are ignored."""
        with self._database.writing(scope) as connection:
            vector_rows.save(connection, scope, rows)

    def vectors(self, scope: Scope, owner_ids: Sequence[str]) -> dict[str, dict[str, Vector]]:
        """Vectors by owner and part."""
        with self._database.reading(scope) as connection:
            return vector_rows.read(connection, scope, owner_ids)

    def write_notes(
        self, scope: Scope, changes: Sequence[NoteWrite], at: datetime, *, embedder: str | None = None
    ) -> None:
        """Put and delete notes; the last change of a name wins."""
        with self._database.writing(scope) as connection:
            erased = note_rows.write(connection, scope, changes, at, embedder)
        if erased:
            self._database.scrub()

    def notes(
        self, scope: Scope, prefix: Sequence[str] = (), *, key: str | None = None, vectors: bool = False
    ) -> tuple[Note, ...]:
        """Notes under a prefix of whole labels, last updated first; with a `key`, the one in just that namespace."""
        with self._database.reading(scope) as connection:
            return note_rows.read(connection, scope, prefix, key, vectors=vectors)

    def note_namespaces(self, scope: Scope) -> tuple[tuple[str, ...], ...]:
        """Every namespace that holds a note, sorted."""
        with self._database.reading(scope) as connection:
            return note_rows.namespaces(connection, scope)

    def save_note_vectors(self, scope: Scope, embedded: Sequence[Note], *, embedder: str) -> None:
        """Write the vectors of notes whose text is still this one."""
        with self._database.writing(scope) as connection:
            note_rows.save_vectors(connection, scope, embedded, embedder)

    def cursor(self, scope: Scope) -> Cursor:
        """Where the scope's change feed stands now."""
        with self._database.reading(scope) as connection:
            return scopes.cursor(connection, scope)

    def feed(self, scope: Scope, after: Cursor, *, limit: int = 500) -> Feed:
        """Pages and facts that changed after a cursor; from the start when the cursor is of another epoch."""
        with self._database.reading(scope) as connection:
            return feed.read(connection, scope, after, limit)

    def forget(self, forgetting: Forgetting) -> ForgetReceipt:
        """Erase, with everything derived from it."""
        with self._database.writing(forgetting.scope) as connection:
            receipt = leaving.forget(connection, forgetting)
        if receipt != ForgetReceipt():
            self._database.scrub()
        return receipt

    def export(self, scope: Scope) -> Iterator[Record]:
        """Every row of the scope as plain records, read in chunks while one iterates."""
        return Export(self._database, scope).records()

    def restore(self, scope: Scope, records: Iterable[Record]) -> RestoreReport:
        """Bring exported records back, a transaction every few hundred; what is there already is skipped."""
        total = RestoreReport()
        for chunk in chunks(records):
            with self._database.writing(scope) as connection:
                total = added(total, Restoring(connection, scope).take(chunk))
        return total

    def scopes(self, *, pending_only: bool = False) -> tuple[Scope, ...]:
        """Every scope, or those with short-term, unembedded or marked pages."""
        with self._database.reading(None) as connection:
            return counting.read_scopes(connection, pending_only=pending_only)

    def stats(self, scope: Scope | None = None) -> Stats:
        """Counts for one scope, or for the store."""
        with self._database.reading(scope) as connection:
            return counting.stats(connection, scope)

    def embedder(self) -> EmbedderStamp | None:
        """Which embedder wrote the vectors."""
        with self._database.reading(None) as connection:
            return vector_rows.stamp(connection)

    def stamp_embedder(self, stamp: EmbedderStamp | None) -> None:
        """Record another embedder; its space has no vectors yet, so every page counts as not embedded."""
        with self._database.writing(None) as connection:
            vector_rows.restamp(connection, stamp)

    def close(self) -> None:
        """Release connections."""
        self._database.close()
