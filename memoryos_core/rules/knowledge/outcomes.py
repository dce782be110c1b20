"""What was so, and the news of what came of it: a child that was expected is born, what was given up goes on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memoryos_core.rules.knowledge.domains import kinds_of
from memoryos_core.rules.knowledge.news import PLAIN, word_bag
from memoryos_core.rules.knowledge.things import is_limited
from memoryos_core.rules.text.words import regex

__all__ = ["has_outcome", "resumes"]


def _pattern(text: str) -> re.Pattern[str]:
    return regex(text, re.IGNORECASE)


_SELF = r"^(?:The user|[\w-]+) "
_WHO = r"^(?:On [A-Z]\w+days?,? )?(?P<who>The user|[\w-]+) "
_PARTNER = r"(?:boyfriend|girlfriend|bf|gf|partner|fianc\w+)"
_NAMED = r"(?-i:[A-ZÀ-Þ])[\w-]+"
_ENDS = r"(?=[.,!]|$| (?:in|on|last|this|next|after|yesterday|today|now|from|at the end|any)\b)"
_WELL = (
    r"(?:(?:all|completely|now|fully|much) )?(?:healed|grand|sorted|mended|right as rain"
    r"|(?:fine|better|good|ok|okay|all right|alright|back to normal)(?= (?:again|now|since)\b|[.!,]|$))"
)
_IS_WELL = _pattern(
    rf"(?:\bbecause |^)(?:(?P<who>The user|{_NAMED})'s|their|The) (?P<what>[a-z]+)(?:'s| is| are) {_WELL}"
)
_APART = (
    r"(?:are|were|have) (?:(?:now|officially|finally) )?(?:done|over|finished|through|history|no more|not together)\b"
)
_GAVE_UP = _pattern(
    rf"{_SELF}(?:has |have |had )?(?:gave up|given up|quit|stopped|cut out)"
    rf" (?P<what>[\w -]{{3,30}}?){_ENDS}"
)
_AGAIN = _pattern(
    rf"{_SELF}(?:is |am |has |have )(?:now |just |already )?(?:started )?(?P<what>[\w-]+ing(?: [\w-]+){{0,2}}) again\b"
    rf"|{_SELF}(?:is|am) back (?:on|to) (?P<more>[\w-]+(?: [\w-]+)?){_ENDS}"
)
_CONSUMES = word_bag("drinking eating using taking doing having playing going started")

# What was so, and the news that ends it: what both call "what" is the same. Each is about the one that it begins with.
_OUTCOMES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        _pattern(r"\b(?:is|are|am) (?:expecting\b.{0,40}\b(?:baby|child|son|daughter|twins|girl|boy)|pregnant)\b"),
        _pattern(
            r"\b(?:child|baby|son|daughter|boy|girl|twins)\b.{0,20}\b(?:was|were) born\b|\bgave birth\b"
            r"|\bhad (?:the|our|their|a) baby\b|\bmiscarr(?:ied|iage)\b"
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
            rf"|is (?:now )?(?:engaged|married|dating (?:someone|{_NAMED}))\b)"
        ),
    ),
    (
        _pattern(rf"\b(?:dating|seeing) {_NAMED}"),
        _pattern(rf"{_SELF}(?:is |has )?(?:started |now )?(?:seeing|dating) (?:someone|somebody) (?:new|else)\b"),
    ),
    (
        _pattern(r"\b(?:saving(?: up)? for|shopping for|wants? to buy) (?:an? |the |their )?(?:new )?(?P<what>[\w-]+)"),
        _pattern(
            rf"{_SELF}(?:has |have |finally |just )*bought (?:an?|the|their) (?:new |used )?(?P<what>[\w-]+){_ENDS}"
        ),
    ),
    (
        _pattern(
            rf"{_SELF}(?:has|have) (?:an? )?(?:broken|sprained|injured|bad|sore|fractured|dodgy|torn)"
            r" (?P<what>[a-z]+)\b"
        ),
        _pattern(rf"^(?:The user|[\w-]+)'s (?P<what>[a-z]+) (?:is|are|has|have) {_WELL}"),
    ),
    (
        _pattern(
            rf"\b(?P<who>(?:the user|{_NAMED})) (?:has |have )?(?:broke|broken|sprained|tore|torn|fractured|injured"
            r"|hurt|dislocated|pulled) (?:their|his|her|my) (?P<what>[a-z]+)\b"
        ),
        _IS_WELL,
    ),
    (
        _pattern(
            r"^(?P<who>The user|[\w-]+)'s (?P<what>[a-z]+) (?:is|are) (?:shot|broken|sore|bad|killing|dodgy|knackered"
            r"|playing up|buggered)\b"
        ),
        _IS_WELL,
    ),
    (
        _pattern(
            rf"^(?:The user|[\w-]+)'s {_PARTNER}\b"
            r"|^(?:The user|[\w-]+) (?:is|has been) (?:dating|seeing|going out with) "
        ),
        _pattern(rf"{_SELF}(?:has |have |had )?(?:broke|broken|split) up\b(?! with)"),
    ),
    (
        _pattern(rf"\b(?:{_PARTNER}|dating|seeing|going out with|together with)(?: \w+){{0,3}}? (?P<what>{_NAMED})"),
        _pattern(rf"^(?P<what>{_NAMED}) and (?:the user|them|{_NAMED}) {_APART}"),
    ),
    (
        _pattern(rf"{_WHO}(?P<what>[a-z]+s)\b"),
        _pattern(
            rf"{_WHO}(?:doesn't|does not|don't|do not)"
            r" (?!(?:know|think|have|want|need|like|see|believe|mind|care|feel|get)\b)"
            r"(?P<what>[a-z]+) (?=(?:since|any ?more|these days|now)\b)"
        ),
    ),
    (
        _pattern(rf"{_WHO}(?P<what>[a-z]+s)\b"),
        _pattern(rf"{_WHO}(?:has |have )?(?:stopped|quit|given up|gave up) (?P<what>[a-z]+ing)\b"),
    ),
    (
        _pattern(rf"{_WHO}(?:plays?|does|goes to|sings? in|attends?|practi[sc]es?) (?:the |a )?(?P<what>[a-z]+)\b"),
        _pattern(
            rf"{_WHO}(?:has |have )?(?:given up|gave up|packed in|packed up|jacked in|chucked in|quit|stopped|dropped)"
            r" (?:playing |going to |doing )?(?:the |their )?(?P<what>[a-z]+)\b"
        ),
    ),
    (
        _pattern(
            r"^(?P<what>.{2,40}?)(?: in [A-Z][\w-]+)? (?:is|was|has been) .{0,40}?"
            r"\b(?:hospital|ill|sick|better|care home|nursing home|recovering|operation)\b"
        ),
        _pattern(
            r"^(?P<what>.{2,40}?) (?:has |have |had |just |sadly |recently )*(?:passed away|died)\b"
            r"(?! (?:when|in (?:the|a|an)\b|as|years))"
        ),
    ),
    (
        _pattern(r"^(?P<what>.{2,60}?) (?:stays|lives) with (?:them|me|us|the user)\b"),
        _pattern(
            r"^(?P<what>.{2,60}?) (?:is |has |now )*(?:staying|living|stays|lives|moved in) with"
            r" (?!them\b|me\b|us\b|the user\b).*\bnow\b"
        ),
    ),
    (
        _pattern(r"^(?P<what>.{2,60}?) (?:works? nights|(?:works?|is|am|are) (?:on )?(?:the )?night shifts?)\b"),
        _pattern(
            r"^(?P<what>.{2,60}?) (?:is |has |now |finally |got |on |works? |moved to )+"
            r"(?:day shifts?|days(?! and))\b"
        ),
    ),
    (
        _pattern(r"^(?P<what>.{2,60}?) (?:has|lives|works|stays|takes|needs) "),
        _pattern(
            r"^(?P<what>.{2,60}?) (?:has |have |had |just |sadly |recently )*(?:passed away|died)\b"
            r"(?! (?:when|in (?:the|a|an)\b|as|years))"
        ),
    ),
    (
        _pattern(
            r"\b(?:boyfriend|girlfriend|bf|gf|partner|fianc\w+|dating|seeing|going out with|together with)"
            rf"(?: \w+){{0,3}}? (?P<what>{_NAMED})"
        ),
        _pattern(rf"^(?:So )?(?P<what>{_NAMED}) (?:dumped|left) (?:me|them|us|the user|{_NAMED})(?=[.!,]|$)"),
    ),
    (
        _pattern(
            r"\b(?:boyfriend|girlfriend|bf|gf|partner|fianc\w+|dating|seeing|going out with|together with)"
            rf"(?: \w+){{0,3}}? (?P<what>{_NAMED})"
        ),
        _pattern(
            rf"{_SELF}(?:has |have )?(?:finished|split(?: up)?|broke up|broken up) with (?P<what>{_NAMED}){_ENDS}"
        ),
    ),
    (
        _pattern(
            rf"{_SELF}.{{0,40}}?\b(?:works?|working|runs?|employed|manager|engineer|nurse)\b.{{0,40}}?"
            rf"\b(?:at|for) (?P<what>{_NAMED})"
        ),
        _pattern(
            rf"{_SELF}(?:has |have |just |finally |recently )*(?:left|quit|resigned from"
            rf"|(?:got|was) (?:laid off|fired|let go) (?:by|from)) (?P<what>{_NAMED}){_ENDS}"
        ),
    ),
    (
        _pattern(
            rf"{_SELF}(?:is |am )?(?:training|preparing|applying) for (?:the |an? )?"
            r"(?P<what>[\w ]{3,40}?)(?=$|[.,]| (?:in|on)\b)"
        ),
        _pattern(r"\bno (?P<what>[\w ]{3,30}) for (?:me|them|us|the user)\b"),
    ),
)
_ONE_WORD = {"mum": "mother", "mom": "mother", "mummy": "mother", "dad": "father", "daddy": "father"}
_OTHERS = _pattern(
    r"\b(sister|brother|friend|cousin|colleague|boss|neighbou?r|aunt|uncle|niece|nephew|in-law|ex|dog|cat)s?\b"
)
_NAME_IN = regex(r"(?<=[a-z,] )[A-ZÀ-Þ][\w-]+")


@lru_cache(maxsize=16_384)
def _given_up(old: str) -> frozenset[str]:
    """Return the words of what somebody gave up; empty for any other statement."""
    found = _GAVE_UP.match(old)
    return word_bag(found["what"]) if found is not None else frozenset()


@lru_cache(maxsize=16_384)
def _taken_up(new: str) -> frozenset[str]:
    """Return the words of what somebody does again; empty for any other statement."""
    found = _AGAIN.match(new)
    return word_bag(found["what"] or found["more"]) if found is not None else frozenset()


def resumes(old: str, new: str) -> bool:
    """Return whether what was given up goes on: "gave up coffee", "drinking coffee again"."""
    left, taken = _given_up(old), _taken_up(new)
    return bool(left) and left <= taken and taken - left <= _CONSUMES and _begin_alike(old, new)


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
        _Told(held, named.get("who"), named.get("what"), new[: match.end()])
        for held, match in found
        if match is not None
        for named in [match.groupdict()]
    )


@lru_cache(maxsize=16_384)
def _others_in(text: str) -> frozenset[str]:
    return frozenset(who.lower() for who in _OTHERS.findall(text))


@lru_cache(maxsize=16_384)
def _bag(text: str) -> frozenset[str]:
    said = " ".join(_ONE_WORD.get(word.lower(), word) for word in text.replace("'s", " ").split())
    return word_bag(said)


def has_outcome(old: str, new: str) -> bool:
    """Return whether the news is what the older statement was about to come to: expecting a child, and it was born."""
    came = any(_is_outcome(old, told) for told in _outcomes_in(new)) or _ends_plan(old, new)
    return came and not is_limited(old, new.partition(",")[0])


def _is_outcome(old: str, told: _Told) -> bool:
    found = told.held.search(old)
    if found is None:
        return False
    before = found.groupdict()
    what = before.get("what")
    if told.who is not None and (before.get("who") or "").lower() != told.who.lower():
        return False
    if told.what is None or what is None:
        return _begin_alike(old, told.said)
    # Where both name a place, a thing or a person, that says what is meant: "half marathon" of "CPC half marathon".
    same = _bag(what) == _bag(told.what) or (len(_bag(told.what)) > 1 and _bag(told.what) < _bag(what))
    begins = told.said.removeprefix("So ").startswith(told.what)
    told_of_it = not what.istitle() or begins or _first(old) == _first(told.said)
    return same and told_of_it and (not what.istitle() or _others_in(old) == _others_in(told.said))


# ------------------------------------------------------------------------------------------------ plans

_QUOTED = r"(?:[^\"]{1,60} said: \")?"
_DETERMINED = r"(?!(?:the|my|our|their|his|her|a|an)\b)[\w-]+"
_NOUN = rf"(?P<what>{_DETERMINED}(?: {_DETERMINED}){{0,2}}?)"
_PASSED = _pattern(
    rf"^{_QUOTED}(?:I|The user|[\w-]+) (?:has |have |finally |just )*passed (?:the |my |their |his |her )?"
    r"(?P<what>[\w -]{2,40}?)(?= (?:in|on|with|last|this|first|yesterday|today|at)\b|[.,!;]|$)"
)
_CALLED_OFF = (
    _pattern(
        rf"\b(?:the|my|their|our) {_NOUN} (?:never happened|didn't happen|is off|was called off|fell through"
        r"|(?:was|got|is) cancell?ed)\b"
    ),
    _pattern(rf"^No (?!(?-i:[A-Z][a-z]{{2,}})){_NOUN}(?:,| for (?:them|me|us)\b| after all\b| then\b| any ?more\b)"),
)
_OF_WHOM = r"(?:\b(?:the|my|our|their|his|her|[\w-]+'s) |^)"
_MOVED = (
    _pattern(
        rf"{_OF_WHOM}{_NOUN} (?:got|was|were|is|are|has been|have been) (?:moved|pushed|postponed|shifted"
        r"|rescheduled|put off|put back|brought forward|delayed)(?: back| forward)? (?:to|until|till|for)"
        r" (?P<to>.{1,40})"
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


def _ends_plan(old: str, new: str) -> bool:
    """Return whether the news tells that what was planned is done, off, or at another time."""
    return any(
        _is_sign(ended, part) and _of_same_people(part, ended.said)
        for ended in _plans_ended(new)
        if ended.words <= word_bag(old)
        for part in [_part_about(old, ended.words)]
    )


_PARTS = regex(r"(?<=[.;!?])\s|,\s| and | but | so ")


def _part_about(text: str, words: frozenset[str]) -> str:
    """Return the first part of a statement that has all of these words; the whole where they stand in several."""
    return next((part for part in _PARTS.split(text) if words <= word_bag(part)), text)


def _is_sign(ended: _PlanEnded, old: str) -> bool:
    if ended.sign is None:
        return not ended.kinds.isdisjoint(kinds_of(old))
    if ended.sign is _EXAM:
        dated = not _WHEN.isdisjoint(kinds_of(old))
        about = _first(old) == _first(ended.said) or _IMPERSONAL.match(old) is not None
        return about and (dated or _EXAM.search(old) is not None)
    return ended.sign.search(old) is not None


_IMPERSONAL = regex(r"(?:The (?!user\b)|[a-z\d]|(?:In|On|At|My|Their) )")


def _of_same_people(old: str, new: str) -> bool:
    one, two = _names_in(old), _names_in(new)
    return _others_in(old) == _others_in(new) and (not one or not two or not one.isdisjoint(two))


@lru_cache(maxsize=16_384)
def _names_in(text: str) -> frozenset[str]:
    return frozenset(_NAME_IN.findall(text)) - _NO_NAMES


_NO_NAMES_TEXT = """Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July
    August September October November December Easter Christmas"""
_NO_NAMES = frozenset(_NO_NAMES_TEXT.split())


def _begin_alike(old: str, new: str) -> bool:
    """Return whether two statements begin with the same word, name the same other people, and no other names."""
    one, two = set(_NAME_IN.findall(old)), set(_NAME_IN.findall(new))
    return (
        _first(old) == _first(new)
        and _others_in(old) == _others_in(new)
        and (not one or not two or not one.isdisjoint(two))
    )


def _first(text: str) -> str:
    return text.partition(" ")[0].removesuffix("'s").lower()
