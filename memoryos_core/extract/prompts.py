"""Remembered text in a prompt: numbered, delimited data that cannot leave its delimiter."""

from __future__ import annotations

from collections.abc import Sequence

from memoryos_core.rules.ranking.rendering import escape
from memoryos_core.values.dialogue import HALVES, Half, Page

# Endless reasoning must end somewhere; well above the longest answer a batch needs, thinking aloud included.
ANSWER_TOKENS = 4096


def quote_line(text: str, chars: int) -> str:
    """One line of at most `chars` characters in which our tags and line-led page numbers cannot be forged."""
    return escape(clip(" ".join(text[: chars * 4].split()), chars))


def section(tag: str, lines: Sequence[str]) -> str:
    """Lines between an opening and a closing tag; "" when there is nothing to show."""
    return "\n".join((f"<{tag}>", *lines, f"</{tag}>")) if lines else ""


def page_lines(page: Page, user_chars: int, assistant_chars: int) -> list[str]:
    """Return the shortened text of each half of a page, one line a half."""
    limits = {"user": user_chars, "assistant": assistant_chars}
    lines: list[str] = []
    for half in HALVES:
        text = quote_line(words_of_half(page, half), limits[half])
        if text:
            lines.append(f"{half}: {text}")
    return lines


def numbered_lines(pages: Sequence[Page], user_chars: int, assistant_chars: int) -> list[str]:
    """The pages as lines, numbered from 1; a date stands where it differs from the page before."""
    lines: list[str] = []
    shown = ""
    for number, page in enumerate(pages, start=1):
        date = f"{page.timestamp:%Y-%m-%d}"
        lines.append(f"[{number}] {date}" if date != shown else f"[{number}]")
        lines.extend(page_lines(page, user_chars, assistant_chars))
        shown = date
    return lines


# The first lines of a pasted megabyte show its topic; analysing the rest would only cost time.
READ_CHARS = 4000


def words_of_half(page: Page, half: Half) -> str:
    """One half's own words, joined by newlines, at most READ_CHARS of them."""
    spoken = ("user", "assistant")
    texts = (m.text[:READ_CHARS] for m in page.messages if m.half == half and m.role in spoken)
    return "\n".join(text for text in texts if text.strip())[:READ_CHARS]


def dialogue(page: Page) -> str:
    """Both halves in order, for statistics over words."""
    return "\n".join(filter(None, (words_of_half(page, half) for half in HALVES)))


def clip(text: str, chars: int) -> str:
    """At most `chars` characters and an ellipsis, cut between words where there is a space to cut at."""
    if len(text) <= chars:
        return text
    head = text[:chars]
    space = head.rfind(" ")
    return (head[:space] if space > chars // 2 else head).rstrip() + "…"
