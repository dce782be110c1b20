"""The twin of `page_out` without a model: close vectors or shared words, keywords, central sentences."""

from __future__ import annotations

from memoryos_core.config import MidTermConfig
from memoryos_core.extract.page_out import Batch, Description, Topic, label, runs, summarise
from memoryos_core.extract.prompts import dialogue
from memoryos_core.extract.summaries import merge_summary
from memoryos_core.rules.paging.heat import cosine
from memoryos_core.rules.text.words import terms
from memoryos_core.values.dialogue import Page

# Without vectors: the share of the shorter page's terms that the other one uses too.
_SHARED_TERMS = 0.15


def _overlap(one: Page, other: Page) -> float:
    left, right = set(terms(dialogue(one))), set(terms(dialogue(other)))
    return len(left & right) / (min(len(left), len(right)) or 1)


def _continues(batch: Batch, index: int, config: MidTermConfig) -> bool:
    before = batch.pages[index - 1] if index else batch.previous
    if before is None:
        return False
    vectors = (batch.previous_vector, *batch.vectors)
    one, other = (vectors[index], vectors[index + 1]) if batch.vectors else (None, None)
    if one is not None and other is not None and one.shape == other.shape and one.any() and other.any():
        return cosine(one, other) >= config.continuity
    return _overlap(before, batch.pages[index]) >= _SHARED_TERMS


def describe(batch: Batch, config: MidTermConfig) -> Description:
    """Describe the batch from its own words; each run of pages that continue one another is a topic."""
    continues = tuple(_continues(batch, i, config) for i in range(len(batch.pages)))
    chain_summaries: dict[int, str] = {}
    topics: list[Topic] = []
    for run in runs(continues):
        text = summarise(batch, run, config)
        topics.append(Topic(tuple(run), text, label(batch, run, config)))
        if continues[run.start] and batch.chain_summary:
            text = merge_summary(batch.chain_summary, text, config.summary_sentences)
        chain_summaries[run[-1]] = text
    return Description(continues, chain_summaries, tuple(topics))
