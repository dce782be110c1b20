"""Corrections that name one word or number for another: "it's leflunomide, not sulfasalazine", "no wait, 24".

Such a sentence means nothing alone. Its value is put into the statement that it corrects, with the old one behind it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from memoryos_core.rules.knowledge.news import word_bag
from memoryos_core.rules.text.function_words import FUNCTION_WORDS
from memoryos_core.rules.text.words import regex

__all__ = ["IDLE", "IS_MOVED", "Swap", "compare_swapped", "is_swapped", "swap_in", "swap_value", "without_swap"]

_LONGEST = 160  # characters of a correction
_LEAD = (
    r"(?:(?:oh|ah|um|so|and|but|well)[,.]? )?(?:no,? wait|wait,? no|wait|hang on|hold on|sorry|actually|correction|oops"
    r"|whoops|scratch that|my (?:mistake|bad)|typo|no|nope|i (?:misspoke|misread(?: it)?|mistyped|meant|mean|got that"
    r" wrong|got it wrong))(?: about that)?[,.:!]*"
)
# Not "she's vegetarian": that is another person.
_VALUE = r"(?!(?:i|he|she|they|we|you|it|that|this|my|our|his|her|their)\b)[\w'-]+(?: [\w'-]+){0,2}?"
_IS = r"(?:it's|it is|it was|its|that's|that is|it should be|should be|should say|make that|i meant|i mean|i'm on)"
_REASON = (
    r"(?=[.!]*$|[,.;!] ?(?:i (?:misread|misheard|mistyped|misspoke|mixed|meant|got (?:it|that)|read it|was wrong)|sorry"
    r"|my (?:mistake|bad)|autocorrect|typo|oops)\b)"
)
_INSTEAD = regex(
    rf"(?:(?P<lead>{_LEAD}) )*(?:(?P<is>{_IS}) )?(?:(?:the|an?) )?(?P<new>{_VALUE}),? (?:and )?not (?:the |an? )?"
    rf"(?P<old>{_VALUE}){_REASON}",
    re.IGNORECASE,
)
_BUT = regex(
    rf"(?:(?P<lead>{_LEAD}) )*(?:it's|it is|its|that's|it was)(?: not|n't) (?:the |an? )?(?P<old>{_VALUE})(?:,| but|\.)"
    rf" (?P<is>{_IS} )?(?:the |an? )?(?P<new>{_VALUE}){_REASON}",
    re.IGNORECASE,
)
_NUMBER = regex(
    rf"(?:{_LEAD} )+(?:(?:i'm|i am|it's|it is|make that|that's|i mean|i meant) )?(?P<new>\d{{1,6}}(?:[.,]\d+)?)"
    r"(?:,? (?:not|and not) (?P<old>\d{1,6}(?:[.,]\d+)?))?(?: since [\w ]{2,20}| now)?[.!]*$",
    re.IGNORECASE,
)
_MOMENT = regex(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:jan|febr)uary|march|april|may|june|july|august|\w+ember"
    r"|october|tomorrow|today|tonight|noon|midnight|next|last|week|month|\d+(?:st|nd|rd|th|am|pm)|\d+[:.]\d\d)\b",
    re.IGNORECASE,
)
_ANY_NUMBER = regex(r"(?<![\w:./-])\d+(?:[.,]\d+)?(?![\w:/]|[.-]\d)")
_MARK = regex(r" \(not (?P<old>[^()]{1,60})\)(?=\.?$)")


IS_MOVED = (
    r"(?:moved|shifted|pushed|changed|rescheduled|switched|put)(?: (?:back|forward|off))?|verschoben|verlegt|vorverlegt"
    r"|aplazad[oa]|cambiad[oa]|adelantad[oa]|reporté|déplacé|avancé|spostat[oa]|rinviat[oa]|adiad[oa]|verzet|verplaatst"
    r"|verschiebt|hat (?:\w+ )?verschoben|décalée?|repoussée?|a (?:décalé|repoussé|déplacé|reporté|avancé)"
    r"|trasladad[oa]"
    r"|movid[oa]|pospuest[oa]|slittat[oa]|anticipat[oa]|mudou|mudad[oa]|adiou|antecipad[oa]|remarcad[oa]"
)
"""Words by which somebody says that something has another day."""

IDLE_TEXT = """
    a an the it its it's that that's this is was be will been has have had should on at for to in of from and but so
    then i i'm me my our we user user's said oh ah um uh er hm please still same time date day okay ok yeah got get
    instead ich es er sie das der die den dem am um auf ist wird war hat wurde mal halt also und jetzt nun von vom mein
    meine ein gleiche selbe uhrzeit el la los las a al para es era será se ha ha sido por y de del mi lo que hora día
    le les c'est est à au du sera mon ma et il è alle al lo per di sarà o os às é dia het is op om de mijn
    zeit stunde erst haben worden wurden ils on ont a été sont même heure l han he hemos misma mismo stata stato
    stesso stessa ora hanno ho foi foram mesma pour para até das dos uma erst leider m'a m'ont nous elle elles ella c
    j"""
IDLE = frozenset(IDLE_TEXT.split())
"""Words that stand around a new day or hour and say nothing of what it is of."""


@dataclass(frozen=True, slots=True)
class Swap:
    """A value, and the one that it stands for: None where it is a number that was just said."""

    new: str
    old: str | None


@lru_cache(maxsize=4_096)
def swap_in(text: str) -> Swap | None:
    """Return what a sentence corrects, where it says nothing besides; None for most."""
    said = " ".join(text.replace("\u2019", "'").split())
    if len(said) > _LONGEST or said.endswith("?"):
        return None
    number = _NUMBER.match(said)
    if number is not None:
        return Swap(number["new"], number["old"])
    if _MOMENT.search(said):
        return None
    found = _BUT.match(said) or _INSTEAD.match(said)
    # "It's blue, not green" corrects nothing: a word of a mistake stands in front or behind.
    if found is None or not (found["lead"] or found.end() < len(said.rstrip(".!"))):
        return None
    new, old = found["new"], found["old"]
    if any(word in FUNCTION_WORDS["en"] for value in (new, old) for word in value.lower().split()):
        return None
    return Swap(new, old)


def swap_value(swap: Swap, old: str) -> str | None:
    """Return the older statement with the new value; None where it has not the one that is corrected."""
    if " said: " in old or is_swapped(old):
        return None
    if swap.old is None:
        named = list(_ANY_NUMBER.finditer(old))
    else:
        named = list(re.finditer(rf"(?<![\w-]){re.escape(swap.old)}(?![\w-])", old, re.IGNORECASE))
    if len(named) != 1 or named[0][0].lower() == swap.new.lower():
        return None
    one, stop = named[0], "." if old.endswith(".") else ""
    return f"{old[: one.start()]}{swap.new}{old[one.end() :].removesuffix('.')} (not {one[0]}){stop}"


def is_swapped(text: str) -> bool:
    """Return whether a statement stands for an older one in its words, with another value."""
    return text.endswith((")", ").")) and _MARK.search(text) is not None


def without_swap(text: str) -> str:
    """Return a statement without the value that does not hold."""
    return _MARK.sub("", text) if is_swapped(text) else text


def compare_swapped(old: str, new: str) -> Literal["replaces"] | None:
    """Return "replaces" where `new` says the same as `old` but for the value that it says does not hold."""
    found = _MARK.search(new) if is_swapped(new) else None
    if found is None:
        return None
    gone, held = word_bag(found["old"]), word_bag(old)
    rest = held - gone
    return "replaces" if gone and gone <= held and rest <= word_bag(without_swap(new)) else None
