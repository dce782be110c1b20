"""Reads untrusted JSON files of the published code: every error names the file and the place in it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import cast

from memoryos_core.errors import InvalidInputError


@dataclass(frozen=True, slots=True)
class Node:
    """A value in a file, with its place. An absent or null value reads as empty, zero or False."""

    value: object
    file: Path
    place: str = ""

    def __getitem__(self, key: str) -> Node:
        """A field of an object; absent ones have the value None. Raises InvalidInputError when this is no object."""
        value = self._mapping().get(key)
        return Node(value, self.file, f"{self.place}.{key}" if self.place else key)

    def __iter__(self) -> Iterator[Node]:
        """The elements of a list. Raises InvalidInputError when this is no list."""
        if self.value is None:
            return
        found = self.value
        if not isinstance(found, list):
            raise self._unlike("a list")
        for number, element in enumerate(cast("Sequence[object]", found)):
            yield Node(element, self.file, f"{self.place}[{number}]")

    def entries(self) -> list[tuple[str, Node]]:
        """The fields of an object, in order."""
        return [(key, self[key]) for key in self._mapping()]

    def text(self) -> str:
        """A text, verbatim."""
        if self.value is None:
            return ""
        if not isinstance(self.value, str):
            raise self._unlike("a text")
        return self.value

    def texts(self) -> tuple[str, ...]:
        """A list of texts."""
        return tuple(element.text() for element in self)

    def count(self) -> int:
        """A whole number, 0 or more."""
        if self.value is None:
            return 0
        number = self.value
        if isinstance(number, bool) or not isinstance(number, (int, float)) or not 0 <= number < math.inf:
            raise self._unlike("a number, 0 or more")
        return int(number)

    def flag(self) -> bool:
        """True or false."""
        return self.value is True

    def _mapping(self) -> Mapping[str, object]:
        if self.value is None:
            return {}
        found = self.value
        if not isinstance(found, dict):
            raise self._unlike("an object")
        return cast("Mapping[str, object]", found)

    def _unlike(self, expected: str) -> InvalidInputError:
        found = type(self.value).__name__
        where = f"{str(self.file)!r}{' at ' if self.place else ''}{self.place}"
        return InvalidInputError(
            f"{where} is not in the published shape: expected {expected}, got {found}; nothing was imported"
        )


def read_json(file: Path) -> Node:
    """Read a whole file; an absent one reads as empty.

    Raises:
        InvalidInputError: the file cannot be read, or is not (or only half of) a JSON document.
    """
    try:
        content = file.read_text("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        return Node(None, file)
    except OSError as error:
        raise InvalidInputError(f"{str(file)!r} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise InvalidInputError(f"{str(file)!r} is not UTF-8 text; repair it or move it away") from None
    try:
        return Node(json.loads(content), file)
    except (ValueError, RecursionError) as error:
        # The reason is a position or a token, never the text around it; the document itself hangs on the error.
        where = f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        raise InvalidInputError(
            f"{str(file)!r} is damaged or half-written{where}: nothing was imported; repair it or move it away"
        ) from None


def modification_time(file: Path) -> datetime:
    """Return the time of the last write to a file; the epoch when it is missing."""
    try:
        return datetime.fromtimestamp(file.stat().st_mtime, timezone.utc)
    except OSError:
        return datetime.fromtimestamp(0, timezone.utc)
