"""Screening of everything derived from pages: no text that tries to steer the model, and no secrets (ADR 0017)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from memoryos_core.consolidation.workshop import Workshop
from memoryos_core.extract.findings import Findings, FoundFact
from memoryos_core.extract.page_out import Batch, Description, summarise
from memoryos_core.extract.prompts import clip
from memoryos_core.rules.safety import poison
from memoryos_core.rules.safety.trust import of_derived
from memoryos_core.values.dialogue import Page
from memoryos_core.values.facts import Trust

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
        return replace(batch, pages=self.pages(batch.pages), previous=previous)

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
