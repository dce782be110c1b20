"""From a match of a date pattern to the time it names; the patterns of each language agree on their groups' names."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import TypeAlias

from memoryos_core.rules.dates import calendar
from memoryos_core.rules.dates.calendar import Range
from memoryos_core.rules.dates.tense import is_done, is_to_come
from memoryos_core.rules.text.words import regex

Match: TypeAlias = re.Match[str]
Reader: TypeAlias = Callable[[Match, datetime], Range | None]

_DAY_WORDS = {"day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1, "day after tomorrow": 2}
_DAY_PARTS = {"morning": (0, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}
# Verbs, names people have, and abbreviations: a month only beside a preposition, a day or a year.
_NOT_ALONE = {"may", "march", "april", "june", "sept"} | set(calendar.MONTHS)
# "The other 2 may come" has a verb, "dentist on 9 march at 3pm" a month: the words before and after tell.
_VERB = regex(r"[0-9]\s+(?:may|march)\s+(?!(?:at|i|we|my|it|and|then|instead|please|this|next|last)\b)[a-z]")
_DATED = regex(r"\b(?:on|by|until|till?|since|before|after|from)\s+(?:the\s+)?\Z", re.IGNORECASE)
_LEAP_YEAR = 2000
# The year before the first of an emperor's reign.
ERAS = {"令和": 2018, "平成": 1988}
YEAR_STEPS = calendar.STEPS | {
    word: step
    for step, listed in ((-3, "大前年"), (-2, "前年 一昨年"), (-1, "去年 昨年"), (0, "今年"), (1, "明年 来年 來年"))
    for word in listed.split()
}


def group(match: Match, name: str) -> str | None:
    """A group in lower case; None where the pattern has no such group or it took no part."""
    found = match.groupdict().get(name)
    return None if found is None else str(found).lower()


def month_number(word: str) -> int:
    """The number of a month by its name or numeral in lower case."""
    return calendar.MONTHS.get(word[:3]) or calendar.number(word)


def year_of(match: Match, now: datetime) -> int | None:
    """The year that a date names itself: groups of_year, year, era with reign."""
    word, year, era = group(match, "of_year"), group(match, "year"), group(match, "era")
    if word is not None:
        return now.year + YEAR_STEPS[word]
    if era is not None:
        return ERAS[era] + calendar.number(match["reign"].replace("元", "1"))
    return None if year is None else calendar.number(year)


def yearly(match: Match, now: datetime, in_year: Callable[[int], Range]) -> Range | None:
    """Return a yearly event: the one that the words point at, else the latest that has begun."""
    year, word = year_of(match, now), group(match, "step")
    if year is not None:
        return in_year(year)
    step = None if word is None else calendar.STEPS[word]
    if step is None and is_to_come(match):
        begun = calendar.recurring(now, None, in_year)
        return begun if begun and now < begun[1] else calendar.recurring(now, 1, in_year)
    return calendar.recurring(now, step, in_year)


def read_day(match: Match, now: datetime) -> Range | None:
    """A day of a month, or several: groups month, day, until, year or of_year."""
    month, day, until = month_number(match["month"].lower()), calendar.number(match["day"]), group(match, "until")
    last = None if until is None else int(until)
    if year_of(match, now) is None:
        is_verb = _VERB.search(match.string, match.start(), match.end() + 8)
        if is_verb and not _DATED.search(match.string, max(0, match.start() - 12), match.start()):
            return None
        calendar.days(now, _LEAP_YEAR, month, day, last)  # refuses 31 February before any year is tried
    return yearly(match, now, lambda y: calendar.days(now, y, month, day, last))


def read_numeric(match: Match, now: datetime) -> Range | None:
    """Day and month as numbers in either order, where only one is possible: groups a, b, year."""
    small, large = sorted((int(match["a"]), int(match["b"])))
    if small != large and large <= len(calendar.MONTH_NAMES):
        return None  # 05/08 is in May to one reader and in August to another
    return calendar.days(now, int(match["year"]), small, large)


def read_month(match: Match, now: datetime) -> Range | None:
    """A month, or those up to until_month: groups month, until_month, year, of_year, step, in."""
    word = match["month"].lower()
    first, last = month_number(word), month_number(group(match, "until_month") or word)
    bare = year_of(match, now) is None and group(match, "step") is None
    if bare and group(match, "in") is None and word in _NOT_ALONE:
        return None
    count = (last - first) % 12 + 1
    # "From November to January 2023" names the year of its end.
    shift = -12 if last < first and not bare else 0
    return yearly(match, now, lambda y: calendar.months(now, y * 12 + first - 1 + shift, count))


def read_month_day(match: Match, now: datetime) -> Range | None:
    """A day of the last, this or the next month: groups day, step."""
    month = calendar.units(now, "month", calendar.STEPS[match["step"].lower()])[0]
    return calendar.days(now, month.year, month.month, int(match["day"]))


def read_day_alone(match: Match, now: datetime) -> Range | None:
    """Read a day of a month that is not named, the next or the latest such day: groups day, weekday, moved."""
    day, weekday = int(match["day"]), group(match, "weekday")
    moved = group(match, "moved") is not None
    if (moved and not calendar.is_moved_to(match)) or (weekday is None and calendar.is_length(match)):
        return None
    today, ahead = calendar.units(now, "day", 0)[0], moved or is_to_come(match)
    if not (ahead or weekday or is_done(match) or _ASKED_OF.search(match.string)):
        return None  # every month
    # "He came on Sunday the 10th" was the day before yesterday, although the next one is in nine months.
    near, far = _DAYS_NEAR, _DAYS_WITH_WEEKDAY
    for reach in (near, -near, far) if ahead and weekday else (near if ahead else -far if weekday else -near,):
        try:
            number = None if weekday is None else calendar.WEEKDAYS[weekday]
            start = calendar.find_day(today, day, number, ahead=reach > 0, within=abs(reach))
        except LookupError:
            continue
        return start, start + timedelta(days=1)
    return None


_ASKED_OF = regex(r"\b(?:did|was|were|happened|had)\b[^.!]*\?", re.IGNORECASE)
_DAYS_NEAR, _DAYS_WITH_WEEKDAY = 92, 450


def read_short_numeric(match: Match, now: datetime) -> Range | None:
    """Read a day and a month as numbers, where only one order is possible: groups a, b, year, weekday."""
    first, second = int(match["a"]), int(match["b"])
    if (first, second) == (24, 7):  # around the clock
        return None
    weekday, year = group(match, "weekday"), group(match, "short_year")
    if weekday is None and year is None and _IS_OR_FOR.match(match[0]) and not _is_of_event(match):
        return None
    found = list[Range]()
    for day, month in {(first, second), (second, first)}:
        if month > len(calendar.MONTH_NAMES):
            continue
        calendar.days(now, _LEAP_YEAR, month, day)
        of_year = partial(calendar.days, now, month=month, day=day)
        span = yearly(match, now, of_year) if year is None else of_year(2000 + int(year))
        if span is not None and (weekday is None or span[0].weekday() == calendar.WEEKDAYS[weekday]):
            found.append(span)
    return found[0] if len(found) == 1 else None  # 03/04 is in March to one reader and in April to another


# "My score is 20/12", but "my exam is 20/12" and "it is 20/12 at 3pm".
_IS_OR_FOR = regex(r"(?:is|for)\b", re.IGNORECASE)
_EVENT = regex(
    r"\b(?:exams?|tests?|appts?|appointments?|dates?|deadline|birthday|bday|anniversary|party|wedding|interview|meeting"
    r"|visit|scan|check-?up|jab|op|operation|surgery|dentist|vet|doctor|flight|train|trip|holiday|concert|gig|show|match"
    r"|game|race|course|class|lesson|session|viva|mot|viewing|hearing|call|consultation|delivery|due|booked|scheduled"
    r"|planned|moved|arranged|tickets?|start|dinner|lunch|christening|funeral|ceremony|graduation)\b[^.;!?]*\Z",
    re.IGNORECASE,
)
_MEASURE = regex(
    r"\b(?:scores?|ratio|results?|odds|marks?|number|readings?|pressure|vision|eyesight|count|grade)\b", re.IGNORECASE
)
_AT_HOUR = regex(r",? (?:at \d|\d{1,2}(?:[:.]\d\d|\s?[ap]m))", re.IGNORECASE)


def _is_of_event(match: Match) -> bool:
    """Return whether an hour stands behind two numbers, or an event before them, and no measure of it."""
    if _AT_HOUR.match(match.string, match.end()):
        return True
    event = _EVENT.search(match.string, 0, match.start())
    return event is not None and not _MEASURE.search(event[0])


def read_weekday_week(match: Match, now: datetime) -> Range | None:
    """Read a week after the coming such day, "Friday week", "a week on Friday": groups weekday, from."""
    weekday = group(match, "weekday") or group(match, "from") or ""
    if group(match, "from") and calendar.is_length(match):
        return None
    start, end = calendar.weekday(now, calendar.WEEKDAYS[weekday], 1)
    return start + timedelta(days=7), end + timedelta(days=7)


def read_season(match: Match, now: datetime) -> Range | None:
    """A season of three months: groups season, year, of_year, step."""
    first = calendar.SEASONS[match["season"].lower()] - 1
    return yearly(match, now, lambda y: calendar.months(now, y * 12 + first, 3))


def read_holiday(match: Match, now: datetime) -> Range | None:
    """A feast: groups holiday, year, of_year, step."""
    name = " ".join(re.sub("['\u2019.]", "", match["holiday"].lower()).split())
    return yearly(match, now, lambda y: calendar.holiday(now, y, name))


def read_year(match: Match, now: datetime) -> Range | None:
    """A year, years up to another, or a decade: groups year, until, decade."""
    year = year_of(match, now)
    if year is None:
        return None
    if group(match, "decade"):
        return calendar.months(now, year * 12, 120) if year % 10 == 0 else None
    return calendar.months(now, year * 12, 12 * (int(group(match, "until") or year) - year + 1))


def read_part_of_year(match: Match, now: datetime) -> Range | None:
    """Read the past or the coming part of a unit: groups part (earlier or later), unit."""
    start, end = calendar.units(now, match["unit"].lower(), 0)
    today, tomorrow = calendar.units(now, "day", 0)
    return (start, tomorrow) if match["part"].lower() == "earlier" else (today, end)


def read_third(match: Match, now: datetime) -> Range | None:
    """Read the first, the middle or the last third of a unit: groups third, unit, step.

    Without a step it is the third that has begun, or is to come where the sentence says what will be.
    """
    unit, word = match["unit"].lower(), group(match, "step")
    ahead = word is None and is_to_come(match)
    if not _is_one_time(match):
        return None
    if word is None and not (ahead or is_done(match) or _ASKED_OF.search(match.string)):
        return None  # "I pay the rent at the end of the month"
    third = match["third"].lower().replace("beginning", "start")
    number = ("start", "middle", "end").index(third)
    for step in (0, 1) if ahead else (0, -1) if word is None else (calendar.STEPS[word],):
        start, end = calendar.units(now, unit, step)
        if unit == "year":  # two months of it
            first, last = calendar.months(now, start.year * 12 + 5 * number, 2)
        else:
            part = (end - start) // 3
            first, last = (calendar.units(start + part * n, "day", 0)[0] for n in (number, number + 1))
            last = end if third == "end" else last
        if word is not None or (now < last if ahead else first <= now):
            return first, last
    return None


def read_step(match: Match, now: datetime) -> Range | None:
    """The last, this or the next unit, weekend or weekday: groups step, unit."""
    word, unit = match["step"].lower(), match["unit"].lower()
    step = calendar.STEPS[word]
    if unit == "weekend":
        return calendar.weekend(now, step)
    if unit in calendar.WEEKDAYS:
        return calendar.weekday(now, calendar.WEEKDAYS[unit], step)
    return calendar.past(now, unit, 1) if word == "past" else calendar.units(now, unit, step)


def read_before_last(match: Match, now: datetime) -> Range | None:
    """The unit before the last one: group unit."""
    unit = match["unit"].lower()
    if unit == "night":
        day = calendar.units(now, "day", -2)[0]
        return day + timedelta(hours=18), day + timedelta(hours=30)
    return calendar.weekend(now, -2) if unit == "weekend" else calendar.units(now, unit, -2)


def read_weekday(match: Match, now: datetime) -> Range | None:
    """A day of the week: of the week its words name, else the latest, today too: groups weekday, step, part."""
    day, word = calendar.WEEKDAYS[match["weekday"].lower()], group(match, "step")
    if word is None:
        start, end = near_weekday(match, now, day)
    else:
        start, end = calendar.units(now, "day", day - now.weekday() + 7 * calendar.STEPS[word])
    part = group(match, "part")
    if part is None:
        return start, end
    first, last = _DAY_PARTS[part]
    return start + timedelta(hours=first), start + timedelta(hours=last)


# What is done again and again, or dated otherwise: "in 2019 I married at the end of the year".
_NOT_THIS_ONE = regex(
    r"\b(?:always|used to|usually|mostly|mainly|most|every|often|whenever|ago|(?:19|20)[0-9]{2}|when (?:i|we|he|she"
    r"|they) (?:was|were)|january|february|april|june|july|august|september|october|november|december"
    r"|in (?:may|march))\b",
    re.IGNORECASE,
)


def _is_one_time(match: Match) -> bool:
    return _NOT_THIS_ONE.search(f"{match.string[: match.start()]} {match.string[match.end() :]}") is None


def read_weekend(match: Match, now: datetime) -> Range | None:
    """Read the latest weekend, that of today too, or the coming one where the sentence says what will be."""
    ahead = is_to_come(match)
    if not _is_one_time(match) or not (ahead or is_done(match) or _ASKED_OF.search(match.string)):
        return None  # "at the weekend I sleep in"
    is_near = ahead or now.weekday() >= calendar.WEEKDAYS["saturday"]
    return calendar.weekend(now, 0 if is_near else -1)


def read_last_weekday(match: Match, now: datetime) -> Range | None:
    """Read a day of the week that ends a sentence, behind no word that makes it another thing: "Good Friday"."""
    before = match.string[: match.start()].split()[-1]
    if before == "is" and _OF_ONE_DAY.search(match.string, 0, match.start()):
        return calendar.weekday(now, calendar.WEEKDAYS[match["weekday"].lower()], 1)
    if _NO_DAY_BEHIND.fullmatch(before.lower()) or not _is_one_time(match):
        return None
    if not before.islower() and not _BEHIND_NAME.search(match.string, 0, match.start()):
        return None  # "Freaky Friday"
    tells = is_to_come(match) or is_done(match) or _ASKED_OF.search(match.string) is not None
    return near_weekday(match, now, calendar.WEEKDAYS[match["weekday"].lower()]) if tells else None


# What has one day, and no weekday of its own: "the deadline is Friday".
_OF_ONE_DAY = regex(
    r"\b(?:(?:my|our|the|his|her|their|user's) (?:\w+ )?(?:deadline|interview|wedding|funeral|flight|surgery|operation"
    r"|viva|exam|appointment|birthday|party)|(?:first|last) day(?: (?:at|in|of) [\w&.' -]{2,40})?) is\s\Z",
    re.IGNORECASE,
)
_BEHIND_NAME = regex(
    r"\b(?:to|in|from|at|with|for|see|saw|meet|met|call|called|visit|visited) (?-i:[A-ZÀ-Þ])[\w'-]+\s\Z", re.IGNORECASE
)
_NO_DAY_BEHIND = regex(
    r"(?:every|each|other|an?|the|and|or|but|not|is|was|are|were|be|its|it's|than|of|like|love|hate|called|named|my|our"
    r"|your|any|no|to|from|through|till?|until|before|after|that|one|some|single|second|first|last|alternate|except"
    r"|hated|loved|liked|watched|good|black|super|blue|freaky|casual|ash|palm|fat|cyber|giving)"
)


def read_moved_weekday(match: Match, now: datetime) -> Range | None:
    """The coming day of the week that something was moved to or is scheduled for: group weekday."""
    day = calendar.WEEKDAYS[match["weekday"].lower()]
    return calendar.weekday(now, day, 1) if calendar.is_moved_to(match) else None


def near_weekday(match: Match, now: datetime, day: int) -> Range:
    """The latest such day, or the coming one where the sentence says what will be; either may be today."""
    ahead = day - now.weekday()
    return calendar.units(now, "day", ahead % 7 if is_to_come(match) else ahead % -7)


def _amount(match: Match) -> tuple[int, int]:
    """The least and the most that the number words stand for; without any, one."""
    word, least = group(match, "n") or "one", group(match, "least")
    vague = next((bounds for key, bounds in calendar.VAGUE.items() if key in word), None)
    if vague is not None:
        return vague
    most = calendar.number(word)
    return (calendar.number(least) if least else most), most


def read_past(match: Match, now: datetime) -> Range | None:
    """The last so many units up to today: groups n, unit."""
    return calendar.past(now, match["unit"].lower(), _amount(match)[1])


def read_ago(match: Match, now: datetime) -> Range | None:
    """So many units ago, whole units: groups n, least, unit."""
    return ago(now, *_amount(match), match["unit"].lower())


def ago(now: datetime, least: int, most: int, unit: str) -> Range:
    """Whole units from `most` to `least` ago; a fortnight is two weeks, so many Fridays ago is a Friday."""
    if unit in calendar.WEEKDAYS:
        start, end = calendar.weekday(now, calendar.WEEKDAYS[unit], -1)
        return start - timedelta(days=7 * (most - 1)), end - timedelta(days=7 * (least - 1))
    if unit == "fortnight":
        least, most, unit = 2 * least, 2 * most, "week"
    return calendar.units(now, unit, -most, most - least + 1)


def read_half_a_year(match: Match, now: datetime) -> Range | None:
    """Half a year ago, give or take a month."""
    return calendar.units(now, "month", -7, 3)


def read_day_part(match: Match, now: datetime) -> Range | None:
    """A part of today or yesterday: groups step, part; without either tonight."""
    step = -1 if group(match, "step") in ("last", "yesterday") else 0
    today = calendar.units(now, "day", step)[0]
    first, last = _DAY_PARTS[group(match, "part") or "night"]
    return today + timedelta(hours=first), today + timedelta(hours=last)


def read_day_word(match: Match, now: datetime) -> Range | None:
    """Yesterday, today and their like."""
    return calendar.units(now, "day", _DAY_WORDS[" ".join(match[0].lower().split()).removeprefix("the ")])


def move_span(match: Match, span: Range) -> Range:
    """Return the range that lies so many units, or at a weekday, before or after a span: groups n, unit, way."""
    (start, end), unit, before = span, match["unit"].lower(), match["way"].lower() == "before"
    if not before and start.weekday() == calendar.WEEKDAYS.get(unit) and end - start <= timedelta(days=1):
        return span  # "the Sunday after, 25 October"
    if unit == "weekend" or unit in calendar.WEEKDAYS:
        day = calendar.WEEKDAYS.get(unit, calendar.WEEKDAYS["saturday"])
        ahead = (day - start.weekday()) % 7 - 7 if before else (day - end.weekday()) % 7
        first = (start if before else end) + timedelta(days=ahead)
        return first, first + timedelta(days=2 if unit == "weekend" else 1)
    size, count = timedelta(days={"day": 1, "week": 7, "month": 30, "year": 365}[unit]), _amount(match)[1]
    if before:
        return start - count * size, start - (count - 1) * size
    return end + (count - 1) * size, end + count * size
