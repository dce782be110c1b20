"""Days that come back: "every other Wednesday", "the first Monday of each month", "on the 25th of every month"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from memoryos_core.rules.dates import calendar
from memoryos_core.rules.dates.other_languages import WEEKDAY_WORDS, weekday_of
from memoryos_core.rules.dates.tense import is_done
from memoryos_core.rules.text.words import regex

__all__ = ["Recurrence", "find_recurrence", "without_recurrences"]

_LAST, _MOST = -1, 31
_AROUND = 200  # characters
_WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Recurrence:
    """The weekdays of each so many `weeks`; or, of each month, its `nth` ones or its `days`.

    Monday is 0. The last one of a month, and its last day, is -1.
    """

    weekdays: tuple[int, ...] = ()
    weeks: int = 1
    nth: tuple[int, ...] = ()
    days: tuple[int, ...] = ()

    @property
    def of_month(self) -> bool:
        """True for what comes back every month."""
        return bool(self.nth or self.days)

    def next_day(self, today: datetime, begin: datetime | None = None) -> datetime | None:
        """Return the first such day from `today` on, at midnight; None where only a `begin` would tell which week."""
        if self.of_month:
            first = max(today, begin or today)
            return next(day for month in range(3) for day in self._in_month(first, month) if day >= first)
        if begin is None and self.weeks > 1:
            return None
        start, step = begin or today, self.weeks * _WEEK
        days = [start + timedelta(days=(weekday - start.weekday()) % 7) for weekday in self.weekdays] or [start]
        return min(day if day >= today else day + -((day - today) // step) * step for day in days)

    def _in_month(self, moment: datetime, later: int) -> list[datetime]:
        """Return the days of the month that is so many months later, in order."""
        first, end = calendar.units(moment, "month", later)
        length = (end - first).days
        days = [length if day == _LAST else min(day, length) for day in self.days]
        for weekday in self.weekdays:
            ones = [*range((weekday - first.weekday()) % 7 + 1, length + 1, 7)]
            days += [ones[_LAST if number == _LAST else number - 1] for number in self.nth]
        return [first.replace(day=day) for day in sorted(days)]


_ORDINALS = {
    1: r"first|1st|erste[nr]?|premi(?:ers?|ère)|primero?s?|primer",
    2: r"second|2nd|zweite[nr]?|deuxièmes?|segundos?",
    3: r"third|3rd|dritte[nr]?|troisièmes?|terceros?|tercer",
    4: r"fourth|4th|vierte[nr]?|quatrièmes?|cuartos?",
    _LAST: r"last|final|letzte[nr]?|derni(?:ers?|ère)|últimos?",
}
_NTH = "|".join(_ORDINALS.values())
_AND = r"(?:,? (?:and|und|et|y|or|oder) |, ?| ?[&/] ?)"
_EACH = r"(?:every|each|jede[nrsm]?|tous les|toutes les|chaque|cada|todos los|los|todas as|toda|ogni|elke|iedere)"
_DAY = rf"(?:{WEEKDAY_WORDS})(?!\w)"
_SUCH_DAYS = rf"(?:{WEEKDAY_WORDS})s(?!\w)"
_MONTH = r"(?:month|monat(?:e?s)?|mois|mes)\b"
_THE_MONTH = rf" (?:(?:of|in|im|des|du|de|del) )?(?:(?:the|a|each|every|jede[sn]|chaque|cada) )?(?:calendar )?{_MONTH}"
_MONTHLY = (
    rf"(?:(?:every|each|jede[nr]|tous les|chaque|cada|todos los) {_MONTH}|monthly|monatlich),? (?:on |am |le |el )?"
)
# "The first Monday of each month", "every last Friday", "each month on the second and fourth Tuesday".
_OF_WEEKDAY = regex(
    rf"\b(?:(?P<monthly>{_MONTHLY})|(?P<each>{_EACH}) )?(?:the )?(?P<nth>{_NTH})(?:{_AND}(?:the )?(?P<other>{_NTH}))?"
    rf" (?P<days>{_DAY}|{_SUCH_DAYS})(?P<behind>{_THE_MONTH})?(?! (?:of|in) [A-Z])",
    re.IGNORECASE,
)
# "The 1st and 15th of every month", "every month on the 5th", "on the last day of each month", "am 25. jedes Monats".
_OF_NUMBER = regex(
    rf"(?:\b(?P<monthly>{_MONTHLY})(?:the )?)?(?:(?<![\w.:/-])(?P<day>\d{{1,2}})(?:st|nd|rd|th|(?P<point>\.))"
    rf"(?:{_AND}(?:the |on |am )?(?P<other>\d{{1,2}})(?:st|nd|rd|th|\.))?|(?:(?<= le )|(?<= el )|(?<=día ))"
    rf"(?P<bare>\d{{1,2}})(?![\w:])|\b(?P<first>first)|\b(?P<last>last day|end))(?: day)?(?P<behind>{_THE_MONTH})?",
    re.IGNORECASE,
)
_OF_WEEKS = regex(
    r"\b(?:every|each|alle|toutes les|cada|om de) (?P<number>two|three|four|six|[2346]|zwei|drei|vier|deux|trois"
    r"|dos|tres|twee) (?:weeks|wochen|semaines|semanas|weken)\b|\b(?:every|each) (?:other|second) week\b"
    r"|\b(?:(?:every|each|once a) fortnight|fortnightly|alternate weeks|jede zweite woche|une semaine sur deux)\b",
    re.IGNORECASE,
)
_WEEKS = {"three": 3, "drei": 3, "trois": 3, "tres": 3, "3": 3, "four": 4, "vier": 4, "4": 4, "six": 6, "6": 6}
_ALTERNATE = r"other|second|2nd|alternate|zweite[nr]?|two weeks on|(?P<third>third|3rd|dritte[nr]?)"
_OF_WEEK = regex(
    rf"\b(?:{_EACH} (?:(?P<step>{_ALTERNATE}) )?|(?P<by_two>alternate) )(?P<days>(?:{_DAY}|{_SUCH_DAYS})"
    rf"(?:{_AND}(?:{_DAY}|{_SUCH_DAYS})){{0,6}})"
    rf"|(?<!\w)(?P<plural>{_SUCH_DAYS}(?:{_AND}(?:on )?{_SUCH_DAYS}){{0,6}})"
    rf"|(?<!\w)(?P<parts>{_DAY}(?:{_AND}{_DAY}){{0,6}}) (?:mornings|afternoons|evenings|nights|lunchtimes)\b",
    re.IGNORECASE,
)
_ON_DAYS = regex(rf"\b(?:on|op|am|el|le) (?:an? )?(?P<days>{_DAY}(?:{_AND}{_DAY}){{0,6}})", re.IGNORECASE)
_ONE_DAY = regex(WEEKDAY_WORDS, re.IGNORECASE)
_IN_EACH = regex(r"\b(?:each|every|jede[sn]|chaque|cada|a)\b", re.IGNORECASE)
_ONCE = regex(
    r"\b(?:deadline|interview|wedding|funeral|flight|surgery|operation|viva|exam|appointment|birthday|party|moving|leaving"
    r"|starting|flying|getting)\b",
    re.IGNORECASE,
)
# No text without one of these names what comes back.
_MARKS = (
    *("every", "each", "days", "month", "fortnight", "alternate", "nights", "mornings", "evenings", "afternoons"),
    *("lunchtimes", "jede", "alle ", "tags", "monat", "tous les", "toutes les", "chaque", "mois", "sur deux", "los "),
    *("cada", " mes", "toda", "ogni", "elke", "iedere", "om de"),
)


@lru_cache(maxsize=16_384)
def find_recurrence(text: str) -> Recurrence | None:
    """Return what a text says comes back on days that it names, the first of several."""
    return next((recurrence for _, _, recurrence in _find_all(text)), None)


def without_recurrences(text: str) -> str:
    """Return the text with what comes back left out: in "every other Friday, next on 3 May" one date is left."""
    for start, end, _ in _find_all(text):
        text = text[:start] + "\N{HORIZONTAL ELLIPSIS}" * (end - start) + text[end:]
    return text


def _find_all(text: str) -> list[tuple[int, int, Recurrence]]:
    """Return what comes back, each with its place, in the order in which they are looked for."""
    folded = text.lower()
    if not any(mark in folded for mark in _MARKS):
        return []
    found = [
        (*match.span(), recurrence)
        for pattern, read in ((_OF_WEEKDAY, _read_weekday_of_month), (_OF_NUMBER, _read_day_of_month))
        for match in pattern.finditer(text)
        if (recurrence := read(match)) is not None
    ]
    rest = text
    for start, end, _ in found:
        rest = rest[:start] + " " * (end - start) + rest[end:]
    interval = _OF_WEEKS.search(rest)
    weeks = 1 if interval is None else _WEEKS.get((interval["number"] or "").lower(), 2)
    weekly = [(*match.span(), _read_week(match, weeks)) for match in _OF_WEEK.finditer(rest)]
    if interval is not None and not weekly:
        day = _ON_DAYS.search(rest)
        weekly = [(*interval.span(), Recurrence(() if day is None else _weekdays(day["days"]), weeks))]
    return found + weekly


def _read_weekday_of_month(match: re.Match[str]) -> Recurrence | None:
    nth = tuple(_nth_of(match[name]) for name in ("nth", "other") if match[name])
    # "Every second Friday" comes back after two weeks, "every first Friday" after a month.
    if not (match["monthly"] or match["behind"] or (match["each"] and not {2, 3} & {*nth})):
        return None
    is_each = match["monthly"] or match["each"] or _IN_EACH.search(match["behind"])
    return Recurrence(_weekdays(match["days"]), nth=nth) if is_each or _is_habit(match) else None


def _read_day_of_month(match: re.Match[str]) -> Recurrence | None:
    behind = match["behind"] or ""
    is_each = match["monthly"] or _IN_EACH.search(behind)
    if not (is_each or behind) or (match["point"] and "monat" not in f"{match['monthly']}{behind}".lower()):
        return None
    if match["last"]:
        return Recurrence(days=(_LAST,)) if is_each else None
    days = [int(match[name]) for name in ("day", "other", "bare") if match[name]] or [1]
    return Recurrence(days=tuple(days)) if _is_calendar(days) and (is_each or _is_habit(match)) else None


def _is_calendar(days: Sequence[int]) -> bool:
    return all(0 < day <= _MOST for day in days)


def _is_habit(match: re.Match[str]) -> bool:
    """Return whether "the 5th of the month" is one of each month: not "the exam is on it", nor "the car broke down"."""
    around = match.string[max(0, match.start() - _AROUND) : match.end() + _AROUND]
    return not (_ONCE.search(around) or is_done(match))


def _read_week(match: re.Match[str], weeks: int) -> Recurrence:
    if match["third"]:
        weeks = 3
    elif match["step"] or match["by_two"]:
        weeks = 2
    return Recurrence(_weekdays(match["days"] or match["plural"] or match["parts"]), weeks)


def _nth_of(word: str) -> int:
    return next(nth for nth, words in _ORDINALS.items() if re.fullmatch(words, word, re.IGNORECASE))


def _weekdays(listed: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(weekday_of(one[0]) for one in _ONE_DAY.finditer(listed)))
