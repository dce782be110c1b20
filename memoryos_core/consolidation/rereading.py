"""Pages that a failing model left to the extractive twin, or whose neighbours were forgotten, are described again."""

from __future__ import annotations

from dataclasses import replace

from memoryos_core.config import MidTermConfig
from memoryos_core.consolidation.promotion import Promoting
from memoryos_core.consolidation.screening import Screening
from memoryos_core.consolidation.workshop import Workshop
from memoryos_core.errors import ConflictError, ModelError
from memoryos_core.extract import page_out
from memoryos_core.extract import page_out_rules as extractive_page_out
from memoryos_core.extract.page_out import Batch, Description, runs, summarise
from memoryos_core.extract.summaries import merge_summary
from memoryos_core.values.commands import PageQuery, Redescription
from memoryos_core.values.dialogue import Chain, Page, Scope, Segment
from memoryos_core.values.reports import ConsolidationReport

_PAGES_A_RUN = 64


class Rereading:
    """Describes marked pages anew, segment by segment; moves nothing."""

    def __init__(self, shop: Workshop, promoting: Promoting) -> None:
        self._shop = shop
        self._promoting = promoting

    def marked_pages(self, scope: Scope) -> ConsolidationReport:
        """Read marked pages again. The first refusal of the model ends the run: the marks stay for the next one."""
        report = ConsolidationReport()
        marked = self._shop.store.pages(PageQuery(scope, tiers=("mid_term",), reread=True, limit=_PAGES_A_RUN))
        if not marked:
            return report
        homes = dict.fromkeys(p.segment_id for p in marked if p.segment_id)
        segments = self._shop.store.segments(scope, ids=list(homes))
        for segment in segments:
            pages = tuple(p for p in marked if p.segment_id == segment.id)
            if self._shop.stopping() or not self._is_worth_rereading(segment):
                continue
            try:
                report += self._again(scope, segment, pages)
            except ConflictError:
                report += ConsolidationReport(conflicts=1)
                self._shop.leases.check(scope)
            except ModelError as error:
                self._shop.fell_back(scope, "reread", error)
                break
        return report

    def left(self, scope: Scope) -> bool:
        """Return whether a model would still clear some marks. Without a model the marks stay until one is there."""
        marked = PageQuery(scope, tiers=("mid_term",), reread=True, limit=1)
        return self._shop.asker is not None and bool(self._shop.store.pages(marked))

    def _is_worth_rereading(self, segment: Segment) -> bool:
        """Without a model only a blank description is worth doing again: marks wait for a model."""
        return self._shop.asker is not None or not segment.summary

    def _again(self, scope: Scope, segment: Segment, pages: tuple[Page, ...]) -> ConsolidationReport:
        config = self._shop.config.mid_term
        batch = Screening(self._shop).batch(Batch(pages))
        described = self._describe(batch)
        summary = segment.summary
        keywords: dict[str, None] = {}
        for topic in described.topics:
            summary = merge_summary(summary, topic.summary, config.summary_sentences)
            keywords.update(dict.fromkeys(topic.keywords))
        keywords.update(dict.fromkeys(segment.keywords))
        fresh = replace(segment, summary=summary, keywords=tuple(keywords)[: config.max_keywords])
        by_model = self._shop.asker is not None
        # The twin has read the analysed ones for long-term memory: their marks go with the promotion that mends that.
        done = tuple(p.id for p in pages if not p.analysed) if by_model else ()
        holder = self._shop.leases.holding(scope)
        read = tuple(p.id for p in pages)
        self._shop.store.redescribe(
            Redescription(scope, done, (fresh,), _chains(described, batch, config), holder, read)
        )
        self._shop.leases.progress(scope)
        report = ConsolidationReport(pages_reread=len(pages))
        read_by_twin = tuple(p for p in pages if p.analysed)
        if read_by_twin:  # without a model, too: what was learnt from a forgotten page may be said in these as well
            report += self._promoting.read(scope, segment.id, read_by_twin, again=True)
        return report

    def _describe(self, batch: Batch) -> Description:
        config, screening = self._shop.config.mid_term, Screening(self._shop)
        if self._shop.asker is None:
            return extractive_page_out.describe(batch, config)
        return screening.description(page_out.describe(batch, self._shop.asker, config, screening.is_clean), batch)


def _chains(described: Description, batch: Batch, config: MidTermConfig) -> tuple[Chain, ...]:
    """New summaries for the chains these pages are in; where several runs share a chain the last one speaks.

    Pages of one segment that seem to continue one another may be of several chains, of other sessions even. A chain
    speaks of its own alone: what another's page said would stay in it when that page is forgotten.
    """
    by_id: dict[str, Chain] = {}
    for run in runs(described.continues):
        chain_id, text = batch.pages[run[-1]].chain_id, described.chain_summaries.get(run[-1])
        own = [i for i in run if batch.pages[i].chain_id == chain_id]
        if chain_id and text:
            by_id[chain_id] = Chain(chain_id, text if len(own) == len(run) else summarise(batch, own, config))
    return tuple(by_id.values())
