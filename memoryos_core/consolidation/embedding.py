"""Gives every page its vectors, in batches, before anything else looks at it."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import replace

import numpy as np

from memoryos_core.consolidation.workshop import Workshop
from memoryos_core.errors import ConflictError, MemoryOSError
from memoryos_core.ports.forks import Condition
from memoryos_core.ports.models import ForeignErrors
from memoryos_core.rules.paging.heat import centroid, page_vector
from memoryos_core.rules.paging.pages import passages
from memoryos_core.values.commands import PageQuery, Redescription, VectorRow
from memoryos_core.values.dialogue import HALVES, Half, Page, Scope, Vector
from memoryos_core.values.reports import ConsolidationReport

_PAGES_A_BATCH = 128
_ATTEMPTS = 5


class Progress:
    """The progress of an embedding run, for threads that wait for its pages."""

    def __init__(self) -> None:
        self.report = ConsolidationReport()
        self.error: MemoryOSError | None = None
        self.ended_well = False
        self.wanted = False
        self.stopped = False
        self._changed = Condition()
        self._passed: set[str] = set()
        self._finished = False

    def passed(self, page_ids: Iterable[str]) -> None:
        """Mark pages as done."""
        with self._changed:
            self._passed.update(page_ids)
            self._changed.notify_all()

    def finish(self) -> None:
        """Mark the run as ended: no more pages will come."""
        with self._changed:
            self._finished = True
            self._changed.notify_all()

    def wait_for(self, page_ids: Iterable[str]) -> None:
        """Wait until these pages are done or nothing more comes."""
        wanted = set(page_ids)
        with self._changed:
            self._changed.wait_for(lambda: self._finished or wanted <= self._passed)

    def raise_error(self) -> None:
        """Raise the error that ended the embedding, if there was one."""
        if self.error is not None:
            raise self.error


def _pages_to_embed(scope: Scope, *, whole: bool) -> PageQuery:
    # An unanswered page will grow and be embedded again: it can wait, unless everything is asked for.
    return PageQuery(scope, embedded=False, open=None if whole else False, limit=_PAGES_A_BATCH)


class Embedding:
    """Embeds the messages of pages apart: they are searched apart (ADR 0028)."""

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop
        self._running: dict[Scope, Progress] = {}

    def catch_up(self, scope: Scope, *, whole: bool = True) -> ConsolidationReport:
        """Embed every page that has no vectors yet; the unanswered ones only when `whole`."""
        return self._every_page(scope, Progress(), whole=whole)

    @contextmanager
    def ahead(self, scope: Scope, *, whole: bool) -> Generator[Progress, None, None]:
        """Embed behind what is done inside, many pages in a thread of their own, so that others can move already.

        Answered pages, and the unanswered ones too when `whole`.
        An embedder computes outside the interpreter's lock, and describing and moving pages inside it. Leaving waits
        for the embedding and raises what went wrong in it.
        """
        progress = self._running[scope] = Progress()
        thread = threading.Thread(
            target=copy_context().run, args=(self._run, scope, progress, whole), name="memoryos-embedding", daemon=True
        )
        try:
            if len(self._shop.store.pages(_pages_to_embed(scope, whole=whole))) < _PAGES_A_BATCH:
                self._run(scope, progress, whole)
            else:
                thread.start()
            yield progress
            progress.wanted = True
        finally:
            progress.stopped = not progress.wanted
            if thread.ident is not None:
                thread.join()
            del self._running[scope]
        progress.raise_error()
        if not progress.ended_well:
            # An error that is not ours ended the thread: meet it again here, where the caller sees it.
            progress.report += self._every_page(scope, progress, whole=whole)

    def _run(self, scope: Scope, progress: Progress, whole: bool) -> None:  # noqa: FBT001 - as a thread's argument
        try:
            progress.report = self._every_page(scope, progress, whole=whole)
            progress.ended_well = True
        except MemoryOSError as error:
            progress.error = error
        finally:
            progress.finish()

    def _every_page(self, scope: Scope, progress: Progress, *, whole: bool) -> ConsolidationReport:
        count = 0
        while not (self._shop.stopping() or progress.stopped):
            pages = self._shop.store.pages(_pages_to_embed(scope, whole=whole))
            if not pages:
                break
            self._shop.store.save_vectors(scope, self._rows(pages))
            progress.passed(p.id for p in pages)
            self._shop.leases.progress(scope)
            count += len(pages)
        return ConsolidationReport(pages_embedded=count)

    def is_behind(self, scope: Scope) -> bool:
        """Return whether pages outside short-term memory have no vectors: after a change of embedder or a restore."""
        query = PageQuery(scope, tiers=("mid_term", "archive"), embedded=False, limit=1)
        return bool(self._shop.store.pages(query))

    def facts(self, scope: Scope) -> None:
        """Embed the facts without vectors, such as restored ones; what stands verbatim in its page is found there."""
        if not self._shop.embedder.semantic:
            return
        store = self._shop.store
        known = [f for f in store.facts(scope) if f.origin != "rules"]
        there = store.vectors(scope, [f.id for f in known])
        missing = [f for f in known if f.id not in there]
        cited = tuple(dict.fromkeys(i for f in missing for i in f.page_ids[:1]))
        pages = {p.id: p for p in store.pages(PageQuery(scope, ids=cited))}
        worded = [f for f in missing if not any(f.text in pages[i].text(f.about) for i in f.page_ids[:1] if i in pages)]
        if worded:
            with ForeignErrors("the embedder"):
                vectors = self._shop.embedder.embed_documents([f.text for f in worded])
            name = self._shop.embedder.name
            rows = [VectorRow(f.id, "fact", v, embedder=name) for f, v in zip(worded, vectors, strict=True)]
            store.save_vectors(scope, rows)

    def page_vectors(self, scope: Scope, pages: Sequence[Page]) -> tuple[Vector, ...]:
        """Return one vector a page, the mean of its messages. Embeds and stores what lacks, of unanswered pages too."""
        return tuple(page_vector(list(parts.values())) for parts in self._parts(scope, pages))

    def vectors(self, scope: Scope, pages: Sequence[Page]) -> tuple[tuple[Vector, ...], tuple[dict[Half, Vector], ...]]:
        """Return the vectors of `page_vectors`, and for each page the mean vector of the messages of either half."""
        parts_of = self._parts(scope, pages)
        halves: list[dict[Half, Vector]] = []
        for parts in parts_of:
            of_page: dict[Half, Vector] = {}
            for half in HALVES:
                if own := [vector for part, vector in parts.items() if part.partition(".")[0] == half]:
                    of_page[half] = page_vector(own)
            halves.append(of_page)
        return tuple(page_vector(list(parts.values())) for parts in parts_of), tuple(halves)

    def _parts(self, scope: Scope, pages: Sequence[Page]) -> list[dict[str, Vector]]:
        stored = self._shop.store.vectors(scope, [p.id for p in pages])
        missing = [p for p in pages if p.id not in stored]
        running = self._running.get(scope)
        if running is not None and missing:
            running.wait_for(p.id for p in missing if not p.open)
            stored = self._shop.store.vectors(scope, [p.id for p in pages])
            missing = [p for p in pages if p.id not in stored]
        if missing:
            rows = self._rows(missing)
            self._shop.store.save_vectors(scope, rows)
            for row in rows:
                stored.setdefault(row.owner_id, {})[row.part] = row.vector
        return [stored[p.id] for p in pages]

    def _rows(self, pages: Sequence[Page]) -> list[VectorRow]:
        spoken = [(p.id, passage) for p in pages for passage in passages(p) if passage.opens]
        texts = [passage.message.text for _, passage in spoken]
        name = self._shop.embedder.name
        with ForeignErrors("the embedder"):
            vectors = iter(self._shop.embedder.embed_documents(texts))
        sizes = {p.id: p.tokens for p in pages}
        rows = [
            VectorRow(owner_id=page_id, part=passage.part, vector=next(vectors), tokens=sizes[page_id], embedder=name)
            for page_id, passage in spoken
        ]
        # A page without words (only a tool call) gets a zero vector: embedded, but similar to nothing.
        wordless = {p.id for p in pages} - {row.owner_id for row in rows}
        zero = np.zeros(self._shop.embedder.dimension, dtype=np.float32)
        return rows + [
            VectorRow(owner_id=page_id, part="user", vector=zero, tokens=sizes[page_id], embedder=name)
            for page_id in sorted(wordless)
        ]

    def recentre(self, scope: Scope) -> None:
        """Give the segments without a centroid in the embedder's space one: after a change of embedder or a restore.

        Raises ConflictError when others change them again and again.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._recentre(scope)
            except ConflictError:  # noqa: PERF203 - somebody else has described one meanwhile: they are looked at again
                self._shop.leases.check(scope)
                if attempt == _ATTEMPTS:
                    raise
            else:
                return

    def _recentre(self, scope: Scope) -> None:
        dimension = self._shop.embedder.dimension
        for segment in self._shop.store.segments(scope):
            if segment.centroid.shape == (dimension,):
                continue
            pages = self._shop.store.pages(PageQuery(scope, segment_id=segment.id))
            mean = centroid(self.page_vectors(scope, pages))
            # Where no page can be read, zeros, which are near to nothing: an empty one would be computed in each run.
            fresh = replace(segment, centroid=mean if mean.size else np.zeros(dimension, dtype=np.float32))
            holder = self._shop.leases.holding(scope)
            self._shop.store.redescribe(
                Redescription(scope=scope, page_ids=(), segments=(fresh,), chains=(), holder=holder)
            )
