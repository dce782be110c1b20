"""The Store port on a SQL database: each verb is one transaction around the statements of its own file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from memoryos_core.ports.capabilities import Analyse, Prune
from memoryos_core.ports.forks import forks_wait
from memoryos_core.stores.sql import audit as acts
from memoryos_core.stores.sql import backlog as counting
from memoryos_core.stores.sql import checking, scopes
from memoryos_core.stores.sql.audit import Ledger
from memoryos_core.stores.sql.backlog import Measuring
from memoryos_core.stores.sql.backups import backup_to_folder
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.forgotten import Receipt, export_forgotten, forget_again
from memoryos_core.stores.sql.keyring import Keying, Keyring
from memoryos_core.stores.sql.opening import bring_up_to_date
from memoryos_core.stores.sql.scopes import Leasing
from memoryos_core.stores.sql.searching.candidates import Searching
from memoryos_core.stores.sql.writing import facts, pages
from memoryos_core.stores.sql.writing import facts as persona
from memoryos_core.stores.sql.writing import forgetting as leaving
from memoryos_core.stores.sql.writing import notes as note_rows
from memoryos_core.stores.sql.writing import promotion as long_term
from memoryos_core.stores.sql.writing import segments as mid_term
from memoryos_core.stores.sql.writing import segments as warmth
from memoryos_core.stores.sql.writing import vectors as feed
from memoryos_core.stores.sql.writing import vectors as vector_rows
from memoryos_core.stores.sql.writing.chunks import Keeping
from memoryos_core.stores.sql.writing.exporting import Export, Restoring, add_reports, chunks
from memoryos_core.stores.sql.writing.notes import Noting
from memoryos_core.stores.sql.writing.retention import Retaining
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
from memoryos_core.values.encryption_keys import KeyChoice, Keys
from memoryos_core.values.facts import Fact, Profile
from memoryos_core.values.reports import CheckFinding, ForgetReceipt, RestoreReport, Stats


class SqlStore(Keying, Keeping, Leasing, Ledger, Noting, Measuring, Retaining, Searching):
    """Opens the schema at a SQLAlchemy URL; creates it when it is missing.

    Thread-safe; any number of processes may share a file. Every verb raises ClosedError after `close`, StoreBusyError
    when a lock is not free in time, StoreUnwritableError, StoreCorruptError or StoreError.
    """

    def __init__(
        self,
        url: str,
        *,
        busy_timeout_seconds: float = 30.0,
        audit: bool = True,
        analyse: Analyse | None = None,
        prune: Prune | None = None,
        key: KeyChoice = None,
    ) -> None:
        keys = Keys.of(key)
        del key  # not shown in a traceback's locals
        # Opening imports drivers and migrations: a fork meanwhile would leave the child half-imported modules.
        with forks_wait(), ExitStack() as on_failure:
            self._database = Database(url, busy_timeout_seconds, keys)
            self._database.audited = audit
            on_failure.callback(self._database.close)
            self._keyring = Keyring(self._database, keys)
            self._keyring.check()
            bring_up_to_date(self._database)
            self._keyring.unlock()
            self._search_with(analyse)
            self._prune_with(prune)
            on_failure.pop_all()

    def append(self, append: Append) -> tuple[Page, ...]:
        """Put new pages in short-term memory, durably; returns them as stored, in order."""
        with self._database.writing(append.scope) as connection:
            written = pages.append(connection, self._database.secret, append)
            erased = bool(append.notes) and note_rows.write(connection, append.scope, append.notes, append.at, None)
            acts.record_append(self._database, connection, append, written)
        if erased:
            self._database.scrub()
        return written

    def pages(self, query: PageQuery) -> tuple[Page, ...]:
        """Read pages; `since` is included, `until` and both seqs are not."""
        with self._database.reading(query.scope) as connection:
            return pages.read_pages(connection, query)

    def pending(self, scope: Scope) -> tuple[Pending, ...]:
        """Return the pages of short-term memory, in sequence, without those that could not be read."""
        with self._database.reading(scope) as connection:
            return pages.pending(connection, scope)

    def sessions(self, scope: Scope, *, after_seq: int, limit: int) -> frozenset[str]:
        """Up to `limit` sessions that have a page after this seq."""
        with self._database.reading(scope) as connection:
            return pages.sessions(connection, scope, after_seq, limit)

    def page_out(self, move: PageOut) -> None:
        """Move a batch into segments; each gains its moved pages as interaction. Raises ConflictError."""
        with self._database.writing(move.scope) as connection:
            mid_term.page_out(connection, self._database.secret, move)
            acts.paged_out(self._database, connection, move)

    def redescribe(self, redescription: Redescription) -> None:
        """Replace descriptions after a re-reading. Raises ConflictError."""
        with self._database.writing(redescription.scope) as connection:
            mid_term.redescribe(connection, redescription)
            acts.record_redescription(self._database, connection, redescription)

    def segments(
        self, scope: Scope, *, ids: Sequence[str] | None = None, archived: bool = False
    ) -> tuple[Segment, ...]:
        """The segments of mid-term memory (or, `archived`, those evicted from it), oldest first."""
        with self._database.reading(scope) as connection:
            return mid_term.read_segments(connection, scope, ids, archived=archived)

    def heat_counters(self, scope: Scope, ids: Sequence[str]) -> dict[str, HeatCounters]:
        """Return the counters behind the heat of these segments."""
        with self._database.reading(scope) as connection:
            return warmth.counters(connection, scope, ids)

    def chains(self, scope: Scope, ids: Sequence[str]) -> tuple[Chain, ...]:
        """Dialogue chains by id, in the order asked for; unknown ids are left out."""
        with self._database.reading(scope) as connection:
            return mid_term.read_chains(connection, scope, ids)

    def promote(self, promotion: Promotion) -> None:
        """Store what was learnt, mark the pages that were read, and cool the segment."""
        with self._database.writing(promotion.scope) as connection:
            long_term.promote(connection, self._database.secret, promotion)
            acts.record_promotion(self._database, connection, promotion)

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
        """Facts, oldest first; `current=False` also brings superseded, retired and evicted ones."""
        wanted = facts.FactFilter(ids, text, replaced_by, after_version, current)
        with self._database.reading(scope) as connection:
            return facts.read_facts(connection, self._database.secret, scope, wanted)

    def profile(self, scope: Scope) -> Profile:
        """The current profile."""
        with self._database.reading(scope) as connection:
            return persona.read_profile(connection, scope)

    def evict(self, eviction: Eviction) -> None:
        """Archive or delete segments with their pages; segments outside mid-term memory are skipped."""
        with self._database.writing(eviction.scope) as connection:
            acts.record_eviction(self._database, connection, eviction, leaving.evict(connection, eviction))

    def visit(self, visit: Visit) -> None:
        """Count visits; caches need not follow, so no version changes."""
        with self._database.writing(visit.scope) as connection:
            warmth.visit(connection, visit)

    def save_vectors(self, scope: Scope, rows: Sequence[VectorRow]) -> None:
        """Replace the vectors of pages and facts; rows of vanished owners are ignored."""
        with self._database.writing(scope) as connection:
            vector_rows.save(connection, scope, rows)
        self._index_grown(scope)

    def vectors(self, scope: Scope, owner_ids: Sequence[str]) -> dict[str, dict[str, Vector]]:
        """Vectors by owner and part."""
        with self._database.reading(scope) as connection:
            return vector_rows.read_vectors(connection, scope, owner_ids)

    def cursor(self, scope: Scope) -> Cursor:
        """Return the present position of the scope's change feed."""
        with self._database.reading(scope) as connection:
            return scopes.cursor(connection, scope)

    def feed(self, scope: Scope, after: Cursor, *, limit: int = 500) -> Feed:
        """Pages and facts that changed after a cursor; from the start when the cursor is of another epoch."""
        with self._database.reading(scope) as connection:
            return feed.read_feed(connection, scope, after, limit)

    def forget(self, forgetting: Forgetting) -> ForgetReceipt:
        """Erase, with everything derived from it. A dry run is the same transaction, rolled back."""
        with self._database.writing(forgetting.scope, commit=not forgetting.dry_run) as connection:
            receipt = leaving.forget(connection, forgetting)
            if not forgetting.dry_run:
                receipt = acts.forgotten(self._database, connection, forgetting, receipt)
        if receipt != ForgetReceipt() and not forgetting.dry_run:
            self._database.scrub()
        return receipt

    def export(self, scope: Scope) -> Iterator[Record]:
        """Every row of the scope as plain records, read in chunks while one iterates."""
        return Export(self._database, scope).records()

    def restore(self, scope: Scope, records: Iterable[Record]) -> RestoreReport:
        """Bring exported records back, a few hundred per transaction; existing records are skipped."""
        total = RestoreReport()
        for chunk in chunks(records):
            with self._database.writing(scope) as connection:
                part = Restoring(connection, scope, self._database.secret).take(chunk)
                acts.record_restore(self._database, connection, scope, part)
            total = add_reports(total, part)
        return total

    def scopes(self, *, pending_only: bool = False) -> tuple[Scope, ...]:
        """Every scope, or those with short-term, unembedded or marked pages."""
        with self._database.reading(None) as connection:
            return counting.read_scopes(connection, pending_only=pending_only)

    def stats(self, scope: Scope | None = None) -> Stats:
        """Counts for one scope, or for the store."""
        with self._database.reading(scope) as connection:
            return replace(counting.stats(connection, scope), damaged=self._database.damage.count(scope))

    def embedder(self) -> EmbedderStamp | None:
        """Return the stamp of the embedder that wrote the vectors."""
        with self._database.reading(None) as connection:
            return vector_rows.stamp(connection)

    def stamp_embedder(self, stamp: EmbedderStamp | None) -> None:
        """Record another embedder; its space has no vectors yet, so every page counts as not embedded."""
        with self._database.writing(None) as connection:
            vector_rows.restamp(connection, stamp)

    def check_database(self, *, deep: bool) -> tuple[CheckFinding, ...]:
        """Ask the database whether it is sound; with `deep`, down to each page of its file."""
        return tuple(checking.check_database(self._database, deep=deep))

    def check_scope(self, scope: Scope, *, deep: bool) -> tuple[CheckFinding, ...]:
        """Return the laws that rows of one scope break; with `deep`, every row is read and decoded."""
        return tuple(checking.check_scope(self._database, scope, deep=deep))

    def backup(self, path: Path, *, incremental: bool = False) -> None:
        """Write a copy of one moment to a new file, or what has changed to a folder. Raises UnsupportedError."""
        if incremental:
            backup_to_folder(self._database, path)
        else:
            self._database.backup(path)

    def forgotten(self, *, secret: bool = False) -> Iterator[Receipt]:
        """Yield receipts of all that was forgotten; with `secret`, the head holds the key of their digests."""
        return export_forgotten(self._database, secret=secret)

    def forget_again(self, receipts: Iterable[Receipt]) -> ForgetReceipt:
        """Forget what receipts of this store name. Raises InvalidInputError."""
        return forget_again(self._database, receipts)

    def close(self) -> None:
        """Release connections."""
        self._database.close()
