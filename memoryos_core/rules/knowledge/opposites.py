"""Statements that deny each other in other words: "has no kids" and "a son", "single" and "my husband", two faiths."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memoryos_core.rules.knowledge.clauses import USER, clauses_of, person
from memoryos_core.rules.knowledge.news import NEVER, tells_death, word_bag
from memoryos_core.rules.knowledge.relations import NO_NAME
from memoryos_core.rules.knowledge.slots import as_the_users, slots_of
from memoryos_core.rules.text.words import matches, regex
from memoryos_core.values.facts import Fact

__all__ = [
    "DIED",
    "PARTED",
    "is_opposite",
    "keys_of_opposites",
    "may_be_opposite",
    "pairs_of_denials",
    "stands_by_words",
]

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
# A divorce of long ago, and one of which somebody only thinks.
_ONCE = (
    r"\b(?:years? ago|before|once|twice|first|used to|when|previous\w*|back in|ex-|if|would|could|nearly|almost|not"
    r"|never|19\d\d|20[01]\d)\b"
)
# When it was: "in May", "last Tuesday"; nobody is left for good "this morning", "in Rome" or "on the sofa".
_MONTH = r"(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber"
_WHEN = (
    rf"(?:(?:back )?in (?:early |late )?(?:\d{{4}}|{_MONTH})|last (?:night|week(?:end)?|month|year|\w+day|spring|summer"
    r"|autumn|winter)|yesterday|recently|(?:an?|two|three|four|five|six|\d+|a few) (?:days?|weeks?|months?|years?) ago)"
)
_AT_LAST = rf"(?=[.!;]*$| (?:for good|for (?:someone|somebody|another \w+)(?: else)?|{_WHEN})[.!;]*$)"
PARTED = (
    r"(?=[.,!;]|$| (?:for good|now|since|before|because|but|so|sha|sadly|though|mate|this year|amicably|mutually|and it"
    rf"|after [\w -]{{1,20}}(?:years?|months|weeks)|(?:{_WHEN}|today)(?=[.,!;]|$))\b)"
)
"""What may stand behind a separation that lasts."""
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


# ------------------------------------------------------------------------------------------------ who is with whom

DIED = (
    r" (?:has |have |had |just |sadly |recently )*(?:passed away|died)\b"
    r"(?! (?:when|in (?:the|a|an)\b|as|years|laughing|of (?:laughter|boredom|embarrassment|shame)|(?:his|her|their) ))"
)
"""What is said behind the name of a person who is dead."""
_NAMED = (
    rf"(?-i:{NO_NAME}(?!(?:Mum|Mom|Dad|Gran\w*|This|That|It|He|She|They|Who|One|Here|There|Today|Nobody|Sunni|Shia|Labour"
    r"|Gen)\b|[A-Z]{2})[A-ZÀ-Þ])[\w-]+"
)
_ONE, _OTHER = rf"(?P<one>{_NAMED}(?: {_NAMED})?)", rf"(?P<other>the user|{_NAMED}(?: {_NAMED})?)"
_THE_ONE = r"(?P<one>[\w-]+(?: (?-i:[A-ZÀ-Þ])[\w-]+)?)"  # known by name already, so in small letters, too
_OFFICE = r"(?! (?:at|on|in|for|of)\b|['’]s (?!name\b))"
_WORD = r"(?P<word>wife|husband|hubby|spouse|missus|(?:girl|boy)friend|gf|bf|partner|fianc\w+)\b"
_NEW = r"(?:(?:(?P<fresh>new)|lovely|dear|current|long-term|amazing|beautiful) )?"
_THEN = r"(?:(?:has|have|had|just|now|finally|officially|recently|also|still|already|been|so|then) )*"
_STAYS = (
    r"(?=[.,!;]|$| (?:(?:now|again|today|at last|finally)(?=[.,!;]|$)|(?:since|and|these days|as of"
    r"|for [\w ]{1,20}s now)\b))"
)
_BEGAN = rf"(?:{_STAYS}|(?= (?:{_WHEN}|on \w+day|this (?:month|year|spring|summer|autumn|winter))\b))"
_DATES = r"(?:dating|seeing|going out with|together with|in a relationship with|(?P<vow>engaged|married) to)"
# "One" is together with "other", whose partner they are.
_COUPLES = tuple(
    regex(pattern, re.IGNORECASE)
    for pattern in (
        rf"^{_ONE}(?: is|'s) {_THEN}{_OTHER}'s {_NEW}{_WORD}{_OFFICE}",
        rf"(?:^|, (?:that's|that is|who's|who is|he's|she's) ){_OTHER}'s {_NEW}{_WORD}{_OFFICE}"
        rf"(?:(?:['’]s name is| is(?: called| named)?| called| named|,)?,? {_ONE}\b|{_IS}|(?= (?:is|has)\b))",
        rf"^{_OTHER} (?:has |got ){_THEN}(?:got )?an? {_NEW}{_WORD}{_OFFICE}"
        rf"(?: now)?(?:(?= (?:called|named) |,? (?-i:[A-ZÀ-Þ])),? (?:called |named )?{_THE_ONE}\b)?",
        rf"^{_OTHER} [a-z' ]{{1,40}}?\btheir {_NEW}{_WORD}{_OFFICE},? {_ONE}\b",
        rf"^{_OTHER} (?:is|has been) {_THEN}{_DATES} {_ONE}{_STAYS}",
        rf"^{_OTHER} {_THEN}(?:(?P<vow>(?:got|became) (?:engaged|married) to|married)|got (?:back )?together with"
        rf"|started (?:dating|seeing|going out with)|made it official with) {_ONE}{_BEGAN}",
        rf"^{_ONE} and {_OTHER} are {_THEN}(?:together|official|exclusive|an? (?:couple|item)|dating|going out"
        rf"|(?P<vow>engaged|married)|seeing each other|in a relationship){_STAYS}",
        rf"^{_ONE} and {_OTHER} {_THEN}(?:got (?P<vow>engaged|married)|got (?:back )?together|made it official"
        rf"|started (?:dating|seeing each other|going out)){_BEGAN}",
    )
)
_APART = (
    r"(?:(?:(?:are|were|have|have got) )?(?:(?:now|officially|finally|just|both|recently) )*"
    r"(?:done|over|finished|through|history|no more|not together|(?:no longer|not) (?:together|an? (?:couple|item))"
    r"|divorced|separated|split(?: up)?|broken up|separating|splitting up|breaking up|divorcing"
    r"|(?:getting|got) (?:a )?(?:divorced?|separated)|broke up|ended (?:it|things)|called it quits"
    r"|parted ways|gone (?:our|their) separate ways)"
    r"|aren't (?:together|an? (?:couple|item))|(?:have )?decided to (?:split up|break up|separate|(?:get a )?divorce"
    rf"|go their separate ways))(?: any ?more| any longer)?{PARTED}"
)
_AWAY = (
    rf"{_THEN}(?:(?:(?:broke|broken|split)(?: up)?|ended (?:it|things)|finished(?: things| it)?"
    r"|called it (?:off|quits|a day)|parted ways) (?:with|from)|separated from|dumped|divorced|left|walked out on)"
)
_THEM = r"(?:me|us|them|the user)\b"
_LEFT = (
    rf"(?:{PARTED}|(?= (?:by text|over text|last (?:week|month|year|\w+day)"
    r"|for (?!the|my|our|their|her|his|a bit)[\w ]*)[.!;]*$))"
)
# "One" and "other" who are together no more; where neither is named, whoever it was.
_PARTINGS = tuple(
    regex(pattern, re.IGNORECASE)
    for pattern in (
        rf"^{_OTHER} {_AWAY} (?:their|the user's|my) {_WORD}{_AT_LAST}",
        rf"^{_OTHER} (?:{_AWAY}|(?:is (?:no longer|not)|isn't) (?:with|{_DATES})) {_THE_ONE}(?: any ?more)?{PARTED}",
        rf"^{_OTHER}'s {_WORD} and the user {_APART}",
        rf"^{_ONE} and {_OTHER} {_APART}",
        rf"^(?P<other>the user) and {_ONE} {_APART}",
        rf"^{_OTHER} (?:broke|split) up, them and {_ONE}{PARTED}",
        rf"^{_OTHER}'s {_WORD}(?:,? {_ONE},?)? {_AWAY} {_THEM}{_LEFT}",
        rf"^(?:So )?{_ONE} {_AWAY} (?:{_THEM}|{_OTHER}){_LEFT}",
        rf"^{_OTHER} {_THEN}(?:got|was) dumped by {_THE_ONE}{PARTED}",
        rf"^{_ONE} is {_THEN}{_OTHER}'s (?P<ex>ex)\b",
        rf"\b{_OTHER}'s (?P<ex>ex)(?:[- ](?:(?:girl|boy)friend|wife|husband|partner|fianc\w+))?,?(?: is| called)*"
        rf" {_THE_ONE}\b",
        rf"^{_ONE} (?:is (?:no longer|not)|isn't) {_OTHER}'s {_WORD}",
        rf"^{_ONE}(?P<dead>{DIED})",
        rf"^{_OTHER} {_THEN}(?:(?:broke|broken|split) up(?! with)|(?:got|was) dumped(?! by))"
        rf"(?:{PARTED}|(?= (?:at|over) (?!the end)))",
        rf"^(?!.*{_ONCE}){_OTHER} (?:is|am) (?:now |officially |finally |newly |back to being )*single"
        r"(?=$|[.,;:!]| (?:now|again|since|and|but|so|as of)\b)",
        rf"^(?!.*{_ONCE}){_OTHER} (?P<vow>(?:is|am) (?:now |officially |finally |newly )*(?:divorced|separated)"
        rf"|(?:has |just |finally |officially )*(?:got|been) divorced)(?=$|[.,;:!]| (?:now|again|{_WHEN}|this year"
        r"|and|but|so|since|from (?:him|her|(?-i:[A-ZÀ-Þ])[\w-]+|their (?:husband|wife))|as of)\b)",
        r"^(?:The|The user's) (?P<vow>divorce) (?:(?:has |finally |just )*(?:came|come|went|gone) through"
        rf"|(?:is|was) (?:now |finally )*(?:final|finali[sz]ed|granted|official|done))(?=[.!;]*$| (?:now|today"
        rf"|at last|{_WHEN})[.!;]*$)",
    )
)
_SINGLE = regex(rf"^{_OTHER} (?:is|am) (?:now |still |currently |happily )*single\b", re.IGNORECASE)
_SPOUSES = frozenset(("vow", "wife", "husband", "hubby", "spouse", "missus"))
_UNREAL = regex(
    r"\b(?:if|would|could|might|dream\w*|nightmare|in (?:the|an?|my) (?:game|novel|film|movie|story|play|series|book)"
    r"|just (?:good )?(?:mates|friends|pals))\b",
    re.IGNORECASE,
)
_NOT_NOW = regex(
    r"\b(?:years? ago|back together|made up|in (?:19|20[01])\d+|school|for (?:the )?\w*day)\b", re.IGNORECASE
)
# What makes them ill and when they were born holds whoever they live with.
_OF_BODY = regex(r"\b(?:allerg\w*|intoleran\w*|co?eliac|birthday|born)\b", re.IGNORECASE)
_SHARED_LETTERS = 3  # of "Liz" and "Elizabeth", who are one


@dataclass(frozen=True, slots=True)
class _Couple:
    """Two people, in small letters where one has no name "", and what one is called, or "vow", "ex" or "dead"."""

    one: str
    other: str
    word: str
    is_name: bool = False
    is_new: bool = False

    def ends_with(self, parted: _Couple) -> bool:
        """Return whether this couple is the one that is together no more."""
        if parted.one and self.one:
            return {parted.one, parted.other or self.other} == {self.one, self.other}
        if parted.one and (parted.word not in {"", self.word} or not parted.is_name):
            return False
        is_wed = _is_wed(self.word) and _is_wed(parted.word) and "vow" in (self.word, parted.word)
        return self.other == (parted.other or USER) and (is_wed or parted.word in ("", self.word))

    def gives_way_to(self, couple: _Couple) -> bool:
        """Return whether one of this couple is together with somebody else now; a spouse takes another spouse."""
        if not self.one or self.other != couple.other or couple.word == "partner":
            return False
        if not couple.one:
            return couple.is_new
        runs = {self.one[at : at + _SHARED_LETTERS] for at in range(len(self.one) - _SHARED_LETTERS + 1)}
        if self.one == couple.one or any(run in couple.one for run in runs):
            return False
        return not _is_wed(self.word) or _is_wed(couple.word) or couple.word.startswith("fianc")


def _is_wed(word: str) -> bool:
    return word in _SPOUSES


@lru_cache(maxsize=16_384)
def _couple_in(said: str, names: tuple[str, ...], *, parted: bool = False) -> _Couple | None:
    """Return the couple that a statement tells of, or one that it says to be one no more."""
    if matches(_UNREAL, said) or matches(_NOT_NOW if parted else _OF_BODY, said):
        return None
    for pattern in _PARTINGS if parted else _COUPLES:
        if (found := pattern.search(said)) is not None:
            told = found.groupdict()
            one, other = (person(told.get(who) or "", names).partition(" ")[0] for who in ("one", "other"))
            one, other = (other, one) if one == USER else (one, other)
            kind = next((name for name in ("vow", "ex", "dead") if told.get(name)), "")
            is_name, is_new = (told.get("one") or "")[:1].isupper(), told.get("fresh") is not None
            return _Couple(one, other, (told.get("word") or kind).lower(), is_name, is_new)
    return None


@lru_cache(maxsize=16_384)
def _couples_in(text: str, names: tuple[str, ...]) -> frozenset[str]:
    """Return the key of statements of who is together, parted or single; none for any other."""
    said = _as_the_user(text, names)
    told = _couple_in(said, names) or _couple_in(said, names, parted=True) or _SINGLE.search(said)
    return frozenset(("!couple",) if told is not None else ())


def _is_over(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether a couple of an older statement is together no more, or somebody is single no more."""
    parted = _couple_in(new, names, parted=True)
    couple = _couple_in(new, names) if parted is None and not matches(_NOT_NOW, new) else None
    held = _couple_in(old, names) if parted is not None or couple is not None else None
    if held is not None:
        return (parted is not None and held.ends_with(parted)) or (couple is not None and held.gives_way_to(couple))
    single = _SINGLE.search(old) if couple is not None else None
    return single is not None and couple is not None and person(single["other"], names) == couple.other


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
    return bool(told) or faith is not None or bool(_couples_in(new, names))


def keys_of_opposites(text: str, names: tuple[str, ...]) -> set[str]:
    """Return the keys that a statement shares with those that deny it."""
    told, faith = _told_in(text, names)
    said = _as_the_user(text, names)
    held = {number for number, (one, _) in enumerate(_PAIRS) if one.search(said)}
    return (
        {f"!{number}" for number in told | held}
        | _couples_in(text, names)
        | ({"!faith"} if faith is not None else set[str]())
    )


def is_opposite(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether a statement of the user denies an older one of theirs."""
    told, faith = _told_in(new, names)
    held = _as_the_user(old, names)
    if any(_PAIRS[number][0].search(held) for number in told) or _is_over(held, _as_the_user(new, names), names):
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


# "Feels like a retired vet", "applied for the transfer": no job has ended.
_ENDS_NO_JOB = regex(r"\b(?:feels? like|appl(?:y|ies|ied|ying) for|interview)\b", re.IGNORECASE)
_OF_USER = regex(
    r"\b(?:they|i|the user)\b(?!['\u2019]s)|\b(?:the user['\u2019]s|my) (?:first|last|new|job|contract|notice)\b",
    re.IGNORECASE,
)
_LASTING = frozenset(("age", "name", "birthday", "child"))


def stands_by_words(old: str, new: str, names: tuple[str, ...]) -> bool:
    """Return whether news without a value ends nothing of a statement: no age, and no job that the user keeps."""
    told = [slot for slot in slots_of(old, names) if slot.subject == USER]
    of, employers = {slot.attribute for slot in told}, [slot.value for slot in told if slot.attribute == "employer"]
    if of and of <= _LASTING:
        return not tells_death(old, new)
    is_of_user = _OF_USER.search(new) is not None or any(employer in new for employer in employers)
    return bool(of & {"occupation", "employer", "school"}) and (_ENDS_NO_JOB.search(new) is not None or not is_of_user)
