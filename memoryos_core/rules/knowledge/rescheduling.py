"""Appointments and routines that move, and what goes on again: "physio's Mondays from now on", "the cruise is back on".

What was given up may be taken up again, too: "drinking coffee again".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memoryos_core.rules.dates.recurrence import find_recurrence
from memoryos_core.rules.knowledge.cancellations import split_cancellation
from memoryos_core.rules.knowledge.corrections import without_moments
from memoryos_core.rules.knowledge.measures import kinds_of
from memoryos_core.rules.knowledge.news import PLAIN, WHO, WHOM, word_bag
from memoryos_core.rules.knowledge.plans import NAME_IN, first_word, names_in, others_in, part_about
from memoryos_core.rules.text.words import regex, words

__all__ = [
    "begin_alike",
    "denies_last",
    "ends_cancellation",
    "is_rescheduled",
    "is_revival",
    "is_taken_up",
    "may_reschedule",
    "resumes",
    "revives",
]


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
_STANDS = rf"(?:on |every |at |for )?(?:the )?(?:(?:first|second|third|fourth|last) )?(?:{_DAY}s?\b|\d)"
_NEWS = (
    _pattern(
        rf"{_BEGINS}{_OWNER}{_WHAT}(?:'s| is| are|s are) (?P<to>{_STANDS}[^.;!?\"]{{0,60}}?(?<=[ ,]){_ANEW}"
        r"(?![\w'])|(?:now " + _STANDS + r"|(?:now )?[\w-]{1,8} (?:week|day|month|hour|year)s? (?:later|earlier)"
        r"(?= now|, ))[^.;!?\"]{0,60})"
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
        rf" (?:me|us|them|the user)(?: {_WAY})?(?P<to>(?: to (?:the )?(?:\d|{_DAY}|next\b|half\b|quarter\b|noon\b)"
        r"|, (?!.*\d(?:st|nd|rd|th) time\b))[^.;!?\"]{1,60})"
    ),
)
# A fact has the user's name there: it is no appointment of that name.
_PUSHED = _pattern(
    rf"(?P<moves>\b{_TO_MOVE}) (?-i:[A-ZÀ-Þ][\w'-]+)(?: (?-i:[A-ZÀ-Þ][\w'-]+)(?= (?:{_WAY}|to)\b|,)"
    rf"|(?= {_WAY}, (?:it|now)\b))"
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
_DEFENCE = frozenset(("defence", "defense", "thesis", "viva", "phd", "doctoral"))
_DEFENDS = _pattern(r"\bdefend(?:s|ing)?\b(?! (?:against|him|her|them|myself))")
_WEAK = frozenset(("appointment", "appt", "date", "day", "time", "slot", "session", "new"))
_COURSES = frozenset(("class", "lesson", "lessons", "course", "practice", "training", "group", "club", "meeting"))
_OF_WHAT = _pattern(
    r"\b(?!(?:the|my|our|their|his|her|a|an|user's|every|this|weekly|has|have)\b)([\w-]+)"
    r" (?:class|lessons?|course|practice|training|group|club|meeting)\b"
)
_GONE = _pattern(
    r"^(?:(?:so|well|right),? )?(?-i:(?P<what>[A-Z][\w-]+))(?:'s| is| has) (?:gone|(?:called )?off|out)"
    rf"(?=[.,;!]|$| (?:for {WHOM}|this year)\b)"
)
_ENTERED = (
    r"\b(?:enter(?:ed|ing)|(?:signed up|registered|training|in|down) for|running"
    r"|book(?:ed|ing)(?: [^.;?!]{1,80}? (?:in|to|at))?|(?:trip|week|weekend|holiday|break|flights?|flying) (?:to|in))"
    r" (?:the )?"
)
_WHEN = frozenset(("date", "weekday", "time"))
_DAYS = frozenset(("date", "weekday"))
_OWN = _pattern(r"\b(?:my|our|the user's) ")
_OF_ANOTHER = regex(r"^(?!The )[A-Z][\w-]+'s ")
_STANDING_FOR = _CELEBRATION | _JOURNEY | _START | _DEFENCE | _WEAK
_ENDED = _pattern(
    rf"(?:^|[,;.] |\band )no more (?P<what>{_WORD}(?: {_WORD})?)"
    r"(?=[.,;!]|$| (?:after|because|as|since|for (?:me|them))\b)"
)
# What may be said of a wish, too: "I might have dropped the choir".
_BEHIND_END = r"(?=[.,;!\"]|$| (?:after|because|since|last|in|so|and|but)\b)"
_GIVEN_UP = (
    _pattern(
        r"\b(?:dropped|packed in|jacked in|gave up|given up|finished with|stopped doing) "
        rf"(?:the |my |our |their ){_WHAT}{_BEHIND_END}"
    ),
    _pattern(rf"\bhanded (?:the |my |our |their )?{_WHAT} (?:over )?to\b"),
    _pattern(
        rf"{_BEGINS}{_OWNER}{_WHAT}(?:'s| is| are| has| have) (?:all )?(?:over|finished|ended|folded|stopped|done)"
        rf"(?: for (?:the|this) \w+| now| completely)?{_BEHIND_END}"
    ),
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
            (_DEFENCE, _DEFENDS),
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
    routine = _recurs(part)
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
    return tuple(_read_moves(_PUSHED.sub(r"\g<moves> them", new[:_LONGEST])))


def _read_moves(new: str) -> Iterator[_Moved]:
    for pattern in _NEWS:
        for found in pattern.finditer(new):
            named = found.groupdict()
            times = kinds_of(f"on {found['to']}") & _WHEN
            said = new[found.start() : found.start("to")]
            if times and not (_DENIED.search(said) or _ONCE.search(found[0])):
                what, owner, met = (named.get(name) or "" for name in ("what", "owner", "met"))
                yield _Moved(frozenset(words(what)), owner, met, times, said, _recurs(found["to"]), word_bag(new))
    given_up = () if _DENIED.search(new) else tuple(pattern.search(new) for pattern in _GIVEN_UP)
    for ended in filter(None, (_ENDED.search(new), *given_up)):
        what, owner = frozenset(words(ended["what"])), ended.groupdict().get("owner") or ""
        yield _Moved(what, owner, "", frozenset(), ended[0], recurs=True, beside=word_bag(new))


def _recurs(text: str) -> bool:
    return _ROUTINE.search(text) is not None or find_recurrence(text) is not None


# ------------------------------------------------------------------------------------------------ on again

_LONGEST_REVIVAL = 240
_MAY_BE = regex(
    r"\b(?:after all|back on|on again|happening again|still (?:on|happening|going|taking)|un-?cancell?ed|reinstated"
    r"|not (?:cancel|called|off)|decided to|ahead)",
    re.IGNORECASE,
)
_OPENS = r"(?:^|[,;:\"“] ?|\b(?:and|but|so|that|out|apparently|now) )"
_ON = (
    r"(?:back on(?! (?:the|my|our|his|her|their|track|board|a|an|it|top|time)\b)|on again|still on(?! (?:the|my|a)\b)"
    r"|on after all|(?:still |now )?(?:happening|going ahead|taking place)(?: after all| again)"
    r"|still (?:happening|going ahead|taking place)|un-?cancell?ed|reinstated|not (?:cancell?ed|called off|off))"
    r"(?=[\"”.,;!]|$| )"
)
_GO = r"(?:go(?:ing)?|com(?:e|ing)|fly(?:ing)?|travel(?:l?ing)?|do(?:ing)?|attend(?:ing)?|make(?: it)?|see(?:ing)?)"
_REVIVALS = tuple(
    regex(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_OPENS}(?P<what>(?:(?!(?:is|are|was|were|not|never|nothing|what|if)\b)[\w'\u2019-]+ ){{1,6}}?)"
        rf"(?:is|are|was|were|has been|have been|will be) (?:now )?{_ON}",
        rf"{_OPENS}(?P<what>(?:[\w-]+ ){{0,4}}[\w-]+)['\u2019]s (?:now )?{_ON}",
        rf"{_OPENS}(?P<what>(?:[\w'\u2019-]+ ){{1,5}}?)(?:is|are|was|were)n['\u2019]t (?:cancell?ed|called off|off)\b",
        rf"\b{_GO} (?:(?:back|to|on|with) )*(?P<what>(?:(?!not\b)[\w'\u2019-]+ ){{1,6}}?)(?=after all\b)",
        r"\b(?:un-?cancell?ed|reinstated|decided to (?:go ahead with|keep)|going ahead with) "
        r"(?P<what>(?:[\w'\u2019-]+ ?){1,5})",
    )
)
_NOT = regex(
    r"\b(?:not(?! (?:cancell?ed|called|off)\b)|never|cannot|nobody|if|hope|hoping|wish|maybe|might|could|would)\b"
    r"|n['\u2019]t\b(?! (?:cancell?ed|called off|off)\b)",
    re.IGNORECASE,
)
_IS_OFF = regex(r"\b(?:not|no longer|never|cannot|\w+n['\u2019]t)\b|^No ", re.IGNORECASE)
_WEAK_IN_PLANS = PLAIN | word_bag(
    "my their our his her it this that the turn out apparently trip visit event plan it's we they"
)
_DENIAL = regex(
    r"(?:(?:oh|no|wait|ah|phew|ha(?:ha)?|lol|sorry|actually|update),? )*(?:(?:it was |that was |just )?(?:an? )?"
    r"(?:false alarm|just kidding|jk|not true|my mistake)|(?:it|that)(?:['\u2019]s| is) (?:still on|back on"
    r"|on after all|not|on)(?=[.!,]|$)|(?:it|that) (?:is|was)n['\u2019]t(?=[.!,]|$))[^?]{0,40}",
    re.IGNORECASE,
)  # fmt: skip


@lru_cache(maxsize=16_384)
def _revived_in(text: str) -> frozenset[str]:
    """Return the words of the plan that a statement tells to be on again; empty for most."""
    if len(text) > _LONGEST_REVIVAL or text.endswith("?") or not _MAY_BE.search(text):
        return frozenset()
    for pattern in _REVIVALS:
        for found in pattern.finditer(text):
            named = word_bag(without_moments(found["what"])) - _WEAK_IN_PLANS
            if named and not _NOT.search(text, 0, found.end()):
                return named
    return frozenset()


def is_revival(text: str) -> bool:
    """Return whether a statement names a plan that is on again."""
    return bool(_revived_in(text))


def revives(old: str, new: str) -> bool:
    """Return whether `new` tells that what `old` plans, or calls off, is on again."""
    named = _revived_in(new)
    return bool(named) and named <= word_bag(old) and _is_of_same(old, new)


def ends_cancellation(old: str, new: str) -> bool:
    """Return whether `old` calls off what `new` tells to be on again."""
    return (split_cancellation(old) is not None or _IS_OFF.search(old) is not None) and revives(old, new)


def _is_of_same(old: str, new: str) -> bool:
    """Return whether two statements name the same people, as far as both name any."""
    one, two = names_in(old), names_in(new)
    return others_in(old) == others_in(new) and (not one or not two or not one.isdisjoint(two))


def denies_last(sentence: str) -> bool:
    """Return whether a sentence only takes back that something is off: "False alarm, it's on."."""
    return _DENIAL.fullmatch(sentence) is not None


# ------------------------------------------------------------------------------------------------ taken up again

_SELF = rf"^{WHO} "
_ENDS = r"(?=[.,!]|$| (?:in|on|last|this|next|after|yesterday|today|now|from|at the end|any)\b)"
_GAVE_UP = _pattern(
    rf"{_SELF}(?:(?:has |have |had )?(?:gave up|given up|quit|stopped|cut out)|(?:is|am)(?: now)? off"
    r"|(?:does not|do not|doesn't|don't) (?:eat|drink|have))"
    rf" (?P<what>[\w -]{{3,30}}?)(?:{_ENDS}|(?= (?:since|as|because|for)\b))"
    rf"|{_SELF}(?:has |have )?(?:is|am|went|goes|gone|going)(?: now)? (?P<free>[a-z]+)[ -]free\b"
)
_AGAIN = _pattern(
    rf"{_SELF}(?:is |am |has |have )(?:now |just |already )?(?:started )?(?P<what>[\w-]+ing(?: [\w-]+){{0,2}}) again\b"
    rf"|{_SELF}(?:can|may|could) (?:now )?(?:eat|drink|have) (?P<may>[\w-]+(?: [\w-]+)?) again\b"
    rf"|{_SELF}(?:is|am) back (?:on(?:to)?|to|eating|drinking|having) (?P<more>[\w-]+(?: [\w-]+)?){_ENDS}"
)
_CONSUMES = word_bag("drinking eating using taking doing having playing going started real normal proper regular")


@lru_cache(maxsize=16_384)
def _given_up(old: str) -> frozenset[str]:
    """Return the words of what somebody gave up; empty for any other statement."""
    found = _GAVE_UP.match(old)
    return word_bag(found["what"] or found["free"]) if found is not None else frozenset()


@lru_cache(maxsize=16_384)
def _taken_up(new: str) -> frozenset[str]:
    """Return the words of what somebody does again; empty for any other statement."""
    found = _AGAIN.match(new)
    return word_bag(found["what"] or found["more"] or found["may"]) if found is not None else frozenset()


def is_taken_up(new: str) -> bool:
    """Return whether `resumes` may be true of this statement and any older one."""
    return bool(_taken_up(new))


def resumes(old: str, new: str) -> bool:
    """Return whether what was given up goes on: "gave up coffee", "drinking coffee again"."""
    left, taken = _given_up(old), _taken_up(new)
    return bool(left) and left <= taken and taken - left <= _CONSUMES and begin_alike(old, new)


_CHILD = frozenset(("son", "daughter", "child", "kid"))  # whoever expects one


def begin_alike(old: str, new: str) -> bool:
    """Return whether two statements begin with the same word, name the same other people, and no other names."""
    one, two = set(NAME_IN.findall(old)), set(NAME_IN.findall(new))
    return (
        first_word(old) == first_word(new)
        and others_in(old) - _CHILD == others_in(new) - _CHILD
        and (not one or not two or not one.isdisjoint(two))
    )
