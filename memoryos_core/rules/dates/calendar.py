"""The words for dates, and the spans of the calendar they stand for, seen from a given moment.

Units are whole: a week starts on Monday, and the seasons are the northern meteorologist's ("winter 2023" begins
in December 2023). What is not in the calendar, or off either end of it, raises ValueError or OverflowError.

Times of the published code: texts, mostly without a zone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import TypeAlias

from memoryos_core.errors import InvalidInputError
from memoryos_core.rules.dates.tense import ARRANGED, ASKS, sentence_around
from memoryos_core.rules.text.ordinals import SPELLED_DAYS
from memoryos_core.rules.text.words import regex

Range: TypeAlias = tuple[datetime, datetime]

MONTH_NAMES = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
MONTHS = {name[:3].lower(): n for n, name in enumerate(MONTH_NAMES, 1)}
WEEKDAYS = {
    name: n for n, name in enumerate(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))
}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}
STEPS = {"last": -1, "previous": -1, "past": -1, "this": 0, "next": 1, "coming": 1}
NUMBERS = {
    word: number
    for listed in ("one two three four five six seven eight nine ten eleven twelve", "a", "an")
    for number, word in enumerate(listed.split(), 1)
}
VAGUE = {"couple": (2, 3), "few": (2, 5), "several": (3, 7), "几": (2, 5), "幾": (2, 5), "数": (2, 5)}
# Month, first day and how many days. Feasts that follow the moon are left out.
HOLIDAYS = {
    name: when
    for when, listed in (
        ((12, 31, 1), "new years eve,大晦日,跨年夜,跨年"),
        ((1, 1, 1), "new years day,new years,new year,元旦,元日"),
        ((1, 1, 3), "お正月,正月"),
        ((2, 14, 1), "valentines day,情人节,情人節,バレンタイン"),
        ((4, 29, 7), "ゴールデンウィーク"),
        ((5, 1, 5), "五一,劳动节,勞動節"),
        ((8, 13, 4), "お盆"),
        ((10, 1, 7), "国庆,國慶"),
        ((10, 31, 1), "halloween,万圣节,萬聖節,ハロウィン"),
        ((12, 24, 1), "christmas eve,平安夜,クリスマスイブ"),
        ((12, 25, 1), "christmas day"),
        ((12, 24, 3), "christmas,xmas,圣诞,聖誕,クリスマス"),
        ((12, 26, 1), "boxing day"),
    )
    for name in listed.split(",")
}
_CJK_DIGITS = {digit: str(n) for n, digit in enumerate("〇一二三四五六七八九")} | {"零": "0", "两": "2", "兩": "2"}


def number(word: str) -> int:
    """Return the value of a number word: digits, English, Chinese and Japanese up to 99 or by digit.

    English ones are counted up to twelve, days of a month up to "thirty first".
    """
    if word in NUMBERS:
        return NUMBERS[word]
    if day := SPELLED_DAYS.get(word.lower().replace("-", " ")):
        return day
    tens, ten, ones = word.rpartition("十")
    if ten:
        return 10 * number(tens or "1") + number(ones or "0")
    return int("".join(_CJK_DIGITS.get(digit, digit) for digit in word))


def months(now: datetime, index: int, count: int = 1) -> Range:
    """`count` calendar months from the month number `index` (years times 12, January 0)."""
    first = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0, fold=0)
    start, end = (first.replace(year=i // 12, month=i % 12 + 1) for i in (index, index + count))
    return start, end


def units(now: datetime, unit: str, step: int, count: int = 1) -> Range:
    """`count` whole calendar units, the first `step` units from the present one."""
    if unit in ("month", "year"):
        size = 12 if unit == "year" else 1
        index = now.year * 12 + (now.month - 1 if size == 1 else 0)
        return months(now, index + step * size, count * size)
    hour = now.replace(minute=0, second=0, microsecond=0, fold=0)
    if unit == "hour":
        return hour + timedelta(hours=step), hour + timedelta(hours=step + count)
    day = hour.replace(hour=0)
    size = 7 if unit == "week" else 1
    first = day - timedelta(days=day.weekday() if unit == "week" else 0)
    return first + timedelta(days=step * size), first + timedelta(days=(step + count) * size)


def days(now: datetime, year: int, month: int, day: int, until: int | None = None) -> Range:
    """A day of a year, or the days up to and including `until` in the same month."""
    start = units(now, "day", 0)[0].replace(year=year, month=month, day=day)
    return start, start.replace(day=day if until is None else until) + timedelta(days=1)


def weekend(now: datetime, step: int) -> Range:
    """Saturday and Sunday of the week that is `step` weeks from the present one."""
    monday = units(now, "week", step)[1]
    return monday - timedelta(days=2), monday


def weekday(now: datetime, day: int, step: int) -> Range:
    """The last, this week's or next such day, Monday being 0; never today unless it is this week's."""
    ahead = day - now.weekday()
    if step:
        ahead = (ahead - 1) % 7 + 1 if step > 0 else ahead % 7 - 7
    return units(now, "day", ahead)


def holiday(now: datetime, year: int, name: str) -> Range:
    """The days of a yearly feast; Thanksgiving is the one of the United States."""
    if name == "thanksgiving":
        first = days(now, year, 11, 1)[0]
        day = first + timedelta(days=(WEEKDAYS["thursday"] - first.weekday()) % 7 + 21)
        return day, day + timedelta(days=1)
    month, day_of_month, count = HOLIDAYS[name]
    start = days(now, year, month, day_of_month)[0]
    return start, start + timedelta(days=count)


def recurring(now: datetime, step: int | None, in_year: Callable[[int], Range]) -> Range | None:
    """The last (wholly over), this or next one of something yearly; without a step the latest that has begun."""
    forth = step is not None and step >= 0
    years = range(now.year - 1, now.year + 9) if forth else range(now.year + 1, now.year - 9, -1)
    for year in years:
        try:
            start, end = in_year(year)
        except (ValueError, OverflowError):  # 29 February, or the end of time
            continue
        if step is None:
            fits = start <= now
        elif step == 0:
            fits = start <= now < end or start.year == now.year
        else:
            fits = start > now if step > 0 else end <= now
        if fits:
            return start, end
    return None


def past(now: datetime, unit: str, count: int) -> Range:
    """The days that `count` units up to today take up, a month being 30 and a year 365."""
    length = count * {"day": 1, "week": 7, "month": 30, "year": 365}[unit]
    return units(now, "day", -length, length + 1)


FORMATS = "'2024-05-01 18:30:00', ISO 8601 such as '2024-05-01T18:30:00+02:00', or '6:30 pm on 1 May, 2024'"

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# Written out, because strptime reads month names and am/pm in the language of the process.
_SPOKEN = regex(r"(\d{1,2}):(\d{2})\s*([ap])\.?m\.?\s+on\s+(\d{1,2})\s+([a-z]{3})[a-z]*\.?,?\s+(\d{4})", re.IGNORECASE)
_SLASHED = regex(r"(\d{4})/(\d{2})/(\d{2})")
_HALF_DAY = 12


def parse_moment(text: str) -> datetime | None:
    """Parse a text in one of FORMATS, in UTC without a zone; None for another format."""
    text = text.strip()
    spoken = _SPOKEN.fullmatch(text)
    try:
        when = _parse_spoken(spoken) if spoken else datetime.fromisoformat(_iso(text))
        return in_utc(when)
    except (ValueError, OverflowError):
        return None


def moment(value: object) -> datetime | None:
    """The `timestamp` argument of the published verbs. Raises InvalidInputError that names the formats."""
    if value is None:
        return None
    if isinstance(value, datetime):
        return in_utc(value)
    when = parse_moment(value) if isinstance(value, str) else None
    if when is None:
        raise InvalidInputError(f"timestamp={value!r} cannot be read; write it like {FORMATS}, or leave it out for now")
    return when


def format_moment(when: datetime) -> str:
    """Format a time in the published form, in UTC."""
    return when.astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M:%S")


def in_utc(when: datetime) -> datetime:
    """Convert a time to UTC; a naive one is taken as UTC."""
    if when.tzinfo is None or when.utcoffset() is None:
        return when.replace(tzinfo=timezone.utc)
    return when.astimezone(timezone.utc)


def _iso(text: str) -> str:
    text = _SLASHED.sub(r"\1-\2-\3", text, count=1)
    # Python 3.10 does not read the Z.
    return f"{text[:-1]}+00:00" if text[-1:] in ("Z", "z") else text


def _parse_spoken(found: re.Match[str]) -> datetime:
    hour, minute, half, day, month, year = found.groups()
    if not 1 <= int(hour) <= _HALF_DAY:
        raise ValueError(hour)
    in_24 = int(hour) % _HALF_DAY + (_HALF_DAY if half.lower() == "p" else 0)
    return datetime(int(year), _MONTHS.index(month.lower()) + 1, int(day), in_24, int(minute), tzinfo=timezone.utc)


def find_day(now: datetime, number: int, day: int | None, *, ahead: bool, within: int = 92) -> datetime:
    """Return the next day, or the last one, that has a number in its month, and is a weekday if one is given.

    Raises LookupError where none of so many days is it.
    """
    near = (now + timedelta(days=days if ahead else -days) for days in range(within))
    found = next((one for one in near if one.day == number and day in (None, one.weekday())), None)
    if found is None:
        raise LookupError(number)
    return found


# What a number without a month is of: a house, a bus, a size. "Je prends le 15", "vivo en la calle Mayor, el 12".
_OF_NO_DAY = regex(
    r"(?:\b(?:dans|con|avec|com|in|sur|n[uú]m[eé]ro|pren(?:ds?|d[oie]\w*|ons)|coj\w+|tom\w{1,4}|peg[ou]\w*|apanho"
    r"|llev[oa]"
    r"|port[oe]|indosso|uso|calzo|aime|gust\w+|piace|prefier\w+|prefer\w+|préfère|elijo|choisis|scelgo"
    r"|odi\w+|mang\w+|com[ií])\s"
    r"|\b(?:casa|portal|puerta|porta|piso|autob[uú]s|bus|tram|l[ií]nea|linha|ligne|camiseta|camisola|maglia|maillot"
    r"|talla"
    r"|taille|taglia|habitación|chambre|camera|stanza|quarto|mesa|tavolo|table|maison|appart\w*|apartamento|appartamento"
    r"|n[uú]m[eé]ro)\s(?:es|est|è|é)\s"
    r"|\b(?:habit\w+|vis|viv[eo]|vivimos|abit\w+|mor[ao]|wohn\w*|leben?|lebe|calle|rue|via|rua|avenue|avenida|viale)\b"
    r"(?:(?!\s(?:y|et|e|und)\s)[^.;!?])*)\Z",
    re.IGNORECASE,
)
_NUMBER_WORD = regex(r"[^.;!?]{0,30}?\b(?:n[uú]m[eé]ro|numero|nombre|chiffre|cifra|zahl|nummer)\b", re.IGNORECASE)
_BESIDE = 80  # characters


def is_of_no_day(found: re.Match[str]) -> bool:
    """Return whether a number without a month is that of a house, a bus, a size, or a number and nothing else."""
    before = found.string[max(0, found.start() - _BESIDE) : found.start()]
    behind = found.string[found.end() : found.end() + _BESIDE]
    return _OF_NO_DAY.search(before) is not None or _NUMBER_WORD.match(behind) is not None


_LAST_DAY = 28  # of a month


def count_on(now: datetime, unit: str, count: int) -> datetime:
    """Return the day that lies so many units ahead; a day that a month lacks is the last one that all have."""
    if unit in ("day", "week"):
        return now + timedelta(days=count * (7 if unit == "week" else 1))
    index = now.year * 12 + now.month - 1 + count * (12 if unit == "year" else 1)
    return now.replace(year=index // 12, month=index % 12 + 1, day=min(now.day, _LAST_DAY))


_LASTED = regex(r"\b(?:been|was|were|had|spent|spend|lasted|took)\b[^,;]{0,60}\Z", re.IGNORECASE)
_FOR_LONG = regex(r"\b(?:an?|\d+|two|three|four|five|six|seven|eight|nine|ten) (?:year|month|week|day)s?\s\Z", re.I)
_FROM_THEN = regex(r"['\u2019]s\b|,?\s(?:since|that)\b", re.IGNORECASE)


def is_length(match: re.Match[str]) -> bool:
    """Return whether a count of weeks or years in or before a date is how long something lasts: "been a week on"."""
    before, _ = sentence_around(match)
    if match[0][:2].lower() != "a " and not _FOR_LONG.search(before):
        return False
    if _FROM_THEN.match(match.string, match.end()):
        return True
    return _LASTED.search(before) is not None and not ARRANGED.search(before)


# "The meeting was moved to Friday", which is the coming one, unless the sentence tells what came of it.
_MOVED_TO = regex(
    r"\b(?:moved|shifted|postponed|rescheduled|delayed|pushed|switched|changed|(?:brought|pulled)\s(?:it\s)?forward"
    r"|put\s(?:it\s)?(?:back|off))\b[^,;]{0,60}\Z",
    re.ASCII | re.IGNORECASE,
)
_SCHEDULED = regex(r"\b(?:scheduled|booked|planned|set|fixed|arranged)\s\Z", re.ASCII | re.IGNORECASE)
_OVER = regex(
    r"\b(?:last|yesterday|ago|went|was|were|had|did|felt|so (?:i|we|he|she|they))\b", re.ASCII | re.IGNORECASE
)
_OVER_BEFORE = regex(r"\b(?:last|yesterday|ago|had)\b", re.ASCII | re.IGNORECASE)


def is_moved_to(match: re.Match[str]) -> bool:
    """Return whether the sentence of a date states that something was moved to it or is scheduled for it."""
    before, after = sentence_around(match)
    if after is None or _OVER.search(after) or _OVER_BEFORE.search(before) or ASKS.match(before):
        return False
    return _MOVED_TO.search(before) is not None or _SCHEDULED.search(before) is not None


# "Mir wurde zum 31. Dezember gekündigt": what was done has its effect on that day, or was arranged for it.
_EFFECTIVE = regex(
    r"\b(?:(?:zum|ab|ab dem) \d{1,2}\.? (?:[\w.]+ ){0,4}(?:gekündigt|befördert|versetzt|entlassen|eingestellt"
    r"|übernommen|gemietet|unterschrieben|verlängert|(?:stelle|job|wohnung|vertrag|termin|kündigung|platz"
    r"|zusage) (?:bekommen|angenommen))"
    r"|(?:für|zum|zur|beim) [^,;!?]{1,60}(?:angemeldet|eingeschrieben|eingetragen|zugesagt)|gebucht|reserviert"
    r"|auf [^,;!?]{1,40}(?:verschoben|verlegt|umgebucht)|versprochen,? [^;!?]{1,80}(?:zu \w|\wzu\w)\w*en"
    r"|(?:gesagt|versprochen|zugesagt),? (?:dass )?(?:ich|wir|er|sie|es)\b"
    r"(?![^;!?]{0,80}\b(?:war|hatte|habe|wurde)n?\b)[^;!?]{0,80}"
    r"|inscrite?s? (?:aux?|à|pour|sur|dans)|(?:ai|as|a|avons|ont) (?:\w+ )?(?:réservé|promis)"
    r"|dit (?:\w+ )?qu(?:e |')[^;!?]{0,40}?\w\w(?:rai[st]|rions|raient)"
    r"|(?:apunt|inscri)\w+ (?:al?|en|para)|reserv(?:é|ó|ado|amos|ei|ou|ámos)|promet(?:í|ió|ido|i|eu|emos)"
    r"|(?:dij|dicho|diss)[\w-]* que [^;!?]{0,40}?\w\wr[ií]a(?:s|m|n|mos)?"
    r"|inscrev[\w-]+ (?:n[ao]s?|em|para)|iscritt[oaie] (?:al?|all[ae]?|ai|agli|per)|prenotat[oaie]|promesso"
    r"|dett[oa] che [^;!?]{0,40}?\w\w(?:rei|rebbero|rebbe|remmo)"
    r"|(?:voor|bij) [^,;!?]{1,60}(?:ingeschreven|aangemeld|opgegeven)|(?:ingeschreven|aangemeld|opgegeven) (?:voor|bij)"
    r"|geboekt|gereserveerd|beloofd|gezegd dat [^;!?]{0,60}zou(?:den)?)\b"
    r"|日の[^。]{1,30}(?:予約し|申し込|登録し|エントリーし)|約束し|报名|報名|[订訂]了|预订|預訂|答应|答應",
    re.IGNORECASE,
)


def tells_effect(text: str) -> bool:
    """Return whether a statement in another language tells of something done that has its effect on a day."""
    return _EFFECTIVE.search(text) is not None
