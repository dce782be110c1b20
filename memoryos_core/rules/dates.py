"""Dates in a text, as spans of time: what "last summer" or "2023年5月" means to who says it at a given moment.

A date that can be read in two ways is not read at all. Patterns repeat nothing without a bound, so the work grows
with the length of the text and no faster, whatever the text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from memoryos_core.rules import calendar
from memoryos_core.rules.calendar import Range

__all__ = ["Span", "distance_days", "find_dates", "written"]


@dataclass(frozen=True, slots=True)
class Span:
    """The time [start, end) that `text` names, in the time zone of the moment it was resolved against."""

    start: datetime
    end: datetime
    text: str


_Match: TypeAlias = re.Match[str]
_Reader: TypeAlias = Callable[[_Match, datetime], Range | None]

_DAY_WORDS = {"day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1, "day after tomorrow": 2}
_DAY_PARTS = {"morning": (0, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}
# Verbs, names people have, and abbreviations: a month only beside a preposition, a day or a year.
_NOT_ALONE = {"may", "march", "april", "june", "sept"} | set(calendar.MONTHS)
_VERB = re.compile(r"[0-9]\s+(?:may|march)\s+[a-z]")
_LEAP_YEAR = 2000
_WIDE_DIGITS = str.maketrans("０１２３４５６７８９", "0123456789")


def _group(match: _Match, name: str) -> str | None:
    found = match.groupdict().get(name)
    return None if found is None else str(found).lower()


def _month_of(match: _Match) -> int:
    found = match["month"].lower()
    return int(found) if found.isdecimal() else calendar.NUMBERS.get(found) or calendar.MONTHS[found[:3]]


def _year_of(match: _Match, now: datetime) -> int | None:
    word, year = _group(match, "of_year"), _group(match, "year")
    if word is not None:
        return now.year + (calendar.CJK_WORDS[word][1] if word in calendar.CJK_WORDS else calendar.STEPS[word])
    return None if year is None else int(year)


def _read_day(match: _Match, now: datetime) -> Range | None:
    month, day, until = _month_of(match), int(match["day"]), _group(match, "until")
    last = None if until is None else int(until)
    year = _year_of(match, now)
    if year is not None:
        return calendar.days(now, year, month, day, last)
    if _VERB.search(match.string, match.start(), match.end() + 4):
        return None
    calendar.days(now, _LEAP_YEAR, month, day, last)  # refuses 31 February before any year is tried
    return calendar.recurring(now, None, lambda y: calendar.days(now, y, month, day, last))


def _read_numeric(match: _Match, now: datetime) -> Range | None:
    small, large = sorted((int(match["a"]), int(match["b"])))
    if small != large and large <= len(calendar.MONTH_NAMES):
        return None  # 05/08 is in May to one reader and in August to another
    return calendar.days(now, int(match["year"]), small, large)


def _read_month(match: _Match, now: datetime) -> Range | None:
    year, word = _year_of(match, now), _group(match, "step")
    month = _month_of(match)
    if year is not None:
        return calendar.months(now, year * 12 + month - 1)
    if word is None and _group(match, "in") is None and match["month"].lower() in _NOT_ALONE:
        return None
    step = None if word is None else calendar.STEPS[word]
    return calendar.recurring(now, step, lambda y: calendar.months(now, y * 12 + month - 1))


def _read_season(match: _Match, now: datetime) -> Range | None:
    first, year = calendar.SEASONS[match["season"].lower()] - 1, _year_of(match, now)
    if year is not None:
        return calendar.months(now, year * 12 + first, 3)
    step = calendar.STEPS[match["step"].lower()]
    return calendar.recurring(now, step, lambda y: calendar.months(now, y * 12 + first, 3))


def _read_year(match: _Match, now: datetime) -> Range | None:
    year = int(match["year"])
    if _group(match, "decade"):
        return calendar.months(now, year * 12, 120) if year % 10 == 0 else None
    return calendar.months(now, year * 12, 12 * (int(_group(match, "until") or year) - year + 1))


def _read_step(match: _Match, now: datetime) -> Range | None:
    word, unit = match["step"].lower(), match["unit"].lower()
    step = calendar.STEPS[word]
    if unit == "weekend":
        monday = calendar.units(now, "week", step)[1]
        return monday - timedelta(days=2), monday
    if unit not in calendar.WEEKDAYS:
        return calendar.past(now, unit, 1) if word == "past" else calendar.units(now, unit, step)
    ahead = calendar.WEEKDAYS[unit] - now.weekday()
    if step:
        ahead = (ahead - 1) % 7 + 1 if step > 0 else ahead % 7 - 7
    return calendar.units(now, "day", ahead)


def _amount(match: _Match) -> tuple[int, int]:
    """The least and the most that a number word stands for."""
    word = match["n"].lower()
    vague = next((bounds for key, bounds in calendar.VAGUE.items() if key in word), None)
    if vague is not None:
        return vague
    number = int(word) if word.isdecimal() else calendar.NUMBERS[word]
    return number, number


def _read_past(match: _Match, now: datetime) -> Range | None:
    return calendar.past(now, match["unit"].lower(), _amount(match)[1])


def _read_ago(match: _Match, now: datetime) -> Range | None:
    (least, most), unit = _amount(match), match["unit"].lower()
    return calendar.units(now, calendar.CJK_UNITS.get(unit[0], unit), -most, most - least + 1)


def _read_day_part(match: _Match, now: datetime) -> Range | None:
    step = -1 if _group(match, "step") in ("last", "yesterday") else 0
    today = calendar.units(now, "day", step)[0]
    first, last = _DAY_PARTS[_group(match, "part") or "night"]
    return today + timedelta(hours=first), today + timedelta(hours=last)


def _read_word(match: _Match, now: datetime) -> Range | None:
    word = " ".join(match[0].lower().split())
    unit, step = calendar.CJK_WORDS.get(word) or ("day", _DAY_WORDS[word])
    return calendar.units(now, unit, step)


_GAP = r"[ \t\n]{1,3}"
_MONTH = r"(?P<month>" + "|".join([*calendar.MONTH_NAMES, "sept", *calendar.MONTHS]) + r")(?![a-z])\.?"
_DAY = (
    r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
    r"(?: ?[-\u2013] ?(?P<until>[0-9]{1,2})(?:st|nd|rd|th)?)?(?![0-9a-z:%])"
)
_YEAR = r"(?P<year>[12][0-9]{3})(?![0-9])"
_OF_YEAR = rf"(?:of{_GAP})?(?:{_YEAR}|(?P<of_year>last|this|next){_GAP}year\b)"
_STEP = r"\b(?P<step>last|this|next|previous|past|coming)"
_SEASON = r"(?P<season>spring|summer|autumn|fall|winter)\b"
_IN = r"(?P<in>in|since|during|of|by|until|till|before|after|around|early|late|mid)"
_N = (
    rf"(?<![0-9a-z.,-])(?P<n>[0-9]{{1,3}}|(?:a{_GAP})?(?:few|several|couple(?:{_GAP}of)?)|an?"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
)
_COUNTED = "people|dollars|euros|calories|steps|miles|km|meters|metres|feet|words|points|times|percent|kg|hours"
_CJK_YEAR = r"(?:(?<![0-9])(?P<year>[12][0-9]{3})年|(?P<of_year>一昨年|前年|去年|昨年|今年|明年|来年|來年))の? ?"
_CJK_MONTH = r"(?<![0-9一二三四五六七八九十])(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月"
_CJK_DAY = r" ?(?P<day>[0-9]{1,2})[日号號]"
_CJK_WORD = "|".join(calendar.CJK_WORDS)

# In order: what one pattern has matched the later ones do not see, whether a date came of it or not.
_PATTERNS: tuple[tuple[str, _Reader], ...] = (
    (
        r"(?<![0-9./-])(?P<year>[12][0-9]{3})(?P<sep>[-/.])(?P<month>[0-9]{1,2})(?P=sep)"
        r"(?P<day>[0-9]{1,2})(?![0-9])",
        _read_day,
    ),
    (rf"(?<![0-9./-])(?P<a>[0-9]{{1,2}})(?P<sep>[-/.])(?P<b>[0-9]{{1,2}})(?P=sep){_YEAR}", _read_numeric),
    (r"(?<![0-9./-])(?P<year>[12][0-9]{3})-(?P<month>0[1-9]|1[0-2])(?![0-9-])", _read_month),
    (rf"(?<![0-9a-z.,:/$-]){_DAY}{_GAP}(?:of{_GAP})?{_MONTH}(?:,?{_GAP}{_OF_YEAR})?", _read_day),
    (rf"\b{_MONTH}{_GAP}(?:the{_GAP})?{_DAY}(?:,?{_GAP}{_OF_YEAR})?", _read_day),
    (rf"\b{_MONTH},?{_GAP}{_OF_YEAR}", _read_month),
    (rf"{_STEP}{_GAP}{_MONTH}", _read_month),
    (rf"\b{_SEASON},?{_GAP}{_OF_YEAR}", _read_season),
    (rf"{_STEP}{_GAP}{_SEASON}", _read_season),
    (rf"{_STEP}{_GAP}(?P<unit>week(?:end)?|month|year|{'|'.join(calendar.WEEKDAYS)})\b", _read_step),
    (rf"\b(?:last|past|previous){_GAP}{_N}{_GAP}(?P<unit>day|week|month|year)s?\b", _read_past),
    (rf"{_N}{_GAP}(?P<unit>hour|day|week|month|year)s?{_GAP}ago\b", _read_ago),
    (rf"\b(?P<step>this|yesterday|last){_GAP}(?P<part>morning|afternoon|evening|night)\b", _read_day_part),
    (r"\btonight\b", _read_day_part),
    (rf"\b(?:{'|'.join(_DAY_WORDS).replace(' ', _GAP)})\b", _read_word),
    (rf"\b(?:{_IN}[ \t\n-]{{1,3}})?{_MONTH}", _read_month),
    (
        r"(?<![0-9a-z.,:/$€£#_-])(?P<year>(?:19|20)[0-9]{2})(?:(?P<decade>s)|[-\u2013](?P<until>(?:19|20)"
        rf"[0-9]{{2}}))?(?![0-9a-z:%/_年]|[.,-][0-9]|{_GAP}(?:{_COUNTED})\b)",
        _read_year,
    ),
    (rf"{_CJK_YEAR}{_CJK_MONTH}{_CJK_DAY}", _read_day),
    (rf"{_CJK_YEAR}{_CJK_MONTH}", _read_month),
    (rf"{_CJK_MONTH}{_CJK_DAY}", _read_day),
    (
        r"(?<![0-9])(?P<n>[0-9]{1,3}|[一二两兩三四五六七八九十几幾数])[个個かカヶケ]?"
        r"(?P<unit>天|日|周|週間?|星期|年|(?<=[个個かカヶケ])月)前",
        _read_ago,
    ),
    (_CJK_WORD, _read_word),
    (_CJK_MONTH, _read_month),
    (r"(?<![0-9])(?P<year>[12][0-9]{3})年", _read_year),
)
# ASCII: else "ſ" and "K" match as letters that no table here knows; and "在2021年" has no word boundary.
_COMPILED = tuple((re.compile(pattern, re.ASCII | re.IGNORECASE), read) for pattern, read in _PATTERNS)


def find_dates(text: str, now: datetime) -> tuple[Span, ...]:
    """The dates that a text names, in its order, seen from an aware `now` and in its zone; never raises for a text."""
    plain = text.translate(_WIDE_DIGITS)
    seen = bytearray(len(plain))
    found: list[tuple[int, Span]] = []
    for pattern, read in _COMPILED:
        for match in pattern.finditer(plain):
            at, to = match.span()
            if any(seen[at:to]):
                continue
            seen[at:to] = b"\x01" * (to - at)
            try:
                span = read(match, now)
            except (ValueError, OverflowError):  # no such day, or beyond the calendar
                continue
            if span is not None and span[0] < span[1]:
                found.append((at, Span(*span, text[at:to])))
    return tuple(span for _, span in sorted(found, key=lambda pair: pair[0]))


def distance_days(moment: datetime, spans: Sequence[Span]) -> float:
    """How many days a moment is from the nearest span: 0 inside one, infinity when there are none."""
    gaps = (max(s.start - moment, moment - s.end, timedelta(0)) for s in spans)
    return min((gap / timedelta(days=1) for gap in gaps), default=math.inf)


def written(when: datetime) -> str:
    """A day in words, such as "8 May 2023", on any system and in any locale."""
    return f"{when.day} {calendar.MONTH_NAMES[when.month - 1]} {when.year}"
