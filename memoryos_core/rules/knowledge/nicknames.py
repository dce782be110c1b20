"""Names that one speaker calls the other by, found in greetings: who signs as "Emi" may be "Kate" to a friend."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memoryos_core.rules.text.introductions import is_name
from memoryos_core.rules.text.words import regex

_GREETED = regex(
    r"^\s*(?i:hey+|hi+|hello|hiya|yo|thanks|thank you|bye|welcome back),? (?P<name>[A-ZÀ-Þ][a-zà-ÿ]{1,14})(?=[,.!?]|$)"
)
_NOBODY_TEXT = (
    "everyone everybody guys folks friend friends buddy bro dude man girl mom mum dad god gosh jesus kitty world team"
    " all sir love dear sweetheart honey babe alexa siri google there you no yes way thanks happy merry"
)
_NOBODY = frozenset(_NOBODY_TEXT.split())


def names_called(said: Iterable[str], signed: str, speaker: str) -> Iterator[str]:
    """Yield what the author of these messages calls another one, who signs as `signed`; not the author's own name."""
    known = {name.casefold() for name in (*signed.split(), *speaker.split())}
    found = (greeted["name"] for text in said if (greeted := _GREETED.match(text)) is not None)
    for name in dict.fromkeys(found):
        if name.casefold() not in known and name.casefold() not in _NOBODY and is_name(name):
            yield name


def tell(signed: str, name: str) -> str:
    """Return the statement that a speaker goes by another name, as `tiers.knowledge` reads it."""
    return f"{signed} is called {name}."
