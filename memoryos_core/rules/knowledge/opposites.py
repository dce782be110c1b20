"""Statements that deny each other in other words: "has no kids" and "a son", "single" and "my husband", two faiths."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from memoryos_core.rules.knowledge.clauses import USER, clauses_of
from memoryos_core.rules.knowledge.news import NEVER, word_bag
from memoryos_core.rules.knowledge.slots import as_the_users, slots_of
from memoryos_core.rules.text.words import matches, regex
from memoryos_core.values.facts import Fact

__all__ = ["PARTED", "is_opposite", "keys_of_opposites", "may_be_opposite", "pairs_of_denials"]

_LONGEST = 240
_SELF = "^The user "
_HAS_NO = r"(?:has no|(?:doesn't|does not|don't|do not) have (?:any |a )?|never had (?:any |a )?)"
_NUMBER = r"(?:an?|one|two|three|four|five|six|\d|our|their|some)"
_HER = (
    r"(?:(?:older|younger|elder|eldest|oldest|youngest|little|big|twin|baby|new|newborn|step|middle|other|own|lovely"
    r"|first|only)[ -])*"
)
_CHILD = r"(?:sons?|daughters?|kids?|child|children|twins|boys?|girls?|baby|babies)"
# The person ends the phrase: "two kids now", but not "a baby shower", "a kids' book", "two girls on my team".
_ENDS = (
    r"(?! (?:in|on|at|from) (?:my|our|his|her|their|the) (?:[\w-]+ ){0,2}"
    r"(?:class|team|group|course|squad|choir|club|office|ward|care|troop|shop|gym|band)\b)"
    r"(?=$|[.,;:!]| (?:and|aged|called|named|who|now|of|at|in|with|from|on|together|by|already|last|this|but|\d)\b)"
)
# Behind somebody who belongs to the user stands a name, a verb or what goes on: not "my husband pillow".
_IS = (
    r"(?!, (?:that's|which is|as|or) (?:what|how|I|the user)\b)"
    r"(?=$|[.,;:!]|'s (?!ex\b)| (?-i:[A-Z])| (?:and|who|just|also|now|does|goes|got|went|came|made|took|gave|told|won"
    r"|lost|fell|bought|taught|ran|grew|became|broke|can|will|thinks|[a-z]{2,}(?:s|ed))\b)"
)
# A "kid's menu" is nobody's; "my kid's 5" tells of a child.
_OF_THING = (
    r"'s (?!(?:an?|the|in|at|on|off|not|now|so|got|been|had|just|called|school|teacher|class|birthday|\w+ing|\d+)\b)"
)
_GONE = r"(?! (?:died|passed|left|dumped|was|cheated|walked|and (?:them|i) (?:broke|split)))"
# A divorce of long ago, and one of which somebody only thinks.
_ONCE = (
    r"\b(?:years? ago|before|once|twice|first|used to|when|previous\w*|back in|ex-|if|would|could|nearly|almost|not"
    r"|never|19\d\d|20[01]\d)\b"
)
# Whose partner that is; what makes them ill and when they were born holds whoever they live with.
_STILL_TOLD = (
    r"\b(?! (?:and (?:the user|them|I)|died|passed)\b)(?!.*\b(?:allerg\w*|intoleran\w*|co?eliac|birthday|born)\b)"
    r"(?:,? (?-i:[A-Z])[\w-]+)?(?=$|[.,;:!]|'s | [a-z])"
)
# When it was: "in May", "last Tuesday"; nobody is left for good "this morning", "in Rome" or "on the sofa".
_MONTH = r"(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber"
_WHEN = (
    rf"(?:(?:back )?in (?:early |late )?(?:\d{{4}}|{_MONTH})|last (?:week|month|year|\w+day|spring|summer|autumn"
    r"|winter)|yesterday|recently|(?:an?|two|three|four|five|six|\d+|a few) (?:days?|weeks?|months?|years?) ago)"
)
_AT_LAST = rf"(?=[.!;]*$| (?:for good|for (?:someone|somebody|another \w+)(?: else)?|{_WHEN})[.!;]*$)"
PARTED = (
    r"(?=[.,!;]|$| (?:for good|now|since|before|because|so|sha|sadly|though|mate|this year"
    rf"|(?:{_WHEN}|today)(?=[.,!;]|$))\b)"
)
"""What may stand behind a separation that lasts."""
_WHO_IS = r"(?:^|, (?:that's|that is|who's|who is|he's|she's) )The user's "  # "Karl does the books, that's my husband"
# What is held, and what of the same person tells the opposite.
_PAIRS = tuple(
    (regex(held, re.IGNORECASE), regex(opposite, re.IGNORECASE))
    for held, opposite in (
        (
            rf"{_SELF}{_HAS_NO} ?(?:kids|children)\b",
            rf"{_SELF}(?:has|have|had|got|adopted|gave birth to|is raising) (?:now )?{_NUMBER} {_HER}{_CHILD}{_ENDS}"
            rf"|{_SELF}(?:just )?(?:became|is) (?:now )?a (?:dad|mum|mom|father|mother|parent)\b"
            rf"|^The user's {_HER}(?:sons?|daughters?|twins|(?:kids?|child|children)(?!{_OF_THING})){_IS}",
        ),
        (
            rf"{_SELF}(?:{_HAS_NO} ?(?:siblings|brothers or sisters|brothers and sisters)|is an only child)\b",
            rf"{_SELF}(?:has|have) {_NUMBER} {_HER}(?:brothers?|sisters?|siblings?){_ENDS}"
            rf"|^The user's {_HER}(?:brothers?|sisters?|siblings?){_IS}",
        ),
        (
            rf"{_SELF}(?:(?:doesn't|does not|can't|cannot|can not) (?:know how to )?drive"
            rf"|{_HAS_NO} ?(?:driving |driver's )?licen[cs]e)\b(?! (?:at|in the|on|when|after|to work|there|that))",
            rf"{_SELF}(?:has |have |just |finally )*(?:passed (?:the|their|my) (?:driving|road) test"
            rf"(?! cent| route| area)|got (?:the|their|my) (?:driving |driver's )?licen[cs]e)\b|{_SELF}(?:now )?drives"
            r" to (?:the|their|see|get|visit|work|school|uni|university|college|church|town|(?-i:[A-Z])\w*)\b",
        ),
        (
            rf"{_SELF}(?:is|am) (?:now |still |currently |happily )?single\b",
            rf"^The user's (?:(?:new|lovely|dear) )?(?:husband|wife|spouse|fianc\w+|boyfriend|girlfriend){_GONE}{_IS}"
            r"(?!.*\b(?:just|only) (?:good )?(?:mates|friends|pals)\b)",
        ),
        (
            rf"{_WHO_IS}(?:husband|hubby|wife|spouse){_STILL_TOLD}",
            rf"^(?!.*{_ONCE}){_SELF[1:]}(?:(?:is|am) (?:now |officially |finally |newly )*(?:divorced|single|separated)"
            rf"|(?:has |just |finally |officially )*(?:got|been) divorced)(?=$|[.,;:!]| (?:now|again|{_WHEN}|this year"
            r"|and|but|so|since|from (?:him|her|(?-i:[A-ZÀ-Þ])[\w-]+|their (?:husband|wife))|as of)\b)"
            r"|^(?:The|The user's) divorce (?:(?:has |finally |just )*(?:came|come|went|gone) through"
            rf"|(?:is|was) (?:now |finally )*(?:final|finali[sz]ed|granted|official|done))(?=[.!;]*$| (?:now|today"
            rf"|at last|{_WHEN})[.!;]*$)",
        ),
        (
            rf"{_WHO_IS}(?:boyfriend|girlfriend|partner|fianc\w+|bf|gf){_STILL_TOLD}",
            rf"^(?!.*{_ONCE}){_SELF[1:]}(?:is|am) (?:now |officially |finally |newly )*single(?=$|[.,;:!]| (?:now|again"
            r"|since|and|but|so|as of)\b)",
        ),
        *(
            (
                rf"^The user's {who}{_STILL_TOLD}",
                rf"{_SELF}(?:has |have |just |finally )*(?:left|divorced|dumped|separated from"
                rf"|(?:broke|broken|split)(?: up)? (?:with|from)) (?:their|the user's|my) {who}{_AT_LAST}",
            )
            for who in ("husband", "wife", "boyfriend", "girlfriend", "partner")
        ),
    )
)
_NO_DRIVER = 2
_FAITHS_TEXT = """christian:christian,christianity catholic:christian,catholicism protestant:christian,protestantism
    orthodox:christian anglican:christian,anglicanism lutheran:christian methodist:christian baptist:christian
    evangelical:christian pentecostal:christian mormon:christian,mormonism quaker:christian
    muslim:muslim,islam sunni:muslim shia:muslim jewish:jewish,judaism jew:jewish buddhist:buddhist,buddhism
    hindu:hindu,hinduism sikh:sikh,sikhism atheist:none,atheism agnostic:none pagan:pagan wiccan:pagan"""
_FAITHS: dict[str, tuple[str, str]] = {}
for _entry in _FAITHS_TEXT.split():
    _faith, _, _of = _entry.partition(":")
    for _name in (_faith, *_of.split(",")[1:]):
        _FAITHS[_name] = (_of.split(",")[0], _faith)
_WIDE = frozenset(("christian", "muslim", "jewish", "jew"))
_HAS_FAITH = regex(
    rf"{_SELF}(?:is|am|was baptised|became|has become|converted to|has converted to|turned|identifies as) (?:now )?"
    r"(?:an? )?(?:(?:practi[sc]ing|devout|lapsed|strict|proud|roman|born-again|lifelong|committed|russian"
    r"|greek) )*(?P<faith>" + "|".join(_FAITHS) + r")(?=$|[.,;:!]"
    r"| (?:now|and|but|since|by choice|as|though|too|again|from|because|so|these days|at heart)\b)",
    re.IGNORECASE,
)


@lru_cache(maxsize=16_384)
def _told_in(new: str, names: tuple[str, ...]) -> tuple[frozenset[int], str | None]:
    """Return the numbers of the pairs whose second half a statement is, and the faith that it tells."""
    said = _as_the_user(new, names)
    told = {number for number, (_, opposite) in enumerate(_PAIRS) if opposite.search(said)}
    if any(slot.subject == USER and slot.attribute == "vehicle" and not slot.negated for slot in slots_of(said)):
        told.add(_NO_DRIVER)
    return frozenset(told), _faith_in(said)


@lru_cache(maxsize=16_384)
def _as_the_user(text: str, names: tuple[str, ...]) -> str:
    return as_the_users(text[:_LONGEST], names).replace("\u2019", "'")


def _faith_in(said: str) -> str | None:
    found = _HAS_FAITH.search(said)
    return found["faith"].lower() if found is not None else None


def may_be_opposite(new: str, names: tuple[str, ...]) -> bool:
    """Return whether `is_opposite` may be true of this statement and any older one."""
    told, faith = _told_in(new, names)
    return bool(told) or faith is not None


def keys_of_opposites(text: str, names: tuple[str, ...]) -> set[str]:
    """Return the keys that a statement shares with those that deny it."""
    told, faith = _told_in(text, names)
    said = _as_the_user(text, names)
    held = {number for number, (one, _) in enumerate(_PAIRS) if one.search(said)}
    return {f"!{number}" for number in told | held} | ({"!faith"} if faith is not None else set[str]())


def is_opposite(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether a statement of the user denies an older one of theirs."""
    told, faith = _told_in(new, names)
    held = _as_the_user(old, names)
    if any(_PAIRS[number][0].search(held) for number in told):
        return True
    before = _faith_in(held) if faith is not None else None
    if faith is None or before is None:
        return False
    (group, one), (other_group, other) = _FAITHS[faith], _FAITHS[before]
    return group != other_group or (one != other and not _WIDE & {one, other})


# ------------------------------------------------------------------------------------------------ "never"


_DENIALS_AT_MOST = 200  # of many
_LEAST_DENIED = 2
"""Words of a denial that its opposite has in common with it; "never quit" alone is said of too many things."""
# What is quoted could not be resolved, so it is the opposite of nothing.
_DENIAL = regex(r"\b(?:never|not?|nor|nothing|nobody|cannot)\b|\bsaid: \"|n't\b", re.IGNORECASE)
_BEHIND_NEVER = regex(r"^.*?\bnever\b|[.;,].*$", re.IGNORECASE | re.DOTALL)
_EVER = frozenset(("ani", "ever", "onc", "befor", "again"))


def pairs_of_denials(held: Sequence[Fact], names: tuple[str, ...]) -> Iterator[tuple[Fact, Fact]]:
    """Yield each fact that says "never" with those that say most of it of the same person without a "not"."""
    told = [(fact, word_bag(fact.text), not matches(_DENIAL, fact.text)) for fact in held]
    for denial in [fact for fact in held if matches(NEVER, fact.text)][-_DENIALS_AT_MOST:]:
        matter = word_bag(_BEHIND_NEVER.sub("", denial.text)) - _EVER
        least, later = max(_LEAST_DENIED, 2 * len(matter) / 3), False
        for fact, said, is_plain in told:
            later = later or fact is denial
            if is_plain and len(matter & said) >= least and _persons(denial.text, names) & _persons(fact.text, names):
                yield (denial, fact) if later else (fact, denial)


def _persons(text: str, names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(clause.subject or USER for clause in clauses_of(text, names))
