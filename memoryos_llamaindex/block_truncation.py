"""What was recalled, made shorter when a prompt has no room for all of it."""

from __future__ import annotations

import re
from collections.abc import Callable

from memoryos_core.rules.packing import PAGES
from memoryos_core.rules.rendering import CLOSING, OPENING

_DATE = re.compile(r"\[[^\[\]]+\]")


def shortened(text: str, tokens: int, count: Callable[[str], int]) -> str | None:
    """The text without its least relevant lines, `tokens` fewer at least; None when nothing would be left.

    What was said longest ago goes first, for later statements are to be trusted over earlier ones; then what was
    found, the least fitting first; then what is known of the user. The notice and the delimiters stay.

    Args:
        text: as a block gives it; None for any other.
        tokens: how many to save; the text is returned as it is for none.
        count: the tokens of a text.
    """
    if tokens <= 0:
        return text
    lines = text.split("\n")
    if OPENING not in lines or lines[-1] != CLOSING:
        return None
    steps = _steps(lines, lines.index(OPENING) + 1)
    most = count(text) - tokens

    def after(dropped: int) -> str:
        gone = frozenset(i for step in steps[:dropped] for i in step)
        return "\n".join(line for i, line in enumerate(lines) if i not in gone)

    low, high = 1, len(steps)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if count(after(middle)) <= most else (middle + 1, high)
    # With the last step all is gone that is worth a prompt's room.
    return after(low) if low < len(steps) else None


def _steps(lines: list[str], start: int) -> list[list[int]]:
    """The numbers of the lines to leave out, step by step; a heading or a date goes with the last line under it."""
    end = len(lines) - 1
    said = lines.index(PAGES, start, end) if PAGES in lines[start:end] else end
    steps: list[list[int]] = []
    heads: list[int] = [said]
    for at in range(said + 1, end):
        if _DATE.fullmatch(lines[at]):
            heads.append(at)
            continue
        last = at + 1 == end or _DATE.fullmatch(lines[at + 1]) is not None
        over = at + 1 == end
        steps.append([at, *(heads if over else heads[1:] if last else [])])
        if last:
            heads = heads[:1]
    for at in range(said - 1, start - 1, -1):
        if lines[at].startswith("- ") or not steps:
            steps.append([at])
        else:
            steps[-1].append(at)
    return steps
