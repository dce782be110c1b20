"""Likeness of two facts: the keys by which they are found, their words, and what news without a slot may be about."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import timedelta
from functools import lru_cache

from memoryos_core.rules.knowledge.aspects import aspects_of
from memoryos_core.rules.knowledge.clauses import USER
from memoryos_core.rules.knowledge.domains import CORRECTION, REVISED, domains_of
from memoryos_core.rules.knowledge.instructions import is_of_wish
from memoryos_core.rules.knowledge.news import PLAIN, is_news_of, is_same_kind, names_left, tells_death, tells_end
from memoryos_core.rules.knowledge.opposites import keys_of_opposites
from memoryos_core.rules.knowledge.replacements import names_replaced
from memoryos_core.rules.knowledge.slots import as_the_users, slots_of
from memoryos_core.rules.knowledge.supersession import endings, key_of
from memoryos_core.rules.knowledge.things import changes_thing
from memoryos_core.rules.text.words import matches, regex, terms
from memoryos_core.values.dialogue import Vector
from memoryos_core.values.facts import Fact

# What a key of facts begins with that many facts share: a part of life, a kind of value, a word.
BROAD = frozenset("~#=")
_PERSONAL_TEXT = "home occupation employer studies diet food allergy habit relationship phone email vehicle possession"
_PERSONAL = frozenset(_PERSONAL_TEXT.split())


@lru_cache(maxsize=16_384)
def keys_of(text: str, names: tuple[str, ...]) -> frozenset[str]:
    """Return what a fact must share with another one to be compared with it."""
    wish = ("~wish",) if is_of_wish(text) else ()
    orders = (f"order/{aspect}" for aspect, _ in aspects_of(text))
    return key_of(text, names) | keys_of_opposites(text, names) | {*orders, *wish}


@lru_cache(maxsize=16_384)
def slot_keys(text: str, names: tuple[str, ...]) -> frozenset[str]:
    """Return the keys of the slots that a text fills."""
    return frozenset(key for key in keys_of(text, names) if key[:1] not in BROAD)


def is_personal(keys: Collection[str]) -> bool:
    """Return whether a statement fills a slot of a person's life, which news may be about without its words."""
    return any(key.rpartition("/")[2] in _PERSONAL for key in keys)


@lru_cache(maxsize=16_384)
def terms_of(text: str) -> frozenset[str]:
    """Return the different terms of a text."""
    return frozenset(terms(text))


JUST = timedelta(hours=1)  # within which a correction is of what was said before it
# The share of the shorter statement's words that news shares with what it ends: of one kind, of one part of life, else.
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


_MOVED = regex(r"\b(?:moved|relocated|umgezogen|déménagé|mudado)\b", re.IGNORECASE)
_BILLS = frozenset(("rent", "mortgage", "salary"))  # news of them names them


def is_alone(old: Fact, new: Fact, rivals: Iterable[Fact], names: tuple[str, ...]) -> bool:
    """Return whether nothing else is known of a part of life that both are about: news can mean nothing else.

    Of a home or a job only other homes and jobs are: "We moved" ends the one home, whatever is known of its rent.
    """
    shared, filled = domains_of(old.text) & domains_of(new.text), slot_keys(old.text, names)
    keys = frozenset(key for key in filled if is_personal([key]))
    if any(key.rpartition("/")[2] in _BILLS for key in filled):
        return False
    is_end = tells_end(new.text) or matches(_MOVED, new.text)
    if "/home" in keys and not is_end:
        return False
    kept = keys if is_end else frozenset[str]()
    others = [f for f in rivals if f.id != old.id and (not kept or kept & slot_keys(f.text, names))] if shared else []
    return any(not any(domain in domains_of(fact.text) for fact in others) for domain in shared)


# They measure what a statement is about, and are not what it is about.
_TIMES = frozenset(terms("days weeks months years today tomorrow yesterday tonight mornings evenings weekends hours"))


def _content(text: str, names: tuple[str, ...]) -> frozenset[str]:
    """Return the terms of a statement that say what it is about, without who is meant."""
    return terms_of(text) - PLAIN - _TIMES - terms_of(" ".join((USER, *names)))


_OVER = regex(
    r"The user no longer (?:lives in|works (?:as|at)|studies|takes|has|goes to|drives|does) (?:an? |the )?"
    r"(?P<value>[^.;]+)\.$"
)


def value_over(text: str, names: tuple[str, ...]) -> str | None:
    """Return the value that a plain statement says is over: "Rex" of "The user no longer has Rex."."""
    found = _OVER.match(as_the_users(text, names))
    return found["value"] if found is not None else None


def with_value(value: str, facts: Iterable[Fact], names: tuple[str, ...]) -> list[Fact]:
    """Return the facts that give the user a value, under whatever attribute."""
    words = frozenset(terms(value))
    return [
        fact
        for fact in facts
        if any(
            slot.subject == USER and not slot.negated and words and words.issubset(terms(slot.value))
            for slot in slots_of(fact.text, names)
        )
    ]


def told_beside(ended: Iterable[Fact], rivals: Iterable[Fact], new: Fact, names: tuple[str, ...]) -> list[Fact]:
    """Return the facts of the pages of those that news ends, where it names and ends their value of the user, too."""
    ended = list(ended)
    if not (tells_end(new.text) or any(tells_death(fact.text, new.text) for fact in ended)):
        return []
    words, ends_with = frozenset(terms(new.text)), endings(new.text, names)
    return [
        fact
        for fact in rivals
        if any(are_of_one_page(fact, one) for one in ended)
        and any(slot.subject == USER and words.issuperset(terms(slot.value)) for slot in slots_of(fact.text, names))
        and ends_with(fact.text)
    ]


def are_of_one_page(one: Fact, other: Fact) -> bool:
    """Return whether two facts were told first on the same page: a later page may tell either again."""
    return one.valid_from == other.valid_from and not frozenset(one.page_ids).isdisjoint(other.page_ids)


def cosine(a: Vector | None, b: Vector) -> float:
    """Return the cosine of unit vectors; -1 where one is missing."""
    return float(a @ b) if a is not None and a.shape == b.shape else -1.0
