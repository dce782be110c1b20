"""Days from one to another: "from 4 to 11 September", "28 August to 3 September", "September 4 through 11".

The names of months are English here, also in a text of another language (`extract.statements.time_of`). The words
between the days are its own: "vom 4. bis 11. September", "du 4 au 11 September", "entre el 4 y el 11 de September".
Part of a month is such days, too: "at the end of June", "the first Monday in July", "the last week of the month".
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from memoryos_core.rules.dates import calendar
from memoryos_core.rules.dates.calendar import Range
from memoryos_core.rules.dates.english import BEHIND_DAY
from memoryos_core.rules.dates.readers import Match, Reader, group, month_number, year_of, yearly
from memoryos_core.rules.dates.tense import is_done, is_to_come
from memoryos_core.rules.text.words import regex

_GAP = r"[ \t\n]{1,3}"
_MONTHS = "|".join([*calendar.MONTH_NAMES, "sept", *calendar.MONTHS])
_THE = rf"(?:(?:the|dem|den|zum|le|el|il|l['\u2019]){_GAP}|l['\u2019])?"
_WEEKDAY = rf"(?:(?:{'|'.join(calendar.WEEKDAYS)}),?{_GAP}(?:the{_GAP})?)?"
_FROM = rf"\b(?:from|vom|von|du|del|de|desde|dal|van){_GAP}{_THE}{_WEEKDAY}"
_PLAINLY_TO = rf"(?:{_GAP}(?:to|until|till?|through|thru|bis|hasta|até){_GAP}| ?[-\u2013] ?){_THE}{_WEEKDAY}"
_TO = rf"(?:{_PLAINLY_TO}|{_GAP}(?:au|al|a|tot(?:{_GAP}en{_GAP}met)?){_GAP}|{_GAP}all['\u2019])"
_BETWEEN = rf"\b(?:between|zwischen|entre|tra|tussen){_GAP}{_THE}{_WEEKDAY}"
_AND = rf"{_GAP}(?:and|und|et|y|e|en){_GAP}{_THE}{_WEEKDAY}"
_START = r"(?<![0-9a-z.,:/$-])"
_NOT_MORE = rf"(?![0-9a-z%]|:[0-9]|{_GAP}[ap]m\b)"
_ORDINAL = r"(?:st|nd|rd|th)?"
_OF_YEAR = rf",?{_GAP}(?:(?:of|de|del){_GAP})?"
_FIRST_YEAR = rf"(?:{_OF_YEAR}(?P<first_year>[12][0-9]{{3}})(?![0-9]))?"
# "From 2 May 2011 to 7 June 2012" are two times, of a stay that began and ended.
_YEAR = (
    rf"(?(first_year){_OF_YEAR}(?P=first_year)(?![0-9])|(?:{_OF_YEAR}(?P<year>[12][0-9]{{3}})(?![0-9]))?)"
    rf"(?!{_GAP}(?:last|this|next){_GAP}year)"  # other readers know these
)
_YEAR_BEHIND = (
    rf"(?:,?{_GAP}(?:of{_GAP})?(?:(?P<year>[12][0-9]{{3}})(?![0-9])|(?P<of_year>last|this|next){_GAP}year\b))?"
)
_DAY, _LAST_DAY = (rf"(?P<{name}>[0-9]{{1,2}})" for name in ("day", "last_day"))
_MONTH, _LAST_MONTH = (rf"(?P<{name}>{_MONTHS})(?![a-z])\.?" for name in ("month", "last_month"))
_OF = rf"{_GAP}(?:(?:of|de){_GAP})?"
_DAY_FIRST = rf"{_DAY}(?:st|nd|rd|th|er|\.)?(?:{_OF}{_MONTH}{_FIRST_YEAR})?"
_LAST_DAY_FIRST = rf"{_LAST_DAY}(?:st|nd|rd|th|er|\.)?{_OF}{_LAST_MONTH}{_YEAR}"
_MONTH_FIRST = rf"{_MONTH}{_GAP}{_DAY}{_ORDINAL}{_FIRST_YEAR}"
_LAST_MONTH_FIRST = rf"(?:{_LAST_MONTH}{_GAP})?{_LAST_DAY}{_ORDINAL}{_NOT_MORE}{_YEAR}"

# "Moved from 4 to 11 September": the first day is no longer meant.
_MOVED = regex(
    r"\b(?:moved|shifted|postponed|rescheduled|delayed|changed|adjusted|extended|pushed|switched|brought\sforward"
    r"|put\s(?:back|off)|reporté\w*|d[eé]plac\w*|d[eé]cal\w*|aplaz\w*|pospuest\w*|cambi\w*|verschoben|verlegt|spostat\w*|rinviat\w*|adiad\w*|verzet)\b"
    r"(?!\sto\b|\sinto\b)[^,;.!?]{0,40}\Z",
    re.IGNORECASE,
)
_TO_THEM = regex(r"\b(?:to|auf|au|al|a|para|tot|naar)\s(?:the\s|de[nm]\s)?\Z", re.IGNORECASE)  # "moved it to 6-17 May"
# "I moved from 3rd to 2nd and got a rise": places, classes, floors.
_ROSE = regex(
    r"\b(?:w[eo]nt|go(?:es|ing)?|climb\w*|dropp?\w*|r[oi]se[ns]?|f[ae]ll\w*|promot\w+|demot\w+|relegat\w+|jump\w*|slipp?\w*"
    r"|upgrad\w+|shift\w*|switch\w*|(?<!was )(?<!is )(?<!been )(?<!got )(?<!were )mov(?:ed?|ing))(?:\s\w+){0,2}\s\Z",
    re.IGNORECASE,
)
# Behind such days: no noun, and no date of its own, "from the 4th to the 6th in September".
_BEHIND_DAYS = (
    rf"(?!{_GAP}(?:(?:in|on|of|this|last|next|every){_GAP}){{0,2}}(?:(?:{_MONTHS}|{'|'.join(calendar.WEEKDAYS)}|spring|summer|autumn"
    r"|fall|winter|weeks?|months?|years?|yesterday|today|tomorrow)\b|buildings?\b))"
    rf"(?=[ \t\n]{{0,3}}(?:[.,;:!?)]|\Z)|{_GAP}"
    rf"(?:{BEHIND_DAY}|(?:[a-z]{{2,12}}ing|inclusive|no|nobody|all|both|only|are)\b))"
)
_SPAN_OF_MONTHS = 10  # at the least the first day is that much behind the last one, "from the 29th to the 2nd"
_BEFORE = 80
_WRITTEN_AS_ONE = regex("[-\u2013]")


def _read_days(match: Match, now: datetime) -> Range | None:
    """Read the days from one to another: groups day, month, first_year, last_day, last_month, year.

    One of the two months may be left out. Where the first day is not before the last one ("from 9 to 5 May"), or what
    happens then was moved from it, only the last one is meant. "May 10-8" means nothing.
    """
    first, last = group(match, "month"), group(match, "last_month")
    month, last_month = month_number(first or last or ""), month_number(last or first or "")
    day, last_day = int(match["day"]), int(match["last_day"])
    wraps = last_month < month
    moved = _MOVED.search(_before(match)) is not None and not _TO_THEM.search(_before(match))
    falls = month == last_month and last_day <= day
    if falls and _WRITTEN_AS_ONE.search(match[0]):
        return None
    given = group(match, "first_year")
    # "From 28 December to 3 January 2027" names the year of its end.
    shift = wraps and year_of(match, now) is not None

    def in_year(year: int) -> Range:
        first_day, end = calendar.days(now, year + wraps - shift, last_month, last_day)
        return (first_day if moved or falls else calendar.days(now, year - shift, month, day)[0]), end

    return yearly(match, now, in_year) if given is None else in_year(int(given))


def _before(match: Match) -> str:
    """Return the text right before what was found."""
    return match.string[max(match.start() - _BEFORE, 0) : match.start()]


def _read_days_alone(match: Match, now: datetime) -> Range | None:
    """Read the days from one to another of a month that is not named: groups day, last_day.

    They are the next ones, or the latest where the sentence is about what was done; every month else. Of what was moved
    from one to the other only the last one is meant.
    """
    day, last_day = int(match["day"]), int(match["last_day"])
    if last_day <= day < last_day + _SPAN_OF_MONTHS or (match["the"] is None and _ROSE.search(_before(match))):
        return None
    moved = _MOVED.search(_before(match)) is not None
    today, ahead = calendar.units(now, "day", 0)[0], moved or is_to_come(match)
    if not ahead and not is_done(match):
        return None
    for shift in (0, 1, 2) if ahead else (0, -1, -2):
        year, month = divmod(now.year * 12 + now.month - 1 + shift, 12)
        next_year, next_month = divmod(year * 12 + month + (last_day <= day), 12)
        first = calendar.days(now, year, month + 1, day)
        last = calendar.days(now, next_year, next_month + 1, last_day)
        if last[1] > today if ahead else first[0] <= today:
            return last if moved else (first[0], last[1])
    return None


_THIRDS, _THIRD_DAYS = ("start", "middle", "end"), timedelta(days=10)


def _read_third_of_month(match: Match, now: datetime) -> Range | None:
    """Read the first, the middle or the last days of a month: groups third, month, year."""
    number = _THIRDS.index(match["third"].lower().replace("beginning", "start"))

    def in_year(year: int) -> Range:
        start, end = calendar.months(now, year * 12 + month_number(match["month"].lower()) - 1)
        first = start + number * _THIRD_DAYS
        return first, end if number == len(_THIRDS) - 1 else first + _THIRD_DAYS

    return yearly(match, now, in_year)


_NTH = (("first", "1st"), ("second", "2nd"), ("third", "3rd"), ("fourth", "4th"), ("last",))


def _read_nth_of_month(match: Match, now: datetime) -> Range | None:
    """Read the first, second, third, fourth or last day, week, weekend or weekday of a month.

    Groups nth, weekday or unit, month with year or of_year, of_step. "The last Friday of the month" is the coming one
    where the sentence is about what will be, the latest where it is about what was done; else it comes back each month.
    """
    number = next(place for place, words in enumerate(_NTH) if match["nth"].lower() in words)
    if (month := group(match, "month")) is not None:
        first = month_number(month) - 1
        return yearly(match, now, lambda y: _nth_in(match, number, calendar.months(now, y * 12 + first)))
    if (step := group(match, "of_step")) is not None:
        return _nth_in(match, number, calendar.units(now, "month", calendar.STEPS[step]))
    ahead = is_to_come(match)
    if not ahead and not is_done(match):
        return None
    days = [_nth_in(match, number, calendar.units(now, "month", step)) for step in ((0, 1) if ahead else (0, -1))]
    return next((day for day in days if (day[1] > now if ahead else day[0] <= now)), None)


def _nth_in(match: Match, number: int, month: Range) -> Range:
    (start, end), day = month, timedelta(days=1)
    is_last, unit, weekday = number == len(_NTH) - 1, group(match, "unit"), group(match, "weekday")
    if unit in ("day", "week"):
        length = day if unit == "day" else 7 * day
        return (end - length, end) if is_last else (start + number * length, start + (number + 1) * length)
    wanted = calendar.WEEKDAYS[weekday or "saturday"]
    first = start + (wanted - start.weekday()) % 7 * day + 7 * number * day
    if is_last:
        last = end - day
        first = last - (last.weekday() - wanted) % 7 * day
    return first, first + (2 if unit else 1) * day


_NEEDS = frozenset(_MONTHS.lower().split("|"))
_NTH_NEEDS = frozenset((*(word for words in _NTH for word in words), *"0"))
PATTERNS: tuple[tuple[frozenset[str], str, Reader], ...] = (
    (_NEEDS, rf"{_FROM}{_DAY_FIRST}{_TO}{_LAST_DAY_FIRST}", _read_days),
    (
        frozenset("0"),
        rf"\bfrom{_GAP}(?P<the>the{_GAP})?(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th){_PLAINLY_TO}(?P<last_day>[0-9]{{1,2}})"
        rf"(?:st|nd|rd|th){_BEHIND_DAYS}",
        _read_days_alone,
    ),
    (_NEEDS, rf"{_BETWEEN}{_DAY_FIRST}{_AND}{_LAST_DAY_FIRST}", _read_days),
    (_NEEDS, rf"{_START}{_DAY_FIRST}{_PLAINLY_TO}{_LAST_DAY_FIRST}", _read_days),
    (_NEEDS, rf"(?:\bfrom{_GAP}{_WEEKDAY})?\b{_MONTH_FIRST}{_PLAINLY_TO}{_LAST_MONTH_FIRST}", _read_days),
    (_NEEDS, rf"\bbetween{_GAP}{_WEEKDAY}{_MONTH_FIRST}{_AND}{_LAST_MONTH_FIRST}", _read_days),
    (
        frozenset(("beginning", "start", "middle", "end")),
        rf"\b(?:(?:at|by|in|towards?|around|since|until|till?|from){_GAP})?(?:the{_GAP})?(?P<third>beginning|start|middle"
        rf"|end){_GAP}of{_GAP}{_MONTH}(?!{_GAP}[0-9]{{1,2}}(?![0-9])){_YEAR_BEHIND}",
        _read_third_of_month,
    ),
    (
        _NTH_NEEDS,
        rf"\b(?:the{_GAP})?(?P<nth>{'|'.join(word for words in _NTH for word in words)}){_GAP}"
        rf"(?:(?P<weekday>{'|'.join(calendar.WEEKDAYS)})|(?P<unit>day|week(?:end)?)){_GAP}(?:of|in){_GAP}"
        rf"(?:(?:the|(?P<of_step>this|last|next)){_GAP}month\b|{_MONTH}{_YEAR_BEHIND})",
        _read_nth_of_month,
    ),
)
