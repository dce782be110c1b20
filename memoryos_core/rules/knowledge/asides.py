"""Asides: who employs a speaker, what they live on and what they are called, told while they ask something else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryos_core.rules.knowledge.domains import domains_of
from memoryos_core.rules.knowledge.relations import FAMILY
from memoryos_core.rules.knowledge.restrictions import find_first
from memoryos_core.rules.text.introductions import TRADE
from memoryos_core.rules.text.names import is_name
from memoryos_core.rules.text.words import regex


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


# "Tell my boss at Southline", "my shift at Greggs starts at five": not the old one, nor one at home.
_MY_WORK_AT = _pattern(
    r"(?<!\w)my (?:(?!old\b|ex\b|former\b|last\b|previous\b|first\b)[a-z]+ )?(?:boss|manager|supervisor|team lead"
    r"|shift|shifts|job"
    r"|colleagues?|coworkers?|co-workers?) at (?:the )?(?P<where>(?-i:[A-Z])[\w&'-]*(?: (?-i:[A-Z&])[\w&'-]*){0,3}"
    r"|(?!(?:work|home|school|uni|college|night|noon|the|my|our|his|her|a|an|least|last|first|all|this|that|one"
    r"|it|present|times?|weekends?|lunch"
    r"|moment|\w+ing)\b)[a-z][\w&'-]{3,20}(?= (?:i|we|that|wants?|says?|said|is|keeps?)\b))(?! (?:was|were|used"
    r"|had)\b)"
)
_NO_JOB = _pattern(
    r"\b(?:interview|back then|used to|when i (?:was|worked)|years ago|apply|applied|applying|dream|would|imagine"
    r"|if i"
    r"|quit|quitting|left|leave|leaving|lost|former|old job|start(?:ed|ing)? at|ex-)\b"
)
# Whoever works or has a flat "here in Cork" lives there; who is "here in Rome until Friday" does not.
_HERE_IN = _pattern(
    r"^(?:[^,;:]{0,40}, |(?:so|and|but|well|yes|hi|hello),? )?(?:(?:i|we)(?:'m|'re| am| are)? (?:an? |the |now )?"
    r"|(?:my|our) )"
    rf"(?:[^,;:.?!]{{0,60}}? )?(?:{TRADE}|physio|work|teach|study|rent|own|run|flat|house|shop|school|clinic|practice"
    rf"|bakery|studio)"
    r"(?: (?:at|for|on|of|from) [^,;:.?!]{2,50}?)? here in"
    r" (?P<place>(?-i:[A-ZÀ-Þ])[\w'-]+(?: (?-i:[A-ZÀ-Þ])[\w'-]+){0,2})"
)
_STAYS = _pattern(
    r"\b(?:until|till|for (?:the|a|two|three|\d+) (?:\w+ )?(?:day|week|weekend|month|summer|winter)s?|visit\w*"
    r"|holiday|vacation|trip|hotel|conference|airbnb"
    r"|travel\w*|was|were|used to|client|customer|project)\b"
)
_FOR_A_LIVING = _pattern(
    r"^(?:(?:and|so|well|also|but|ok),? )*(?:i'm (?-i:[A-Z])[\w'-]+, )?i (?P<what>(?!(?:used|want|would|could"
    r"|don't|can't|never|had|have|do|did|hope"
    r"|wish|was|might|may)\b)[a-z]+ [a-z][a-z' ]{1,30}?) for (?:a |my )?living\b"
)
_SCHOOL_YEAR = _pattern(r"(?:now |so |in )*(?P<year>\d{1,2}(?:st|nd|rd|th) (?:year|grade))(?: now)?[.!]")
_BIG_BIRTHDAY = _pattern(r"\bi (?:just |finally )?(?:hit|turned|reached) the big (?P<age>[3-9][ -]?[05])\b")
_WHEN_TURNED = _pattern(
    r"\b(?:last (?:week|month|\w+day)|yesterday|on \w+day)\b[^.?!]{0,20}? when i (?:hit"
    r"|turned) (?P<age>[1-9]\d)(?=[.,!]|$)"
)
_ONE_OF = _pattern(
    r"\bone of (?:my|our) (?P<who>twins|kids|children|boys|girls|sons"
    r"|daughters),? (?-i:(?P<name>[A-ZÀ-Þ][a-zà-ÿ'-]{1,14}))(?=,| (?:can|has|is|was)\b)"
)
# "Nobody calls me that, Thandi is fine", "Bartholomew, Barty for short".
_NO_ONE_DOES = r"(?:no ?body|no one|not even my \w+) (?:ever |really )?calls me (?:that|by it)"
_SHORT_NAME = _pattern(
    rf"\b{_NO_ONE_DOES},? (?:(?:just|so|but|it's|call me) )*(?-i:(?P<name>[A-ZÀ-Þ][\w'-]{{1,14}}))(?: is (?:fine"
    rf"|ok|okay|good|enough)| will do|[.!]|$)"
)
_FOR_SHORT = _pattern(r"\b(?:my name is|i'm|i am) [^,.]{2,40},? (?-i:(?P<name>[A-ZÀ-Þ][\w'-]{1,14})) for short\b")
_IS_MINE = _pattern(
    rf"\b(?:he|she)(?:'s| is) (?:my|our) (?P<who>{FAMILY}),? (?-i:(?P<name>[A-ZÀ-Þ][a-zà-ÿ'-]{{1,14}}))(?=[.,!]|$"
    r"| (?:he|she)\b)"
)
_NOT_CALLED_THAT = _pattern(rf"\b{_NO_ONE_DOES}[.!]*$")
_IS_FINE = _pattern(r"^(?-i:(?P<name>[A-ZÀ-Þ][\w'-]{1,14})) (?:is (?:fine|ok|okay|good|enough)|will do)[.!]*$")


def asides_in(before: str, told: str, sentence: str) -> Iterator[str]:
    """Yield as plain statements what is told by the way: work, home, people, an age and a short name.

    `told` is the sentence without what never came to be, `before` the one that stands before it.
    """
    yield from _people(told, sentence)
    yield from _work_and_home(told, sentence)
    if (big := _BIG_BIRTHDAY.search(told) or _WHEN_TURNED.search(told)) is not None:
        yield f"I turned {big['age'].replace('-', '').replace(' ', '')}."
    if (year := _SCHOOL_YEAR.match(sentence)) is not None:
        yield f"I'm in {year['year'].lower()}."
    short = find_first((_SHORT_NAME, _FOR_SHORT), told)
    if short is None and _NOT_CALLED_THAT.search(before):
        short = _IS_FINE.match(told)
    if short is not None and is_name(short["name"]):
        yield f"Call me {short['name']}."


def _people(told: str, sentence: str) -> Iterator[str]:
    """Yield who the speaker's own people are."""
    if (one := _ONE_OF.search(sentence)) is not None:
        who = one["who"].lower().removesuffix("s")
        yield f"I have a {who if who in ('son', 'daughter') else 'child'} called {one['name']}."
    if (mine := _IS_MINE.search(told)) is not None:
        yield f"I have a {mine['who'].lower()} called {mine['name']}."


def _work_and_home(told: str, sentence: str) -> Iterator[str]:
    """Yield who employs the speaker, what for, and where the speaker lives."""
    employed = None if _NO_JOB.search(sentence) else _MY_WORK_AT.search(sentence)
    if employed is not None and not domains_of(where := employed["where"]):
        yield f"I work at {where[:1].upper()}{where[1:]}."
    if (living := _FOR_A_LIVING.match(told)) is not None:
        yield f"My job is to {living['what'].lower()}."
    here = _HERE_IN.search(told)
    if here is not None and _STAYS.search(told) is None:
        yield f"I live in {here['place']}."
