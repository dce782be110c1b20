"""The findings of a hot segment: the input and the output that `persona` and its twin share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from memoryos_core.extract.asking import words_of_half
from memoryos_core.rules.knowledge.entries import OF_A_PERSON
from memoryos_core.rules.knowledge.measures import kinds_of
from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.knowledge.slots import slots_of
from memoryos_core.rules.text.introductions import is_name
from memoryos_core.rules.text.words import regex, terms
from memoryos_core.values.dialogue import Page
from memoryos_core.values.facts import About, Fact, FactKind, Level, Profile

_ABSENT = frozenset(("", "-", "?", "n/a", "na", "nil", "none", "null", "unknown", "unspecified", "not given"))


@dataclass(frozen=True, slots=True)
class Persona:
    """Pages of a hot segment that were not analysed yet, oldest first, with what is known already.

    `known` are the nearest known facts, and `drafts` what rules took from these pages; `names` says what the two sides
    are called, and what is missing there is read from the pages.
    """

    pages: tuple[Page, ...]
    known: tuple[Fact, ...] = ()
    profile: Profile = field(default_factory=Profile)
    names: Mapping[About, str] = field(default_factory=dict[About, str])
    drafts: tuple[Fact, ...] = ()


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
    """The lessons of a segment, each item citing its pages; `retired` are ids of facts that no longer hold.

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


def is_news(profile: Profile, name: str, value: str) -> bool:
    """Return whether the value is not empty and differs from the profile."""
    return value.strip().casefold() not in _ABSENT | {(profile.get(name) or "").casefold()}


def _terms(text: str) -> frozenset[str]:
    return frozenset(terms(text))


_COVERED = 0.6  # of the words of a draft
_SHOWN = 0.8  # of them stand in what the model was shown; else its sentence was cut off


def find_dropped(
    persona: Persona, taken: Sequence[tuple[Page, FoundFact, str]], quoted: AbstractSet[str], shown: Mapping[str, str]
) -> tuple[tuple[str, FoundFact | None], ...]:
    """Return the ids of the drafts that are not needed beside what a model took from the same pages.

    `taken` are the page of each fact of the model, the fact, and its words with those of its quote; `quoted` the ids of
    the pages that it quoted, `shown` the text of each page that it read. A page was read with care when the model
    quoted it, or half of the pages of the question. Of such a page only those drafts stay that give a value which no
    fact of the model gives in a form that rules read, and wishes that it does not say. Each comes with the fact that
    says it, if one does.
    """
    careful = len(quoted) >= len(persona.pages) / 2
    names = persona.profile.names
    words = [(page.id, fact, _terms(text), _values(fact.text, names)) for page, fact, text in taken]
    read = {page_id: _terms(text) for page_id, text in shown.items()}
    dropped: list[tuple[str, FoundFact | None]] = []
    for draft in persona.drafts:
        own = _terms(draft.text)
        is_cut_off = not own or any(len(own & read.get(i, own)) < _SHOWN * len(own) - 1 for i in draft.page_ids)
        if is_cut_off or not (careful or not quoted.isdisjoint(draft.page_ids)):
            continue
        beside = [(len(own & said), fact, given) for i, fact, said, given in words if i in draft.page_ids]
        shared, heir, _ = max(beside, key=lambda one: one[0], default=(0, None, []))
        is_said = shared >= _COVERED * len(own)
        values = [value for value in _values(draft.text, names) if not is_said or value[1] in OF_A_PERSON]
        givers = [
            [fact for _, fact, given in beside if any(_is_given(value, one) for one in given)] for value in values
        ]
        if all(givers) and (is_said or draft.kind != "instruction"):
            first = next((fact for some in givers for fact in some), None)
            dropped.append((draft.id, heir if is_said else first))
    return tuple(dropped)


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


def page_that_says(pages: Sequence[Page], said: Sequence[str], quote: str) -> Page | None:
    """Return the first page that holds the quote, word for word; None when a model made it up."""
    whole = fold_words(quote)
    unspaced = any(ord(c) > _LATIN for c in whole)
    wanted = whole.strip() if unspaced else whole  # where words are parted, a quote ends with one
    if not wanted.strip() or (len(wanted.strip()) < _LEAST_QUOTE and not unspaced):
        return None
    return next((page for page, text in zip(pages, said, strict=True) if wanted in text), None)


_SIGNED = regex(
    r"^\s*(?:(?:hi|hey|hello|ok|okay|so)[,!. ]+)?(?:(?:this is|it's|its) )?"
    r"(?:(?-i:(?P<here>[A-Z][a-z]{1,14})) (?:here|again|speaking)(?: again| now)?\s*(?:[.,:!]|[-–—] )"
    r"|(?-i:(?P<told>[A-Z][a-z]{1,14})): (?=(?:i|i'm|i've|my|we|our)\b))",
    re.IGNORECASE,
)


def signer_of(page: Page, called: str | None, persona: Persona) -> str | None:
    """Return who signs a message, where it is a relative whom the user has named: two persons may share an account."""
    signed = _SIGNED.match(words_of_half(page, "user")) if called is not None else None
    name = (signed["here"] or signed["told"]) if signed is not None else None
    if name is None or called is None or name.lower() == called.lower() or not is_name(name):
        return None
    said = (*(fact.text for fact in persona.known), *(words_of_half(other, "user") for other in persona.pages))
    related = re.compile(rf"\b(?:{KIN}),? (?:is |called |named )?{re.escape(name)}\b")
    return name if any(related.search(text) for text in said) else None
