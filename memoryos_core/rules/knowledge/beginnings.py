"""Since when a value holds, from when it will, and what is planned for it, as its statements tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from memoryos_core.rules.dates import Span, day_in_words, find_dates, time_in_words
from memoryos_core.rules.dates.other_languages import MONTH_WORDS, WEEKDAY_WORDS
from memoryos_core.rules.dates.tense import AHEAD
from memoryos_core.rules.text.words import regex
from memoryos_core.values.facts import Fact, KnownValue

_LONGEST = 400  # characters
_DAY, _WEEK, _SEASON, _MOMENT = timedelta(days=1), timedelta(days=7), timedelta(days=95), timedelta(seconds=1)
_BEGAN = regex(
    r"(?:moved|relocated|settled|started|joined|began|begun|became|become|got|switched|changed|married|adopted|bought"
    r"|turned|went)\b[^.;,]{0,40}$",
    re.IGNORECASE,
)
_IS_SINCE = regex(
    r"[^.;]{0,40}\bsince(?: (?:the|early|late|mid|about|around))* ?$"
    r"|(?: now)?,?(?: and)?(?: (?:they|the user))?(?: (?:just|only|have|has))* moved(?: here)?(?: (?:on|in|at))? $",
    re.IGNORECASE,
)
# Between a change and its day nothing else is told: not "moved to York and joined a choir in March".
_GOES_ON = regex(r"[,.;]| (?:and|but|so|because|when|where|while|after|before|until|till|for|if) ", re.IGNORECASE)


def began(fact: Fact, value: str) -> tuple[datetime, str] | None:
    """Return since when a value holds, and that in words, where its statement tells a day before it was said.

    "Moved to York in March", said in October, gives 1 March and "March 2026"; most statements tell no such day.
    """
    when, text = fact.event_time, fact.text[:_LONGEST]
    at = text.find(value) if value else -1
    if when is None or at < 0 or when >= _day_of(fact.valid_from):
        return None
    for span in find_dates(text, fact.valid_from):
        if span.start == when and span.end <= fact.valid_from and _tells_begin(text, span, at, at + len(value)):
            told = _days_in_words(span)
            return (when, told) if told else None
    return None


def _days_in_words(span: Span) -> str:
    """Return a time as the words behind "since": of "last week" it is "about" its middle day, else a month.

    "" for a time that is longer than a season, and no year.
    """
    told, length = time_in_words(span), span.end - span.start
    if told and " to " not in told:
        return told
    middle = day_in_words(span.start + (length - _DAY) / 2)
    if length <= _WEEK:
        return f"about {middle}"
    months = {day_in_words(day).partition(" ")[2] for day in (span.start, span.end - _MOMENT)}
    if len(months) == 1:
        return months.pop()
    return f"about {middle.partition(' ')[2]}" if length < _SEASON else ""


_FROM = regex(
    r"\b(?:from|starting|beginning|as of|as from|effective|ab|partir de|partir du|partir del|desde|vanaf) (?:the )?$",
    re.IGNORECASE,
)
_IS_FROM = regex(r"(?:from|starting|beginning) ", re.IGNORECASE)
_STARTS = regex(
    r"\b(?:start|begin|join|move|relocate|switch|change|become|go|take over|hand over)(?:s|es|ing|ning)?\b"
    r"|\b(?:taking|becoming|moving|relocating|changing|takes) (?:over )?|\bfirst day\b"
    r"|\b(?:will|shall|going to) (?:be|turn) (?=\d|[a-z]+ty\b|[a-z]+teen\b)|\bturn(?:s|ing)? (?=\d|[a-z]+ty\b)",
    re.IGNORECASE,
)


# "Da luglio", "a partir del 1 de julio", "ab 1.7.", and "nos mudamos a Lugo el 1 de julio", in a quotation.
_FROM_ELSEWHERE = regex(
    r"said: \".*(?<!\w)(?:(?:ab|[àa] partir d(?:[eou]|el)|desde|da|dal|vanaf|per)\s|dall'|d[ao]l?\s"
    r"|partir d')(?:de[mr]\s|el\s|le\s"
    rf"|il\s|o\s|l')?(?:\d|(?:{MONTH_WORDS})(?!\w)|(?:{WEEKDAY_WORDS})(?!\w)|morgen|demain|mañana|domani|amanhã"
    rf"|n[äa]chste"
    r"|kommende|pr[oó]xim|prossim|(?:la|el|na|no|a|o)\s(?:semana|mes|mês)\sque)"
    r"|said: \".*\b(?:nos mudamos|me mudo|ziehen? (?:ich|wir)?|d[ée]m[ée]nage|emm[ée]nage|trasferi(?:sco|amo)|mudo-me"
    r"|mudamo-nos|me mudo|fange?|anfang|empiezo|commence|comincio|inizio|começo)\b",
    re.IGNORECASE | re.DOTALL,
)


def begins(fact: Fact, value: str) -> tuple[datetime, str] | None:
    """Return from when a value will hold, and that in words, where its statement announces it: "from 1 December 2026".

    "I start at Meta on 1 December" and "From December I live in Porto" do; a value that is a date itself does not.
    """
    when, text = fact.event_time, f"{AHEAD} {fact.text[:_LONGEST]}"
    if when is None or not value or value not in text or when < _day_of(fact.valid_from) + timedelta(days=1):
        return None
    if _FROM_ELSEWHERE.search(fact.text[:_LONGEST]):
        return when, day_in_words(when)
    for span in find_dates(text, fact.valid_from):
        named = span.text.strip(" .")
        if span.start != when or named in value or value in named:
            continue
        before = text[: text.find(span.text)]
        if _FROM.search(before) or _IS_FROM.match(named) or _STARTS.search(text):
            told = time_in_words(span)
            return when, told if told and " to " not in told else day_in_words(when)
    return None


def _tells_begin(text: str, span: Span, start: int, end: int) -> bool:
    """Return whether the words of a time tell when the value between these places began to hold."""
    at = text.find(span.text)
    if at >= end and (_IS_SINCE.match(f"{text[end:at]}{span.text.partition(' ')[0]}") or _IS_SINCE.match(text[end:at])):
        return True
    if _BEGAN.search(text[:start]) is None:
        return False
    between = text[end:at] if at >= end else text[at + len(span.text) : start]
    return _GOES_ON.search(between.removeprefix(",") if at < start else between) is None


def _day_of(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


_WHO = r"^(?P<who>[Tt]he user|[A-ZÀ-Þ][\w'\u2019-]{0,30}(?: [A-ZÀ-Þ][\w'\u2019-]{0,30})?)"
# What a plan for a home or a workplace says, and how it will be told once it is done.
_PLANS = (
    (
        regex(
            rf"{_WHO} (?:is (?:\w+ly )?(?:going to (?:move|relocate)|moving|relocating)|will (?:move|relocate)"
            r"|is planning (?:to (?:move|relocate)|on moving)) (?:back |over |out )?to (?P<rest>.+)"
        ),
        "moved to",
    ),
    (
        regex(
            rf"{_WHO} (?:is joining|(?:is|will be) starting (?:(?:(?:an?|their|the) )?(?:new )?(?:job|role|post"
            r"|position) )?(?:at|with)|(?:is going to|will) (?:be )?(?:join(?:ing)?|start(?:ing)? at"
            r"|work(?:ing)? (?:at|for))"
            r"|(?:has )?accepted (?:an|the|a job) offer (?:from|at|by)) (?P<rest>.+)"
        ),
        "joined",
    ),
)
_CUT_OFF = regex(
    r"(?:,| (?:starting|beginning|from|in|on|at|by|as soon|because|since|so|when|if|once|and|with)\b).*", re.DOTALL
)


def read_plan(fact: Fact) -> tuple[str, str]:
    """Return a plan for a home or a workplace as it will be told once it is done, and from when; else "" twice.

    "The user is moving to Porto next month" gives "The user moved to Porto" and " from December 2026".
    """
    for pattern, done in _PLANS if _BEGINS_TODAY.search(fact.text[:_LONGEST]) is None else ():
        if (found := pattern.match(fact.text[:_LONGEST])) is None:
            continue
        rest, from_when = f"{AHEAD} {found['rest']}", ""
        for span in find_dates(rest, fact.valid_from):
            rest = rest.replace(span.text, ",", 1)
            if span.start == fact.event_time and span.end > fact.valid_from:
                told = time_in_words(span)
                from_when = f" from {told if told and ' to ' not in told else day_in_words(span.start)}"
        return f"{found['who']} {done} {_CUT_OFF.sub('', rest.removeprefix(AHEAD).strip(' .'))}.", from_when
    return "", ""


def plans_home_or_work(text: str) -> bool:
    """Return whether a statement plans a home or a workplace in words that `read_plan` reads."""
    return any(pattern.match(text[:_LONGEST]) for pattern, _ in _PLANS)


_PLANS_A_JOB = regex(
    r"\b(?:is|will be) (?:starting|beginning) (?:(?:an?|their|the) )?new (?:job|role|post|position) (?:at|with)\b"
)


_BEGINS_TODAY = regex(r"\b(?:today|right now|this morning)\b")
_HAS_LEFT = regex(r"\b(?:left|quit)\b")


def plans_a_job(text: str) -> bool:
    """Return whether a statement tells of a job that begins: until then the old one goes on."""
    said = text[:_LONGEST]
    return _PLANS_A_JOB.search(said) is not None and not (_BEGINS_TODAY.search(said) or _HAS_LEFT.search(said))


def told_once(values: Iterable[KnownValue]) -> list[KnownValue]:
    """Return values, given in order of time, with each that was told again while it held as one."""
    out: list[KnownValue] = []
    for value in values:
        alike = (
            n for n, one in enumerate(out) if (one.name, one.value.casefold()) == (value.name, value.value.casefold())
        )
        at = max(alike, default=-1)
        before = out[at] if at >= 0 else value
        goes_on = (
            before.until is None or value.since < before.until or (value.since, at) == (before.until, len(out) - 1)
        )
        if at < 0 or not goes_on:
            out.append(value)
            continue
        ends = (before.until, value.until)
        out[at] = replace(
            value if before.until is not None else before,
            since=before.since,
            until=None if None in ends else max(filter(None, ends)),
            page_ids=tuple(dict.fromkeys((*before.page_ids, *value.page_ids))),
        )
    return out


def when_told(newest: Fact, values: Sequence[str], former: Sequence[Fact]) -> str:
    """Return when the values of a line began, or were said: "since March 2026" where the statement tells it."""
    day = day_in_words(newest.valid_from)
    if len(values) > 1:
        return f"newest {day}"
    if values and (coming := begins(newest, values[0])) is not None:
        return f"from {coming[1]}"
    start = began(newest, values[0]) if values else None
    if start is not None and all(fact.valid_from < start[0] for fact in former):
        return f"since {start[1]}"
    return f"{'since' if former else 'said'} {day}"  # only a change tells when it began


def with_begins(values: Sequence[KnownValue], facts: Iterable[Fact]) -> list[KnownValue]:
    """Return values, given in order of time, with since when they hold where their statements tell a day before that.

    The order stays that in which they were said: no value begins before the one that it replaced was said.
    """
    out: list[KnownValue] = []
    by_id = {fact.id: fact for fact in facts}
    for value in values:
        fact = by_id[value.fact_id]
        start = began(fact, value.value) or begins(fact, value.value) if value.since == fact.valid_from else None
        before = [n for n, one in enumerate(out) if one.name == value.name and one.until == value.since]
        if start is not None and all(one.since < start[0] for one in out if one.name == value.name):
            for n in before:
                out[n] = replace(out[n], until=start[0])
            value = replace(value, since=start[0])
        out.append(value)
    return out
