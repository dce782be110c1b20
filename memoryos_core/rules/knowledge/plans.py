"""The ends of plans: an exam that is passed, an event that is called off, a date that is moved."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from memoryos_core.rules.knowledge.cancellations import called_off_in_other_languages
from memoryos_core.rules.knowledge.corrections import names_moment, without_moments
from memoryos_core.rules.knowledge.measures import kinds_of
from memoryos_core.rules.knowledge.news import PLAIN, WHO, WHOM, word_bag
from memoryos_core.rules.text.function_words import FUNCTION_WORDS
from memoryos_core.rules.text.words import regex

__all__ = [
    "NAME_IN",
    "RECURS",
    "SAME_KIN",
    "ends_plan",
    "first_word",
    "names_in",
    "names_plans",
    "others_in",
    "part_about",
]


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


_OTHERS = _pattern(
    r"\b(sister|brother|friend|cousin|colleague|boss|neighbou?r|aunt|uncle|niece|nephew|in-law|ex|dog|cat|mum|mom|mother"
    r"|dad|father|wife|husband|son|daughter|kid|child|parent|gran|grandma|grandpa|grandad|nan|grandmother|grandfather)s?\b"
)
SAME_KIN = {
    **dict.fromkeys(("mum", "mom", "mummy"), "mother"),
    **dict.fromkeys(("dad", "daddy"), "father"),
    **dict.fromkeys(("gran", "grandma", "nan"), "grandmother"),
}
NAME_IN = regex(r"(?<=[a-z,] )[A-ZÀ-Þ][\w-]+")


_QUOTED = r"(?:[^\"]{1,60} said: \")?"
_DETERMINED = r"(?!(?:the|my|our|their|his|her|a|an)\b)[\w-]+"
_NOUN = rf"(?P<what>{_DETERMINED}(?: {_DETERMINED}){{0,2}}?)"
_PASSED = _pattern(
    rf"^{_QUOTED}(?:I|{WHO}) (?:has |have |finally |just )*passed (?:the |my |their |his |her )?"
    r"(?P<what>[\w -]{2,40}?)(?= (?:in|with|last|this|first|yesterday|today|on (?:\w+day|\d|the \d))\b|[.,!;]|$)"
)
# "The trip is off the 22nd": it is not on that day.
_OFF = (
    rf"(?:'s| is| are) off(?:(?: now| then| again| for {WHOM})?(?=[.,!;]|$)"
    r"|(?= (?:on )?the \d{1,2}(?:st|nd|rd|th)\b))"
)
_CANCELLED = (
    r"(?: (?:never|didn't|did not|isn't|is not|aren't|are not|ain't|won't be|no longer|is no longer)"
    r" (?:happened|happen|happening|going ahead|taking place)| fell through"
    r"|(?: (?:was|were|got|is|are|has been|have been)|'s been|'s) (?:called off|cancell?ed|scrapped))\b"
)
# "The lunch with Tom on 1 December": whatever stands there is of the plan, too.
_OF = r"(?: (?:with|on|at|in|for|to|of) [^.,;!?]{1,40}?)?"
_PLAN = rf"(?P<what>{_DETERMINED}(?: {_DETERMINED}){{0,2}}?{_OF})"
_DEED = (
    r"(?P<what>(?:mov|go|fly|travel|emigrat|relocat|return|driv|rid|runn?|walk|cycl|sail|buy|sell|rent|marry|join|enter"
    r"|attend|visit|tak|do|hir|book)(?:e|ing)? [^.,;!?]{2,50}?)"
)
_AFTER_DEED = r"(?=[.,;!]|$| (?:after all|because|since|as|now|yet|any ?more|for now)\b)"
_CALLED_OFF = (
    _pattern(
        rf"(?:\b(?:the user's|the|my|our)|(?<=\w )their) {_PLAN}"
        rf"(?:{_OFF}|{_CANCELLED}| (?:will have|has|have) to wait (?:till|until)\b)"
    ),
    _pattern(
        rf"^{WHO} (?:won't|will not|can't|cannot|can not|couldn't) (?:be able to )?(?:make it to|make"
        rf"|come to|attend|go to) (?:the |my |our |their )?{_PLAN}(?=[.,;!]|$)"
    ),
    _pattern(
        rf"(?:^{_QUOTED}|, )(?P<what>(?!(?:that|this|it|what|which|who)\b)[\w-]{{3,20}}"
        rf"(?: (?-i:[A-ZÀ-Þ])[\w-]+){{0,2}}{_OF})(?:{_OFF}|{_CANCELLED})"
    ),
    # By whoever has the plan: "I cancelled the vet", "I've already done the exam".
    _pattern(
        rf"^{_QUOTED}{WHO} (?:(?:has|have|had|just|now|also) )*(?:cancell?ed|called off"
        rf"|already (?:done|taken|sat|had|been to)) (?:the |my |our |their ){_NOUN}"
        r"(?=[.,;!]|$| (?:because|since|as|now|yesterday|today|already)\b)"
    ),
    # "We decided not to move to Berlin", "I'm not flying to Oslo after all".
    _pattern(
        rf"^{_QUOTED}(?:the user|i|we) (?:(?:has|have|had|just|now|finally|also) )*(?:decided|chose|chosen|opted"
        rf"|agreed) (?:not to|against) {_DEED}{_AFTER_DEED}"
    ),
    _pattern(
        rf"^{_QUOTED}(?:the user|i|we) (?:(?:is|are|am|will)(?:n't| not)|won't|is no longer|are no longer)"
        rf" (?:going to )?{_DEED} (?:after all|any ?more|any longer)\b"
    ),
    _pattern(rf"^{_QUOTED}(?:the user|i|we) (?:has |have )?changed (?:their|my|our) minds? about {_DEED}{_AFTER_DEED}"),
    _pattern(rf"(?:^|\bso )no (?!more\b){_NOUN} for {WHOM}\b"),
    _pattern(
        rf"(?:^|\bso )no (?!more\b|(?-i:[A-Z][a-z]{{2,}})){_NOUN}(?: this year)?"
        r"(?:(?= gutted\b)|[,.;!]|$| after all\b| then\b| any ?more\b)"
    ),
)
# "No match for me on Friday" is one of several.
_THIS_TIME = _pattern(
    r"\b(?:this (?:week|weekend|time|morning|month)|today|tonight|tomorrow"
    r"|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)
_ONCE = _pattern(r"\bthis (?:week|weekend|time|month|once)\b")
_OF_WHOM = r"(?:\b(?:the|my|our|(?:(?:the )?[\w-]+'s )*(?:the )?[\w-]+'s) |(?<=\w )their |^)"
_MOVED = (
    _pattern(
        rf"{_OF_WHOM}{_NOUN} (?:got|was|were|is|are|has been|have been) (?:moved|pushed|postponed|shifted"
        r"|rescheduled|put off|put back|brought forward|pulled forward|delayed)(?: back| forward)?"
        r" (?:to|until|till|for) (?P<to>.{1,40})"
    ),
    _pattern(
        rf"{_OF_WHOM}{_NOUN} (?:is|are) now (?:to be (?:done|held) |due |set |planned )?(?:on|for|at) (?P<to>.{{1,40}})"
    ),
)
# Without a new day, or by whoever puts it off: "we've postponed the trip until spring", "my surgery has been delayed".
_PUT_OFF = (
    _pattern(
        rf"^{_QUOTED}(?:{WHO}|They) (?:(?:has|have|had|just|now|also|decided to) )*(?:postponed?"
        rf"|defer(?:red)?|delay(?:ed)?|put off|pushed back|put back|rescheduled) (?:the |my |our |their )?{_NOUN}"
        r"(?:'s)?(?= (?:to|until|till|for|by|indefinitely|because|since|as)\b|[.,;!]|$)"
    ),
    _pattern(
        rf"{_OF_WHOM}{_NOUN} (?:got|was|were|is|are|has been|have been) (?:postponed|deferred|put off|put on hold"
        r"|pushed back|put back"
        r"|delayed(?= indef| for (?!\w+ (?:hours?|minutes?))))"
        r"(?= (?:indefinitely|again|for (?:now|an?\b|the)|because|since|as)\b|[.,;!]|$)"
    ),
)
_DEFERRED = _pattern(
    rf"^{_QUOTED}{WHO} (?:(?:has|have|just|now|decided to) )*defer(?:red)?(?: (?:entry|a year|an? \w+))?"
    r"(?= (?:to|until|till|by|for)\b|[.,;!]|$)"
)
_STUDIES = _pattern(
    r"\b(?:start|begin|going|off|enrol|have a place|have an offer)\w*\b[^.;]{0,40}"
    r"\b(?:uni|university|college|master'?s|degree|course|ph\.?d|doctorate|program(?:me)?|studies|studying|school|bachelor'?s|mba|apprenticeship)\b"
)
# "The Lake Como trip": whoever goes to Lake Como may not have called it a trip.
_TRIP_TO = regex(r"(?P<place>[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+){0,2}) (?:trip|holiday|vacation|visit|outing|journey)")
# "A meeting in Rome" is no journey there.
_A_MEETING_IN = _pattern(
    r"\b(?:meetings?|appointment|interview|conference|wedding|funeral|concert|exam|course|workshop|party|match|race"
    r"|hearing|viewing|operation|class|lesson|gig|festival)(?: (?:with|on|of) [^.,;]{2,30}?)? (?:in|at) (?:the )?$"
)
_PLACE = word_bag("place start spot offer to a year entry")
_JOURNEY = word_bag("trip holiday vacation journey travel flight")
_TRAVELS = _pattern(r"\b(?:flying|going|travell?ing|off|heading) to (?-i:[A-Z])")
# "The meeting with Dr. Kelly is now on Thursday, not Monday": the day that it was on tells which meeting.
_NOT_THEN = _pattern(
    rf"{_OF_WHOM}{_NOUN}(?: (?:with|at|in) [^,;!?]{{1,30}}?)? (?:is|are) (?:now )?(?:on |for |at )?"
    r"(?P<to>[^,;!?]{1,40}),? (?:and )?not (?:on |at |for )?(?P<instead>[\w: ]{2,20})"
)
_EXAM = _pattern(
    r"\b(?:exams?|tests?|retakes?|resits?|certification|comps|finals|mocks|viva|boards|failed"
    r"|(?:studying|revising|sitting) for)\b"
)
_ACRONYM = regex(r"\b(?:[A-Z]{2,}|[A-Z]\d)\b")
_PLANNED = _pattern(
    r"\b(?:going|(?:in|down) for|plan(?:s|ned|ning)?|goal|booked|booking|sign(?:ed|ing) up|training|trip|wants?"
    r"|hop(?:es|ing)"
    r"|(?:is|are|am) (?:moving|flying|travell?ing|emigrating|relocating|buying|selling|marrying|joining|renting)"
    r"|would like|thinking of|maybe|applying|applied|starting|starts|back on|on again|after all)\b"
)
RECURS = _pattern(
    r"\b(?:every|each|weekly|daily|monthly|(?:mon|tues|wednes|thurs|fri|satur|sun)days|jede[nrsm]?|chaque|todos|cada)\b"
)
_BEHIND = _pattern(
    r"\b(?:was|were|had|went|did|won|lost|finished|played|met|saw|ran|came|visited|attended|celebrated|enjoyed|performed)\b(?!.*\b(?:is|are|will|going)\b)"
)
_OF_EXAMS = word_bag("exam test retake resit certification certificate course the")
_WEAK = PLAIN | word_bag("my their our his her it this that appointment date")


_WHEN = frozenset(("date", "weekday", "time"))


@dataclass(frozen=True, slots=True)
class _PlanEnded:
    """A plan that news ends: its kind, its words, how the news names it, and the kinds of its new time.

    `thing`: its words without a day. `place`: where a journey that the news names goes.
    """

    kind: Literal["exam", "event", "date", "studies"]
    words: frozenset[str]
    said: str
    times: frozenset[str] = frozenset()
    thing: frozenset[str] = frozenset()
    place: str = ""

    def is_named_in(self, old: str) -> bool:
        """Return whether a plan has these words; one of "Friday" may be that of a date."""
        if self.kind == "studies":
            return _STUDIES.search(old) is not None
        if self.words <= _JOURNEY and _TRAVELS.search(old):
            return True
        place = re.escape(self.place)
        goes = re.search(rf"\b(?:to|in|at|visit\w*|see\w*) (?:the )?(?={place}\b)", old) if place else None
        if goes is not None and not _A_MEETING_IN.search(old[: goes.end()]):
            return True
        said = word_bag(old)
        return self.words <= said or (bool(self.thing) and self.thing <= said and "date" not in kinds_of(old))


@lru_cache(maxsize=16_384)
def _plans_ended(new: str) -> tuple[_PlanEnded, ...]:
    passed = _PASSED.match(new)
    once = _ONCE.search(new) is not None
    out = [_PlanEnded("exam", word_bag(passed["what"]) - _OF_EXAMS, new[: passed.end()])] if passed else []
    out += [
        _PlanEnded(
            "event",
            word_bag(off["what"]) - _WEAK,
            new[off.start() : off.end()],
            thing=word_bag(without_moments(off["what"])) - _WEAK,
            place=_place_of(off["what"]),
        )
        for pattern in _CALLED_OFF
        for off in pattern.finditer(new)
        if not (_THIS_TIME.search(new, 0, off.start("what")) or _THIS_TIME.search(new, off.end("what")))
    ]
    put_off = (found for pattern in _PUT_OFF for found in pattern.finditer(new))
    out += [_PlanEnded("event", word_bag(off["what"]) - _WEAK - _PLACE, off[0]) for off in put_off]
    if deferred := _DEFERRED.match(new):
        out.append(_PlanEnded("studies", word_bag("studies"), deferred[0]))
    if elsewhere := called_off_in_other_languages(new):
        out.append(_PlanEnded("event", elsewhere, ""))
    out += [
        _PlanEnded("date", word_bag(moved["what"]) - _WEAK, new[moved.start() : moved.end("what")], times)
        for pattern in (() if once else _MOVED)
        for moved in pattern.finditer(new)
        if (times := kinds_of(moved["to"]) & _WHEN)
    ]
    out += [
        _PlanEnded("date", word_bag(f"{moved['what']} {moved['instead']}") - _WEAK, moved["what"], times)
        for moved in _NOT_THEN.finditer(new)
        if (times := kinds_of(moved["to"]) & kinds_of(moved["instead"]) & _WHEN)
    ]
    return tuple(ended for ended in out if ended.words)


def _place_of(what: str) -> str:
    trip = _TRIP_TO.fullmatch(what)
    return "" if trip is None else trip["place"]


def names_plans(new: str) -> bool:
    """Return whether news names any plan as over or moved."""
    return bool(_plans_ended(new))


def ends_plan(old: str, new: str) -> bool:
    """Return whether the news tells that what was planned is done, off, or at another time."""
    return any(
        ended.is_named_in(old) and _is_planned(ended, part_about(old, ended.words), old) for ended in _plans_ended(new)
    )


def _is_planned(ended: _PlanEnded, part: str, old: str) -> bool:
    """Return whether a part of an older statement plans what the news ends, for the same people."""
    if ended.kind != "exam" and _BEHIND.search(part):
        return False
    if ended.kind == "date":
        return not ended.times.isdisjoint(kinds_of(part)) and _of_same_people(part, ended)
    if ended.kind in ("event", "studies"):
        is_dated = RECURS.search(part) is None and names_moment(part)
        is_whole = ended.kind == "studies" or _is_whole(old, ended.said)
        return is_whole and (is_dated or _PLANNED.search(part) is not None) and _of_same_people(part, ended)
    dated = _ACRONYM.search(ended.said) is not None and not _WHEN.isdisjoint(kinds_of(old))
    known = frozenset(word.lower() for word in _WORD.findall(ended.said))
    strange = any(name.lower() not in known for name in names_in(old))
    return (dated or _EXAM.search(part) is not None) and not strange and _of_same_people(old, ended)


_ALREADY = _pattern(r"\balready (?:done|taken|sat|had) ")
_AND_ANOTHER = _pattern(r"\b(?:and|then|plus) (?:one|another|a second|the other)\b")
_BEHIND_NAME = regex(r"[^\W\d_][\w-]*")
_NO_HEAD = word_bag("appointment appt visit session slot tomorrow today tonight booked scheduled coming due next set")


def _is_whole(old: str, said: str) -> bool:
    """Return whether "already had the X" may be all that is planned: no "flu" of a "flu jab", nor one of two."""
    if not _ALREADY.search(said):
        return True
    if _AND_ANOTHER.search(old):
        return False
    at = re.search(rf"\b{re.escape(said.rpartition(' ')[2])} (?=[a-z])", old, re.IGNORECASE)
    word = _BEHIND_NAME.match(old, at.end()) if at is not None else None
    return word is None or word[0] in FUNCTION_WORDS["en"] or word_bag(word[0]) <= _NO_HEAD


_WORD = regex(r"[\w-]+")
_PARTS = regex(r"(?<=[.;!?])(?<!\d\.)\s|,\s| and | but | so ")


def part_about(text: str, words: frozenset[str]) -> str:
    """Return the first part of a statement that has all of these words; the whole where they stand in several."""
    return next((part for part in _PARTS.split(text) if words <= word_bag(part)), text)


def _of_same_people(old: str, ended: _PlanEnded) -> bool:
    """Return whether a plan and the news of it name the same people, and the plan is of the same one."""
    one, two = names_in(old), names_in(ended.said)
    if _owner_of(old, ended.words) != _owner_of(ended.said, ended.words):
        return False
    if two and not one and "the user's" in old.lower():
        return False  # "Anna's wedding" is not mine
    return others_in(old) == others_in(ended.said) and (not one or not two or not one.isdisjoint(two))


_OWNER = regex(
    r"(?:[Tt]he user|[A-ZÀ-Þ][\w-]+)'s (?P<who>[a-z][\w-]*)(?='s\b| (?:has|had|is|was|will|got|gets|wants|needs)\b)"
)


def _owner_of(text: str, words: frozenset[str]) -> str:
    """Return whose something is that belongs to one of the user's people: "roommate" in "my roommate's exam"."""
    found = _OWNER.search(text)
    return "" if found is None or word_bag(found["who"]) & words else found["who"]


_OPENS_WITH_NAME = regex(r"[A-ZÀ-Þ][\w-]+(?='s | )")


@lru_cache(maxsize=16_384)
def names_in(text: str) -> frozenset[str]:
    """Return the names in a statement: its capitalised words, the first one unless it is a word of grammar."""
    first = _OPENS_WITH_NAME.match(text)
    opens = {first[0]} if first is not None and first[0].lower() not in FUNCTION_WORDS["en"] else set[str]()
    return (frozenset(NAME_IN.findall(text)) | opens) - _NO_NAMES


_NO_NAMES_TEXT = """Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July
    August September October November December Easter Christmas"""
_NO_NAMES = frozenset(_NO_NAMES_TEXT.split())


@lru_cache(maxsize=16_384)
def others_in(text: str) -> frozenset[str]:
    """Return the relations to other people that a statement names: a sister, a friend."""
    found: list[str] = _OTHERS.findall(text.lower())
    return frozenset(SAME_KIN.get(who, who) for who in found)


def first_word(text: str) -> str:
    """Return the first word of a statement, without a possessive ending, in lower case."""
    return text.partition(" ")[0].removesuffix("'s").lower()
