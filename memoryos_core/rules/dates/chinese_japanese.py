"""Dates in Chinese and Japanese: patterns, the words that a text needs before they are tried, and their readers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from memoryos_core.rules.dates import calendar, readers
from memoryos_core.rules.dates.calendar import Range
from memoryos_core.rules.dates.readers import Match, Reader, group
from memoryos_core.rules.text.words import regex

_UNITS = {
    letter: unit
    for unit, letters in (("day", "天日"), ("week", "周週星礼禮"), ("month", "月"), ("year", "年"))
    for letter in letters
}
_WEEKDAYS = {c: n for days in ("一二三四五六日", "月火水木金土日") for n, c in enumerate(days)} | {"天": 6}
_WORDS = {
    word: (unit, step)
    for unit, step, listed in (
        ("day", -3, "大前天"),
        ("day", -2, "前天 一昨日 おととい"),
        ("day", -1, "昨天 昨日 昨晚 昨夜 昨晩 きのう ゆうべ"),
        ("day", 0, "今天 今日 今晚 今夜 今晩 今朝 今早 今晨"),
        ("day", 1, "明天 明日"),
        ("day", 2, "后天 後天 明後日 あさって"),
        ("month", -2, "上上个月 上上個月 上上月 先々月"),
        ("month", -1, "上月 上个月 上個月 先月"),
        ("month", 0, "本月 这个月 這個月 今月"),
        ("month", 1, "下月 下个月 下個月 来月"),
        ("month", 2, "再来月"),
        ("year", -3, "大前年"),
        ("year", -2, "前年 一昨年 おととし"),
        ("year", -1, "去年 昨年"),
        ("year", 0, "今年"),
        ("year", 1, "明年 来年 來年"),
    )
    for word in listed.split()
}
_WEEKS = {
    word: step
    for step, listed in (
        (-2, "上上周 上上週 上上星期 上上个星期 先々週"),
        (-1, "上周 上週 上星期 上个星期 上個星期 上礼拜 上个礼拜 上個禮拜 先週"),
        (0, "本周 本週 这周 這週 这星期 这个星期 這個星期 这礼拜 这个礼拜 今週"),
        (1, "下周 下週 下星期 下个星期 下個星期 下礼拜 下个礼拜 来週"),
        (2, "下下周 再来週"),
    )
    for word in listed.split()
}
_WEEKENDS = {
    word: step
    for step, listed in (
        (-1, "上个周末 上個週末 前の週末"),
        (0, "这个周末 這個週末 この週末"),
        (1, "下个周末 下個週末 次の週末"),
    )
    for word in listed.split()
}


_DIGITS = "一二三四五六七八九"
_HALF_A_MONTH = (18, 12)


def _read_word(match: Match, now: datetime) -> Range | None:
    unit, step = _WORDS[match[0]]
    return calendar.units(now, unit, step)


def _read_week(match: Match, now: datetime) -> Range | None:
    """A week, its weekend or a day of it: groups week, end, weekday or day."""
    day, step = group(match, "weekday") or group(match, "day"), _WEEKS[match["week"]]
    if day is not None:
        return calendar.units(now, "day", _WEEKDAYS[day] - now.weekday() + 7 * step)
    return calendar.weekend(now, step) if group(match, "end") else calendar.units(now, "week", step)


def _read_day_of_month(match: Match, now: datetime) -> Range | None:
    """A day of the last, this or next month: groups of_month, day."""
    month = calendar.units(now, "month", _WORDS[match["of_month"]][1])[0]
    return calendar.days(now, month.year, month.month, calendar.number(match["day"]))


def _read_weekend(match: Match, now: datetime) -> Range | None:
    return calendar.weekend(now, _WEEKENDS[match[0]])


def _read_weekday(match: Match, now: datetime) -> Range | None:
    return readers.near_weekday(match, now, _WEEKDAYS[match["weekday"]])


def _amount(match: Match) -> tuple[int, int]:
    word = match["n"]
    if word in calendar.VAGUE:
        return calendar.VAGUE[word]
    if len(word) > 1 and not word.isdecimal() and "十" not in word:  # 两三天: two or three
        return calendar.number(word[0]), calendar.number(word[-1])
    return calendar.number(word), calendar.number(word)


def _unit(match: Match) -> str:
    return next(_UNITS[letter] for letter in match["unit"] if letter in _UNITS)


def _read_ago(match: Match, now: datetime) -> Range | None:
    return readers.ago(now, *_amount(match), _unit(match))


def _read_rolling(match: Match, now: datetime) -> Range | None:
    return calendar.past(now, _unit(match), _amount(match)[1])


def _read_some_days_ago(match: Match, now: datetime) -> Range | None:
    return readers.ago(now, *calendar.VAGUE["几"], "day")


def _read_half(match: Match, now: datetime) -> Range | None:
    """Half a year or half a month ago: group month."""
    if group(match, "month") is None:
        return readers.read_half_a_year(match, now)
    first, last = _HALF_A_MONTH
    return calendar.units(now, "day", -first, first - last + 1)


def _read_end_of_year(match: Match, now: datetime) -> Range | None:
    """The first or the last two months of a year: groups edge, year, of_year."""
    first = 0 if match["edge"] in "初始" else 10
    return readers.yearly(match, now, lambda y: calendar.months(now, y * 12 + first, 2))


def _any_of(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


_ALONE = rf"(?<![0-9十{_DIGITS}])"
_NUMBERED = (
    rf"(?:{_ALONE}(?P<year>[12][0-9]{{3}}|[一二][〇零{_DIGITS}]{{3}})|(?P<era>令和|平成)(?P<reign>[0-9]{{1,2}}|元))年"
)
_YEAR = rf"(?:{_NUMBERED}|(?P<of_year>{_any_of(w for w in readers.YEAR_STEPS if not w.isascii())}))[の的]? ?"
_MONTH = rf"{_ALONE}(?P<month>1[0-2]|0?[1-9]|十[一二]?|[{_DIGITS}])月"
_DAY = rf" ?(?P<day>[0-9]{{1,2}}|[二三]?十[{_DIGITS}]?|[{_DIGITS}])[日号號]"
_FEAST = (
    rf"(?P<holiday>{_any_of(name for name in calendar.HOLIDAYS if not name.isascii())})(?![0-9{_DIGITS}十])"
    r"(?:节|節|デー)?(?!树|樹|老人|ケーキ|ツリー|プレゼント|カード|ソング)"
)
_N = rf"{_ALONE}(?P<n>[0-9]{{1,3}}|[两兩十{_DIGITS}]{{1,3}}|[几幾数])"
_UNIT = r"(?P<unit>[个個箇かカヶケヵ]月|天|日|周|週|[个個]?(?:星期|礼拜|禮拜)|年)[间間]?"
# "周一" is Monday, "周一起" is "the week together"; "周日本" is Japan; "三次" counts.
_WEEKDAY = r"一(?![起直个個家些样樣共次位边邊下])|二|三(?!次)|四|五|六|日(?!本)|天(?!天)"
_FEAST_LETTERS = frozenset("".join(name for name in calendar.HOLIDAYS if not name.isascii()))
_HABIT = "(?<![每毎])"

_OF_MONTH = _any_of(word for word, (unit, _) in _WORDS.items() if unit == "month")

PATTERNS: tuple[tuple[frozenset[str], str, Reader], ...] = (
    (frozenset("月"), rf"(?P<of_month>{_OF_MONTH})[の的]?{_DAY}", _read_day_of_month),
    (frozenset("月"), rf"{_YEAR}{_MONTH}{_DAY}", readers.read_day),
    (frozenset("月"), rf"{_YEAR}{_MONTH}", readers.read_month),
    (frozenset("春夏秋冬"), rf"{_YEAR}(?P<season>[春夏秋冬])[天季]?", readers.read_season),
    (_FEAST_LETTERS, rf"{_YEAR}{_FEAST}", readers.read_holiday),
    (frozenset("年"), rf"{_YEAR}年?(?P<edge>[初始底末])", _read_end_of_year),
    (frozenset("月"), rf"{_MONTH}{_DAY}", readers.read_day),
    (
        frozenset("周週星礼禮"),
        rf"(?P<week>{_any_of(_WEEKS)})(?:(?P<end>末)|の?(?P<weekday>[月火水木金土日])曜日?|(?P<day>{_WEEKDAY}))?",
        _read_week,
    ),
    (frozenset("周週"), _any_of(_WEEKENDS), _read_weekend),
    (frozenset("前"), rf"{_N}{_UNIT}(?:ほど|くらい|ぐらい|左右|多)?[之以]?前", _read_ago),
    (frozenset("前"), r"半(?:年|(?P<month>[个個箇かカヶケヵ]?月))[之以]?前", _read_half),
    (frozenset("去近この"), rf"(?:过去|過去|最近|この|ここ)[の的]?{_N}{_UNIT}", _read_rolling),
    (frozenset("前"), "前[几幾]天", _read_some_days_ago),
    (frozenset("".join(_WORDS)), _any_of(_WORDS), _read_word),
    (_FEAST_LETTERS, _FEAST, readers.read_holiday),
    (frozenset("春夏秋冬"), rf"{_HABIT}(?<![每毎]年)(?P<season>[春夏秋冬])[天季]", readers.read_season),
    (
        frozenset("春夏秋冬"),
        r"(?<![每毎]年)(?<![\u3400-\u9fff])(?P<own>この)?(?P<season>[春夏秋冬])(?(own)|(?:の間|休み|に(?!な)|は))",
        readers.read_season,
    ),
    (frozenset("年"), rf"{_HABIT}年(?P<edge>[初底末])", _read_end_of_year),
    (
        frozenset("周週星礼禮"),
        rf"(?<![每毎上下这這本到至0-9{_DIGITS}两几])(?:周|週|星期|礼拜|禮拜)(?P<weekday>{_WEEKDAY})(?![到至])",
        _read_weekday,
    ),
    (frozenset("曜"), r"(?<![每毎])(?<![每毎]週)(?P<weekday>[月火水木金土日])曜日?(?!から)", _read_weekday),
    (frozenset("月"), _MONTH, readers.read_month),
    (frozenset("年"), _NUMBERED, readers.read_year),
)

_AHEAD = regex(
    r"(?<![\d一二三四五六七八九十])(?P<n>\d{1,3}|[一二三四五六七八九十两兩]{1,3})"
    r"(?:(?P<day>[天日])|(?P<week>周|週間?|个星期|個星期|星期)|(?P<month>[个個ヶか箇ヵカ]月))[之以]?[后後]"
)
_DONE = regex(r"[了过過][。！!]?$|(?:た|ました)[。！!]?$")
_AGE_THIS_YEAR = regex(r"今年(?=就?要?满?\d{1,3}[岁歲歳才])")


def tells_done(text: str) -> bool:
    """Return whether a statement in Chinese or Japanese tells of something that is over."""
    return _DONE.search(text) is not None


def with_days_ahead(text: str, now: datetime) -> str:
    """Return a statement with what lies so many days, weeks or months ahead as a day in digits."""
    text = _AGE_THIS_YEAR.sub("", text)
    if tells_done(text):
        return text

    def day(found: re.Match[str]) -> str:
        unit = "day" if found["day"] else "week" if found["week"] else "month"
        return f"{calendar.count_on(now, unit, calendar.number(found['n'])):%Y-%m-%d}"

    return _AHEAD.sub(day, text)
