"""Comparison of texts in `benchmarks.knowledge`: word stems, values in a text, and the lines that mark a value as over.

Stems, not meanings, are compared: two texts that say the same in other words share few of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Protocol, cast

import Stemmer

from benchmarks.asking import squashed

_WORD = re.compile(r"[a-z0-9]+")
# Words that carry no content. The pieces of contractions are among them ("I've" is read as "i" and "ve").
STOP_WORDS = frozenset(
    word
    for kind in (
        "a an the this that these those here there",
        "i me my mine we our ours you your yours he his she her hers it its they their theirs",
        "am is are was were be been being do does did have has had",
        "can could may might must should will would",
        "who whom what which when where why how",
        "and or but if then than so as not no",
        "of in on at to from into with for by about over under up down out off",
        "all any some such same other own more most only just very really too also",
        "s t d m re ve ll",
        "user",
    )
    for word in kind.split()
)


class _Snowball(Protocol):
    """The part of PyStemmer used here; the package ships no types."""

    def stemWord(self, word: str) -> str: ...  # noqa: N802 - PyStemmer names it


@lru_cache(maxsize=1)
def _stemmer() -> _Snowball:
    return cast("_Snowball", Stemmer.Stemmer("english"))  # pyright: ignore[reportUnknownMemberType]


def stems(text: str) -> frozenset[str]:
    """Return the Snowball stems of the content words of a text."""
    stem = _stemmer().stemWord
    return frozenset(stem(word) for word in _WORD.findall(text.lower()) if word not in STOP_WORDS)


def position(text: str, values: Iterable[str]) -> int | None:
    """Return where the first of the values begins in a squashed text; None when the text has none of them.

    A value counts as whole words only: "port" does not stand in "in porto".
    """
    found = (re.search(rf"(?<!\w){re.escape(squashed(value))}(?!\w)", text) for value in values)
    return min((match.start() for match in found if match), default=None)


# These say by themselves that a value is over.
_PLAIN = ("superseded", "no longer current", "no longer true", "out of date", "outdated")
# These may also tell a story ("I lived there before"), so that they count only in a label, a bracket or a heading.
_LABELS = (*_PLAIN, "replaced", "formerly", "previously", "before", "until then", "earlier", "old")
_ANY_LABEL = "|".join(_LABELS)
_LABEL_REACH = 20  # characters from a label's word to its colon
_OVER = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:{'|'.join(_PLAIN)})\b",
        rf"\b(?:{_ANY_LABEL})\b[^:;.]{{0,{_LABEL_REACH}}}:",
        rf"[(\[][^)\]]*\b(?:{_ANY_LABEL}|until|till)\b[^)\]]*[)\]]",
    )
)
_HEADING = re.compile(rf"\W*(?:{_ANY_LABEL})\b[^:]*:\W*", re.IGNORECASE)


def is_marked(text: str, values: Iterable[str]) -> bool:
    """Return whether a text has one of the values, and each line with one says that it is over.

    A line says so by a word, a label, a bracket, or the heading that it stands under.
    """
    wanted, lines, under_heading = tuple(values), 0, False
    for line in map(str.strip, text.splitlines()):
        if line.endswith(":"):
            under_heading = _HEADING.fullmatch(line) is not None
            continue
        if position(squashed(line), wanted) is None:
            continue
        if not (under_heading or any(pattern.search(line) for pattern in _OVER)):
            return False
        lines += 1
    return lines > 0
