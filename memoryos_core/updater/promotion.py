"""Hot segments are read into long-term memory: every one of them, each in one transaction (paper Eq. 4 and §3.3)."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np

from memoryos_core.errors import ConflictError, ModelError
from memoryos_core.events import Promoted
from memoryos_core.foreign import ForeignErrors
from memoryos_core.models import HALVES, Fact, Page, ProfileField, Scope, Trait
from memoryos_core.moves import Learning, PageQuery, Promotion
from memoryos_core.reports import ConsolidationReport
from memoryos_core.steps import extractive_persona, persona
from memoryos_core.steps.findings import Findings, FoundFact, Persona
from memoryos_core.tiers.long_term import Candidate
from memoryos_core.updater.workshop import Workshop

# A question to the model stays readable: a segment with more new pages is read in several.
_PAGES_A_READING = 24


class Promoting:
    """Turns the pages of hot segments into facts, traits and profile fields that cite them."""

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop

    def every_hot_segment(self, scope: Scope) -> ConsolidationReport:
        """Not only the hottest: a segment that is visited often but has nothing new must not starve the others."""
        report = ConsolidationReport()
        for segment in self._shop.mid_term.hot(scope):
            query = PageQuery(scope, segment_id=segment.id, analysed=False, limit=_PAGES_A_READING)
            while not self._shop.stopping() and (pages := self._shop.store.pages(query)):
                try:
                    report += self.read(scope, segment.id, pages)
                except ConflictError:  # noqa: PERF203 - another process read some of them first: what is left is looked at again
                    report += ConsolidationReport(conflicts=1)
            report += ConsolidationReport(segments_promoted=1)
        return report

    def read(self, scope: Scope, segment_id: str, pages: Sequence[Page], *, again: bool = False) -> ConsolidationReport:
        """Learn from pages of one segment and mark them analysed. The segment cools by what these pages had given.

        Raises ConflictError when another process has read some of them, unless they are read `again` on purpose.
        """
        epoch = self._shop.store.cursor(scope).epoch
        known = self._persona(scope, pages)
        findings, by_model = self._find(scope, known)
        learning = self._learning(scope, findings, {p.id: p for p in pages}, by_model=by_model)
        promotion = Promotion(
            scope,
            learning,
            self._shop.clock(),
            segment_id,
            tuple(p.id for p in pages),
            cooled=0 if again else len(pages),
            reread=self._shop.asker is not None and not by_model,
            again=again,
            epoch=epoch,
        )
        self._shop.store.promote(promotion)
        self._shop.emit(Promoted(scope, segment_id, len(learning.facts), len(learning.traits), len(learning.profile)))
        superseded = sum(1 for c in learning.changes if c.status == "superseded")
        return ConsolidationReport(
            facts_learned=len(learning.facts),
            facts_superseded=superseded,
            fallbacks=int(promotion.reread),
        )

    def _persona(self, scope: Scope, pages: Sequence[Page]) -> Persona:
        profile = self._shop.store.profile(scope)
        if self._shop.asker is None:
            return Persona(tuple(pages), profile=profile)
        stored = self._shop.store.vectors(scope, [p.id for p in pages])
        vectors = [v for parts in stored.values() for v in parts.values()]
        middle = np.mean(vectors, axis=0) if vectors else np.zeros(self._shop.embedder.dimension, dtype=np.float32)
        words = [p.text(half) for p in pages for half in HALVES]
        return Persona(tuple(pages), self._shop.long_term.nearest(scope, middle, words), profile)

    def _find(self, scope: Scope, known: Persona) -> tuple[Findings, bool]:
        """The model's findings and True, or its twin's and False."""
        if self._shop.asker is None:
            return extractive_persona.learn(known), False
        try:
            return persona.learn(known, self._shop.asker), True
        except ModelError as error:
            self._shop.fell_back(scope, "persona", error)
            return extractive_persona.learn(known), False

    def _learning(self, scope: Scope, found: Findings, pages: Mapping[str, Page], *, by_model: bool) -> Learning:
        candidates = [self._candidate(f, pages) for f in found.facts]
        if by_model and candidates and self._shop.embedder.semantic:
            # Verbatim facts of the twin are found through the vectors of their pages; a model's wording needs its own.
            with ForeignErrors("the embedder"):
                vectors = self._shop.embedder.embed_documents([c.fact.text for c in candidates])
            candidates = [Candidate(c.fact, c.replaces, v) for c, v in zip(candidates, vectors, strict=True)]
        now = self._shop.clock()
        return self._shop.long_term.learning(
            scope,
            candidates,
            retired=found.retired,
            profile=[ProfileField(f.name, f.value, _said(f.page_ids, pages) or now, f.page_ids) for f in found.profile],
            traits=[
                Trait(t.dimension, t.level, t.reason, _said(t.page_ids, pages) or now, t.page_ids) for t in found.traits
            ],
        )

    def _candidate(self, found: FoundFact, pages: Mapping[str, Page]) -> Candidate:
        now = self._shop.clock()
        # Valid from when it was said, not from when it was extracted: "when" questions are about the conversation.
        since = _said(found.page_ids, pages) or now
        fact = Fact(
            id=uuid.uuid4().hex,
            about=found.about,
            text=found.text,
            learned_at=now,
            valid_from=since,
            event_time=found.event_time,
            page_ids=found.page_ids,
            trust=found.about,
        )
        return Candidate(fact, found.replaces)


def _said(page_ids: Sequence[str], pages: Mapping[str, Page]) -> datetime | None:
    return max((pages[i].timestamp for i in page_ids if i in pages), default=None)
