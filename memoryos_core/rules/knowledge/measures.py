"""The kinds of values that a text holds (dates, times, amounts), and what its numbers count."""

from __future__ import annotations

import re
from functools import lru_cache

from memoryos_core.rules.knowledge.domains import LONGEST, MONTH
from memoryos_core.rules.text.words import regex, terms

__all__ = ["counts_others", "kinds_of", "measures_of", "without_values"]

_NUMBER_WORD = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight"
_KINDS = tuple(
    (kind, regex(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("date", rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{MONTH})\b|\b(?:{MONTH})\.? \d{{1,2}}(?:st|nd|rd|th)?\b"
            rf"|\b\d{{4}}-\d\d-\d\d\b"
         r"|\b(?:on )?(?:the )?\d{1,2}(?:st|nd|rd|th)\b(?! (?:birthday|anniversary|century|grade|floor))"
         r"|\b\d{1,2}/\d{1,2}(?:/\d{2,4})?\b"
         r"|\b(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?:\d{2,4})?(?!\d)|\bin (?:" + MONTH + r")\b"),
        ("weekday", r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\bend of the week\b|\bweekends?\b"),
        ("time", rf"\b\d{{1,2}}(?::\d\d)? ?(?:am|pm|a\.m\.|p\.m\.|o'clock)\b|\b\d{{1,2}}:\d\d\b|\b(?:half|quarter)"
            rf" (?:past|to) (?:\d+|{_NUMBER_WORD})\b"
         rf"|\bat (?:{_NUMBER_WORD})\b(?! (?:years|weeks|months))|\bnoon\b|\bmidnight\b"),
        ("money", r"[$€£¥] ?\d[\d.,]{0,20}|\b\d[\d.,]{0,20} ?(?:euros?|dollars?|pounds?|eur|usd|gbp|francs?)\b"),
        ("percent", r"\b\d[\d.,]{0,20} ?(?:%|percent|per cent)"),
        ("email", r"\S@[^\s@]{1,100}\.\S"),
        ("number", r"\b\d[\d.,]*"),
    )
)  # fmt: skip


@lru_cache(maxsize=16_384)
def kinds_of(text: str) -> frozenset[str]:
    """Return the kinds of values that a text holds: a date, a weekday, a time, money, a percentage or a number."""
    found = {kind for kind, pattern in _KINDS if pattern.search(text[:LONGEST])}
    if len(found) > 1:
        found.discard("number")
    return frozenset(found)


def without_values(text: str, kinds: frozenset[str] | None = None) -> str:
    """Return the text without its dates, times and numbers, or without the values of some kinds alone."""
    for kind, pattern in _KINDS:
        if kinds is None or kind in kinds:
            text = pattern.sub(" ", text)
    return text


_MEASURE = regex(
    r"(?<![\w.,/])(\d[\d.,]*"
    r"|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?= (?!of\b|day\b|more\b))) ?"
    r"(%|[a-z][a-z-]*(?:[ /][a-z-]+){0,3})",
    re.IGNORECASE,
)


_NUMBERS_TEXT = "one two three four five six seven eight nine ten eleven twelve"
_VERSION = regex(r"\bversions? \d|\bv\d|(?<=[A-Za-z]) \d+\.\d", re.IGNORECASE)
_SPANS = frozenset(terms("hour hr minute min day week month year"))
_MOMENTS = frozenset({"date", "weekday", "time"})  # numbers that count nothing: "on April 7 after work"
_DIGITS = {word: str(number) for number, word in enumerate(_NUMBERS_TEXT.split(), 1)}


@lru_cache(maxsize=16_384)
def measures_of(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the numbers of a text, each with the words of what it counts: ("15", {articl}), ("80", {%})."""
    return tuple(
        (
            _DIGITS.get(str(number).lower(), str(number).strip(".,")),
            frozenset(("%",)) if unit == "%" else frozenset(terms(unit)),
        )
        for number, unit in _MEASURE.findall(without_values(text, _MOMENTS))
    )


def counts_others(old: str, new: str) -> bool:
    """Return whether both texts hold numbers alone that count different things.

    One of them is a length of time or the version of a thing, and the other counts something else.
    """
    if kinds_of(old) | kinds_of(new) != frozenset(("number",)):
        return False
    if bool(_VERSION.search(old)) != bool(_VERSION.search(new)):
        return True
    before, after = ([not unit.isdisjoint(_SPANS) for _, unit in measures_of(text)] for text in (old, new))
    return bool(before) and bool(after) and (all(before) != any(after)) and (any(before) != all(after))
