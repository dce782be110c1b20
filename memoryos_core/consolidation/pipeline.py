"""The way in: STM → MTM → LPM (design §4). Reads like the picture; each stage is a file of this folder.

The state is the queue: what is pending is what the store says is pending, so a run may die on any line and the next
one goes on. No model is asked inside a transaction, and each move is one transaction.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from memoryos_core.config import RetentionPolicy
from memoryos_core.consolidation.embedding import Embedding
from memoryos_core.consolidation.page_out import PagingOut, Rereading
from memoryos_core.consolidation.promotion import Promoting
from memoryos_core.consolidation.retention import Retention
from memoryos_core.consolidation.workshop import Workshop
from memoryos_core.errors import ConflictError
from memoryos_core.tiers.short_term import ShortTerm
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.events import Evicted
from memoryos_core.values.reports import ConsolidationReport, RetentionReport

__all__ = ["Updater", "Workshop"]


class Updater:
    """Runs what is pending for one scope. Only one run a scope at a time: the worker sees to that."""

    def __init__(self, shop: Workshop, short_term: ShortTerm) -> None:
        self._shop = shop
        self._short_term = short_term
        self._embedding = Embedding(shop)
        self._paging_out = PagingOut(shop, short_term, self._embedding)
        self._promoting = Promoting(shop)
        self._rereading = Rereading(shop, self._promoting)
        self._retention = Retention(shop)

    def consolidate(self, scope: Scope, *, whole: bool = True) -> ConsolidationReport:
        """Embed, page out, promote, evict, read again. Pages leave in the batches that the conversation makes.

        After each batch what it made hot is promoted, and what is too much evicted: as a worker does that is never
        late. So what comes of a conversation does not depend on when and how often this is called (ADR 0023). `whole`
        also embeds unanswered pages and facts without vectors, and waits for a lease.

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
        return report

    def _everything(self, scope: Scope, *, whole: bool) -> ConsolidationReport:
        with self._embedding.ahead(scope, whole=whole) as embedded:
            self._embedding.recentre(scope)
            # Visits may have made something hot, and a run that was interrupted may have left something to do.
            report = self._promoting.every_hot_segment(scope) + self._evict(scope)
            for moved in self._paging_out.every_batch(scope):
                report += moved.report + self._promoting.every_hot_segment(scope, moved.segment_ids)
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
