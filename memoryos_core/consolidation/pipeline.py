"""The way in: STM → MTM → LPM (design §4). Reads like the picture; each stage is a file of this folder.

The state is the queue: what is pending is what the store says is pending, so a run may die on any line and the next
one goes on. No model is asked inside a transaction, and each move is one transaction.

Retention: rows that a policy does not keep (too old, untrusted, too many) are archived or forgotten in batches.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memoryos_core.config import RetentionKind, RetentionPolicy
from memoryos_core.config.retention import named_apart
from memoryos_core.consolidation.embedding import Embedding
from memoryos_core.consolidation.page_out import PagingOut, Rereading
from memoryos_core.consolidation.promotion import Promoting
from memoryos_core.consolidation.workshop import Workshop
from memoryos_core.errors import ConflictError
from memoryos_core.ports.capabilities import RetentionStore, SearchStore, capability
from memoryos_core.rules.retention import due
from memoryos_core.tiers.corrections import with_corrected_statements
from memoryos_core.tiers.short_term import ShortTerm
from memoryos_core.values.commands import Forgetting
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.events import Evicted, Forgotten, Retained
from memoryos_core.values.queries import Mark
from memoryos_core.values.reports import ConsolidationReport, ForgetReceipt, RetentionEntry, RetentionReport

__all__ = ["Updater", "Workshop"]

# The most rows to read at once, and to erase or move in one transaction.
_MARKS_AT_ONCE = 5000
_A_TRANSACTION = 200
_KINDS: tuple[RetentionKind, ...] = ("pages", "facts")


class Retention:
    """Applies policies to one scope. If the memory closes during a run, the next run goes on."""

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop

    @property
    def _store(self) -> RetentionStore:
        return capability(self._shop.store, RetentionStore)

    def run(self, scope: Scope, policies: Sequence[RetentionPolicy], *, dry_run: bool) -> RetentionReport:
        """Apply the policies, oldest rows first; `dry_run` only reports. Raises ConfigError, StoreError."""
        named_apart(tuple(policies))
        capability(self._shop.store, RetentionStore)  # refused also without a policy
        plan = list(self._plan(scope, policies))  # whole, before anything goes: facts may go with pages
        report = RetentionReport(dry_run=dry_run)
        for policy, marks in plan:
            receipt, taken = ForgetReceipt(), marks
            if not dry_run:
                receipt, taken = self._take(scope, policy, self._left(scope, policy, marks, report.receipt))
            report += RetentionReport(_entries(scope, policy, taken), receipt, dry_run=dry_run)
        self._tell(scope, report)
        return report

    def _plan(
        self, scope: Scope, policies: Sequence[RetentionPolicy]
    ) -> Iterator[tuple[RetentionPolicy, tuple[Mark, ...]]]:
        now = self._shop.clock()
        for kind in _KINDS:
            of_kind = [policy for policy in policies if policy.kind == kind]
            if of_kind:
                yield from due(list(self._marks(scope, kind)), of_kind, now)

    def _marks(self, scope: Scope, kind: RetentionKind) -> Iterator[Mark]:
        after = 0
        while found := self._store.marks(scope, kind, after=after, limit=_MARKS_AT_ONCE):
            yield from found
            after = found[-1].seq

    def _left(
        self, scope: Scope, policy: RetentionPolicy, marks: tuple[Mark, ...], gone: ForgetReceipt
    ) -> tuple[Mark, ...]:
        """Return the facts that were not erased together with their pages."""
        if policy.kind != "facts" or not gone.facts:
            return marks
        there = {mark.id for mark in self._marks(scope, "facts")}
        return tuple(mark for mark in marks if mark.id in there)

    def _take(
        self, scope: Scope, policy: RetentionPolicy, marks: Sequence[Mark]
    ) -> tuple[ForgetReceipt, tuple[Mark, ...]]:
        """Erase or move in bounded transactions; return the counts, and the marks reached."""
        receipt = ForgetReceipt()
        taken: tuple[Mark, ...] = ()
        for start in range(0, len(marks), _A_TRANSACTION):
            if self._shop.stopping():
                break
            some = tuple(marks[start : start + _A_TRANSACTION])
            ids = tuple(mark.id for mark in some)
            if policy.action == "purge":
                pages, facts = (ids, ()) if policy.kind == "pages" else ((), ids)
                store = self._shop.store
                receipt += store.forget(
                    with_corrected_statements(store, Forgetting(scope, pages, facts, at=self._shop.clock()))
                )
            else:
                self._store.archive(scope, policy.kind, ids)
            taken += some
        return receipt, taken

    def _tell(self, scope: Scope, report: RetentionReport) -> None:
        if report.dry_run or not report.entries:
            return
        purged = sum(len(e.ids) for e in report.entries if e.action == "purge")
        if purged:
            self._shop.emit(Forgotten(scope, report.receipt.pages, report.receipt.facts))
        self._shop.emit(Retained(scope, sum(len(e.ids) for e in report.entries) - purged, purged))


def _entries(scope: Scope, policy: RetentionPolicy, marks: Sequence[Mark]) -> tuple[RetentionEntry, ...]:
    by_place: dict[str, list[str]] = {}
    for mark in marks:
        by_place.setdefault(mark.place, []).append(mark.id)
    return tuple(
        RetentionEntry(
            scope=scope, policy=policy.name, kind=policy.kind, action=policy.action, place=place, ids=tuple(ids)
        )
        for place, ids in by_place.items()
    )


class Updater:
    """Runs what is pending for one scope. Only one run a scope at a time: the worker sees to that."""

    def __init__(self, shop: Workshop, short_term: ShortTerm) -> None:
        self._shop = shop
        self._short_term = short_term
        self._embedding = Embedding(shop)
        self._promoting = Promoting(shop)
        self._paging_out = PagingOut(shop, short_term, self._embedding, self._promoting)
        self._rereading = Rereading(shop, self._promoting)
        self._retention = Retention(shop)

    def consolidate(self, scope: Scope, *, whole: bool = True) -> ConsolidationReport:
        """Embed, page out, promote, evict, read again. Pages leave in the batches that the conversation makes.

        After each batch the model reads it, what it made hot is promoted, and what is too much evicted: as a worker
        does that is never late. So what comes of a conversation does not depend on when and how often this is called
        (ADR 0023). `whole` also embeds unanswered pages and facts without vectors, and waits for a lease.

        All of it under a lease, but for the vectors of a page or two: two writes would cost more than they do, and
        whoever writes them twice writes the same. Raises StoreError, LeasedElsewhereError while another process is at
        work here, and ModelError when the embedder is down: pages then stay where they are.
        """
        claimed = self._shop.leases.holding(scope) is not None
        if not (whole or claimed or self._short_term.due(scope) or self._embedding.is_behind(scope)):
            return self._embedding.catch_up(scope, whole=False)
        with self._shop.leases.held(scope, wait=whole):
            report = self._everything(scope, whole=whole)
            if self._shop.stopping():
                self._shop.leases.again(scope, failed=False)
            elif report.fallbacks or self._rereading.left(scope):
                self._shop.leases.again(scope, failed=bool(report.fallbacks) or not report.pages_reread)
            self._shop.leases.wait_for_silence(scope, self._short_term.seconds_to_silence(scope))
        return report

    def _everything(self, scope: Scope, *, whole: bool) -> ConsolidationReport:
        if isinstance(self._shop.store, SearchStore) and self._shop.store.searches:
            self._shop.store.analyse_again(scope, if_marked=True)
        with self._embedding.ahead(scope, whole=whole) as embedded:
            self._embedding.recentre(scope)
            # Visits may have made something hot, and a run that was interrupted may have left something to do.
            report = self._promoting.every_hot_segment(scope) + self._evict(scope)
            if not report.fallbacks:
                report += self._promoting.left_unread(scope)
            for moved in self._paging_out.every_batch(scope):
                read = ConsolidationReport()
                if not moved.report.fallbacks:  # else the pages are marked, and read when the model is back
                    read = self._promoting.read_batch(scope, moved.page_ids)
                if self._promoting.may_go_on(read):
                    read += self._promoting.every_hot_segment(scope, moved.segment_ids)
                report += moved.report + read
                report += self._evict(scope) if moved.crowded else ConsolidationReport()
        report += embedded.report
        if whole:
            self._embedding.facts(scope)
        if not report.fallbacks:  # a model that just failed is not asked again at once
            report += self._rereading.marked_pages(scope)
        return report

    def retain(self, scope: Scope, policies: Sequence[RetentionPolicy], *, dry_run: bool) -> RetentionReport:
        """Take what retention policies say, or with `dry_run` say what that is. Raises StoreError."""
        return self._retention.run(scope, policies, dry_run=dry_run)

    def reembed(self, scope: Scope) -> int:
        """Embed what has no vectors and move the centroids after it; says how many pages. Raises ModelError."""
        report = self._embedding.catch_up(scope)
        self._embedding.facts(scope)
        self._embedding.recentre(scope)
        return report.pages_embedded

    def _evict(self, scope: Scope) -> ConsolidationReport:
        eviction = self._shop.mid_term.overfull(scope)
        if eviction is None:
            return ConsolidationReport()
        began = time.perf_counter()
        try:
            self._shop.store.evict(replace(eviction, holder=self._shop.leases.holding(scope)))
        except ConflictError:
            self._shop.leases.check(scope)
            return ConsolidationReport(conflicts=1)
        took = (time.perf_counter() - began) * 1e3
        self._shop.emit(Evicted(scope, eviction.segment_ids, eviction.archive, took))
        return ConsolidationReport(segments_evicted=len(eviction.segment_ids))
