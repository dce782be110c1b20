"""Outcomes: news of what came of something ends it, as a child that was expected is born."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memoryos_core.rules.knowledge.amounts import is_told_anew, may_tell_anew
from memoryos_core.rules.knowledge.heads import ANIMAL
from memoryos_core.rules.knowledge.news import ANIMAL_ELSEWHERE, DIED_ELSEWHERE, WHO, WHOM, word_bag
from memoryos_core.rules.knowledge.opposites import DIED
from memoryos_core.rules.knowledge.plans import SAME_KIN, ends_plan, first_word, names_plans, others_in
from memoryos_core.rules.knowledge.rescheduling import (
    begin_alike,
    ends_cancellation,
    is_rescheduled,
    is_revival,
    may_reschedule,
)
from memoryos_core.rules.knowledge.slots import slots_of
from memoryos_core.rules.knowledge.things import is_limited
from memoryos_core.rules.knowledge.turns import ends_all_like_it, ends_turn, may_turn
from memoryos_core.rules.text.words import regex

__all__ = ["ends_all", "has_outcome", "tells_outcome"]


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


_SELF = rf"^{WHO} "
_WHO = rf"^(?:On [A-Z]\w+days?,? )?(?P<who>{WHO}) "
_NAMED = r"(?-i:[A-ZÀ-Þ])[\w-]+"
_ENDS = r"(?=[.,!]|$| (?:in|on|last|this|next|after|yesterday|today|now|from|at the end|any)\b)"
_IN_MONTH = r"in (?:\d{4}|(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber)"
# An end that lasts: "left Shell in May", but not "in a hurry".
_AT_A_TIME = (
    r"(?=[.,!;]|$| (?:last|next|yesterday|today|now|recently|for good|at the end|in the (?:spring|summer|autumn|winter)"
    rf"|{_IN_MONTH}|on (?:\d|the \d|\w+day)|this (?:week|month|year|spring|summer|autumn|winter)"
    r"|(?:an?|two|three|four|five|six|several|some) (?:days?|weeks?|months?|years?) ago|because|since|as|so|and|but"
    r"|completely|altogether|entirely)\b)"
)
_WELL = (
    r"(?:(?:all|completely|now|fully|much) )?(?:healed|grand|sorted|mended|right as rain"
    r"|(?:fine|better|good|ok|okay|all right|alright|back to normal)(?= (?:again|now|since)\b|[.!]|$))"
)
_IS_WELL = _pattern(
    rf"(?:\bbecause |^)(?:(?P<who>The user|{_NAMED}(?: {_NAMED})?)'s|their|The) (?P<what>[a-z]+)(?:'s| is| are) {_WELL}"
)
# What somebody does or does not do, whatever its object: who stops using one thing uses others.
_HABIT = r"(?:run|smoke|vape|swim|cycle|jog|drive|teach|dance|ski|climb|row|box|paint|knit|garden|commute|volunteer)"
_TAKES = _pattern(
    rf"{_WHO}(?:takes|is on|has been on|started(?: taking)?) (?:the |an? |some )?(?P<what>[a-z-]{{4,}})\b"
)
_PUT_ON = _pattern(rf"\bput (?P<who>the user|{_NAMED}(?: {_NAMED})?) on (?:the |an? |some )?(?P<what>[a-z-]{{4,}})\b")
_STOPPED_TAKING = _pattern(
    rf"{_WHO}(?:has |have )?(?:stopped taking|quit taking|stopped|come off|came off|is off) (?:the |their )?"
    r"(?P<what>(?!taking\b)[a-z-]{4,})(?=[^\w -]|$| (?:for|in|on|at|last|because|since|as|so|and|but|this|yesterday"
    r"|today|now|an?|two|three|after|before|again|altogether|completely|due|by|when|until|\d\w*)\b)"
)
_DOCTORED = _pattern(
    rf"^(?P<who>{WHO})'s? (?:\w+ )?(?:doctor|doc|gp|nurse|cardiologist|consultant|specialist) (?:has |have )?"
    r"(?:took|taken) (?:them|me) off (?:the )?(?P<what>[a-z-]{4,})\b"
)
_TAKEN_OFF = _pattern(
    rf"\b(?:took|taken) (?P<who>the user|{_NAMED}(?: {_NAMED})?) off (?:the |my |their )?(?P<what>[a-z-]{{4,}})\b"
)

# What was so, and the news that ends it: what both call "what" is the same. Each is about the one that it begins with.
_OUTCOMES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        _pattern(
            r"\b(?:is|are|am) (?:expecting\b.{0,40}\b(?:baby|child|son|daughter|twins|girl|boy)|pregnant)\b"
            r"|\b(?:the user's|our|my|the) (?:baby|twins) (?:is|are) due\b"
        ),
        _pattern(
            r"\b(?:child|baby|son|daughter|boy|girl|twins)\b.{0,20}\b(?:was|were) born\b|\bgave birth\b"
            r"|\bhad (?:the|our|their|her|a) baby\b(?! [a-z])|\bmiscarr(?:ied|iage)\b"
        ),
    ),
    (
        _pattern(
            rf"\b(?P<what>{_NAMED}) is (?:\w+ )?(?:expecting\b.{{0,40}}\b(?:baby|child|son|daughter|twins)|pregnant)\b"
        ),
        _pattern(
            r"^(?P<what>[\w-]+) (?:has |finally |just )*(?:gave birth|given birth|miscarried"
            r"|had (?:the|our|their|her|a|twins)(?: baby| little)?(?: boy| girl)?)"
            r"(?=[.,!;]|$| (?:on|in|at|last|yesterday|today|this|and|early|a)\b)"
        ),
    ),
    (
        _pattern(
            r"\b(?:trip|going|travell?ing|flying|flight|holiday|vacation|moving|move|fly|travel)\b.{0,40}?"
            rf"\bto (?P<what>{_NAMED})"
        ),
        _pattern(
            rf"{_SELF}(?:(?:is|am|are) (?:not|no longer)|isn't|aren't) (?:going|travell?ing|flying|moving|coming) to"
            rf" (?P<what>{_NAMED}){_ENDS}"
        ),
    ),
    (
        _pattern(rf"\b(?:trip|going|travell?ing|flying|holiday|vacation|move)\b.{{0,40}}?\bto (?P<what>{_NAMED})"),
        _pattern(rf"^(?P<what>{_NAMED}) (?:never happened|didn't happen|fell thr(?:ough|u))\b"),
    ),
    (
        _pattern(rf"{_SELF}(?:is|am) (?:\w+ )?single\b"),
        _pattern(
            rf"{_SELF}(?:has (?:now )?(?:got )?an? (?:new )?(?:girl|boy)friend\b|got (?:engaged|married)\b"
            rf"|is (?:now )?(?:engaged|married)(?! (?:in|on|with|by|to (?:the|my|our|their|his|her) (?:job|work|gym"
            r"|phone))\b)"
            rf"|is (?:now )?(?:dating (?:someone|{_NAMED}))\b)"
        ),
    ),
    (
        _pattern(rf"\b(?:dating|seeing) {_NAMED}"),
        _pattern(rf"{_SELF}(?:is |has )?(?:started |now )?(?:seeing|dating) (?:someone|somebody) (?:new|else)\b"),
    ),
    (
        _pattern(
            rf"{_WHO}(?:(?:is|has been) )?(?:saving(?: up)? for|shopping for|wants? to buy|would like to buy)"
            r" (?:an? |the |their )?(?:new )?(?P<what>[\w-]+)"
        ),
        _pattern(
            rf"{_WHO}(?:has |have |finally |just )*bought (?:an?|the|their) (?:new |used )?(?P<what>[\w-]+){_ENDS}"
        ),
    ),
    (
        _pattern(
            rf"{_SELF}(?:has|have) (?:an? )?(?:broken|sprained|injured|bad|sore|fractured|dodgy|torn)"
            r" (?P<what>[a-z]+)\b"
        ),
        _pattern(rf"^{WHO}'s? (?P<what>[a-z]+) (?:is|are|has|have) {_WELL}"),
    ),
    (
        _pattern(
            rf"\b(?P<who>(?:the user|{_NAMED}(?: {_NAMED})?)) (?:has |have )?"
            r"(?:broke|broken|sprained|tore|torn|fractured|injured|hurt|dislocated|pulled)"
            r" (?:their|his|her|my) (?P<what>[a-z]+)\b"
        ),
        _IS_WELL,
    ),
    (
        _pattern(
            rf"^(?P<who>{WHO})'s? (?P<what>[a-z]+)(?:'s| is| are| has| have)(?: been)? (?:shot|broken|sore|bad"
            r"|killing|dodgy|knackered|playing up|acting up|buggered|hurting|aching|at (?:them|me))\b"
        ),
        _IS_WELL,
    ),
    (
        _pattern(rf"{_WHO}(?P<what>{_HABIT}s)\b"),
        _pattern(
            rf"{_WHO}(?:doesn't|does not|don't|do not) (?P<what>{_HABIT})"
            r"(?= since\b| (?:any ?more|these days|now)(?:[.,!;]|$))"
        ),
    ),
    (
        _pattern(rf"{_WHO}(?P<what>{_HABIT}s)\b"),
        _pattern(rf"{_WHO}(?:has |have )?(?:stopped|quit|given up|gave up) (?P<what>[a-z]+ing){_AT_A_TIME}"),
    ),
    (
        _pattern(
            rf"{_WHO}(?:plays?|does|goes to|sings? in|attends?|practi[sc]es?|is (?:doing|taking|learning|studying))"
            r" (?:the |an? )?(?P<what>[a-z]+)\b"
        ),
        _pattern(
            rf"{_WHO}(?:has |have )?(?:had to )?(?:given up|gave up|give up|pack(?:ed)? (?:in|up)|jack(?:ed)? in"
            r"|chuck(?:ed)? in|quit|stop(?:ped)?|pulled out of) (?:playing |going to |doing )?"
            rf"(?:the |their )?(?P<what>[a-z]+){_AT_A_TIME}"
        ),
    ),
    (_TAKES, _STOPPED_TAKING),
    (_PUT_ON, _STOPPED_TAKING),
    (_TAKES, _TAKEN_OFF),
    (_PUT_ON, _TAKEN_OFF),
    (_TAKES, _DOCTORED),
    (
        _pattern(rf"{_WHO}(?P<what>smokes)\b"),
        _pattern(
            rf"{_WHO}(?:hasn't|haven't|has not) (?:smoked|had an? (?:fag|cigarette|smoke|ciggie))"
            r" (?:since|for|in (?:\w+ ){0,2}(?:days|weeks|months|years|ages))\b"
        ),
    ),
    (
        _pattern(
            rf"\b(?:{ANIMAL}(?:,?(?: (?:called|named|is))?,?|[.,;] (?:his|her|its) name(?:'s| is))"
            rf"|{ANIMAL_ELSEWHERE}(?: [\w'’]+){{0,3}})"
            rf" (?P<what>{_NAMED})"
        ),
        _pattern(
            r"^(?:[^\"]{1,60} said: \")?(?:(?:so|sadly|also|and),? )*(?P<what>[\w-]+) (?:(?:has |just |sadly )*"
            rf"(?:died(?! (?:laughing|of (?:laughter|boredom|embarrassment)))|passed away|(?:was|had to be) put"
            r" (?:down|to sleep))\b"
            rf"|{DIED_ELSEWHERE})"
        ),
    ),
    (
        # A friend is seen again.
        _pattern(rf"\b{ANIMAL},?(?: (?:called|named))?,? (?P<what>{_NAMED})"),
        _pattern(
            rf"{_SELF}(?:(?:had|has|have) to say|(?:has |have )?(?:just )?said) goodbye to (?:(?:our|my|their) )?"
            rf"(?P<what>{_NAMED})(?:{_ENDS}|(?= at the vet))"
        ),
    ),
    (
        _pattern(rf"\b(?P<what>{_NAMED}) (?:(?:is|are) getting married|marries|gets married)\b"),
        _pattern(
            rf"^(?P<what>{_NAMED})'s wedding (?:got|was|is|has been) (?:now )?(?:put off|postponed|moved|pushed"
            r"|called off|cancell?ed|brought forward)\b"
        ),
    ),
    (
        _pattern(
            rf"^(?P<what>(?:The user's|{_NAMED}'s) [\w -]{{2,25}}?|(?!The\b){_NAMED})(?: in [A-Z][\w-]+)?"
            r" (?:is|was|has been) .{0,40}?\b(?:in hospital|ill|sick|better|care home|nursing home|recovering)\b"
        ),
        _pattern(rf"^(?P<what>.{{2,40}}?){DIED}"),
    ),
    (
        _pattern(r"^(?P<what>.{2,60}?) (?:stays|lives) with (?:them|me|us|the user)\b"),
        _pattern(
            r"^(?P<what>.{2,60}?) (?:is |has |now )*(?:staying|living|stays|lives|moved in) with"
            r" (?!them\b|me\b|us\b|the user(?!['’]s)\b)(?!.*\bon \w+days\b).*\bnow(?=[.,!;]|$)"
        ),
    ),
    (
        _pattern(r"^(?P<what>.{2,60}?) (?:works? nights|(?:works?|is|am|are) (?:on )?(?:the )?night shifts?)\b"),
        _pattern(
            r"^(?P<what>.{2,60}?) (?:is |has |now |finally |got |on |works? |moved to )+"
            r"(?:day shifts?|days(?! and| off))\b"
        ),
    ),
    (
        _pattern(r"^(?P<what>.{2,60}?) (?:has|lives|works|stays|takes|needs) "),
        _pattern(rf"^(?P<what>.{{2,60}}?){DIED}"),
    ),
    (
        _pattern(
            rf"{_SELF}(?!.*\blives?\b).{{0,40}}?\b(?:works?|working|runs?|employed|manager|engineer|nurse|shifts?|barista"
            rf"|chef)\b.{{0,40}}?\b(?:at|for) (?P<what>{_NAMED})"
        ),
        _pattern(
            rf"{_SELF}(?:has |have |just |finally |recently )*(?:left|quit|resigned from|finished(?: up)? (?:at|with)"
            rf"|(?:got|was) (?:laid off|fired|let go) (?:by|from)) (?P<what>{_NAMED}){_AT_A_TIME}"
        ),
    ),
    (
        _pattern(
            rf"{_SELF}(?:is |am )?(?:training|preparing|applying) for (?:the |an? )?"
            r"(?P<what>[\w ]{3,40}?)(?=$|[.,]| (?:in|on)\b)"
        ),
        _pattern(rf"\bno (?P<what>[\w ]{{3,30}}) for {WHOM}\b"),
    ),
    (
        # What somebody was asked to do, or offered.
        _pattern(
            rf"\b(?P<what>{_NAMED}) (?:has |have |had |just )*(?:asked|invited|offered|begged|wants?|would like)"
            rf" (?:{WHOM}|the user)\b"
        ),
        _pattern(
            rf"{_SELF}(?:has |have |just |finally |also )*(?:(?:told|texted|emailed) (?P<what>{_NAMED})"
            rf" (?:no|(?:that )?they (?:can't|won't|cannot))|(?:said no to|turned down|declined) (?P<other>{_NAMED})"
            rf"|turned (?P<third>{_NAMED}) down)(?=[.,!;]|$| (?:because|since|so|and|but|for|in the end)\b)"
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class _Told:
    """News of an outcome: what could have been so before, who and what the news names, and the news as far as that."""

    held: re.Pattern[str]
    who: str | None
    what: str | None
    said: str


@lru_cache(maxsize=16_384)
def _outcomes_in(new: str) -> tuple[_Told, ...]:
    found = ((held, told.search(new)) for held, told in _OUTCOMES)
    return tuple(
        _Told(held, named.get("who"), named.get("what") or named.get("other") or named.get("third"), new[: match.end()])
        for held, match in found
        if match is not None
        for named in [match.groupdict()]
    )


@lru_cache(maxsize=16_384)
def _bag(text: str) -> frozenset[str]:
    said = " ".join(SAME_KIN.get(word.lower(), word) for word in text.replace("'s", " ").split())
    return word_bag(said)


@lru_cache(maxsize=1_024)
def tells_outcome(new: str) -> bool:
    """Return whether `has_outcome` may be true of this statement and any older one; most tell none."""
    told = bool(_outcomes_in(new)) or may_turn(new) or names_plans(new) or may_reschedule(new)
    return told or may_tell_anew(new) or is_revival(new)


def has_outcome(old: str, new: str) -> bool:
    """Return whether the news is what the older statement was about to come to: expecting a child, and it was born."""
    if not tells_outcome(new):
        return False
    came = any(_is_outcome(old, told) for told in _outcomes_in(new)) or ends_turn(old, new) or ends_plan(old, new)
    came = came or ends_cancellation(old, new)
    came = came or ((is_rescheduled(old, new) or is_told_anew(old, new)) and not _tells_of_life(old))
    return came and not is_limited(old, new.partition(",")[0])


_LIFE = frozenset(("home", "occupation", "employer", "name", "relationship", "diet", "school", "studies", "pet", "age"))


def _tells_of_life(old: str) -> bool:
    """Return whether a statement also tells what no new day and no new amount ends: "I'm a vet, on leave till May"."""
    return any(slot.attribute in _LIFE for slot in slots_of(old))


_OF_PEOPLE = _pattern(r"\b(?:died|passed away)\b")


def ends_all(new: str) -> bool:
    """Return whether news is of people, and not of one plan or habit: it ends all that was said of them."""
    return ends_all_like_it(new) or any(_OF_PEOPLE.search(told.said) for told in _outcomes_in(new))


def _is_outcome(old: str, told: _Told) -> bool:
    found = told.held.search(old)
    if found is None:
        return False
    before = found.groupdict()
    what = before.get("what")
    if told.who is not None and (before.get("who") or "").lower() != told.who.lower():
        return False
    if told.what is None or what is None:
        return begin_alike(old, told.said)
    # Where both name a place, a thing or a person, that says what is meant: "half marathon" of "CPC half marathon".
    part = len(_bag(told.what)) > 1 and _bag(told.what) < _bag(what) and "'s" not in what
    same = _bag(what) == _bag(told.what) or part
    said = told.said.rpartition('said: "')[2].removeprefix("So ")
    opens = first_word(old) in (first_word(told.said), what.lower())
    told_of_it = not what.istitle() or said.startswith(told.what) or opens
    # A name alone says who it is.
    beside = f"{old[: found.start()]}{old[found.end() :]}"  # "dog called Biscuit" names nobody but Biscuit
    named = others_in(told.said) in (others_in(old), others_in(beside)) or (
        said.startswith(f"{told.what} ") and not others_in(told.said)
    )
    return same and told_of_it and (not what.istitle() or named)
