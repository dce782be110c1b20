"""How the demo talks to a person: sections, aligned columns and wrapped text."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence

_NARROWEST = 60
_WIDEST = 110


def width() -> int:
    """Columns to use: the terminal's, within reason; 100 where there is no terminal."""
    return max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size((100, 24)).columns))


def say(text: str = "") -> None:
    """One line of output, at once, so that the order holds beside a progress bar."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def section(title: str) -> None:
    """A heading with air above it."""
    say()
    say(title)
    say("─" * min(width(), len(title)))


def wrap(text: str, *, indent: int = 0, first: str = "", lines: int | None = None) -> str:
    """Text folded to the width: `first` stands in the indent of the first line; at most `lines` lines."""
    margin = " " * indent
    folded = textwrap.wrap(
        " ".join(text.split()),
        width(),
        initial_indent=first.ljust(indent),
        subsequent_indent=margin,
        max_lines=lines,
        placeholder=" …",
    )
    return "\n".join(folded)


def table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), indent: int = 2) -> str:
    """Rows as aligned columns; those in `right` are flush right, and a line is cut at the width."""
    if not rows:
        return ""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines: list[str] = []
    for row in rows:
        cells = [c.rjust(widths[i]) if i in right else c.ljust(widths[i]) for i, c in enumerate(row)]
        line = " " * indent + "  ".join(cells).rstrip()
        lines.append(line if len(line) <= width() else line[: width() - 1] + "…")
    return "\n".join(lines)
