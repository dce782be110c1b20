"""The ends of plans: an exam that is passed, an event that is called off, a date that is moved."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memoryos_core.rules.knowledge.domains import kinds_of
from memoryos_core.rules.knowledge.news import PLAIN, word_bag
from memoryos_core.rules.text.words import regex

__all__ = ["NAME_IN", "ends_plan", "first_word", "others_in"]


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


_OTHERS = _pattern(
    r"\b(sister|brother|friend|cousin|colleague|boss|neighbou?r|aunt|uncle|niece|nephew|in-law|ex|dog|cat)s?\b"
)
NAME_IN = regex(r"(?<=[a-z,] )[A-ZÀ-Þ][\w-]+")


_QUOTED = r"(?:[^\"]{1,60} said: \")?"
_DETERMINED = r"(?!(?:the|my|our|their|his|her|a|an)\b)[\w-]+"
_NOUN = rf"(?P<what>{_DETERMINED}(?: {_DETERMINED}){{0,2}}?)"
_PASSED = _pattern(
    rf"^{_QUOTED}(?:I|The user|[\w-]+) (?:has |have |finally |just )*passed (?:the |my |their |his |her )?"
    r"(?P<what>[\w -]{2,40}?)(?= (?:in|on|with|last|this|first|yesterday|today|at)\b|[.,!;]|$)"
)
_CALLED_OFF = (
    _pattern(
        rf"\b(?:the|my|their|our) {_NOUN}(?:'s off(?: now)?(?=[.,!]|$)"
        r"| (?:never happened|didn't happen|is off|was called off|fell through|(?:was|got|is) cancell?ed"
        r"|(?:will have|has|have) to wait (?:till|until))\b)"
    ),
    _pattern(
        rf"^{_QUOTED}(?P<what>[\w-]{{3,20}})(?:'s off(?: now)?(?=[.,!]|$)"
        r"| (?:never happened|didn't happen|fell through|is off|is cancell?ed)\b)"
    ),
    _pattern(rf"^No {_NOUN} for (?:them|me|us|the user)\b"),
    _pattern(rf"^No (?!(?-i:[A-Z][a-z]{{2,}})){_NOUN}(?:,| for (?:them|me|us)\b| after all\b| then\b| any ?more\b)"),
)
_OF_WHOM = r"(?:\b(?:the|my|our|their|his|her|[\w-]+'s) |^)"
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
_EXAM = _pattern(
    r"\b(?:exams?|tests?|retakes?|resits?|certification|licen[cs]e|failed|studying|studies|revising|booked)\b"
)
_PLANNED = _pattern(
    r"\b(?:going|plan(?:s|ned|ning)?|goal|booked|booking|sign(?:ed|ing) up|training|trip|wants?|hop(?:es|ing)"
    r"|thinking of|maybe|applying|applied)\b"
)
_OF_EXAMS = word_bag("exam test retake resit certification certificate course the")
_WEAK = PLAIN | word_bag("my their our his her it this that appointment date")


_WHEN = frozenset(("date", "weekday", "time"))


@dataclass(frozen=True, slots=True)
class _PlanEnded:
    """What news ends: the sign of it in an older statement, its words, the kinds of its new time, and the news."""

    sign: re.Pattern[str] | None
    words: frozenset[str]
    kinds: frozenset[str]
    said: str


@lru_cache(maxsize=16_384)
def _plans_ended(new: str) -> tuple[_PlanEnded, ...]:
    passed = _PASSED.match(new)
    out = [_PlanEnded(_EXAM, word_bag(passed["what"]) - _OF_EXAMS, frozenset(), new[: passed.end()])] if passed else []
    out += [
        _PlanEnded(_PLANNED, word_bag(off["what"]) - _WEAK, frozenset(), new[: off.end()])
        for pattern in _CALLED_OFF
        for off in pattern.finditer(new)
    ]
    out += [
        _PlanEnded(None, word_bag(moved["what"]) - _WEAK, kinds, new[: moved.end("what")])
        for pattern in _MOVED
        for moved in pattern.finditer(new)
        if (kinds := kinds_of(moved["to"]) & _WHEN)
    ]
    return tuple(ended for ended in out if ended.words)


def ends_plan(old: str, new: str) -> bool:
    """Return whether the news tells that what was planned is done, off, or at another time."""
    return any(
        _is_sign(ended, part, old) and _of_same_people(part, ended.said)
        for ended in _plans_ended(new)
        if ended.words <= word_bag(old)
        for part in [_part_about(old, ended.words)]
    )


_PARTS = regex(r"(?<=[.;!?])\s|,\s| and | but | so ")


def _part_about(text: str, words: frozenset[str]) -> str:
    """Return the first part of a statement that has all of these words; the whole where they stand in several."""
    return next((part for part in _PARTS.split(text) if words <= word_bag(part)), text)


def _is_sign(ended: _PlanEnded, part: str, old: str) -> bool:
    if ended.sign is None:
        return not ended.kinds.isdisjoint(kinds_of(part))
    if ended.sign is _EXAM:
        dated = not _WHEN.isdisjoint(kinds_of(old))
        about = first_word(old) == first_word(ended.said) or _IMPERSONAL.match(old) is not None
        return about and (dated or _EXAM.search(old) is not None)
    return ended.sign.search(old) is not None


_IMPERSONAL = regex(r"(?:The (?!user\b)|[a-z\d]|(?:In|On|At|My|Their) )")


def _of_same_people(old: str, new: str) -> bool:
    one, two = _names_in(old), _names_in(new)
    return others_in(old) == others_in(new) and (not one or not two or not one.isdisjoint(two))


@lru_cache(maxsize=16_384)
def _names_in(text: str) -> frozenset[str]:
    return frozenset(NAME_IN.findall(text)) - _NO_NAMES


_NO_NAMES_TEXT = """Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July
    August September October November December Easter Christmas"""
_NO_NAMES = frozenset(_NO_NAMES_TEXT.split())


@lru_cache(maxsize=16_384)
def others_in(text: str) -> frozenset[str]:
    """Return the relations to other people that a statement names: a sister, a friend."""
    return frozenset(who.lower() for who in _OTHERS.findall(text))


def first_word(text: str) -> str:
    """Return the first word of a statement, without a possessive ending, in lower case."""
    return text.partition(" ")[0].removesuffix("'s").lower()
