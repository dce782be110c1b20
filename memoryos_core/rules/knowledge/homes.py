"""Read what a statement says beside where somebody lives: with whom, and since when. Neither is another home."""

from __future__ import annotations

import re

from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.knowledge.slots import slots_of
from memoryos_core.rules.text.words import matches, regex

__all__ = ["leaves_home_open", "without_company"]

# Who shares a home may leave it, and the home stays.
_COMPANY = regex(
    r"(?<=\w),? (?:together )?with (?:my|our|his|her|their|the user's) (?:[\w-]+ ){0,2}"
    rf"(?:{KIN}|cats?|dogs?|pupp(?:y|ies)|kittens?|rabbits?|hamster|parrot|bird)\b[^.;]*",
    re.IGNORECASE,
)
# "I moved here in 2020" tells since when, and names no other place.
_CAME_HERE = regex(
    r"\bmoved (?:\w+ )?here (?:(?:back )?in \d{4}|(?:\w+ )?years ago|as a (?:child|kid|student)|when)\b", re.IGNORECASE
)
# Who lives with somebody may do so where the home is, unless it is told that they left it.
_LIVES_WITH = regex(r"\b(?:lives?|living) with\b", re.IGNORECASE)
_LEAVES = regex(r"\b(?:mov(?:ed?|ing)|left|leaving|no longer|any ?more|instead|sold|evicted|back)\b", re.IGNORECASE)


def without_company(text: str, names: tuple[str, ...]) -> str:
    """Return a statement of a home without those who share it."""
    return _COMPANY.sub("", text) if " with " in text and _has_home(text, names) else text


def leaves_home_open(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether `new` tells only since when or with whom somebody lives, and `old` where."""
    if matches(_CAME_HERE, new):
        return _has_home(old, names)
    with_whom = matches(_LIVES_WITH, new) and not matches(_LEAVES, new)
    return with_whom and _has_home(old, names) and not _has_home(new, names)


def _has_home(text: str, names: tuple[str, ...]) -> bool:
    return any(slot.attribute == "home" for slot in slots_of(text, names))
