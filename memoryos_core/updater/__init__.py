"""The way in: STM → MTM → LPM (design §4). Reads like the picture; each stage is a file of this folder.

The state is the queue: what is pending is what the store says is pending, so a run may die on any line and the next
one goes on. No model is asked inside a transaction, and each move is one transaction.
"""

from __future__ import annotations

from memoryos_core.config import MemoryConfig
from memoryos_core.events import Evicted
from memoryos_core.models import Scope
from memoryos_core.reports import ConsolidationReport
from memoryos_core.tiers.short_term import ShortTerm
from memoryos_core.updater.embedding import Embedding
from memoryos_core.updater.page_out import PagingOut
from memoryos_core.updater.promotion import Promoting
from memoryos_core.updater.rereading import Rereading
from memoryos_core.updater.workshop import Workshop

__all__ = ["Updater", "Workshop"]


class Updater:
    """Runs what is pending for one scope. Only one run a scope at a time: the worker sees to that."""

    def __init__(self, shop: Workshop, short_term: ShortTerm, config: MemoryConfig) -> None:
        self._shop = shop
        self._short_term = short_term
        self._config = config
        self._embedding = Embedding(shop)
        self._paging_out = PagingOut(shop, short_term, self._embedding)
        self._promoting = Promoting(shop)
        self._rereading = Rereading(shop, self._promoting)

    def consolidate(self, scope: Scope, *, whole: bool = True) -> ConsolidationReport:
        """Embed, page out, promote, read again, evict. Unless `whole`, only full batches leave short-term memory.

        Raises StoreError, and ModelError when the embedder is down: pages then stay where they are.
        """
        with self._embedding.ahead(scope, whole=whole) as embedded:
            report = self._page_out(scope, whole=whole)
        report += embedded.report
        if whole:
            self._embedding.facts(scope)
        if not (whole or report.pages_moved):
            return report  # nothing new in mid-term memory: do not read it for every single page
        report += self._promoting.every_hot_segment(scope)
        if not report.fallbacks:  # a model that just failed is not asked again at once
            report += self._rereading.marked_pages(scope)
        return report + self._evict(scope)

    def reembed(self, scope: Scope) -> int:
        """Embed what has no vectors and move the centroids after it; says how many pages. Raises ModelError."""
        report = self._embedding.catch_up(scope)
        self._embedding.facts(scope)
        self._embedding.recentre(scope)
        return report.pages_embedded

    def _page_out(self, scope: Scope, *, whole: bool) -> ConsolidationReport:
        report = ConsolidationReport()
        batch = self._config.short_term.batch_pages
        surpluses = [s for s in self._short_term.overflow(scope) if whole or s.pages >= batch]
        if surpluses:
            self._embedding.recentre(scope)
        for surplus in surpluses:
            left = surplus.pages
            while left > 0 and (whole or left >= batch) and not self._shop.stopping():
                report += self._paging_out.batch(scope, surplus.session_id, min(left, batch))
                left -= batch
        return report

    def _evict(self, scope: Scope) -> ConsolidationReport:
        eviction = self._shop.mid_term.overfull(scope)
        if eviction is None:
            return ConsolidationReport()
        self._shop.store.evict(eviction)
        self._shop.emit(Evicted(scope, eviction.segment_ids, eviction.archive))
        return ConsolidationReport(segments_evicted=len(eviction.segment_ids))
