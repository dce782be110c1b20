"""A model reads pages that rules have read: what it may change, and what becomes of the facts that rules drafted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from memoryos_core.ports import Store
from memoryos_core.rules.knowledge.domains import domains_of
from memoryos_core.rules.text.words import terms
from memoryos_core.tiers.candidates import Candidate, KnownFacts
from memoryos_core.tiers.likeness import cosine
from memoryos_core.values.commands import FactChange
from memoryos_core.values.dialogue import HALVES, Page, Scope, Vector
from memoryos_core.values.facts import Fact

_OF_LIFE = 0.3
"""Closeness of a fact that is of the same part of life as what was said."""


def drafts_of(store: Store, scope: Scope, page_ids: Collection[str]) -> tuple[Fact, ...]:
    """Return the facts that rules took from these pages and from no others, those that another one ended, too."""
    read = frozenset(page_ids)
    known = (fact for fact in store.facts(scope, current=False) if fact.status in ("current", "superseded"))
    return tuple(fact for fact in known if fact.origin == "rules" and fact.page_ids and read.issuperset(fact.page_ids))


def nearest(
    store: Store, scope: Scope, pages: Sequence[Page], vector: Vector, *, drafts: Sequence[Fact] = (), limit: int
) -> tuple[Fact, ...]:
    """Return at most `limit` known facts that a reading of these pages may change, the nearest first.

    `vector` is the mean of the pages. What was said after the last of them is not changed by them.

    A fact is near by its vector, by its rare words, and by the parts of life that the `drafts` of the pages are of:
    "the keys to the new flat" is about "lives in Lisbon". The drafts themselves say nothing that is not on the pages.
    """
    apart = {fact.id for fact in drafts}
    if not pages or not limit:
        return ()
    until = max(page.timestamp for page in pages)
    known = [fact for fact in store.facts(scope) if fact.id not in apart and fact.valid_from <= until]
    vectors = vectors_of(store, scope, [fact.id for fact in known])
    wanted = frozenset(term for page in pages for half in HALVES for term in terms(page.text(half)))
    life = frozenset(domain for fact in drafts for domain in domains_of(fact.text))
    terms_of = {fact.id: frozenset(terms(fact.text)) for fact in known}
    held_by = Counter(term for some in terms_of.values() for term in some)

    def closeness(fact: Fact) -> float:
        rarity = {term: 1 / held_by[term] for term in terms_of[fact.id]}
        shared = sum(rarity[term] for term in sorted(rarity.keys() & wanted)) / (sum(rarity.values()) or 1.0)
        near = max(cosine(vectors.get(fact.id), vector), 0.0)
        return near + shared + _OF_LIFE * (not life.isdisjoint(domains_of(fact.text)))

    return tuple(sorted(known, key=lambda fact: -closeness(fact))[:limit])


def vectors_of(store: Store, scope: Scope, ids: Sequence[str]) -> dict[str, Vector]:
    """Return the vectors of facts that have one, by id."""
    stored = store.vectors(scope, ids)
    return {owner: parts["fact"] for owner, parts in stored.items() if "fact" in parts}


def drop_facts(
    known: KnownFacts, dropped: Mapping[str, str | None], changes: dict[str, FactChange]
) -> dict[str, str | None]:
    """Take the facts out that no other fact is bound to, and return the rest with who says them: see `hand_over`."""
    there = {i: heir for i, heir in dropped.items() if i in known.facts or (heir and i in known.index.places)}
    waiting = {i: heir for i, heir in there.items() if i not in known.facts or known.index.ended.get(i)}
    for fact_id, heir in there.items():
        if fact_id not in waiting:
            _drop(known, fact_id, heir, changes)
    return waiting


def hand_over(
    known: KnownFacts, waiting: Mapping[str, str | None], added: dict[str, Candidate], changes: dict[str, FactChange]
) -> None:
    """Let what a dropped fact ended be ended by the candidate that says it better, where that one is stored.

    What had ended the dropped fact ends that candidate. A draft that a fact of the model from the same page would
    replace never held: it is dropped, too.
    """
    replaced = {i: heir for i, change in changes.items() if (heir := _better_draft(known, i, change, added))}
    held = {change.superseded_by for change in changes.values() if change.status == "evicted"}
    held.update(heir for i, heir in waiting.items() if i in known.facts)
    for fact_id, heir in (dict(waiting) | replaced).items():
        place = known.index.places.get(fact_id)
        if heir is None or heir not in added or place is None:
            continue
        for ended_id in tuple(known.index.ended.get(fact_id, ())):
            ended = known.index.places[ended_id]
            known.end(ended, added[heir].fact)
            set_end(ended.fact, added, changes)
        said, ender = known.index.places[heir], known.index.places.get(place.fact.superseded_by or "")
        if heir in known.facts and heir not in held and ender is not None and said < ender:
            known.end(said, ender.fact)
            set_end(said.fact, added, changes)
        _drop(known, fact_id, heir, changes)


def _drop(known: KnownFacts, fact_id: str, heir: str | None, changes: dict[str, FactChange]) -> None:
    """Take a fact out, which stays in the store beside the one that says it: who forgets that one forgets both."""
    known.retire(fact_id)
    changes[fact_id] = FactChange(fact_id, status="evicted", superseded_by=heir)


def set_end(fact: Fact, added: dict[str, Candidate], changes: dict[str, FactChange]) -> None:
    """Write when a fact of this reading, or a stored one, ended, and by which; or that it holds."""
    if fact.id in added:
        pages = added[fact.id].fact.page_ids
        added[fact.id] = replace(added[fact.id], fact=replace(fact, page_ids=pages))
    else:
        change = changes.get(fact.id, FactChange(fact.id))
        changes[fact.id] = replace(
            change, status=fact.status, valid_until=fact.valid_until, superseded_by=fact.superseded_by
        )


def _better_draft(known: KnownFacts, fact_id: str, change: FactChange, added: Mapping[str, Candidate]) -> str | None:
    """Return the id of the model's fact from the same page that is about to replace a draft."""
    place, heir = known.index.places.get(fact_id), added.get(change.superseded_by or "")
    if place is None or heir is None or (place.fact.origin, heir.fact.origin) != ("rules", "model"):
        return None
    return heir.fact.id if set(place.fact.page_ids) <= set(heir.fact.page_ids) else None
