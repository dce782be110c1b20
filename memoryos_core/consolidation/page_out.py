"""A batch leaves short-term memory: described once, placed in segments, moved in one transaction (paper Eq. 1-3).

Pages that a failing model left to the extractive twin, or whose neighbours were forgotten, are described again.
"""

from __future__ import annotations

import time
import uuid
from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

from memoryos_core.config import MidTermConfig
from memoryos_core.consolidation.embedding import Embedding
from memoryos_core.consolidation.promotion import Promoting, Screening
from memoryos_core.consolidation.workshop import Workshop, count_learnt
from memoryos_core.errors import ConflictError, ModelError
from memoryos_core.extract import page_out
from memoryos_core.extract import page_out as extractive_page_out
from memoryos_core.extract.page_out import Batch, Description, label, runs, summarise
from memoryos_core.extract.summaries import merge_summary
from memoryos_core.rules.paging.pages import link
from memoryos_core.tiers.mid_term import Known, TopicPages
from memoryos_core.tiers.regrouping import Regrouper
from memoryos_core.tiers.short_term import ShortTerm
from memoryos_core.values.commands import PageQuery, Redescription, Regrouping
from memoryos_core.values.dialogue import Chain, Page, Scope, Segment
from memoryos_core.values.events import PagedOut, SegmentOpened
from memoryos_core.values.reports import ConsolidationReport

_ATTEMPTS = 5
_EARLIER_PAGES, _PAGES_OF_A_GAME = 2, 12


@dataclass(frozen=True, slots=True)
class Moved:
    """The result of one batch: the segments that took pages, and whether there are now too many segments."""

    report: ConsolidationReport
    segment_ids: tuple[str, ...] = ()
    crowded: bool = False
    page_ids: tuple[str, ...] = ()


class PagingOut:
    """Moves the oldest pages of a session from short-term to mid-term memory."""

    def __init__(self, shop: Workshop, short_term: ShortTerm, embedding: Embedding, promoting: Promoting) -> None:
        self._shop = shop
        self._short_term = short_term
        self._embedding = embedding
        self._promoting = promoting
        merge = shop.mid_term.merge_summary
        self._regrouper = Regrouper(
            shop.store,
            shop.config.mid_term,
            merge,
            self._label,
            embedding.page_vectors,
            by_model=shop.asker is not None,
        )

    def every_batch(self, scope: Scope) -> Generator[Moved, None, None]:
        """Move the due batches, in order. When another process was faster, read the remaining ones again."""
        left, known = deque(self._short_term.due(scope)), Known(self._shop.store, scope)
        before: tuple[int, tuple[Page, ...]] | None = None
        attempts = 0
        while left and not self._shop.stopping():
            due, epoch = left.popleft(), self._shop.store.cursor(scope).epoch
            pages = self._shop.store.pages(PageQuery(scope, ids=due.page_ids, tiers=("short_term",)))
            if len(pages) == len(due.page_ids):
                # Other batches than before: another process moved them. Another epoch: something was forgotten. In
                # both cases there was progress, so try again without a limit.
                attempts = attempts + 1 if (epoch, pages) == before else 1
                before = epoch, pages
                try:
                    moved = self._move(scope, pages, known)
                except ConflictError:
                    known.drop()
                    self._shop.leases.check(scope)
                    if attempts == _ATTEMPTS:
                        raise
                    moved = Moved(ConsolidationReport(conflicts=1))
                yield moved
                if moved.crowded:
                    known.drop()
                if moved.segment_ids:
                    continue
            left = deque(self._short_term.due(scope))

    def _move(self, scope: Scope, pages: tuple[Page, ...], known: Known) -> Moved:
        began, epoch = time.perf_counter(), self._shop.store.cursor(scope).epoch
        earlier = self._pages_before(scope, pages[0])
        batch = self._batch(scope, pages, earlier[-_EARLIER_PAGES:])
        described, fell_back = self._describe(scope, batch)
        chain, before = (batch.previous.chain_id, batch.previous.segment_id) if batch.previous else (None, None)
        chain_ids = link(described.continues, chain, lambda: uuid.uuid4().hex)
        topics = [
            TopicPages(
                tuple(pages[i] for i in topic.pages),
                tuple(batch.vectors[i] for i in topic.pages),
                topic.summary,
                topic.keywords,
                before if described.goes_on and number == 0 else None,
                topic.turns_away,
                before,
            )
            for number, topic in enumerate(described.topics)
        ]
        chain_of = dict(zip((p.id for p in pages), chain_ids, strict=True))
        known.refresh(epoch)
        placement = self._shop.mid_term.place(scope, known, topics, chain_of, reread=fell_back)
        placement = self._regrouper.regroup(scope, known, placement, pages, batch.vectors)
        if placement.page_out.regrouping != Regrouping():
            known.drop()
        chains = {chain_ids[i]: Chain(chain_ids[i], text) for i, text in sorted(described.chain_summaries.items())}
        learning = self._promoting.learn_by_rules(scope, pages, earlier)
        move = replace(placement.page_out, chains=tuple(chains.values()), epoch=epoch, learning=learning)
        self._shop.store.page_out(replace(move, holder=self._shop.leases.holding(scope)))
        self._shop.leases.progress(scope)
        learnt = count_learnt(learning)
        moved, filed = tuple(p.id for p in pages), tuple(s.id for s in move.segments)
        self._shop.emit(PagedOut(scope, moved, filed, learnt.facts_learned, (time.perf_counter() - began) * 1e3))
        for segment_id in placement.opened:
            self._shop.emit(SegmentOpened(scope, segment_id))
        report = ConsolidationReport(
            pages_moved=len(pages), segments_opened=len(placement.opened), fallbacks=int(fell_back)
        )
        report += learnt
        crowded = placement.segments > self._shop.config.mid_term.capacity_segments
        return Moved(report, filed, crowded, moved)

    def _pages_before(self, scope: Scope, page: Page) -> tuple[Page, ...]:
        """Return the latest pages of the session that left before this one."""
        before = PageQuery(
            scope,
            session_id=page.session_id,
            tiers=("mid_term", "archive"),
            before_seq=page.seq,
            newest_first=True,
            limit=_PAGES_OF_A_GAME,
        )
        return self._shop.store.pages(before)[::-1]

    def _batch(self, scope: Scope, pages: tuple[Page, ...], earlier: tuple[Page, ...]) -> Batch:
        store = self._shop.store
        vectors, halves = self._embedding.vectors(scope, (*earlier, *pages))
        batch = Batch(pages, vectors[len(earlier) :], earlier=earlier, halves=halves)
        if not earlier:
            return batch
        previous = earlier[-1]
        chain = next(iter(store.chains(scope, [previous.chain_id]) if previous.chain_id else ()), None)
        return replace(
            batch,
            previous=previous,
            previous_vector=vectors[len(earlier) - 1],
            chain_summary=chain.summary if chain else None,
        )

    def _label(self, topics: Sequence[Sequence[Page]]) -> list[tuple[str, tuple[str, ...]]]:
        """Return the summary and the keywords of topics, without a model."""
        screening = Screening(self._shop)
        return label([screening.pages(pages) for pages in topics], self._shop.config.mid_term)

    def _describe(self, scope: Scope, batch: Batch) -> tuple[Description, bool]:
        """Return the model's description, or the twin's and True when the model failed."""
        config, screening = self._shop.config.mid_term, Screening(self._shop)
        batch = screening.batch(batch)
        if self._shop.asker is None:
            return extractive_page_out.describe_by_rules(batch, config), False
        try:
            described = page_out.describe(batch, self._shop.asker, config, screening.is_clean)
            return screening.description(described, batch), False
        except ModelError as error:
            self._shop.fell_back(scope, "page_out", error)
            return extractive_page_out.describe_by_rules(batch, config), True


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
            Redescription(
                scope=scope,
                page_ids=done,
                segments=(fresh,),
                chains=_chains(described, batch, config),
                holder=holder,
                read=read,
            )
        )
        self._shop.leases.progress(scope)
        report = ConsolidationReport(pages_reread=len(pages))
        unread = tuple(p for p in pages if not p.analysed)
        report += self._promoting.read_batch(scope, [page.id for page in unread])
        read_by_twin = tuple(p for p in pages if p.analysed)
        if read_by_twin:  # without a model, too: what was learnt from a forgotten page may be said in these as well
            report += self._promoting.read(scope, segment.id, read_by_twin, again=True)
        return report

    def _describe(self, batch: Batch) -> Description:
        config, screening = self._shop.config.mid_term, Screening(self._shop)
        if self._shop.asker is None:
            return extractive_page_out.describe_by_rules(batch, config)
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
