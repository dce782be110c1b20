"""The one time that a statement names, with the month names of more languages than `rules.dates` reads."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from memoryos_core.rules.dates.calendar import MONTH_NAMES
from memoryos_core.rules.dates.spans import find_dates

_MONTHS: dict[str, str] = {
    "de": "januar|jänner februar märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
}
_DAYS: dict[str, tuple[str, str, str]] = {
    "de": ("gestern", "heute", r"(?<!heute )(?<!jeden )morgen(?! früh)"),
    "fr": ("hier", "aujourd'hui", "demain"),
    "es": ("ayer", "hoy", "(?<!la )mañana"),
    "pt": ("ontem", "hoje", "amanhã"),
    "it": ("ieri", "oggi", "domani"),
    "nl": ("gisteren", "vandaag", "morgen"),
}
_ENGLISH_DAYS = ("yesterday", "today", "tomorrow")
_ENGLISH = {
    language: {name: MONTH_NAMES[n] for n, names in enumerate(text.split()) for name in names.split("|")}
    for language, text in _MONTHS.items()
}
_DATE = {
    language: re.compile(
        rf"(?:(?<!\w)(\d{{1,2}})(?:\.|er|º|°)?\s(?:de\s)?)?(?<!\w)({'|'.join(names)})(?!\w)(?:\s(?:de\s|del\s)?(\d{{4}})(?!\d))?",
        re.IGNORECASE,
    )
    for language, names in _ENGLISH.items()
}
_HALF_A_YEAR = timedelta(days=182)
_DONE = re.compile(r"\b(?:i|we|since|ago|last|until now|so far|was|were|(?:19|20)\d\d)\b", re.IGNORECASE)
_PAST = re.compile(r"\b(?:since|ago|last|until now|so far)\b", re.IGNORECASE)


def _in_english(text: str, language: str) -> str:
    names = _ENGLISH[language]

    def translate(found: re.Match[str]) -> str:
        day, month, year = found.groups()
        return " ".join(filter(None, (day, names[month.lower()], year)))

    english = _DATE[language].sub(translate, text)
    for word, pattern in zip(_ENGLISH_DAYS, _DAYS[language], strict=True):
        english = re.sub(rf"(?<!\w){pattern}(?!\w)", word, english, flags=re.IGNORECASE)
    return english


def time_of(text: str, now: datetime, language: str, *, ahead: bool) -> datetime | None:
    """Return the time that the text names, if it names exactly one.

    `ahead`: the statement is not about the past, so "on 12 July" is the coming one.
    """
    english = _in_english(text, language) if language in _MONTHS else text
    if ahead and not _PAST.search(english):
        # The sign of what is to come for `find_dates`; twice, since a "Dr." between looks like the end of a sentence.
        english = f"will {english.rstrip('.!')} will"
    spans = find_dates(english, now)
    if len(spans) != 1:
        return None
    if not ahead and now - spans[0].start > _HALF_A_YEAR and not _DONE.search(english):
        # "The hotel double-booked the 16th of August": the nearer one, unless somebody tells what they did themselves.
        coming = find_dates(f"will {english.rstrip('.!')} will", now)
        if len(coming) == 1 and coming[0].start - now < _HALF_A_YEAR:
            return coming[0].start
    return spans[0].start
