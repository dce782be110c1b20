"""What was said on a page, without labels: names would otherwise become every topic's first keyword."""

from __future__ import annotations

from memoryos_core.models import HALVES, Half, Page

# A pasted megabyte says what it is about in its first lines; analysing the rest would only cost time.
READ_CHARS = 4000


def said(page: Page, half: Half) -> str:
    """One half's own words, joined by newlines, at most READ_CHARS of them."""
    spoken = ("user", "assistant")
    texts = (m.text[:READ_CHARS] for m in page.messages if m.half == half and m.role in spoken)
    return "\n".join(text for text in texts if text.strip())[:READ_CHARS]


def dialogue(page: Page) -> str:
    """Both halves in order, for statistics over words."""
    return "\n".join(filter(None, (said(page, half) for half in HALVES)))


def clip(text: str, chars: int) -> str:
    """At most `chars` characters and an ellipsis, cut between words where there is a space to cut at."""
    if len(text) <= chars:
        return text
    head = text[:chars]
    space = head.rfind(" ")
    return (head[:space] if space > chars // 2 else head).rstrip() + "…"
