"""What a reading found becomes facts, traits and fields with a source, or waits in quarantine (ADR 0017)."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from memoryos_core.foreign import ForeignErrors
from memoryos_core.models import HALVES, About, Fact, Half, Page, ProfileField, Scope, Trait, Trust
from memoryos_core.moves import Learning, PageQuery
from memoryos_core.rules import poison
from memoryos_core.rules.trust import of_derived, rank
from memoryos_core.steps.findings import Findings, FoundFact, Persona
from memoryos_core.tiers.long_term import OVERRIDES, Candidate
from memoryos_core.updater.screening import Screening
from memoryos_core.updater.workshop import Workshop

_Known = TypeVar("_Known", Trait, ProfileField)


class Judgement:
    """What one reading may teach: how far it is trusted and what is wrong with it. `by_model` reads both halves."""

    def __init__(self, pages: Mapping[str, Page], *, by_model: bool, quarantine: bool) -> None:
        self._pages = pages
        self._halves: tuple[Half, ...] = HALVES if by_model else ("user",)
        self._by_model = by_model
        self._quarantine = quarantine

    def trust(self, about: About, page_ids: Sequence[str]) -> Trust:
        """The minimum over the lineage."""
        return of_derived(about, self._cited(page_ids), self._halves)

    def of_reading(self) -> Trust:
        """The least that any page of the reading was trusted."""
        return of_derived("user", self._pages.values(), self._halves)

    def labels(self, text: str, trust: Trust, page_ids: Sequence[str]) -> tuple[str, ...]:
        """Why this is to wait for review: for its own words, or for resting on suspicious pages alone; mostly ()."""
        if not self._quarantine:
            return ()
        if found := poison.labels(text, trust):
            return found
        of_pages = [self._of_page(page) for page in self._cited(page_ids)]
        return tuple(sorted({label for some in of_pages for label in some})) if of_pages and all(of_pages) else ()

    def _of_page(self, page: Page) -> tuple[str, ...]:
        # A model has seen what a poisoned tool result made the assistant say; the twin reads the user's own words.
        return poison.of_page(page) if self._by_model else poison.spoken_labels(page, "user")

    def _cited(self, page_ids: Sequence[str]) -> list[Page]:
        return [self._pages[i] for i in page_ids if i in self._pages]


class Filing:
    """Makes what one reading is to write. `pages` are those that were read, as they were said."""

    def __init__(self, shop: Workshop, pages: Sequence[Page], *, by_model: bool, again: bool = False) -> None:
        self._shop = shop
        self._again = again
        self._pages = {page.id: page for page in pages}
        self._by_model = by_model
        self._screening = Screening(shop)
        self._judge = Judgement(self._pages, by_model=by_model, quarantine=shop.config.safety.quarantine)

    def learning(self, scope: Scope, given: Findings, known: Persona) -> Learning:
        """What goes into long-term memory, and what goes to quarantine. Writes nothing."""
        found = self._screening.findings(given)
        candidates = self._embedded([self._candidate(f) for f in found.facts])
        if self._again:
            candidates = self._shop.long_term.not_replaced(scope, candidates)
        held = [
            self._quarantined(f, trust, labels)
            for f, trust, labels in self._screening.withheld([*self._pages.values()])
        ]
        fields = [ProfileField(f.name, f.value, self._said(f.page_ids), f.page_ids) for f in found.profile]
        traits = [Trait(t.dimension, t.level, t.reason, self._said(t.page_ids), t.page_ids) for t in found.traits]
        fields, suspicious_fields = self._sorted(scope, fields, {f.name: f for f in known.profile.fields})
        traits, suspicious_traits = self._sorted(scope, traits, {t.dimension: t for t in known.profile.traits})
        return self._shop.long_term.learning(
            scope,
            [*candidates, *held, *suspicious_fields, *suspicious_traits],
            retired=found.retired,
            until=self._said([*self._pages]),
            trust=self._judge.of_reading(),
            profile=fields,
            traits=traits,
        )

    def _embedded(self, candidates: list[Candidate]) -> list[Candidate]:
        """Verbatim facts of the twin are found through the vectors of their pages; a model's wording needs its own."""
        if not (self._by_model and candidates and self._shop.embedder.semantic):
            return candidates
        with ForeignErrors("the embedder"):
            vectors = self._shop.embedder.embed_documents([c.fact.text for c in candidates])
        return [Candidate(c.fact, c.replaces, v) for c, v in zip(candidates, vectors, strict=True)]

    def _candidate(self, found: FoundFact) -> Candidate:
        trust = self._judge.trust(found.about, found.page_ids)
        labels = self._judge.labels(found.text, trust, found.page_ids)
        return (
            self._quarantined(found, trust, labels) if labels else Candidate(self._fact(found, trust), found.replaces)
        )

    def _quarantined(self, found: FoundFact, trust: Trust, labels: tuple[str, ...]) -> Candidate:
        return Candidate(self._fact(found, trust, labels))

    def _fact(self, found: FoundFact, trust: Trust, labels: tuple[str, ...] = ()) -> Fact:
        return Fact(
            id=uuid.uuid4().hex,
            about=found.about,
            text=found.text,
            learned_at=self._shop.clock(),
            # Valid from when it was said, not from when it was extracted: "when" questions are about the conversation.
            valid_from=self._said(found.page_ids),
            event_time=found.event_time,
            page_ids=found.page_ids,
            trust=trust,
            status="quarantined" if labels else "current",
            superseded_by=found.replaces if labels else None,
            labels=labels,
        )

    def _sorted(
        self, scope: Scope, found: Sequence[_Known], known: Mapping[str, _Known]
    ) -> tuple[list[_Known], list[Candidate]]:
        """Those that may be known, and the others as facts for review."""
        kept: list[_Known] = []
        apart: list[Candidate] = []
        for item in found:
            name, text = _told(item)
            trust = self._judge.trust("user", item.page_ids)
            labels = self._judge.labels(text, trust, item.page_ids) or self._overriding(scope, known.get(name), trust)
            if labels:
                apart.append(self._quarantined(FoundFact("user", text, item.page_ids), trust, labels))
            else:
                kept.append(item)
        return kept, apart

    def _overriding(self, scope: Scope, known: Trait | ProfileField | None, trust: Trust) -> tuple[str, ...]:
        """Whether a value of this trust would take the place of a more trusted one: the label for it, or ()."""
        if known is None or trust == "user" or not self._shop.config.safety.quarantine:
            return ()
        pages = self._shop.store.pages(PageQuery(scope, ids=known.page_ids))
        return (OVERRIDES,) if rank(of_derived("user", pages)) < rank(trust) else ()

    def _said(self, page_ids: Sequence[str]) -> datetime:
        times = (self._pages[i].timestamp for i in page_ids if i in self._pages)
        return max(times, default=None) or self._shop.clock()


def _told(item: Trait | ProfileField) -> tuple[str, str]:
    """Its name and what it says."""
    if isinstance(item, ProfileField):
        return item.name, f"{item.name}: {item.value}"
    reason = f" ({item.reason})" if item.reason else ""
    return item.dimension, f"{item.dimension}: {item.level}{reason}"
