"""Text as a reader sees it, letter for letter: a character that looks like an ASCII sign becomes that sign.

For finding marks that are hidden by how they are written; a text itself is never replaced by what is made of it here.
"""

from __future__ import annotations

import unicodedata

__all__ = ["NOTHING", "fold_lookalikes"]

NOTHING = "\u200b"
"""Stands in what `seen` gives for a character that shows nothing."""

_BLANK = "\u115f\u1160\u2800\u3164\uffa0"  # letters and signs by their category, of which nothing is seen
_HIDDEN = ("Cc", "Cf", "Me", "Mn")
# Look-alikes from other scripts, which no Unicode normal form replaces.
_TWINS: dict[int, int] = str.maketrans("‹〈⟨〈《›〉⟩〉》∕⁄ǀ∣аеорсухіјѕԁτιο", "<<<<<>>>>>//||aeopcyxijsdtio")
_KEPT_BELOW = 0x10000


class _Seen(dict[int, str]):
    """The plain form of each character, worked out at its first use."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char in _BLANK or (unicodedata.category(char) in _HIDDEN and not char.isspace()):
            looks = NOTHING
        else:
            looks = unicodedata.normalize("NFKD", char)[0]  # "é", "ｅ" and "𝐞" are taken for "e"
        if code < _KEPT_BELOW:  # a bound for what is kept
            self[code] = looks
        return looks


_SEEN = _Seen({code: chr(looks) for code, looks in _TWINS.items()})


def fold_lookalikes(text: str) -> str:
    """Replace each character by the plain one that it looks like; length and places stay the same."""
    return text.translate(_SEEN)
