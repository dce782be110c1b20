"""Dates in a text, as spans of time: the meaning of "last summer" or "2023年5月" at the moment of speaking.

A date that can be read in two ways is not read at all. Patterns repeat nothing without a bound, so the work grows with
the length of the text and no faster, whatever the text. Feasts of the lunar calendar and the vague "recently" are not
read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from memoryos_core.rules.dates import calendar
from memoryos_core.rules.dates import chinese_japanese as dates_cjk
from memoryos_core.rules.dates import english as dates_english
from memoryos_core.rules.dates import ranges as dates_ranges
from memoryos_core.rules.dates.calendar import Range
from memoryos_core.rules.dates.other_languages import LANGUAGES, in_english
from memoryos_core.rules.dates.readers import Reader, move_span
from memoryos_core.rules.dates.tense import AHEAD
from memoryos_core.rules.text.languages import guess
from memoryos_core.rules.text.words import regex

__all__ = [
    "Span",
    "apart",
    "are_near",
    "asked_times",
    "coming_times",
    "dates_in_question",
    "day_in_words",
    "day_of",
    "find_dates",
    "share_gone",
    "time_in_words",
    "with_month",
    "without_dates",
]


@dataclass(frozen=True, slots=True)
class Span:
    """The time [start, end) that `text` names, in the time zone of the moment it was resolved against."""

    start: datetime
    end: datetime
    text: str


_Pattern = tuple[frozenset[str], re.Pattern[str], Reader]


def _compile_patterns(patterns: Iterable[tuple[frozenset[str], str, Reader]]) -> tuple[_Pattern, ...]:
    # ASCII: otherwise "ſ" and "K" match as letters that are in no table here, and "在2021年" has no word boundary.
    return tuple((needs, regex(text, re.ASCII | re.IGNORECASE), read) for needs, text, read in patterns)


_PATTERNS = _compile_patterns([*dates_ranges.PATTERNS, *dates_english.PATTERNS, *dates_cjk.PATTERNS])
_WORD = regex(r"[a-z]+|[0-9\u3005-\u9fff]")
_MOVED = regex(dates_english.MOVED, re.ASCII | re.IGNORECASE)
_WAY = regex(r"(?:before|after)\s+(?:the\s+)?", re.ASCII | re.IGNORECASE)
_MOVED_LENGTH = 40
_SINCE = regex(r"\b(?:since|seit|depuis|desde)\b|以来|至今", re.IGNORECASE)
_WIDE_DIGITS = str.maketrans("０１２３４５６７８９", "0123456789")


def find_dates(text: str, now: datetime) -> tuple[Span, ...]:
    """The dates that a text names, in its order, seen from an aware `now` and in its zone; never raises for a text."""
    plain = text.translate(_WIDE_DIGITS)
    seen = bytearray(len(plain))
    found = sorted(_find_dates(plain, seen, now), key=lambda read: read[0])
    return tuple(Span(*span, text[at:to]) for at, to, span in _move_dates(plain, seen, found))


def dates_in_question(question: str, now: datetime) -> tuple[Span, ...]:
    """Return the dates that a question names, in its language."""
    return find_dates(_question_in_english(question, now, ahead=False), now)


def without_dates(question: str, now: datetime) -> str:
    """Return a question without the dates that it names; dates of another language that are none stand in English."""
    plain = _question_in_english(question, now, ahead=False)
    kept, at = list[str](), 0
    for span in find_dates(plain, now):
        place = plain.find(span.text, at)
        kept.append(plain[at:place])
        at = place + len(span.text)
    return " ".join((*kept, plain[at:]))


# "In the next two weeks" begins today, and "next week" on Monday.
_N = rf"\d{{1,3}}|(?:a )?(?:few|couple(?: of)?|several)|{'|'.join(sorted(calendar.NUMBERS))}"
_NEXT_FEW = regex(
    rf"\b(?:(?:in|over|within|during|for) the (?:next|coming) (?:(?P<n>{_N}) )?|(?:next|coming) (?P<many>{_N}) )"
    r"(?P<unit>day|week|fortnight|month|year)s?\b",
    re.IGNORECASE,
)
_DAYS_OF, _FAR = {"day": 1, "week": 7, "fortnight": 14, "month": 31, "year": 366}, 3_660


def coming_times(question: str, now: datetime) -> tuple[Span, ...]:
    """Return the times that a question about plans names, each the next one: "am I free on Friday"."""
    if (rolling := _NEXT_FEW.search(question)) is not None:
        today = calendar.units(now, "day", 0)[0]
        word = (rolling["n"] or rolling["many"] or "one").lower()
        many = next((most for key, (_, most) in calendar.VAGUE.items() if key in word), 0) or calendar.number(word)
        days = many * _DAYS_OF[rolling["unit"].lower()]
        return (Span(today, today + timedelta(days=1 + min(days, _FAR)), rolling[0]),)
    plain = _question_in_english(question, now, ahead=True).strip("¿?？!. ")
    return find_dates(f"{AHEAD} {plain}, {AHEAD}", now)


_NEAR = timedelta(days=35)


def are_near(asked: Sequence[Span], now: datetime) -> bool:
    """Return whether all times that a question names are over within some weeks."""
    return bool(asked) and all(span.end - now < _NEAR for span in asked)


def _question_in_english(question: str, now: datetime, *, ahead: bool) -> str:
    language = guess(question)
    # A few words may look like English ones, but those have no accents.
    for code in (language,) if language != "en" else () if question.isascii() else LANGUAGES:
        try:
            plain = in_english(question, code, now, ahead=ahead)
        except (ValueError, OverflowError):  # beyond the calendar
            continue
        if plain != question:
            return plain
    return question


def asked_times(question: str, now: datetime) -> tuple[Span, ...]:
    """Return the times that a question asks about; "since March" reaches to now."""
    named = dates_in_question(question, now)
    return tuple(replace(t, end=max(t.end, now)) for t in named) if _SINCE.search(question) else named


def _find_dates(plain: str, seen: bytearray, now: datetime) -> Iterator[tuple[int, int, Range]]:
    # "0" stands for every digit. Trying every pattern on every text would cost ten times as much.
    words = {"0" if word.isdecimal() else word for word in _WORD.findall(plain.lower())}
    for needs, pattern, read in _PATTERNS:
        if needs.isdisjoint(words):
            continue
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
                yield at, to, span


def _move_dates(
    plain: str, seen: bytearray, found: Iterable[tuple[int, int, Range]]
) -> Iterator[tuple[int, int, Range]]:
    """The dates, those moved that stand behind a "two weeks before"."""
    for at, to, span in found:
        # Some patterns take the "before" or "after" themselves.
        own = _WAY.match(plain, at, to)
        last = at if own is None else own.end()
        match = _MOVED.search(plain[max(last - _MOVED_LENGTH, 0) : last])
        start = at if match is None else last - (match.end() - match.start())
        if match is None or any(seen[start:at]):
            yield at, to, span
            continue
        try:
            yield start, to, move_span(match, span)
        except (ValueError, OverflowError):  # beyond the calendar
            continue


# A day without its month says less than any other.
_ALONE = regex(r"\bthe \d{1,2}(?:st|nd|rd|th)\Z", re.IGNORECASE)
_NUMBER = regex(r"\d|[一二三四五六七八九十]月|[一二三四五六七八九十]+日")
_FEAST = regex(r"christmas|xmas|new year|thanksgiving|halloween", re.IGNORECASE)
_NEAR_FEAST = timedelta(days=10)
_MONTH = timedelta(days=30)


def apart(spans: Sequence[Span]) -> list[Span]:
    """Return the times but for those beside a day: "at Christmas, from 20 December" names one."""
    spans = [span for span in spans if not _ALONE.search(span.text)] or list(spans)
    days = [span for span in spans if _NUMBER.search(span.text)] or spans
    return days + [one for one in spans if one not in days and not any(_is_beside(one, day) for day in days)]


def _is_beside(one: Span, day: Span) -> bool:
    """Return whether a time has a day in it, or is a feast for which somebody comes then."""
    near = _NEAR_FEAST if _FEAST.search(one.text) else timedelta()
    return one.start < day.end + near and day.start < one.end + near


# "The conference is in October. It's on the 11th."
_DAY_BEHIND_MONTH = regex(
    rf"\bin (?P<month>{'|'.join(calendar.MONTH_NAMES)})"
    r"(?P<between>(?:,|[.,;!] (?:it['\u2019]?s|it is|that['\u2019]s|they['\u2019]re|they are|which is)) (?:on|for) )"
    rf"(?P<day>the \d{{1,2}}(?:st|nd|rd|th))(?=[.,;!]|$| at\b)",
    re.IGNORECASE,
)
_MONTH_BEHIND_YEAR = regex(
    rf"\bin (?P<year>(?:19|20)\d\d),? (?:in |it was )?(?:the |that )?(?P<month>{'|'.join(calendar.MONTH_NAMES)})"
    r"(?=[.,;!\")]|$)",
    re.IGNORECASE,
)


# "She comes for Thanksgiving, from the 10th to the 14th": the days are of the month of the feast, which has two.
_FEASTS = {
    "thanksgiving": ((11, 26), (10, 12)),
    "halloween": ((10, 31), (11, 1)),
    "new year": ((12, 31), (1, 1)),
    "christmas": ((12, 25),),
    "xmas": ((12, 25),),
}
_DAYS_OF_FEAST = regex(
    rf"\b(?:for|at|over|around|during) (?P<feast>{'|'.join(_FEASTS)})(?:['\u2019]?s)?"
    r"(?P<between>(?: (?!and|but|is|was)\w+){0,4},? (?:from|on) )the (?P<day>\d{1,2})(?:st|nd|rd|th)"
    r"(?: (?:to|until|till?|through) the (?P<last>\d{1,2})(?:st|nd|rd|th))?(?! of\b|\w)",
    re.IGNORECASE,
)


def _in_month_of_feast(found: re.Match[str]) -> str:
    day, last = int(found["day"]), int(found["last"] or 0)
    month = min(_FEASTS[found["feast"].lower()], key=lambda one: abs(one[1] - day))[0]
    first, behind = (calendar.MONTH_NAMES[(month - 1 + more) % 12] for more in (0, last < day))
    return f"{found['between'].lstrip()}{day} {first}" + (f" to {last} {behind}" if last else "")


def with_month(text: str) -> str:
    """Return a text in which the day of a month that was named just before has its month, and a month its year."""
    if _MONTH_BEHIND_YEAR.search(text):  # "she died in 2021, the March"
        text = _MONTH_BEHIND_YEAR.sub(r"in \g<month> \g<year>", text)
    text = _DAYS_OF_FEAST.sub(_in_month_of_feast, text)
    return _DAY_BEHIND_MONTH.sub(r"in \g<month>\g<between>\g<day> of \g<month>", text) if " in " in text else text


_UNTIL_END = regex(r"(?:until|till?|by) (?:the )?(?:very )?end of\b", re.IGNORECASE)
_AFTER = regex(r"after\b", re.IGNORECASE)


def day_of(span: Span) -> datetime:
    """Return the day for which a time stands: mostly the first, the last of "until the end of June"."""
    if _AFTER.match(span.text):
        return span.end
    return span.end - timedelta(days=1) if _UNTIL_END.match(span.text) else span.start


def share_gone(span: Span, now: datetime) -> float:
    """Return the part of the way that has gone by from the last day of a name to the coming one; 1 for no two days.

    Of "the 11th", which comes soon again, half of the way is all of it.
    """
    named = find_dates(span.text, now)
    if _ALONE.search(span.text) and span.start > now:
        return min(1.0, 2 * (now - (span.start - _MONTH)) / _MONTH)
    if len(named) != 1 or not named[0].start <= now < span.start:
        return 1.0
    return (now - named[0].start) / (span.start - named[0].start)


def day_in_words(when: datetime) -> str:
    """A day in words, such as "8 May 2023", on any system and in any locale."""
    return f"{when.day} {calendar.MONTH_NAMES[when.month - 1]} {when.year}"


_WEEK = timedelta(days=7, hours=1)  # an hour more where clocks change


def time_in_words(span: Span) -> str:
    """Return a day, a few days, a month or a year in words; "" for another length."""
    last = span.end - timedelta(seconds=1)
    first_day, last_day = day_in_words(span.start), day_in_words(last)
    if first_day == last_day:
        return first_day
    year = f" {last.year}"
    if span.end - span.start <= _WEEK:
        same_month = (span.start.year, span.start.month) == (last.year, last.month)
        return f"{span.start.day if same_month else first_day.removesuffix(year)} to {last_day}"
    if span.start.day == 1 and span.end.day == 1 and span.start.year == last.year:
        if span.start.month == last.month:
            return f"{calendar.MONTH_NAMES[last.month - 1]}{year}"
        return str(last.year) if (span.start.month, last.month) == (1, 12) else ""
    return ""
