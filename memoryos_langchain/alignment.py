"""The part of a conversation, handed in again under new ids, that a session holds already."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from memoryos_core import Message

# The marks that replace redacted words: "[REDACTED_EMAIL]", "<PERSON>", "****-1234", "a@***.com".
# Not the markers of media.
_MARK = re.compile(r"\[(?!(?:image|audio|video|document)\])[^\[\]\s]+\]|<[^<>\s]+>|\*\*|\*\.|[•█]{2}")
# Of all redacted things only names may look like any other word.
_OF_A_NAME = re.compile("name|person|loc|place|addr|org|city", re.IGNORECASE)
# What a client leaves in place of a whole text: "[shortened]", "<omitted to save room>".
_ALONE = re.compile(r"\[[^\[\]]*\]|<[^<>]*>|\([^()]*\)|[.…]+")
# The most words that one mark stands for: a number of a card or a telephone in groups, an address.
_MOST_WORDS = 6


def known_beginning(given: Sequence[Message], stored: Sequence[Message]) -> tuple[int, list[str]]:
    """Return how many of the given messages are stored already, and their stored ids.

    An agent without a checkpointer is handed its conversation anew with every run: all of it, or its last turns. So
    what it begins with is looked for anywhere in what is stored, and goes as far as both are the same. Questions and
    final answers are compared, for clients leave out the calls of tools between. Answers are often alike, so a
    question is known by itself only: by its id, by its words, or as that of which the stored one is a redaction.
    """
    places = [place for place, message in enumerate(given) if _is_line(message)]
    lines = [given[place] for place in places]
    known = [message for message in stored if _is_line(message)]
    begun = [_alike(lines, known[start : start + len(lines)]) for start in range(len(known))]
    length = max(begun, default=0)
    if not length:
        return 0, []
    start = len(begun) - 1 - begun[::-1].index(length)  # of several places the last
    return places[length - 1] + 1, [m.id for m in known[start : start + length] if m.id]


def known_end(given: Sequence[Message], stored: Sequence[Message]) -> list[str]:
    """Return the stored ids of messages that lead up to the end of what is stored; none where they do not.

    Their ids tell nothing: some hosts number the messages of each request anew. They also keep a greeting in front,
    leave out what stands between, or answers, and shorten long texts. So each message is to be stored, in this order,
    and the last question among them is the last one that is stored.
    """
    known, ids, asked = [message for message in stored if _is_line(message)], list[str](), False
    for line in filter(_is_line, reversed(given)):
        while known and not _says_the_same(line, known[-1]):
            if known.pop().role == "user" and not asked:
                return []
        if not known:
            return []
        ids.append(known.pop().id or "")
        asked = asked or line.role == "user"
    return [i for i in reversed(ids) if i] if asked else []


def _says_the_same(line: Message, other: Message) -> bool:
    text, stored = _fold_blanks(line.text), _fold_blanks(other.text)
    same = text == stored or is_shortened(text, stored) or (line.role == "user" and is_redacted(text, stored))
    return line.role == other.role and same


def is_shortened(text: str, stored: str) -> bool:
    """Return whether a text stands for a longer one: its beginning and an ellipsis, or a mark alone."""
    begun = text.rstrip(" .…")
    cut = text.endswith(("…", "...")) and stored.startswith(begun)
    return len(text) < len(stored) and (cut or _ALONE.fullmatch(text.strip()) is not None)


def _is_line(message: Message) -> bool:
    return message.role == "user" or (message.role == "assistant" and not message.calls and bool(message.text))


def _alike(lines: Sequence[Message], known: Sequence[Message]) -> int:
    """How many lines are alike from the first on; 0 when all that is alike are redactions."""
    pairs = list(takewhile(lambda pair: _is_same(*pair), zip(lines, known, strict=False)))
    sure = any(line.id == other.id or _fold_blanks(line.text) == _fold_blanks(other.text) for line, other in pairs)
    return len(pairs) if sure else 0


def _is_same(line: Message, other: Message) -> bool:
    if line.role != other.role:
        return False
    if line.id == other.id or _fold_blanks(line.text) == _fold_blanks(other.text):
        return True
    return line.role == "user" and is_redacted(line.text, other.text)


def is_redacted(text: str, redacted: str) -> bool:
    """Return whether a text is the other one with some words replaced by marks."""
    said, left = text.split(), redacted.split()
    marks = sum(map(_is_mark, left))
    if not marks:
        return False
    reached = {0}
    for word in left:
        if _is_mark(word):
            alone = marks == len(left)
            ends = ((at, end) for at in reached for end in range(at + 1, min(at + _MOST_WORDS, len(said)) + 1))
            reached = {end for at, end in ends if _may_be(" ".join(said[at:end]), word, alone=alone)}
        else:
            reached = {at + 1 for at in reached if at < len(said) and said[at] == word}
    return len(said) in reached


def _is_mark(word: str) -> bool:
    return _MARK.search(word) is not None


def _may_be(words: str, mark: str, *, alone: bool) -> bool:
    """Return whether these words may have been redacted: ordinary words in small letters seldom are."""
    if any(c.isdigit() or c in "@:/" for c in words):
        return True
    return not alone and (bool(_OF_A_NAME.search(mark)) or any(c.isalpha() and not c.islower() for c in words))


def _fold_blanks(text: str) -> str:
    """Return a text without what a client that shows it may change: blanks and line breaks."""
    return " ".join(text.split())
