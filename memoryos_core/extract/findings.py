"""The findings of pages: the input and the output that `persona` and its twin share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias

from memoryos_core.extract.asking import words_of_half
from memoryos_core.rules.knowledge.clauses import USER
from memoryos_core.rules.knowledge.entries import OF_A_PERSON
from memoryos_core.rules.knowledge.measures import kinds_of
from memoryos_core.rules.knowledge.slots import Slot, slots_of
from memoryos_core.rules.text.words import regex, terms
from memoryos_core.values.dialogue import Page
from memoryos_core.values.facts import About, Fact, FactKind, Level, Profile

_ABSENT = frozenset(("", "-", "?", "n/a", "na", "nil", "none", "null", "unknown", "unspecified", "not given"))


@dataclass(frozen=True, slots=True)
class Persona:
    """Pages that were not analysed yet, oldest first, with what is known already.

    `known` are the nearest known facts, and `drafts` what rules took from these pages; `names` says what the two sides
    are called, and what is missing there is read from the pages. `before` are the latest pages before them.
    """

    pages: tuple[Page, ...]
    known: tuple[Fact, ...] = ()
    profile: Profile = field(default_factory=Profile)
    names: Mapping[About, str] = field(default_factory=dict[About, str])
    drafts: tuple[Fact, ...] = ()
    before: tuple[Page, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A statement about one side; `replaces` is the id of the known fact that it corrects.

    `kind` is what the statement tells; "state" when nothing more is known of it.
    """

    about: About
    text: str
    page_ids: tuple[str, ...]
    event_time: datetime | None = None
    replaces: str | None = None
    kind: FactKind = "state"


@dataclass(frozen=True, slots=True)
class FoundField:
    """A static field of the profile, new or with another value than the known one."""

    name: str
    value: str
    page_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoundTrait:
    """Where the user stands on one of the dimensions."""

    dimension: str
    level: Level
    reason: str
    page_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """The lessons of some pages, each item citing them; `retired` are ids of facts that no longer hold.

    `dropped` are ids of drafts, each with the fact of a model that says it better, or with None where it is not worth
    keeping. `refused` counts the items of a model that no page bears out.
    """

    facts: tuple[FoundFact, ...] = ()
    retired: tuple[str, ...] = ()
    dropped: tuple[tuple[str, FoundFact | None], ...] = ()
    profile: tuple[FoundField, ...] = ()
    traits: tuple[FoundTrait, ...] = ()
    refused: int = 0


def names_of(persona: Persona) -> dict[About, str]:
    """Return the names of the two sides: the given ones, else the first name in their messages."""
    names = dict(persona.names)
    for page in persona.pages:
        for message in page.messages:
            if message.name and message.role in ("user", "assistant"):
                names.setdefault(message.half, message.name)
    return names


def names_on(page: Page, persona: Persona) -> dict[About, str]:
    """Return what a page's own messages call the two sides: a fact has no name that goes with another page."""
    return names_of(replace(persona, pages=(page,)))


def is_news(profile: Profile, name: str, value: str) -> bool:
    """Return whether the value is not empty and differs from the profile."""
    return value.strip().casefold() not in _ABSENT | {(profile.get(name) or "").casefold()}


def _terms(text: str) -> frozenset[str]:
    return frozenset(terms(text))


_COVERED, _COVERED_BY_TEXT = 0.6, 0.3  # of the words of a draft: within a fact with its quote, within its text alone
_SHOWN = 0.8  # of them stand in what the model was shown; else its sentence was cut off
_PASSED_OVER: frozenset[FactKind] = frozenset(("state", "event", "change", "relation", "possession", "preference"))
_HEALTH = regex(
    r"\b(?:allerg|anaphyla|epipen|asthma|diabet|epilep|pregnan|blood|heart|cancer|insulin|medic|surg|doctor|hospital"
    r"|disease|illness|disab|sober|addict|vegan|vegetarian|halal|kosher|gluten|lactose)",
    re.IGNORECASE,
)


def find_dropped(
    persona: Persona, taken: Sequence[tuple[Page, FoundFact, str]], shown: Mapping[str, str]
) -> tuple[tuple[str, FoundFact | None], ...]:
    """Return the ids of the drafts that are not needed beside what a model took from the same pages.

    `taken` are the page of each fact of the model, the fact, and its quote; `shown` the text of each page that it read.
    A draft goes where a fact about the same side says it, and gives its values in a form that rules read; a wish goes
    for a wish alone, and a day for a text that has its words. Of a page that was read with care, since the model took
    something about that side from it or from half of the pages of the question, what is of the moment goes, too: no
    plan, no day, no value, nothing of health. Each comes with the fact that says it, if one does.
    """
    quoted = {(page.id, fact.about) for page, fact, _ in taken}
    names = names_known(persona)
    words = [
        (page.id, fact, _terms(fact.text), _terms(f"{quote} {fact.text}"), _values(fact.text, names))
        for page, fact, quote in taken
    ]
    read = {page_id: _terms(text) for page_id, text in shown.items()}
    who = _terms(" ".join((USER, *names)))
    dropped: list[tuple[str, FoundFact | None]] = []
    for draft in persona.drafts:
        own, values = _terms(draft.text) - who, _values(draft.text, names)
        if not own or any(len(own & read.get(i, own)) < _SHOWN * len(own) - 1 for i in draft.page_ids):
            continue
        is_dated, is_wish = draft.event_time is not None, draft.kind == "instruction"
        heirs = (
            (len(own & said), fact)
            for i, fact, text, said, given in words
            if i in draft.page_ids
            and fact.about == draft.about
            and (fact.kind == "instruction" or not is_wish)
            and len(own & said) >= _COVERED * len(own)
            and len(own & text) >= (_COVERED_BY_TEXT if _is_of_day(fact, draft) else _COVERED) * len(own)
            and all(any(_is_given(value, one) for one in given) for value in values if value[1] in OF_A_PERSON)
        )
        _, heir = max(heirs, key=lambda one: one[0], default=(0, None))
        of_the_moment = draft.kind in _PASSED_OVER and not (is_dated or values)
        of_side = {page_id for page_id, about in quoted if about == draft.about}
        is_read = 2 * len(of_side) >= len(persona.pages) or not of_side.isdisjoint(draft.page_ids)
        if heir is not None or (is_read and of_the_moment and not _HEALTH.search(draft.text)):
            dropped.append((draft.id, heir))
    return tuple(dropped)


def _is_of_day(fact: FoundFact, draft: Fact) -> bool:
    """Return whether a fact has the day of a draft, where that has one; wishes and health have their words instead."""
    if draft.event_time is None or fact.event_time is None:
        return draft.event_time is None and draft.kind != "instruction" and not _HEALTH.search(draft.text)
    return draft.event_time.date() == fact.event_time.date()


_NAMED = regex(r"[A-ZÀ-Þ\d]")


def page_behind(persona: Persona, said: Sequence[str], quote: str, text: str) -> Page | None:
    """Return the page that holds the quote of a text; None where none does, or where the text is not borne out by it.

    That is a text that denies its own quote, and advice of the assistant's that a small model copied as a fact.
    """
    page = _page_that_says(persona.pages, said, quote)
    if page is None or _denies_quote(persona, page, quote, text):
        return None
    is_users = fold_words(quote).strip() in fold_words(words_of_half(page, "user"))
    return None if not is_users and _ADVISES.search(_QUOTED.sub(" ", text)) else page


# Nobody is told as "you" in a fact; "Ana wants you to be brief" quotes Ana.
_ADVISES = regex(r"\byou(?:r|['\u2019](?:re|ll|ve|d))?\b", re.IGNORECASE)
_QUOTED = regex(r"[\"\u201c][^\"\u201d]{0,300}[\"\u201d]")


def _denies_quote(persona: Persona, page: Page, quote: str, text: str) -> bool:
    """Return whether a text gives an attribute a name or a number where rules read another one from its very quote.

    A value of which the quote has a word may be the better one: rules cut what is said as they can.
    """
    said, names = _terms(quote), names_known(persona)
    stated = [slot for slot in slots_of(text, names) if _names_one(slot) and said.isdisjoint(_terms(slot.value))]
    read = (fact.text for fact in (*persona.drafts, *persona.known) if stated and page.id in fact.page_ids)
    there = (slot for fact in read for slot in slots_of(fact, names) if _names_one(slot) and _terms(slot.value) <= said)
    return not {(s.subject, s.attribute) for s in stated}.isdisjoint((s.subject, s.attribute) for s in there)


def _names_one(slot: Slot) -> bool:
    """Return whether a slot of one value at a time has a name or a number: other words may be said in many ways."""
    return not (slot.many or slot.negated) and _NAMED.search(slot.value) is not None


def names_known(persona: Persona) -> tuple[str, ...]:
    """Return what the user is called, as far as the profile knows it."""
    return tuple(name for name in (persona.profile.get("name"),) if name is not None)


_Value: TypeAlias = tuple[str, str, frozenset[str]]


def _values(text: str, names: tuple[str, ...]) -> list[_Value]:
    """Return whose attribute a text gives a value, where it is one of a person, or a number, a date or a time."""
    slots = (slot for slot in slots_of(text, names) if slot.attribute in OF_A_PERSON or kinds_of(slot.value))
    return [(slot.subject, slot.attribute, _terms(slot.value)) for slot in slots]


def _is_given(value: _Value, other: _Value) -> bool:
    return value[:2] == other[:2] and (value[2] == other[2] or not value[2].isdisjoint(other[2]))


_WORD = regex(r"[^\W_]+(?:'[^\W_]+)*")
_ESCAPED = regex(r"&(?:lt|#91);")
_LEAST_QUOTE = 4  # characters; one word may be a name
_LATIN = 0x24F


def fold_words(text: str) -> str:
    """Return the words alone, in lower case: a model copies words and changes the signs between them."""
    plain = _ESCAPED.sub(" ", text.replace("\u2019", "'")).casefold()
    return f" {' '.join(_WORD.findall(unicodedata.normalize('NFC', plain)))} "


def _page_that_says(pages: Sequence[Page], said: Sequence[str], quote: str) -> Page | None:
    """Return the first page that holds the quote, word for word; None when a model made it up."""
    whole = fold_words(quote)
    unspaced = any(ord(c) > _LATIN for c in whole)
    wanted = whole.strip() if unspaced else whole  # where words are parted, a quote ends with one
    if not wanted.strip() or (len(wanted.strip()) < _LEAST_QUOTE and not unspaced):
        return None
    return next((page for page, text in zip(pages, said, strict=True) if wanted in text), None)


_OF_SPEAKER = regex(r"\b(?:i|i'm|i've|i'll|i'd|me|my|mine|we|our|us)\b", re.IGNORECASE)


def with_whole_name(text: str, quote: str, name: str) -> str:
    """Return a text that begins with the user's first name with the whole name, which rules know the user by.

    Not where the quote names the first name, or no speaker: a child or a friend may be called the same.
    """
    first, _, rest = name.partition(" ")
    is_speakers = rest and first not in quote and _OF_SPEAKER.search(quote.replace("\u2019", "'"))
    begins = text.startswith((f"{first} ", f"{first}'s ")) and not text.startswith(name)
    return f"{name}{text[len(first) :]}" if is_speakers and begins else text
