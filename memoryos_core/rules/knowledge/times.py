"""Tell when a fact holds, and whether what it tells happens ahead or lies behind."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from memoryos_core.rules.dates import find_dates
from memoryos_core.rules.text.words import matches, regex
from memoryos_core.values.facts import Fact

__all__ = ["held_at", "is_behind", "last_heir", "next_time", "once_held"]

_EVERY_YEAR = regex(
    r"\b(?:birthday|anniversary|every year|each year|yearly|annually|geburtstag|hochzeitstag|jahrestag|jedes jahr"
    r"|anniversaire|chaque année|tous les ans|cumpleaños|aniversario|cada año|todos los años)\b",
    re.IGNORECASE,
)
_STANDING = frozenset(("current", "superseded", "retired"))


def held_at(fact: Fact, moment: datetime) -> bool:
    """Return whether a fact held at a moment, as far as was said by then or later."""
    if fact.status not in _STANDING or fact.valid_from > moment:
        return False
    return fact.valid_until is None or fact.valid_until > moment


def last_heir(fact: Fact, by_id: dict[str, Fact]) -> Fact | None:
    """Return the fact that stands at the end of what replaced this one; None when nothing did."""
    seen: set[str] = set()
    heir = None
    while fact.superseded_by is not None and fact.superseded_by in by_id and fact.id not in seen:
        seen.add(fact.id)
        fact = heir = by_id[fact.superseded_by]
    return heir


def once_held(fact: Fact) -> bool:
    """Return whether a fact ever held: one that was corrected did not."""
    return (
        fact.valid_until is None
        or fact.valid_until > fact.valid_from
        or (fact.origin == "rules" and fact.status == "superseded")
    )


def next_time(fact: Fact, now: datetime) -> datetime | None:
    """Return when what a fact tells happens next, None when it does not: its event lies behind, or it has none.

    What comes back every year, such as a birthday, comes next on its day of this year or the next.
    """
    when = fact.event_time
    if when is None:
        return None
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if when >= today:
        return when
    if not matches(_EVERY_YEAR, fact.text):
        return None
    for year in (now.year, now.year + 1):
        on = 28 if (when.month, when.day) == (2, 29) else when.day
        again = when.replace(year=year, day=on)
        if again >= today:
            return again
    return None


def is_behind(fact: Fact, now: datetime) -> bool:
    """Return whether what a fact told as lying ahead has passed: the last day that it names is over."""
    when = fact.event_time
    if when is None or next_time(fact, now) is not None:
        return False
    # The year of a bare "12 January" is that of the event, so only the length of what is named counts.
    named = (span.end - span.start for span in find_dates(fact.text, when))
    last = when + max(named, default=timedelta(days=1))
    # A plan may be for a month that has begun; other statements name it as the beginning of what lasts.
    ahead = last if fact.kind == "plan" else when
    return fact.valid_from < ahead and last <= now
