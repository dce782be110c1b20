"""Times of the published code: texts, mostly without a zone."""

from __future__ import annotations

import re
from datetime import datetime, timezone

from memoryos_core.errors import InvalidInputError

FORMATS = "'2024-05-01 18:30:00', ISO 8601 such as '2024-05-01T18:30:00+02:00', or '6:30 pm on 1 May, 2024'"

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# Written out, because strptime reads month names and am/pm in the language of the process.
_SPOKEN = re.compile(
    r"(\d{1,2}):(\d{2})\s*([ap])\.?m\.?\s+on\s+(\d{1,2})\s+([a-z]{3})[a-z]*\.?,?\s+(\d{4})", re.IGNORECASE
)
_SLASHED = re.compile(r"(\d{4})/(\d{2})/(\d{2})")
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
