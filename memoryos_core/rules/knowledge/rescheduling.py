"""Appointments and routines that move, in everyday words: "physio's Mondays from now on", "Ng pushed me to the 9th"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memoryos_core.rules.knowledge.measures import kinds_of
from memoryos_core.rules.knowledge.news import word_bag
from memoryos_core.rules.knowledge.plans import names_in, others_in, part_about
from memoryos_core.rules.text.words import regex, words

__all__ = ["is_rescheduled", "may_reschedule"]


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


_LONGEST = 400  # characters of news that are read
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_WAY = r"(?:back|forward|off|out|up|down|on)"
_TO_MOVE = (
    r"(?:moved|pushed|postponed|preponed|shifted|rescheduled|delayed|changed|switched|bumped|brought|pulled|put(?= "
    rf"{_WAY}\b| [\w' -]{{1,40}} {_WAY}\b))"
)
_WORD = r"(?!(?:the|my|our|their|his|her|a|an|it|that|this|they|she|he|we|i|me|us|them|user|who|which|of|said)\b)[\w-]+"
_WHAT = rf"(?P<what>{_WORD}(?: {_WORD}){{0,2}}?)"
_BEGINS = r"(?:^|said: \"|[,;.] |\b(?:and|but|so|btw) )(?:the |my |our |their |the user's )?"
_OWNER = r"(?:(?P<owner>[\w-]+)(?:'s|s') )?"
# A day or an hour right behind the verb, and a word by which it is another one than before.
_ANEW = r"(?:now|from now on|instead|from (?:this|next) (?:week|month|term|year)|these days)"
_STANDS = rf"(?:on |every |at |for )?(?:the )?(?:{_DAY}s?\b|\d)"
_NEWS = (
    _pattern(
        rf"{_BEGINS}{_OWNER}{_WHAT}(?:'s| is| are|s are) (?P<to>{_STANDS}[^.;!?\"]{{0,60}}?(?<=[ ,]){_ANEW}"
        r"(?![\w'])|now " + _STANDS + r"[^.;!?\"]{0,60})"
    ),
    _pattern(
        rf"{_BEGINS}{_OWNER}{_WHAT}(?: (?:got|was|were|is|are|has|have|been|just|now)|'s|'s been)+ {_TO_MOVE}"
        r"(?P<to>[^.;!?\"]{2,80})"
    ),
    _pattern(
        rf"\b{_TO_MOVE}(?: {_WAY})? (?:the |my |our |their )?{_OWNER}{_WHAT}(?: {_WAY})?"
        r"(?P<to>(?: from [^,;.]{1,30})? (?:to|until|till|for) [^.;!?\"]{2,60}"
        r"|[,;] [^.;!?\"]{0,40}?(?:\b(?:is|are|going|now)\b|['\u2019](?:s|re)\b)[^.;!?\"]{2,60})"
    ),
    # "Hanley pushed me out, it's the 30th now": whoever moves the user has an appointment with them.
    _pattern(
        rf"{_BEGINS}(?:(?:mr|mrs|ms|dr|prof)\.? )?(?P<met>{_WORD})(?: has| have)?(?: just)? {_TO_MOVE}"
        rf" (?:me|us|them|the user)(?: {_WAY})?(?P<to>(?: to|,) [^.;!?\"]{{2,60}})"
    ),
)
_ONCE = _pattern(
    r"\b(?:this (?:week|weekend|time|month|once|morning)|(?:just|only) (?:for|this)|today|tonight|tomorrow|for once)\b"
)
_DENIED = _pattern(r"\b(?:not|never|nobody|wish|if|might|maybe|could|would|almost|nearly)\b|n't\b|\?")
_ROUTINE = _pattern(rf"\b(?:every|each|weekly|{_DAY}s|{_DAY} (?:and {_DAY} )?(?:night|morning|evening|afternoon)s?)\b")
_OVER = _pattern(
    r"\b(?:was|were|had|went|did|won|lost|ran|finished|played|met|saw|came|visited|attended|celebrated|enjoyed)\b"
    r"(?!.*\b(?:is|are|will|going)\b)"
)
_MEETS = _pattern(
    r"\b(?:appointment|appt|consult\w*|check-?up|session|scan|see|sees|seeing|meeting|meets?|review|slot|surgery|call"
    r"|lesson|class|interview|treatment|operation|visit|viewing)\b"
)
# What stands for any celebration, for any journey, and for the day on which somebody starts.
_CELEBRATION = frozenset(("do", "bash", "party", "celebration", "thing", "big", "day"))
_CELEBRATES = _pattern(
    r"\b(?:\d{1,3}(?:st|nd|rd|th)(?! of)|birthday|party|anniversary|wedding|christening|shower|bash|do)\b"
)
_JOURNEY = frozenset(("flight", "flights", "trip", "travel", "journey"))
_TRAVELS = _pattern(r"\b(?:fl(?:y|ies|ying)|travel(?:s|ling)?|leav(?:e|es|ing) for|off to|going to (?-i:[A-Z]))\b")
_START = frozenset(("start", "return", "date", "first", "day", "back"))
_STARTS = _pattern(r"\b(?:starts?|starting|begins?|returns?|returning|back|leave (?:un)?til+|off (?:un)?til+)\b")
_WEAK = frozenset(("appointment", "appt", "date", "day", "time", "slot", "session", "new"))
_COURSES = frozenset(("class", "lesson", "lessons", "course", "practice", "training", "group", "club", "meeting"))
_OF_WHAT = _pattern(
    r"\b(?!(?:the|my|our|their|his|her|a|an|user's|every|this|weekly|has|have)\b)([\w-]+)"
    r" (?:class|lessons?|course|practice|training|group|club|meeting)\b"
)
_GONE = _pattern(
    r"^(?:(?:so|well|right),? )?(?-i:(?P<what>[A-Z][\w-]+))(?:'s| is| has) (?:gone|off|out)"
    r"(?=[.,;!]|$| (?:for (?:me|them|us|the user)|this year)\b)"
)
_ENTERED = r"\b(?:enter(?:ed|ing)|(?:signed up|registered|training|in|down) for|book(?:ed|ing)|running) (?:the )?"
_WHEN = frozenset(("date", "weekday", "time"))
_DAYS = frozenset(("date", "weekday"))
_OWN = _pattern(r"\b(?:my|our|the user's) ")
_OF_ANOTHER = regex(r"^(?!The )[A-Z][\w-]+'s ")
_STANDING_FOR = _CELEBRATION | _JOURNEY | _START | _WEAK
_ENDED = _pattern(
    rf"(?:^|[,;.] |\band )no more (?P<what>{_WORD}(?: {_WORD})?)"
    r"(?=[.,;!]|$| (?:after|because|as|since|for (?:me|them))\b)"
)


@dataclass(frozen=True, slots=True)
class _Moved:
    """A thing that news moves: its words, the one whose it is or whom it is with, and the kinds of its new time.

    `said` is how the news names it, `beside` all its words; `times` is empty where a routine is over.
    """

    words: frozenset[str]
    owner: str
    met: str
    times: frozenset[str]
    said: str
    recurs: bool
    beside: frozenset[str]

    def is_named_in(self, part: str) -> bool:
        """Return whether a part of a statement tells the time of this."""
        said = word_bag(part)
        if self.met:
            return word_bag(self.met) <= said and _MEETS.search(part) is not None
        if self.owner and not word_bag(self.owner) <= said:
            return False
        for kind, named in (
            (_JOURNEY, _TRAVELS),
            (_START, _STARTS),
            (_CELEBRATION if self.owner else None, _CELEBRATES),
        ):
            if kind is not None and self.words <= kind and named.search(part):
                return True
        matter = word_bag(" ".join(self.words - _WEAK or self.words))
        return bool(matter) and matter <= said and self._is_of_kind_in(part)

    def _is_of_kind_in(self, part: str) -> bool:
        """Return whether "the class" is the one of a statement: of "veena class" the news names veena, too."""
        of_what = _OF_WHAT.search(part) if self.words <= _COURSES and not self.owner else None
        return of_what is None or word_bag(of_what[1]) <= self.beside


def may_reschedule(new: str) -> bool:
    """Return whether `is_rescheduled` may be true of this statement and any older one."""
    return bool(_moved_in(new)) or _GONE.match(new.rpartition('said: "')[2]) is not None


def is_rescheduled(old: str, new: str) -> bool:
    """Return whether the news gives another time to an appointment or a routine of the older statement, or ends it."""
    return any(_is_moved(old, moved) for moved in _moved_in(new)) or _is_given_up(old, new)


def _is_given_up(old: str, new: str) -> bool:
    """Return whether a race or a journey that is booked is off by its name alone: "Dublin's gone"."""
    gone = _GONE.match(new.rpartition('said: "')[2])
    return gone is not None and re.search(rf"{_ENTERED}{re.escape(gone['what'])}\b", old, re.IGNORECASE) is not None


def _is_moved(old: str, moved: _Moved) -> bool:
    named = word_bag(" ".join((moved.met, moved.owner, *(moved.words - _STANDING_FOR))))
    part = part_about(old, named) if named else old
    part = part if kinds_of(part) & _WHEN else old
    if not moved.is_named_in(part) or _OVER.search(part) or not _of_same_people(old, moved):
        return False
    routine = _ROUTINE.search(part) is not None
    if not moved.times:
        return routine
    known = kinds_of(part) & _WHEN
    same = bool(known & moved.times) or bool(known & _DAYS and moved.times & _DAYS)
    # One lesson that is moved leaves the others, and news of a routine is about no single day.
    return same and not (routine and "date" in moved.times) and not (moved.recurs and not routine)


def _of_same_people(old: str, moved: _Moved) -> bool:
    """Return whether news names nobody whom the older statement does not name, and is about the user's own, as that."""
    owner = {moved.owner.lower()}
    if others_in(old) - owner != others_in(moved.said) - owner:
        return False
    if not moved.owner and _OWN.search(moved.said) and _OF_ANOTHER.search(old):
        return False
    return all(word_bag(name) <= word_bag(old) for name in names_in(moved.said))


@lru_cache(maxsize=16_384)
def _moved_in(new: str) -> tuple[_Moved, ...]:
    return tuple(_read_moves(new[:_LONGEST]))


def _read_moves(new: str) -> Iterator[_Moved]:
    for pattern in _NEWS:
        for found in pattern.finditer(new):
            named = found.groupdict()
            times = kinds_of(f"on {found['to']}") & _WHEN
            said = new[found.start() : found.start("to")]
            if times and not (_DENIED.search(said) or _ONCE.search(found[0])):
                what, owner, met = (named.get(name) or "" for name in ("what", "owner", "met"))
                recurs = _ROUTINE.search(found["to"]) is not None
                yield _Moved(frozenset(words(what)), owner, met, times, said, recurs, word_bag(new))
    if ended := _ENDED.search(new):
        yield _Moved(frozenset(words(ended["what"])), "", "", frozenset(), ended[0], recurs=True, beside=word_bag(new))
