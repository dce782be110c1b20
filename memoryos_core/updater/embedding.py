"""Gives every page its vectors, in batches, before anything else looks at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from memoryos_core.models import HALVES, Page, Scope, Vector
from memoryos_core.moves import PageQuery, Redescription, VectorRow
from memoryos_core.reports import ConsolidationReport
from memoryos_core.rules.matching import centroid, page_vector
from memoryos_core.updater.workshop import Workshop

_PAGES_A_BATCH = 128


class Embedding:
    """Embeds the halves of pages apart: they are searched apart (reference/retrieval.md §4)."""

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop

    def catch_up(self, scope: Scope) -> ConsolidationReport:
        """Embed every answered page that has no vectors yet."""
        query = PageQuery(scope, embedded=False, open=False, limit=_PAGES_A_BATCH)
        count = 0
        while not self._shop.stopping():
            pages = self._shop.store.pages(query)
            if not pages:
                break
            self._shop.store.save_vectors(scope, self._rows(pages))
            count += len(pages)
        return ConsolidationReport(pages_embedded=count)

    def facts(self, scope: Scope, *, learnt: bool) -> None:
        """Embed the facts without vectors: those told on purpose and, when `learnt`, those in a model's words.

        What stands verbatim in its page is found through the page.
        """
        if not self._shop.embedder.semantic:
            return
        store = self._shop.store
        known = [f for f in store.facts(scope) if learnt or not f.page_ids]
        there = store.vectors(scope, [f.id for f in known])
        missing = [f for f in known if f.id not in there]
        cited = tuple(dict.fromkeys(i for f in missing for i in f.page_ids[:1]))
        pages = {p.id: p for p in store.pages(PageQuery(scope, ids=cited))}
        worded = [f for f in missing if not any(f.text in pages[i].text(f.about) for i in f.page_ids[:1] if i in pages)]
        if worded:
            vectors = self._shop.embedder.embed_documents([f.text for f in worded])
            rows = [VectorRow(f.id, "fact", v) for f, v in zip(worded, vectors, strict=True)]
            store.save_vectors(scope, rows)

    def page_vectors(self, scope: Scope, pages: Sequence[Page]) -> tuple[Vector, ...]:
        """One vector a page: the mean of its halves. Embeds and files what has none, an unanswered page for example."""
        stored = self._shop.store.vectors(scope, [p.id for p in pages])
        missing = [p for p in pages if p.id not in stored]
        if missing:
            rows = self._rows(missing)
            self._shop.store.save_vectors(scope, rows)
            for row in rows:
                stored.setdefault(row.owner_id, {})[row.part] = row.vector
        return tuple(self._mean(stored[p.id]) for p in pages)

    def _rows(self, pages: Sequence[Page]) -> list[VectorRow]:
        spoken = [(p.id, half, p.text(half)) for p in pages for half in HALVES]
        texts = [text for _, _, text in spoken if text]
        vectors = iter(self._shop.embedder.embed_documents(texts))
        sizes = {p.id: p.tokens for p in pages}
        rows = [VectorRow(page_id, half, next(vectors), sizes[page_id]) for page_id, half, text in spoken if text]
        # A page without a word (a bare tool call) gets a zero vector: embedded, and near to nothing.
        wordless = {p.id for p in pages} - {row.owner_id for row in rows}
        zero = np.zeros(self._shop.embedder.dimension, dtype=np.float32)
        return rows + [VectorRow(page_id, "user", zero, sizes[page_id]) for page_id in sorted(wordless)]

    def _mean(self, halves: Mapping[str, Vector]) -> Vector:
        return page_vector(list(halves.values()))

    def recentre(self, scope: Scope) -> None:
        """Centroids follow the pages into the space of a new embedder; nothing to do without a change of embedder."""
        dimension = self._shop.embedder.dimension
        for segment in self._shop.store.segments(scope):
            if segment.centroid.shape == (dimension,):
                continue
            pages = self._shop.store.pages(PageQuery(scope, segment_id=segment.id))
            fresh = replace(segment, centroid=centroid(self.page_vectors(scope, pages)))
            self._shop.store.redescribe(Redescription(scope, (), (fresh,), ()))
