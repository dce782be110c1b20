"""Tokens without a vocabulary: the bytes of the text, by four."""

from __future__ import annotations


def estimate_tokens(text: str, /) -> int:
    """UTF-8 bytes divided by four, rounded up.

    Within a fifth of the real count for English prose, JSON and program text, and within about 11 % for Chinese and
    Japanese, where counting characters instead of bytes falls short three times.
    """
    # surrogatepass: half a surrogate pair in a text is counted as the three bytes it would take, never an error.
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)
