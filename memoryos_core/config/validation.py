"""Validation of configured numbers and names; each error says which values are allowed."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from datetime import date, time, timedelta
from numbers import Number
from pathlib import PurePath
from typing import cast

from memoryos_core.errors import ConfigError

_LONGEST_SHOWN = 80
_LARGEST = sys.float_info.max
_PLAIN = (str, bytes, Number, date, time, timedelta, PurePath, type)


def brief(value: object) -> str:
    """Return a value as an error shows it: its beginning; of a value that may hold remembered text, its type."""
    if not _is_plain(value):
        return f"<{type(value).__name__}>"
    try:
        shown = repr(value[:_LONGEST_SHOWN] if isinstance(value, (str, bytes)) else value)
    except ValueError:  # Python prints no integer of so many digits
        shown = "a number of thousands of digits"
    return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}…"


def _is_plain(value: object) -> bool:
    """Return whether a value is one that a caller writes down, or a collection of such."""
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(map(_is_plain, cast("Iterable[object]", value)))
    return value is None or isinstance(value, _PLAIN)


def require(ok: bool, name: str, value: object, allowed: str) -> None:  # noqa: FBT001 - a condition, not an option
    """Raise ConfigError unless the condition holds."""
    if not ok:
        raise ConfigError(f"{name}={brief(value)} is not allowed: it must be {allowed}")


def whole(name: str, value: object, least: int) -> None:
    """A whole number, `least` or more."""
    ok = isinstance(value, int) and not isinstance(value, bool) and value >= least
    require(ok, name, value, f"a whole number, {least} or more")


def number(name: str, value: object, least: float, most: float = math.inf) -> None:
    """A finite number from `least` to `most`."""
    number = math.nan
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= _LARGEST:
        number = float(value)
    ok = math.isfinite(number) and least <= number <= most
    allowed = f"a number from {least:g} to {most:g}" if most < math.inf else f"a number, {least:g} or more"
    require(ok, name, value, allowed)


def one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """One of some names."""
    require(value in allowed, name, value, "one of " + ", ".join(map(repr, allowed)))


def flag(name: str, value: object) -> None:
    """True or False."""
    require(isinstance(value, bool), name, value, "True or False")
