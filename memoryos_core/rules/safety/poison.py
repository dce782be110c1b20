"""Text that gives orders to the reader of the memory: found by its wording, in seven languages.

Labels: "instruction" (wants to steer the reader), "self_replicating" (wants to be kept or repeated), "exfiltration"
(wants data sent away). A net with holes, not a wall: what holds is that recalled text is quoted as data (ADR 0017).
What a tool or a document says is read more strictly than speech: of a user "always answer in French" is a wish.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from memoryos_core.rules.safety.access import of_message
from memoryos_core.rules.safety.poison_patterns import Pattern, patterns
from memoryos_core.values.dialogue import Half, Message, Page
from memoryos_core.values.facts import Trust

__all__ = ["labels", "labels_of", "of_page", "spoken_labels", "withheld", "without_labelled"]

# Steps read the first 4,000 characters of a message. Text far behind is only recalled, as a quotation.
_READ_CHARS = 20_000
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f\u00ad\u034f\u061c\u115f\u1160\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069"
    "\ufe00-\ufe0f\ufeff]|[\U000e0000-\U000e01ef]"
)
# Letters of other scripts that look like Latin ones.
_TWINS = str.maketrans(
    "аеорсухіјѕӏԁԛԝɡαοιυνρτκΑΒΕΗΙΚΜΝΟΡΤΧАВЕКМНОРСТХІЅЈ", "aeopcyxijsldqwgaoiuvptkABEHIKMNOPTXABEKMHOPCTXISJ"
)
_EMPHASIS = str.maketrans("", "", "*_`~")
_LATIN = re.compile("[A-Za-z]")
_CYRILLIC_I = "\u0456"


def labels(text: str, trust: Trust = "user") -> tuple[str, ...]:
    """Return the warning labels of a text from such a source, sorted; mostly none."""
    strict = trust in ("tool", "document")
    looked_for = [p for p in patterns() if strict or not p.strict]
    return tuple(sorted({label for form in _plain(text[:_READ_CHARS]) for label in _matching_labels(form, looked_for)}))


def labels_of(messages: Iterable[Message]) -> tuple[str, ...]:
    """Return the warning labels of some messages, tool results included; a speaker's name counts as text."""
    return tuple(sorted({label for message in messages for label in _of_message(message)}))


def of_page(page: Page) -> tuple[str, ...]:
    """Return the warning labels of a page: those stored with it, and those found now by newer patterns."""
    return tuple(sorted({*page.labels, *labels_of(page.messages)}))


def spoken_labels(page: Page, half: Half) -> tuple[str, ...]:
    """Return the warning labels of one half's own words."""
    return labels_of(m for m in page.messages if m.half == half and m.role in ("user", "assistant"))


def withheld(page: Page) -> tuple[Message, ...]:
    """The suspicious messages among those that would be learnt from."""
    return tuple(m for m in page.messages if m.role in ("user", "assistant") and _of_message(m))


def without_labelled(page: Page) -> Page:
    """The page as it is learnt from: without the suspicious messages, whole, for the rest of them may go with it."""
    taken = withheld(page)
    return replace(page, messages=tuple(m for m in page.messages if m not in taken)) if taken else page


def _of_message(message: Message) -> tuple[str, ...]:
    said = f"{message.name}\n{message.text}" if message.name else message.text
    return _cached_labels(said[:_READ_CHARS], of_message(message))


@lru_cache(maxsize=512)  # a message is looked at when it comes in, when it is filed and when it is learnt from
def _cached_labels(text: str, trust: Trust) -> tuple[str, ...]:
    return labels(text, trust)


def _matching_labels(marked: str, looked_for: Iterable[Pattern]) -> set[str]:
    told = " ".join(marked.translate(_EMPHASIS).split())
    return {p.label for p in looked_for if _matches(p, marked, told)}


def _matches(pattern: Pattern, marked: str, told: str) -> bool:
    text = marked if pattern.markup else told
    return any(word in text for word in pattern.words) and pattern.regex.search(text) is not None


def _plain(text: str) -> tuple[str, ...]:
    """Return the text in lower case, without disguises: full-width forms, invisible characters, look-alike letters.

    What is invisible may stand within a word or instead of a space: then there are two readings.
    """
    if text.isascii() and not _INVISIBLE.search(text):
        return (text.lower(),)
    text = unicodedata.normalize("NFKC", text)
    return tuple(_latin(form) for form in dict.fromkeys(_INVISIBLE.sub(gap, text) for gap in ("", " ")))


def _latin(text: str) -> str:
    twins = _LATIN.search(text) or _CYRILLIC_I in text
    return (text.translate(_TWINS) if twins else text).lower()
