"""Passages: the parts of a page that are searched and quoted, a message each; of a long one, windows of sentences.

People send bursts, and assistants long replies. A whole half of a page hides in its length the sentence that answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memoryos_core.rules.text.words import sentences, terms
from memoryos_core.values.dialogue import HALVES, Half, Message, Page

_BITS = 10
MOST_PASSAGES = 1 << _BITS
"""The most passages of one half of a page; a page of the longest kind (`LONGEST_PAGE`) has fewer."""
SEQ_SHIFT = _BITS + 1
"""A passage's number in its scope, shifted right by so many bits, is the seq of its page."""

# In bytes, which are some four a token in every script: about 80 tokens, of which the last sentence comes again.
_WINDOW = 320
# A message is split when it is longer than a window by half, and a pasted book into so many windows at most.
_MOST_WINDOWS = 400


@dataclass(frozen=True, slots=True)
class Passage:
    """A message, or a window of one: its half of the page, its place there, and its words verbatim.

    `at` is the place of the message in its page; the passage that `opens` it stands for all of it by its vector.
    """

    half: Half
    number: int
    message: Message
    at: int
    text: str
    opens: bool

    @property
    def part(self) -> str:
        """The name of the passage within its page: "user", then "user.1", "user.2" and so on."""
        return part_name(self.half, self.number)

    @property
    def named_text(self) -> str:
        """The words with the name of the speaker, as they are searched.

        Vectors are made without it, since a name makes all that its speaker says alike.
        """
        return f"{self.message.name}: {self.text}" if self.message.name else self.text


def part_name(half: str, number: int) -> str:
    """Return the name of a passage within its page; the first of a half is named like the half."""
    return f"{half}.{number}" if number else half


def half_of(part: str) -> str:
    """Return the half that a passage belongs to, by its name."""
    return part.partition(".")[0]


def passage_number(seq: int, part: str) -> int:
    """Return the number of a passage among those of all pages: it ascends as they were said."""
    half, _, number = part.partition(".")
    return ((2 * seq + (half == "assistant")) << _BITS) + int(number or 0)


PARTS: frozenset[str] = frozenset(part_name(half, number) for half in HALVES for number in range(MOST_PASSAGES))
"""The names of all passages."""


def passages(page: Page) -> tuple[Passage, ...]:
    """Return what is spoken in a page in passages, the user's before the assistant's; no tool traffic, no prompts."""
    return tuple(passage for half in HALVES for passage in _of_half(page, half))


def passage_saying(said: Iterable[Passage], half: Half, statement: str) -> Passage | None:
    """Return the passage of a half that says a statement, verbatim or else with most of its words; None without any."""
    stated = set(terms(statement))

    def nearness(passage: Passage) -> tuple[bool, int, int]:
        return statement in passage.text, len(stated & set(terms(passage.named_text))), -passage.number

    return max((passage for passage in said if passage.half == half), key=nearness, default=None)


def _of_half(page: Page, half: Half) -> Iterator[Passage]:
    said = ((at, m) for at, m in enumerate(page.messages) if m.half == half and m.role in ("user", "assistant"))
    number = 0
    for at, message in said:
        if not message.text.strip():
            continue
        for place, text in enumerate(_windows(message.text)):
            if number == MOST_PASSAGES:
                return
            yield Passage(half, number, message, at, text, opens=place == 0)
            number += 1


def _windows(text: str) -> Iterator[str]:
    """The whole text, or windows of whole sentences, each of which begins with the last sentence of the one before."""
    length = _size(text)
    if 2 * length <= 3 * _WINDOW:
        yield text
        return
    most = max(_WINDOW, length // _MOST_WINDOWS)
    window: list[str] = []
    used = 0
    for sentence in sentences(text):
        size = _size(sentence)
        if window and used + size > most:
            yield " ".join(window)
            window, used = ([window[-1]], _size(window[-1])) if _size(window[-1]) + size <= most else ([], 0)
        window.append(sentence)
        used += size
    yield " ".join(window)


def _size(text: str) -> int:
    return len(text.encode(errors="replace"))
