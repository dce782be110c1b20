"""The findings of a hot segment: the input and the output that `persona` and its twin share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from memoryos_core.extract.asking import words_of_half
from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.text.introductions import is_name
from memoryos_core.rules.text.words import regex
from memoryos_core.values.dialogue import Page
from memoryos_core.values.facts import About, Fact, FactKind, Level, Profile

_ABSENT = frozenset(("", "-", "?", "n/a", "na", "nil", "none", "null", "unknown", "unspecified", "not given"))


@dataclass(frozen=True, slots=True)
class Persona:
    """Pages of a hot segment that were not analysed yet, oldest first, with what is known already.

    `known` are the nearest known facts; `names` says what the two sides are called, and what is missing there
    is read from the pages.
    """

    pages: tuple[Page, ...]
    known: tuple[Fact, ...] = ()
    profile: Profile = field(default_factory=Profile)
    names: Mapping[About, str] = field(default_factory=dict[About, str])


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

    `refused` counts the items of a model that no page bears out.
    """

    facts: tuple[FoundFact, ...] = ()
    retired: tuple[str, ...] = ()
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
