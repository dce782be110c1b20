"""Words of an English clause that point at somebody or something that only another sentence names."""

from __future__ import annotations

import re

from memoryos_core.extract.third_person import has_verb
from memoryos_core.rules.text.words import regex

__all__ = ["NAME", "is_unresolved", "leans_on_another", "points_back"]

NAME = regex(r"(?<=[a-z0-9,;:'\")] )(?!I\b|I')[A-Z][\w'-]+")
"""A name within a clause; the first word says nothing by its capital letter."""

_UNRESOLVED = regex(
    r"(?:it|it's|its|it'll|it'd|that|that's|that'll|this|this's|these|those|there|there's|they|they're|they've"
    r"|he|he's|she|she's|them|which|who|one|both|some|someone|something|everything|everyone|nothing"
    r"|his|her|hers|theirs|mine|ours|yours|the (?:same|former|latter|first|second|one|other))\b",
    re.IGNORECASE,
)
_SOMEBODY = regex(r"\b(?:he|she)(?:'s|'ll|'d)?\b", re.IGNORECASE)
# Nouns that "she" and "he" may stand for have one of these before them.
_NOUN = regex(r"\b(?:an?|the|my|our|your|his|her|their|this|that|every|each|one)\b", re.IGNORECASE)
_IT = regex(
    r"(?P<before>(?:i|we)(?:'\w+)? (?:[\w']+ ){1,4}?)(?:it|them)\b"
    r"(?! (?:is|was|will|would|has|had|takes|took|when|to be)\b)",
    re.IGNORECASE,
)
_ROOM_FOR_A_THING = 5  # with fewer words before "it" there is none that it may stand for
# "I never bought it", "I would like that for the ferry": what is meant stands in another sentence.
_AT_END = regex(r"\b(?:it|them|that|this|one)(?:[.!]*$| (?:for|yet|too|again|now|today|anyway)\b)", re.IGNORECASE)
# A thing that only the sentences before could name: "I want to get that going", "I can refer to it".
_WITHIN = regex(
    r"(?<=[a-z]) (?:it|that|this|them|those|these)(?= (?:happen|going|work|done|more|again|easier|better|so|to|and"
    r"|but|too|with|in|on|for|up|out|off|over|all|really|much|ready)\b|[.,!;]|$)",
    re.IGNORECASE,
)


def is_unresolved(clause: str) -> bool:
    """Return whether the subject of the clause stands in another sentence: "Last night at three she came out"."""
    if _UNRESOLVED.match(clause):
        return True
    person = _SOMEBODY.search(clause)
    return person is not None and not _may_name_somebody(clause[: person.start()])


def leans_on_another(clause: str) -> bool:
    """Return whether the object of the clause stands in another sentence: "I've been dreaming of it since June"."""
    thing = _IT.match(clause)
    return thing is not None and thing["before"].count(" ") < _ROOM_FOR_A_THING and not NAME.search(thing["before"])


def points_back(clause: str, *, ends: bool) -> bool:
    """Return whether a short clause says little without what it points at; `ends`: at its end, else anywhere."""
    return (_AT_END if ends else _WITHIN).search(clause) is not None


def _may_name_somebody(text: str) -> bool:
    """Return whether a text may name a person or an animal: a name, or a noun with an article before it."""
    first, _, rest = text.partition(" ")
    verb = rest.partition(" ")[0]
    return bool(NAME.search(text) or _NOUN.search(text)) or (first.isalpha() and bool(verb) and has_verb(verb))
