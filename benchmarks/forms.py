"""Errors for files of another form than the expected one. They tell fields and counts, and quote no text."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any

_FIELD = re.compile(r"[a-z][a-z0-9_]{0,40}")  # a field's name; a key of another kind may be a person's name
_MOST_FIELDS = 12
_LARGEST = 64 * 2**20  # a larger file is not read again to describe it


class FormError(ValueError):
    """A file or folder does not have the form in which the authors of the dataset publish it."""


def describe(path: Path) -> str:
    """Return the form of a file or folder in words: kinds, counts and names of fields."""
    if path.is_dir():
        kinds = Counter("folder" if sub.is_dir() else sub.suffix or "file without a suffix" for sub in path.iterdir())
        return "a folder with " + (", ".join(f"{n} × {kind}" for kind, n in sorted(kinds.items())) or "nothing in it")
    if path.stat().st_size > _LARGEST:
        return f"a file of {path.stat().st_size / 2**20:.0f} MB"
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".csv":
        return f"a table with the columns {_names(next(csv.reader(text.splitlines()), []))}"
    try:
        return f"JSON, {shape(json.loads(text))}"
    except ValueError:
        pass
    lines = text.splitlines()
    try:
        return f"JSON Lines, {len(lines)} × {shape(json.loads(lines[0]))}"
    except (IndexError, ValueError):
        return f"{len(text)} characters that are not JSON"


def shape(value: Any) -> str:  # noqa: ANN401 (JSON)
    """Return what a JSON value is: a list of how many, an object with which fields."""
    if isinstance(value, list):
        items: list[Any] = value
        return f"a list of {len(items)}, the first {shape(items[0])}" if items else "an empty list"
    if isinstance(value, dict):
        fields: dict[str, Any] = value
        return f"an object with the fields {_names(list(fields))}"
    if isinstance(value, str):
        return "a text"
    return "null" if value is None else "true or false" if isinstance(value, bool) else "a number"


def _names(keys: Collection[object]) -> str:
    plain = [str(key) for key in keys if _FIELD.fullmatch(str(key))]
    shown, others = plain[:_MOST_FIELDS], len(keys) - len(plain[:_MOST_FIELDS])
    return ", ".join([*shown, *([f"{others} others"] if others else [])]) or "none"


def tell_cause(error: Exception) -> str:
    """Return what a reader stumbled over. A message of Python's own may quote the file, so that its kind must do."""
    if isinstance(error, FormError):
        return str(error)
    if isinstance(error, KeyError) and error.args and _FIELD.fullmatch(str(error.args[0])):
        return f"{error.args[0]!r} is missing"
    return type(error).__name__
