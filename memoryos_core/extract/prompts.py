"""Remembered text in a prompt: numbered, delimited data that cannot leave its delimiter.

The rough language of a text: enough to choose a stop list, never shown to anyone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoryos_core.rules.ranking.rendering import escape
from memoryos_core.rules.text.words import words
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


_SAMPLE_CHARS = 2000
_KANA = re.compile("[\u3040-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")

_MARKERS: dict[str, frozenset[str]] = {
    code: frozenset(marks.split())
    for code, marks in {
        "en": "the and is are was to of it that you i my for with have this what not be do a an as at me no in",
        "de": "der die das und ist nicht ich mit ein eine für auf zu den wir sie mein hat habe auch",
        "fr": "le la les et est je un une des pas pour dans que avec mon ma nous vous suis j",
        "es": "el la los las y es que un una por para con mi en yo soy estoy pero muy del",
        "pt": "o os e é que um uma não com para eu meu minha em da na estou muito",
        "it": "il la gli e è che un una non con per di io mio mia sono ho del della molto nel",
        "nl": "de het een en is niet ik met voor van op mijn dat zijn heb ook wij naar",
    }.items()
}


def has_no_spaces(language: str) -> bool:
    """Return whether the language is written without spaces between words: Chinese and Japanese, not Korean."""
    return language in ("zh", "ja")


def guess(text: str) -> str:
    """The two-letter code of the likeliest language; "en" when nothing speaks for another."""
    sample = text[:_SAMPLE_CHARS]
    letters = sum(c.isalpha() for c in sample) or 1
    for code, script in (("ja", _KANA), ("ko", _HANGUL), ("zh", _HAN), ("ru", _CYRILLIC)):
        if len(script.findall(sample)) > letters * (0.1 if code == "ja" else 0.3):
            return code
    found = words(sample)
    return max(_MARKERS, key=lambda code: sum(word in _MARKERS[code] for word in found))
