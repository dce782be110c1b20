"""Amounts that are told anew: the dose of a medicine, a rent, what somebody weighs; and medicines that are stopped."""

from __future__ import annotations

import re
from functools import lru_cache

from memoryos_core.rules.knowledge.drugs import DRUG, FORM, LASTS, STOPS, SUPPLY
from memoryos_core.rules.knowledge.plans import others_in
from memoryos_core.rules.text.words import matches, regex

__all__ = ["is_announced", "is_told_anew", "may_tell_anew"]


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


_LONGEST = 400  # characters of a statement that are read
_COUNT = r"(?:half a|one|two|three|four|five|six|\d+(?:[.,]\d+)?)"
_DOSE = (
    rf"(?P<amount>\d+(?:[.,]\d+)? ?(?P<mass>mg|mcg|µg|micrograms?|milligrams?|ml|units?|iu)\b"
    rf"|{_COUNT} (?P<count>puff|tablet|pill|capsule|drop|spray|patch)(?:e?s)?\b)"
)
_NAME = r"(?P<what>[a-z][a-z-]{3,20})"
_TO = (
    r"(?:(?:is|was|goes|went|gone|put|bumped|raised|increased|upped|lowered|reduced|cut|changed|moved|now|dose|back|up"
    r"|down|from [^,;.]{1,20}?|at|to|on)\s){0,4}"
)
# A dose beside its medicine: "propranolol 20 mg", "the Symbicort up to two puffs", "50mg of the Vyvanse".
_DOSES = (
    _pattern(rf"\b{_NAME},? {_TO}{_DOSE}"),
    _pattern(rf"{_DOSE} (?:of )?(?:the |my |their )?{_NAME}\b"),
)
_NO_MEDICINE_TEXT = """
    about around with have take takes took taking only just over dose than that each every from more less another daily
    twice once night morning mornings evening week weeks tablet tablets puff puffs pill pills user them their this milk
    water sugar salt caffeine vitamin instead three four five seven eight nine times"""
_NO_MEDICINE = frozenset(_NO_MEDICINE_TEXT.split())
_TURNED = _pattern(
    r"\b(?:put|bumped|raised|increased?|upped|lowered|reduced|cut|dropped|doubled|halved|moved|changed|switched"
    r"|stepped|titrated|went|gone|goes|up|down|now|instead|from now on|new dose|higher|lower)\b"
)
_BILL = (
    r"(?:rent|mortgage|salary|wage|wages|pension|allowance|service charge|ground rent|council tax|fee|fees|tuition"
    r"|subscription|membership|premium|deposit|half(?= (?:is|was|goes|went|of the rent)\b)|share(?= (?:is|was|goes)\b))"
)
# What is only thought of or may be, what comes beside the rest, and what is somebody's of whom only "his" tells.
_UNREAL = _pattern(
    r"\b(?:if|would|could|might|think(?:s|ing)? (?:about|of)|never|not(?! [$€£¥₹\d])|max|at most|on offer|leaflet"
    r"|wants? to|(?:as well|too)(?=[.,;!]|$)|also (?:take|takes|on)|saw an? (?:flat|house|place|room)"
    rf"|(?:state|entry|average) (?={_BILL})|his|her|vets?|patients?|residents?"
    r"|the (?:little|baby|kid|dog|cat|child))\b|n't\b|'d\b"
)
_WHOSE = r"(?:the user's (?:[a-z]+'s )?|the |my |their |his |her |[a-z]+'s )"
_MEDICINE = r"(?P<what>[a-z][a-z-]{3,20})"
_STOPPED = (
    _pattern(
        rf"(?:^|[:.,;] |\band ){_WHOSE}?{_MEDICINE}(?:'s| is| was| has| has been|'s been)"
        rf" (?:stopped|discontinued|gone|finished(?![^.?!]*\b{SUPPLY}\b))(?=[.,!;\"]|$| (?:as well|too"
        r"|now|for good|since|because|after|by|in|last|this|yesterday|two|a few)\b)"
    ),
    _pattern(
        rf"(?<!\bof )(?<!\bof the )\b(?P<what>{DRUG}) stopped"
        r"(?=[.,!;\"]|$| (?:last|this|yesterday|in|on|since|because|now|too)\b)"
    ),
    # What was so until it was stopped: "as the metformin had been upsetting my stomach and is now discontinued".
    _pattern(
        rf"\b{_WHOSE}{_MEDICINE} (?:had|has|was|is|kept|made|gave)\b[^.;:!?]{{2,80}}?(?:,| and|"
        r" so it)"
        r" (?:(?:it )?(?:is|was|has been) (?:now |finally )?)(?:stopped|discontinued|withdrawn)\b"
    ),
    # Or until somebody stopped it: "my methotrexate was making me sick so Dr Banerjee stopped it".
    _pattern(
        rf"\b{_WHOSE}{_MEDICINE} (?:had|has|was|is|kept|made|gave|did|does|makes|gives)\b[^.;:!?]{{2,80}}?,?"
        r" (?:so|and)(?: (?!(?:not|never|if|whether|asked)\b)[\w.']+){1,4}?"
        r" (?:(?:stopped|discontinued|dropped|withdrew)(?: taking)? it"
        rf"|(?:took|taken) (?:me|them|him|her|the user) off it)\b{LASTS}"
    ),
    _pattern(
        r"\b(?:came|come|coming|gone|went|is|am|are|i'm|weaned|tapered|(?:took|taken) (?:me|them|him|her|the user))"
        r" off (?:of )?"
        rf"{_WHOSE}?{_MEDICINE}\b"
    ),
    _pattern(
        r"\b(?:(?:stopped|quit|discontinued)(?: taking)?|(?:stopped|finished) (?:the|my|their) course of) "
        rf"{_WHOSE}?{_MEDICINE}{STOPS}(?! at\b)"
    ),
    # Who "finished the metformin" may need a new box: a course ends on a day.
    _pattern(rf"\bfinished {_WHOSE}{_MEDICINE}{FORM} (?:course|yesterday|last (?:week|month|\w+day))(?=[.!;]|$)"),
)
# Right before a stop that was none.
_NOT_YET = _pattern(
    r"(?:\bnot|\bnever|n't|\bnearly|\balmost|\b(?:might|may|would|could|should) have|\bif \w+)(?: \w+)? $"
)
_ON = r"\b(?:on|takes?|taking|with|started(?: on)?|prescribed(?: \w+)?|medicine)(?: the)? "
_MONEY = (
    r"(?P<amount>[$€£¥₹]? ?\d[\d.,]*\d|[$€£¥₹]\d+)(?![\d.,]*\d| ?(?:%|percent|days?|weeks?|months?|years?|minutes?"
    r"|hours?|km|m2)\b)"
)
# "Rent is 850 a month", "rent's going up to 910", "the rent went from 850 to 910".
_BILLS = _pattern(
    rf"(?P<owner>\b(?:my|our|their|the user's|[a-z]+'s) |\b(?:the )?)(?P<what>{_BILL})"
    r"(?:'s| is| was| has| will be|'ll be)?(?: (?:now|still|going|gone|goes|go|went|rising|risen|rises|put|been|up|down"
    rf"|back|to|at|from [^,;.]{{1,15}}?)){{0,5}} {_MONEY}"
)
# What is only announced holds from a day on: "the rent is going up to 910 from April".
_ANNOUNCED = _pattern(
    rf"\b{_BILL}\b[^.;]{{0,40}}(?:\b(?:going|goes|go|rising|rises|rise|increasing|increases|be|raised|dropping|drops) "
    r"|\bup )"
    rf"[^.;]{{0,12}}?{_MONEY}[^.;]{{0,20}}? (?:from|in|on|as of|starting|next|come|at the (?:start|beginning|end) of)"
    r" (?:next |the |this coming )?(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|month|year|\d{1,2}(?:st|nd|rd|th)?|spring|summer|autumn|winter)\b"
)
_IS_TO_COME = _pattern(
    r"(?:\b(?:is|are|will|am)|['\u2019](?:s|re|ll)) (?:be |set to |due to |about to )?(?:now )?(?:going|go|goes"
    r"|putting|put|rais\w+|ris\w+|increas\w+|upping"
    r"|be|drop\w*|lower\w*)\b|\b(?:goes|rises|increases|drops) (?:up |down )?to\b"
)
_OF_THE_PAST = _pattern(
    r"\bwas (?=[$€£¥₹\d])|\b(?:were|used to|back then|ago|last year|in (?:19|20)\d\d|when (?:i|we|the user))\b"
)
_BEHIND, _BEFORE = 30, 30  # characters beside an amount that say of when it is, and in front of it in a statement of it
_WEIGHT_NUMBER = (
    r"(?:\d{1,3}(?:[.,]\d+)?|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen"
    r"|fifteen|sixteen|seventeen"
    r"|eighteen|nineteen|twenty))"
)
_WEIGHT = (
    rf"(?P<amount>{_WEIGHT_NUMBER} ?(?:kgs?|kilos?|lbs?|pounds|stone|st)\b(?: (?:and )?{_WEIGHT_NUMBER}(?:"
    r" ?(?:oz|ounces|lbs?|pounds))?\b)?)"
)
# What somebody weighs is all that is said, or stands right behind "is" or an age.
_WEIGHS = _pattern(
    r"(?:^|[.!?] )(?:(?P<who>the user|[a-z][\w-]+)(?:(?: is| was|'s) (?:\d+ (?:months|weeks|years)(?: old)?,? and )?"
    r"| weighs(?: in at)? | weighed (?:in )?(?:at )?(?=[^.;]{1,20}? (?:this morning|today|now|just now|yesterday)\b)))?"
    r"(?:(?:now|still|only|just|about|back|down|up|to|at|around) ){0,4}"
    rf"{_WEIGHT}(?=[.,;!]|$| (?:now|this|today|yesterday|at|and|on|as|already|soaking)\b)"
)
_NOBODY = frozenset(("it", "this", "that", "he", "she", "there", "they", "goal", "target", "which", "what"))


def may_tell_anew(new: str) -> bool:
    """Return whether `is_told_anew` may be true of this statement and any older one."""
    return bool(_doses_in(new) or _stopped_in(new) or _bills_in(new) or _weights_in(new))


def is_told_anew(old: str, new: str) -> bool:
    """Return whether the news gives another amount of what the older statement gives one of, or stops a medicine."""
    return _is_other_dose(old, new) or _is_stopped(old, new) or _is_other_bill(old, new) or _is_other_weight(old, new)


def is_announced(old: str, new: str) -> bool:
    """Return whether the news gives a bill that `old` tells of another amount from a day to come, and no sooner."""
    if not matches(_ANNOUNCED, new[:_LONGEST]) or not matches(_IS_TO_COME, new[:_LONGEST]):
        return False
    return not {what for what, _ in _bills_in(old)}.isdisjoint(_BILL_WORDS.findall(new[:_LONGEST].lower()))


_BILL_WORDS = _pattern(rf"\b{_BILL}\b")


def _is_other_dose(old: str, new: str) -> bool:
    if not _doses_in(new) or not _TURNED.search(new) or _UNREAL.search(new) or _OF_THE_PAST.search(new):
        return False
    before, after = dict(_doses_in(old)), dict(_doses_in(new))
    shared = before.keys() & after.keys()
    return any(before[what] != after[what] for what in shared) and _of_same_person(old, new)


def _is_stopped(old: str, new: str) -> bool:
    gone = _stopped_in(new)
    return bool(gone) and not gone.isdisjoint(_medicines_in(old)) and _of_same_person(old, new)


def _is_other_bill(old: str, new: str) -> bool:
    if not _bills_in(new) or _UNREAL.search(new) or is_announced(old, new):
        return False
    # Where more is said before, it is told of more than the rent.
    before = dict(_bills_in(old)) if (first := _BILLS.search(old)) and first.start() <= _BEFORE else {}
    other = any(what in before and before[what] != amount for what, amount in _bills_in(new))
    return other and others_in(old) == others_in(new)


def _is_other_weight(old: str, new: str) -> bool:
    before = dict(_weights_in(old))
    return any(who in before and before[who] != amount for who, amount in _weights_in(new))


_TAKER = regex(
    r"\b(?<!Dr )(?<!Dr\. )(?<!Doctor )(?<!Nurse )"
    r"(?P<who>(?!(?:Doc|Nurse|Dr|Mr|Mrs|Ms|GP|The|He|She|They|Psych|Doctor)\b)[A-Z][\w-]+)(?:'s| takes| is on"
    r"| is taking| was put on| needs| started| came off| stopped(?! (?:the user's|my|it)\b))(?= )"
    r"|\b(?:put|started|has|have|took|moved) (?P<object>[A-Z][\w-]+) (?:on|off)\b"
)


def _of_same_person(old: str, new: str) -> bool:
    """Return whether nobody else takes the medicine in one of the statements: an aunt, "Tom is on statins"."""
    one, two = (
        {found["who"] or found["object"] for found in _TAKER.finditer(text)}
        - {what.capitalize() for what in (*_medicines_in(text), *_stopped_in(text))}
        for text in (old, new)
    )
    return one == two and others_in(old) == others_in(new)


@lru_cache(maxsize=16_384)
def _doses_in(text: str) -> tuple[tuple[str, str], ...]:
    """Return each medicine with its dose: ("propranolol", "20 mg")."""
    if "mg" not in text and _ANY_DOSE.search(text) is None:
        return ()
    out: list[tuple[str, str]] = []
    for pattern in _DOSES:
        for found in pattern.finditer(text[:_LONGEST]):
            what = found["what"].lower()
            if what not in _NO_MEDICINE and (found["what"][0].isupper() or found["mass"] or _IS_DRUG.match(what)):
                out.append((what, "".join(found["amount"].lower().split())))
    return tuple(out)


_ANY_DOSE = _pattern(r"\d ?(?:mcg|µg|ml|units?|iu|micro|milli)|\b(?:puff|tablet|pill|capsule|drop|spray|patch)")
_IS_DRUG = _pattern(rf"{DRUG}$")


@lru_cache(maxsize=16_384)
def _medicines_in(text: str) -> frozenset[str]:
    """Return the medicines that somebody takes by a statement: those with a dose, and those that they are "on"."""
    known = {what for what, _ in _doses_in(text)}
    return frozenset(known | {found.lower() for found in _IS_ON.findall(text[:_LONGEST])})


_IS_ON = _pattern(rf"{_ON}({DRUG}|(?-i:[A-Z])[a-z]{{3,14}})\b")


@lru_cache(maxsize=16_384)
def _stopped_in(text: str) -> frozenset[str]:
    """Return what a statement says is stopped or gone, which may be a medicine."""
    said = text[:_LONGEST]
    found = (one for pattern in _STOPPED for one in pattern.finditer(said))
    return frozenset(one["what"].lower() for one in found if not _NOT_YET.search(said[: one.start()]))


@lru_cache(maxsize=16_384)
def _bills_in(text: str) -> tuple[tuple[str, str], ...]:
    """Return what somebody pays or gets again and again, with its amount: ("rent", "850")."""
    out: list[tuple[str, str]] = []
    for found in _BILLS.finditer(text[:_LONGEST]):
        said = text[found.start() : found.end() + _BEHIND].partition(". ")[0]
        is_own = "user's" in found["owner"].lower() or not found["owner"].lower().endswith("'s ")
        if is_own and not _OF_THE_PAST.search(said):
            out.append((found["what"].lower(), found["amount"].strip("$€£¥₹ ").rstrip(".,").replace(",", "")))
    return tuple(out)


@lru_cache(maxsize=16_384)
def _weights_in(text: str) -> tuple[tuple[str, str], ...]:
    """Return who weighs how much: ("user", "82.4kg")."""
    out: list[tuple[str, str]] = []
    for found in _WEIGHS.finditer(text[:_LONGEST]):
        who = (found["who"] or "the user").lower().removeprefix("the ")
        said = text[found.end() : found.end() + _BEHIND].partition(". ")[0]
        if who not in _NOBODY and not _OF_THE_PAST.search(said):
            out.append((who, "".join(found["amount"].lower().split())))
    return tuple(out)
