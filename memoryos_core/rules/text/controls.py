"""Text that is safe to show: without characters that a terminal or a browser would obey."""

from __future__ import annotations

from memoryos_core.rules.text.words import regex

# Escape sequences could rewrite the screen, and marks of direction could reorder what stands there.
_UNSAFE = regex("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """Return a text without control characters and marks of direction, which a terminal would obey."""
    return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)
