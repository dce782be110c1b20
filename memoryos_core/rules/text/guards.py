"""Patterns that are tried on few texts: where one of their marks stands, or at the beginning alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, cast

from memoryos_core.rules.text.words import regex

__all__ = ["at_start", "with_marks"]

_By: TypeAlias = "str | Callable[[re.Match[str]], str]"


class _WithMarks:
    """Stands for a pattern; its methods look for a mark first, which most texts do not have."""

    def __init__(self, full: re.Pattern[str], marks: tuple[str, ...]) -> None:
        self.full, self._marks = full, marks

    def _may_find(self, text: str) -> bool:
        if not text.isascii():  # other letters may fall together with those of a mark
            return True
        lowered = text.lower()
        for mark in self._marks:  # noqa: SIM110 - a generator takes three times as long
            if mark in lowered:
                return True
        return False

    def search(self, text: str) -> re.Match[str] | None:
        return self.full.search(text) if self._may_find(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self.full.finditer(text) if self._may_find(text) else iter(())

    def sub(self, by: _By, text: str) -> str:
        return self.full.sub(by, text) if self._may_find(text) else text

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a pattern has
        found = getattr(self.full, name)
        setattr(self, name, found)  # so that the next look-up does not come here
        return found


def with_marks(marks: str, text: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Return a pattern that finds nothing where none of its marks stands: words in small letters, parted by "|"."""
    return cast("re.Pattern[str]", _WithMarks(regex(text, flags), tuple(marks.split("|"))))


class _AtStart:
    """Stands for a pattern that is found at the beginning of a text alone; others look for it at each character."""

    def __init__(self, full: re.Pattern[str]) -> None:
        self.full = full

    def search(self, text: str) -> re.Match[str] | None:
        return self.full.match(text)

    def sub(self, by: _By, text: str, count: int = 0) -> str:
        return text if self.full.match(text) is None else self.full.sub(by, text, count)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a pattern has
        found = getattr(self.full, name)
        setattr(self, name, found)  # so that the next look-up does not come here
        return found


def at_start(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern of which each alternative begins with "^"."""
    return cast("re.Pattern[str]", _AtStart(regex(text, flags)))
