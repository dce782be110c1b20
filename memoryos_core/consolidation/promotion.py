"""Pages are read into long-term memory: all, or those of hot segments, each reading in one transaction (paper §3.3).

Screening of everything derived from pages: no text that tries to steer the model, and no secrets (ADR 0017).
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

import numpy as np

from memoryos_core.config import SafetyConfig
from memoryos_core.consolidation.workshop import Workshop, count_learnt
from memoryos_core.errors import ConflictError, ModelError
from memoryos_core.extract import persona
from memoryos_core.extract.asking import clip
from memoryos_core.extract.findings import Findings, FoundFact, Persona
from memoryos_core.extract.marks import needs_known
from memoryos_core.extract.page_out import Batch, Description, summarise
from memoryos_core.ports.models import ForeignErrors
from memoryos_core.rules.safety import poison
from memoryos_core.rules.safety.access import of_derived, rank
from memoryos_core.tiers.candidates import Candidate
from memoryos_core.tiers.drafts import drafts_of, nearest
from memoryos_core.tiers.long_term import OVERRIDES
from memoryos_core.values.commands import Learning, PageQuery, Promotion
from memoryos_core.values.dialogue import HALVES, Half, Page, Scope
from memoryos_core.values.events import Promoted
from memoryos_core.values.facts import About, Fact, ProfileField, Trait, Trust
from memoryos_core.values.reports import ConsolidationReport

# More pages make several questions: a model misses less in a few. But a question's instructions cost as three pages do.
_PAGES_A_READING, _PAGES_A_QUESTION, _PAGES_A_BATCH = 24, 6, 10


class Promoting:
    """Turns pages into facts, traits and profile fields that cite them."""

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop

    def every_hot_segment(self, scope: Scope, among: Sequence[str] | None = None) -> ConsolidationReport:
        """Promote every hot segment, of these ids or of all: one without new pages must not starve the others."""
        report = ConsolidationReport()
        most = _PAGES_A_READING if self._shop.asker is None else _PAGES_A_QUESTION
        for segment in self._shop.mid_term.hot(scope, among):
            query = PageQuery(scope, segment_id=segment.id, analysed=False, limit=most)
            while not self._shop.stopping() and (pages := self._shop.store.pages(query)):
                report += self._read_once(scope, segment.id, pages)
            report += ConsolidationReport(segments_promoted=1)
        return report

    def learn_by_rules(self, scope: Scope, pages: Sequence[Page], before: Sequence[Page] = ()) -> Learning:
        """Return what rules learn from pages that leave short-term memory; nothing where only hot pages are read."""
        if self._shop.config.long_term.reads == "hot":
            return Learning()
        readable = tuple(p for p in Screening(self._shop).pages(pages) if p.messages)
        profile = self._shop.store.profile(scope)
        facts = self._shop.store.facts(scope) if needs_known(readable, profile.get("name")) else ()
        found = persona.learn_by_rules(known := Persona(readable, tuple(facts), profile, before=tuple(before)))
        return Filing(self._shop, pages, by_model=False).learning(scope, found, known)

    @property
    def reads_everything(self) -> bool:
        """True where the model reads each page, hot or not."""
        return self._shop.asker is not None and self._shop.config.long_term.reads == "everything"

    def may_go_on(self, report: ConsolidationReport) -> bool:
        """Return whether more pages of a batch are read; if the model failed, `left_unread` reads the rest later."""
        return not (self._shop.stopping() or (report.fallbacks and self.reads_everything))

    def left_unread(self, scope: Scope) -> ConsolidationReport:
        """Let the model read the latest unread pages, one question a run: a run was cut off, or no model was there."""
        query = PageQuery(scope, tiers=("mid_term",), analysed=False, reread=False, newest_first=True)
        left = self._shop.store.pages(replace(query, limit=_PAGES_A_BATCH))[::-1] if self.reads_everything else ()
        return self.read_batch(scope, [page.id for page in left])

    def read_batch(self, scope: Scope, page_ids: Sequence[str]) -> ConsolidationReport:
        """Let the model read pages that have just left short-term memory, in the order in which they were said."""
        report = ConsolidationReport()
        questions = -(-len(page_ids) // _PAGES_A_BATCH) if self.reads_everything else 0
        for number in range(questions):
            ids = page_ids[len(page_ids) * number // questions : len(page_ids) * (number + 1) // questions]
            pages = self._shop.store.pages(PageQuery(scope, ids=tuple(ids), analysed=False))
            if pages and self.may_go_on(report):
                report += self._read_once(scope, None, pages)
        return report

    def _read_once(self, scope: Scope, segment_id: str | None, pages: Sequence[Page]) -> ConsolidationReport:
        """Read pages, unless another process read some of them first: what is left is looked at again."""
        try:
            return self.read(scope, segment_id, pages)
        except ConflictError:
            self._shop.leases.check(scope)
            return ConsolidationReport(conflicts=1)

    def read(
        self, scope: Scope, segment_id: str | None, pages: Sequence[Page], *, again: bool = False
    ) -> ConsolidationReport:
        """Learn from pages and mark them analysed. Their segments lose the heat that they gave them.

        Pages from sources of different trust are read apart: a model that sees both may cite the better for the worse.
        Raises ConflictError when another process has read some of them, unless they are read `again` on purpose.
        """
        alike: dict[Trust, list[Page]] = {}
        for page in pages:
            alike.setdefault(of_derived("user", [page]), []).append(page)
        reports = (self._learn_from_pages(scope, segment_id, some, again=again) for some in alike.values())
        return sum(reports, ConsolidationReport())

    def _learn_from_pages(
        self, scope: Scope, segment_id: str | None, pages: Sequence[Page], *, again: bool
    ) -> ConsolidationReport:
        began, epoch = time.perf_counter(), self._shop.store.cursor(scope).epoch
        if self._shop.asker is None and self._were_read(again=again):
            known, findings, by_model = Persona(()), Findings(), False
        else:
            known = self._persona(scope, [p for p in Screening(self._shop).pages(pages) if p.messages])
            findings, by_model = self._find(scope, known, again=again)
        learning = Filing(self._shop, pages, by_model=by_model, again=again).learning(scope, findings, known)
        promotion = Promotion(
            scope=scope,
            learning=learning,
            at=self._shop.clock(),
            # Its twin has read them; the mark stays for a model, also one that is not there yet.
            reread=not by_model and (again or self._shop.asker is not None),
            again=again,
            epoch=epoch,
            holder=self._shop.leases.holding(scope),
        )
        homes: dict[str | None, list[str]] = {}
        for page in pages:
            homes.setdefault(segment_id or page.segment_id, []).append(page.id)
        for home, ids in homes.items():
            part = replace(promotion, segment_id=home, page_ids=tuple(ids), cooled=0 if again else len(ids))
            self._shop.store.promote(part)
            promotion = replace(promotion, learning=Learning())  # the facts are stored with the first pages
        self._shop.leases.progress(scope)
        report = count_learnt(learning)
        learnt = report.facts_learned, len(learning.traits), len(learning.profile)
        self._shop.emit(Promoted(scope, segment_id, *learnt, milliseconds=(time.perf_counter() - began) * 1e3))
        return report + ConsolidationReport(fallbacks=int(promotion.reread), facts_refused=findings.refused)

    def _persona(self, scope: Scope, pages: Sequence[Page]) -> Persona:
        profile = self._shop.store.profile(scope)
        if self._shop.asker is None:
            return Persona(tuple(pages), profile=profile)
        stored = self._shop.store.vectors(scope, [p.id for p in pages])
        vectors = [vector for p in pages for vector in stored.get(p.id, {}).values()]
        middle = np.mean(vectors, axis=0) if vectors else np.zeros(self._shop.embedder.dimension, dtype=np.float32)
        drafts = drafts_of(self._shop.store, scope, [p.id for p in pages])
        limit = self._shop.config.long_term.known_facts_shown
        known = nearest(self._shop.store, scope, pages, middle, drafts=drafts, limit=limit)
        return Persona(tuple(pages), known, profile, drafts=drafts if self.reads_everything else ())

    def _were_read(self, *, again: bool) -> bool:
        """Return whether rules have read pages of mid-term memory: all do as they leave short-term memory."""
        return self._shop.config.long_term.reads != "hot" and not again

    def _find(self, scope: Scope, known: Persona, *, again: bool) -> tuple[Findings, bool]:
        """The model's findings and True, or those of the rules and False."""
        if self._shop.asker is None:
            return persona.learn_by_rules(known), False
        if not known.pages:
            return Findings(), True  # no text is left to ask about
        try:
            return persona.learn(known, self._shop.asker), True
        except ModelError as error:
            self._shop.fell_back(scope, "persona", error)
            return Findings() if self._were_read(again=again) else persona.learn_by_rules(known), False


_Known = TypeVar("_Known", Trait, ProfileField)


UNCONFIRMED = "unconfirmed"
"""Label of a fact that only a tool or a document says."""


class Judgement:
    """The trust and the warning labels of one reading. With `by_model`, both halves of each page count."""

    def __init__(self, pages: Mapping[str, Page], config: SafetyConfig, *, by_model: bool) -> None:
        self._pages = pages
        self._halves: tuple[Half, ...] = HALVES if by_model else ("user",)
        self._by_model = by_model
        self._config = config

    def trust(self, about: About, page_ids: Sequence[str]) -> Trust:
        """Return the lowest trust of the cited pages."""
        return of_derived(about, self._cited_pages(page_ids), self._halves)

    def of_reading(self) -> Trust:
        """Return the lowest trust of any page of the reading."""
        return of_derived("user", self._pages.values(), self._halves)

    def labels(self, text: str, trust: Trust, page_ids: Sequence[str]) -> tuple[str, ...]:
        """Return the reasons for a review: suspicious words, only suspicious pages behind it, or nobody who said it."""
        if not self._config.quarantine:
            return ()
        if found := poison.labels(text, trust):
            return found
        of_pages = [self._of_page(page) for page in self._cited_pages(page_ids)]
        if of_pages and all(of_pages):
            return tuple(sorted({label for some in of_pages for label in some}))
        unsaid = trust in ("tool", "document") and not self._config.learn_from_documents
        return (UNCONFIRMED,) if unsaid else ()

    def _of_page(self, page: Page) -> tuple[str, ...]:
        # A model has seen what a poisoned tool result made the assistant say; the twin reads the user's own words.
        return poison.of_page(page) if self._by_model else poison.spoken_labels(page, "user")

    def _cited_pages(self, page_ids: Sequence[str]) -> list[Page]:
        return [self._pages[i] for i in page_ids if i in self._pages]


class Filing:
    """Builds the writes of one reading. `pages` are the pages read, verbatim."""

    def __init__(self, shop: Workshop, pages: Sequence[Page], *, by_model: bool, again: bool = False) -> None:
        self._shop = shop
        self._again = again
        self._pages = {page.id: page for page in pages}
        self._by_model = by_model
        self._screening = Screening(shop)
        self._judge = Judgement(self._pages, shop.config.safety, by_model=by_model)

    def learning(self, scope: Scope, given: Findings, known: Persona) -> Learning:
        """Split the findings into long-term memory and quarantine. Writes nothing."""
        held = [
            self._quarantine_fact(f, trust, labels)
            for f, trust, labels in self._screening.withheld([*self._pages.values()])
        ]
        if given == Findings() and not held:
            return Learning()
        found = self._screening.findings(given)
        candidates = self._embed_candidates([self._candidate(f) for f in found.facts])
        id_of = {f: c.fact.id for f, c in zip(given.facts, candidates, strict=True)}
        is_clean = all(c.fact.status == "current" for c in candidates)  # else the model was taken in
        if self._again:
            candidates = self._shop.long_term.not_replaced(scope, candidates)
        fields = [ProfileField(f.name, f.value, self._time_of_pages(f.page_ids), f.page_ids) for f in found.profile]
        traits = [
            Trait(t.dimension, t.level, t.reason, self._time_of_pages(t.page_ids), t.page_ids) for t in found.traits
        ]
        fields, suspicious_fields = self._split_suspicious(scope, fields, {f.name: f for f in known.profile.fields})
        traits, suspicious_traits = self._split_suspicious(
            scope, traits, {t.dimension: t for t in known.profile.traits}
        )
        return self._shop.long_term.learning(
            scope,
            [*candidates, *held, *suspicious_fields, *suspicious_traits],
            retired=found.retired,
            dropped={i: id_of[f] if f is not None else None for i, f in given.dropped} if is_clean else {},
            until=self._time_of_pages([*self._pages]),
            trust=self._judge.of_reading(),
            profile=fields,
            traits=traits,
        )

    def _embed_candidates(self, candidates: list[Candidate]) -> list[Candidate]:
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
            self._quarantine_fact(found, trust, labels)
            if labels
            else Candidate(self._fact(found, trust), found.replaces)
        )

    def _quarantine_fact(self, found: FoundFact, trust: Trust, labels: tuple[str, ...]) -> Candidate:
        return Candidate(self._fact(found, trust, labels))

    def _fact(self, found: FoundFact, trust: Trust, labels: tuple[str, ...] = ()) -> Fact:
        return Fact(
            id=uuid.uuid4().hex,
            about=found.about,
            text=found.text,
            learned_at=self._shop.clock(),
            # Valid from when it was said, not from when it was extracted: "when" questions are about the conversation.
            valid_from=self._time_of_pages(found.page_ids),
            event_time=found.event_time,
            page_ids=found.page_ids,
            trust=trust,
            status="quarantined" if labels else "current",
            superseded_by=found.replaces if labels else None,
            labels=labels,
            kind=found.kind,
            origin="model" if self._by_model else "rules",
        )

    def _split_suspicious(
        self, scope: Scope, found: Sequence[_Known], known: Mapping[str, _Known]
    ) -> tuple[list[_Known], list[Candidate]]:
        """Return the items that may be stored, and the others as facts for review."""
        kept: list[_Known] = []
        apart: list[Candidate] = []
        for item in found:
            name, text = _name_and_text(item)
            trust = self._judge.trust("user", item.page_ids)
            labels = self._judge.labels(text, trust, item.page_ids) or self._overriding(scope, known.get(name), trust)
            if labels:
                apart.append(self._quarantine_fact(FoundFact("user", text, item.page_ids), trust, labels))
            else:
                kept.append(item)
        return kept, apart

    def _overriding(self, scope: Scope, known: Trait | ProfileField | None, trust: Trust) -> tuple[str, ...]:
        """Return the label for a value that would replace a more trusted one; () when it would not."""
        if known is None or trust == "user" or not self._shop.config.safety.quarantine:
            return ()
        pages = self._shop.store.pages(PageQuery(scope, ids=known.page_ids))
        return (OVERRIDES,) if rank(of_derived("user", pages)) < rank(trust) else ()

    def _time_of_pages(self, page_ids: Sequence[str]) -> datetime:
        times = (self._pages[i].timestamp for i in page_ids if i in self._pages)
        return max(times, default=None) or self._shop.clock()


def _name_and_text(item: Trait | ProfileField) -> tuple[str, str]:
    """Return the name and the text of an item."""
    if isinstance(item, ProfileField):
        return item.name, f"{item.name}: {item.value}"
    reason = f" ({item.reason})" if item.reason else ""
    return item.dimension, f"{item.dimension}: {item.level}{reason}"


_SHOWN_CHARS = 400


class Screening:
    """Screens pages for the steps, and the results of the steps for the store."""

    def __init__(self, shop: Workshop) -> None:
        self._shop = shop
        self._quarantine = shop.config.safety.quarantine

    def pages(self, pages: Sequence[Page]) -> tuple[Page, ...]:
        """Return the pages as steps may read them, one for one; a page without readable text has no message."""
        kept = map(poison.without_labelled, pages) if self._quarantine else pages
        return tuple(map(self._shop.redactor.page, kept))

    def batch(self, batch: Batch) -> Batch:
        """Screen a batch, with the pages before it."""
        (previous,) = self.pages([batch.previous]) if batch.previous else (None,)
        return replace(batch, pages=self.pages(batch.pages), previous=previous, earlier=self.pages(batch.earlier))

    def description(self, described: Description, batch: Batch) -> Description:
        """Return a model's description of a batch without secrets; sentences of the pages replace suspicious text."""

        def safe_summary(text: str, indices: Sequence[int]) -> str:
            suspicious = self._quarantine and poison.labels(text, "assistant")
            return (
                summarise(batch, indices, self._shop.config.mid_term) if suspicious else self._shop.redactor.text(text)
            )

        topics = tuple(replace(t, summary=safe_summary(t.summary, t.pages)) for t in described.topics)
        chains = {last: safe_summary(text, [last]) for last, text in described.chain_summaries.items()}
        return replace(described, topics=topics, chain_summaries=chains)

    def findings(self, found: Findings) -> Findings:
        """Return the findings without secrets."""
        clean = self._shop.redactor.text
        return replace(
            found,
            facts=tuple(replace(f, text=clean(f.text)) for f in found.facts),
            profile=tuple(replace(f, value=clean(f.value)) for f in found.profile if self._is_name(f.name)),
            traits=tuple(replace(t, reason=clean(t.reason)) for t in found.traits),
        )

    def withheld(self, pages: Sequence[Page]) -> Iterator[tuple[FoundFact, Trust, tuple[str, ...]]]:
        """Yield the withheld messages for review: as facts with trust and labels."""
        if not self._quarantine:
            return
        for page in pages:
            for message in poison.withheld(page):
                text = clip(self._shop.redactor.beginning(message.text), _SHOWN_CHARS)
                trust = of_derived(message.half, [replace(page, messages=(message,))])
                yield FoundFact(message.half, text, (page.id,)), trust, poison.labels_of([message])

    def _is_name(self, name: str) -> bool:
        # The step has folded it: a key in capitals looks like any word by now.
        return self.is_clean(name) and self.is_clean(name.upper())

    def is_clean(self, keyword: str) -> bool:
        """Return whether a keyword from a model holds no secret and does not try to steer the model."""
        suspicious = self._quarantine and poison.labels(keyword, "assistant")
        return not suspicious and self._shop.redactor.text(keyword) == keyword
