"""A batch leaves short-term memory: described once, placed in segments, moved in one transaction (paper Eq. 1-3)."""

from __future__ import annotations

import time
import uuid
from collections import deque
from collections.abc import Generator
from dataclasses import dataclass, replace

from memoryos_core.consolidation.embedding import Embedding
from memoryos_core.consolidation.screening import Screening
from memoryos_core.consolidation.workshop import Workshop
from memoryos_core.errors import ConflictError, ModelError
from memoryos_core.extract import page_out
from memoryos_core.extract import page_out_rules as extractive_page_out
from memoryos_core.extract.page_out import Batch, Description
from memoryos_core.rules.paging.pages import link
from memoryos_core.tiers.mid_term import TopicPages
from memoryos_core.tiers.short_term import ShortTerm
from memoryos_core.values.commands import PageQuery
from memoryos_core.values.dialogue import Chain, Page, Scope, Vector
from memoryos_core.values.events import PagedOut, SegmentOpened
from memoryos_core.values.reports import ConsolidationReport

_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Moved:
    """The result of one batch: the segments that took pages, and whether there are now too many segments."""

    report: ConsolidationReport
    segment_ids: tuple[str, ...] = ()
    crowded: bool = False


class PagingOut:
    """Moves the oldest pages of a session from short-term to mid-term memory."""

    def __init__(self, shop: Workshop, short_term: ShortTerm, embedding: Embedding) -> None:
        self._shop = shop
        self._short_term = short_term
        self._embedding = embedding

    def every_batch(self, scope: Scope) -> Generator[Moved, None, None]:
        """Move the due batches, in order. When another process was faster, read the remaining ones again."""
        left = deque(self._short_term.due(scope))
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
                    moved = self._move(scope, pages)
                except ConflictError:
                    self._shop.leases.check(scope)
                    if attempts == _ATTEMPTS:
                        raise
                    moved = Moved(ConsolidationReport(conflicts=1))
                yield moved
                if moved.segment_ids:
                    continue
            left = deque(self._short_term.due(scope))

    def _move(self, scope: Scope, pages: tuple[Page, ...]) -> Moved:
        began, epoch = time.perf_counter(), self._shop.store.cursor(scope).epoch
        vectors = self._embedding.page_vectors(scope, pages)
        batch = self._batch(scope, pages, vectors)
        described, fell_back = self._describe(scope, batch)
        before = batch.previous.chain_id if batch.previous else None
        chain_ids = link(described.continues, before, lambda: uuid.uuid4().hex)
        topics = [
            TopicPages(
                tuple(pages[i] for i in topic.pages),
                tuple(vectors[i] for i in topic.pages),
                topic.summary,
                topic.keywords,
            )
            for topic in described.topics
        ]
        chain_of = dict(zip((p.id for p in pages), chain_ids, strict=True))
        placement = self._shop.mid_term.place(scope, topics, chain_of, reread=fell_back)
        chains = {chain_ids[i]: Chain(chain_ids[i], text) for i, text in sorted(described.chain_summaries.items())}
        move = replace(placement.page_out, chains=tuple(chains.values()), epoch=epoch)
        self._shop.store.page_out(replace(move, holder=self._shop.leases.holding(scope)))
        self._shop.leases.progress(scope)
        took = (time.perf_counter() - began) * 1e3
        self._shop.emit(PagedOut(scope, tuple(p.id for p in pages), tuple(s.id for s in move.segments), took))
        for segment_id in placement.opened:
            self._shop.emit(SegmentOpened(scope, segment_id))
        report = ConsolidationReport(
            pages_moved=len(pages), segments_opened=len(placement.opened), fallbacks=int(fell_back)
        )
        crowded = placement.segments > self._shop.config.mid_term.capacity_segments
        return Moved(report, tuple(s.id for s in move.segments), crowded)

    def _batch(self, scope: Scope, pages: tuple[Page, ...], vectors: tuple[Vector, ...]) -> Batch:
        store = self._shop.store
        earlier = PageQuery(
            scope,
            session_id=pages[0].session_id,
            tiers=("mid_term", "archive"),
            before_seq=pages[0].seq,
            newest_first=True,
            limit=1,
        )
        previous = next(iter(store.pages(earlier)), None)
        if previous is None:
            return Batch(pages, vectors)
        chain = next(iter(store.chains(scope, [previous.chain_id]) if previous.chain_id else ()), None)
        (previous_vector,) = self._embedding.page_vectors(scope, [previous])
        return Batch(pages, vectors, previous, previous_vector, chain.summary if chain else None)

    def _describe(self, scope: Scope, batch: Batch) -> tuple[Description, bool]:
        """Return the model's description, or the twin's and True when the model failed."""
        config, screening = self._shop.config.mid_term, Screening(self._shop)
        batch = screening.batch(batch)
        if self._shop.asker is None:
            return extractive_page_out.describe(batch, config), False
        try:
            described = page_out.describe(batch, self._shop.asker, config, screening.is_clean)
            return screening.description(described, batch), False
        except ModelError as error:
            self._shop.fell_back(scope, "page_out", error)
            return extractive_page_out.describe(batch, config), True
