"""When a fact held, and when what it tells comes next."""

from __future__ import annotations

import re
from datetime import datetime

from memoryos_core.values.facts import Fact

_EVERY_YEAR = re.compile(r"\b(?:birthday|anniversary|every year|each year|yearly|annually)\b", re.IGNORECASE)
_STANDING = frozenset(("current", "superseded", "retired"))


def held_at(fact: Fact, moment: datetime) -> bool:
    """Return whether a fact held at a moment, as far as was said by then or later."""
    if fact.status not in _STANDING or fact.valid_from > moment:
        return False
    return fact.valid_until is None or fact.valid_until > moment


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
    if not _EVERY_YEAR.search(fact.text):
        return None
    for year in (now.year, now.year + 1):
        on = 28 if (when.month, when.day) == (2, 29) else when.day
        again = when.replace(year=year, day=on)
        if again >= today:
            return again
    return None
