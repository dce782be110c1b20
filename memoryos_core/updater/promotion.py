"""Hot segments are read into long-term memory: every one of them, each in one transaction (paper Eq. 4 and §3.3)."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from memoryos_core.errors import ConflictError, ModelError
from memoryos_core.events import Promoted
from memoryos_core.models import HALVES, Page, Scope, Trust
from memoryos_core.moves import PageQuery, Promotion
from memoryos_core.reports import ConsolidationReport
from memoryos_core.rules.trust import of_derived
from memoryos_core.steps import extractive_persona, persona
from memoryos_core.steps.findings import Findings, Persona
from memoryos_core.updater.filing import Filing
from memoryos_core.updater.screening import Screening
from memoryos_core.updater.workshop import Workshop

# A question to the model stays readable: a segment with more new pages is read in several.
_PAGES_A_READING = 24


class Promoting:
    """Turns the pages of hot segments into facts, traits and profile fields that cite them."""

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop

    def every_hot_segment(self, scope: Scope, among: Sequence[str] | None = None) -> ConsolidationReport:
        """Not only the hottest: a segment that is visited often but has nothing new must not starve the others.

        `among` are the ids of those that may have become hot; None is all.
        """
        report = ConsolidationReport()
        for segment in self._shop.mid_term.hot(scope, among):
            query = PageQuery(scope, segment_id=segment.id, analysed=False, limit=_PAGES_A_READING)
            while not self._shop.stopping() and (pages := self._shop.store.pages(query)):
                try:
                    report += self.read(scope, segment.id, pages)
                except ConflictError:  # noqa: PERF203 - another process read some of them first: what is left is looked at again
                    report += ConsolidationReport(conflicts=1)
                    self._shop.leases.check(scope)
            report += ConsolidationReport(segments_promoted=1)
        return report

    def read(self, scope: Scope, segment_id: str, pages: Sequence[Page], *, again: bool = False) -> ConsolidationReport:
        """Learn from pages of one segment and mark them analysed. The segment cools by what these pages had given.

        Pages from sources of different trust are read apart: a model that sees both may cite the better for the worse.
        Raises ConflictError when another process has read some of them, unless they are read `again` on purpose.
        """
        alike: dict[Trust, list[Page]] = {}
        for page in pages:
            alike.setdefault(of_derived("user", [page]), []).append(page)
        reports = (self._read(scope, segment_id, some, again=again) for some in alike.values())
        return sum(reports, ConsolidationReport())

    def _read(self, scope: Scope, segment_id: str, pages: Sequence[Page], *, again: bool) -> ConsolidationReport:
        began, epoch = time.perf_counter(), self._shop.store.cursor(scope).epoch
        known = self._persona(scope, [p for p in Screening(self._shop).pages(pages) if p.messages])
        findings, by_model = self._find(scope, known)
        learning = Filing(self._shop, pages, by_model=by_model, again=again).learning(scope, findings, known)
        promotion = Promotion(
            scope,
            learning,
            self._shop.clock(),
            segment_id,
            tuple(p.id for p in pages),
            cooled=0 if again else len(pages),
            # Its twin has read them; the mark stays for a model, also one that is not there yet.
            reread=not by_model and (again or self._shop.asker is not None),
            again=again,
            epoch=epoch,
            holder=self._shop.leases.holding(scope),
        )
        self._shop.store.promote(promotion)
        self._shop.leases.progress(scope)
        facts = sum(fact.status == "current" for fact in learning.facts)
        learnt = facts, len(learning.traits), len(learning.profile)
        self._shop.emit(Promoted(scope, segment_id, *learnt, milliseconds=(time.perf_counter() - began) * 1e3))
        superseded = sum(1 for c in learning.changes if c.status == "superseded")
        return ConsolidationReport(
            facts_learned=facts,
            facts_quarantined=len(learning.facts) - facts,
            facts_superseded=superseded,
            fallbacks=int(promotion.reread),
        )

    def _persona(self, scope: Scope, pages: Sequence[Page]) -> Persona:
        profile = self._shop.store.profile(scope)
        if self._shop.asker is None:
            return Persona(tuple(pages), profile=profile)
        stored = self._shop.store.vectors(scope, [p.id for p in pages])
        vectors = [stored[p.id][half] for p in pages if p.id in stored for half in HALVES if half in stored[p.id]]
        middle = np.mean(vectors, axis=0) if vectors else np.zeros(self._shop.embedder.dimension, dtype=np.float32)
        words = [p.text(half) for p in pages for half in HALVES]
        return Persona(tuple(pages), self._shop.long_term.nearest(scope, middle, words), profile)

    def _find(self, scope: Scope, known: Persona) -> tuple[Findings, bool]:
        """The model's findings and True, or its twin's and False."""
        if self._shop.asker is None:
            return extractive_persona.learn(known), False
        if not known.pages:
            return Findings(), True  # nothing is left of them to ask about
        try:
            return persona.learn(known, self._shop.asker), True
        except ModelError as error:
            self._shop.fell_back(scope, "persona", error)
            return extractive_persona.learn(known), False
