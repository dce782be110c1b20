"""Tell whether news that names no attribute is about a known fact: by the words of both, or as the only one."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from memoryos_core.rules.knowledge.clauses import USER
from memoryos_core.rules.knowledge.domains import CORRECTION, REVISED, domains_of
from memoryos_core.rules.knowledge.news import PLAIN, is_news_of, is_same_kind, names_left, tells_death
from memoryos_core.rules.knowledge.replacements import names_replaced
from memoryos_core.rules.knowledge.things import changes_thing
from memoryos_core.rules.text.words import matches, regex
from memoryos_core.tiers.knowledge import terms_of
from memoryos_core.values.facts import Fact

__all__ = ["JUST", "is_alone", "is_quoted", "tells_of"]

JUST = timedelta(hours=1)
"""The time within which a correction is of what was said before it."""

# The share of the shorter statement's words that news has in common with what it ends: with values of one kind, with an
# end in the same part of life, else.
_OF_ONE_KIND, _OF_ONE_PART, _OTHERWISE = 0.4, 1 / 3, 0.5
# What is quoted could not be resolved, so it ends nothing by its words.
_QUOTED = regex(r'[\w ]{1,60} said: "')


def is_quoted(text: str) -> bool:
    """Return whether a statement stands in the words of the speaker, since nobody could resolve them."""
    return _QUOTED.match(text) is not None


def tells_of(old: Fact, new: Fact, names: tuple[str, ...]) -> bool:
    """Return whether a change that names no attribute is about the old statement: most of their words are the same.

    What rules find in a conversation is full of "now" and "no longer"; what was told on purpose is said to be kept.
    """
    named = names_replaced(old.text, new.text, names) or changes_thing(old.text, new.text)
    named = named or names_left(old.text, new.text)
    if new.origin != "rules" or named or tells_death(old.text, new.text):
        return True
    if matches(CORRECTION, new.text):  # of what was just said
        return new.valid_from - old.valid_from <= JUST
    before, after = (_content(fact.text, names) for fact in (old, new))
    shared, least = len(before & after), min(len(before), len(after))
    if matches(REVISED, new.text):
        return shared > 0
    if is_quoted(new.text):
        return False
    if is_same_kind(old.text, new.text):
        return shared >= _OF_ONE_KIND * least
    share, few = (_OF_ONE_PART, 1) if is_news_of(old.text, new.text) else (_OTHERWISE, 1 + (new.kind != "change"))
    return shared >= max(few, share * least)


def is_alone(old: Fact, new: Fact, rivals: Iterable[Fact]) -> bool:
    """Return whether nothing else is known of a part of life that both are about: news can mean nothing else."""
    shared = domains_of(old.text) & domains_of(new.text)
    others = [domains_of(fact.text) for fact in rivals if fact.id != old.id]
    return any(not any(domain in other for other in others) for domain in shared)


def _content(text: str, names: tuple[str, ...]) -> frozenset[str]:
    """Return the terms of a statement that say what it is about, without who is meant."""
    return terms_of(text) - PLAIN - terms_of(" ".join((USER, *names)))
