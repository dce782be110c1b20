"""The words for dates, and the spans of the calendar they stand for, seen from a given moment.

Units are whole: a week starts on Monday, and the seasons are the northern meteorologist's ("winter 2023" begins
in December 2023). What is not in the calendar, or off either end of it, raises ValueError or OverflowError.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeAlias

Range: TypeAlias = tuple[datetime, datetime]

MONTH_NAMES = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
MONTHS = {name[:3].lower(): n for n, name in enumerate(MONTH_NAMES, 1)}
WEEKDAYS = {
    name: n for n, name in enumerate(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))
}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
STEPS = {"last": -1, "previous": -1, "past": -1, "this": 0, "next": 1, "coming": 1}
NUMBERS = {
    word: number
    for listed in (
        "one two three four five six seven eight nine ten eleven twelve",
        "一 二 三 四 五 六 七 八 九 十 十一 十二",
        "a 两",
        "an 兩",
    )
    for number, word in enumerate(listed.split(), 1)
}
VAGUE = {"couple": (2, 3), "few": (2, 5), "several": (3, 7), "几": (2, 5), "幾": (2, 5), "数": (2, 5)}
CJK_UNITS = {"天": "day", "日": "day", "周": "week", "週": "week", "星": "week", "月": "month", "年": "year"}
CJK_WORDS = {
    word: (unit, step)
    for unit, step, listed in (
        ("day", -2, "前天 一昨日 おととい"),
        ("day", -1, "昨天 昨日 昨晚 昨夜 きのう"),
        ("day", 0, "今天 今日 今晚 今夜 今朝"),
        ("day", 1, "明天 明日"),
        ("day", 2, "后天 後天 明後日"),
        ("week", -1, "上周 上週 上星期 上个星期 上個星期 先週"),
        ("week", 0, "本周 本週 这周 這週 这星期 这个星期 這個星期 今週"),
        ("week", 1, "下周 下週 下星期 下个星期 下個星期 来週"),
        ("month", -1, "上月 上个月 上個月 先月"),
        ("month", 0, "本月 这个月 這個月 今月"),
        ("month", 1, "下月 下个月 下個月 来月"),
        ("year", -2, "前年 一昨年"),
        ("year", -1, "去年 昨年"),
        ("year", 0, "今年"),
        ("year", 1, "明年 来年 來年"),
    )
    for word in listed.split()
}


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
