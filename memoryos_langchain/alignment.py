"""How much of a conversation that is handed in again, under new ids, a session holds already."""

from __future__ import annotations

from collections.abc import Sequence

from memoryos_core import Message


def known_beginning(given: Sequence[Message], stored: Sequence[Message]) -> tuple[int, list[str]]:
    """Return how many of the messages given are stored already, and the ids under which.

    An agent without a checkpointer is handed its conversation anew with every run: all of it, or its last turns. Those
    are found at the end of what is stored; where a client has changed something, as far as both begin alike. Questions
    and final answers are compared, for clients leave out the calls of tools between. Of a question it is enough that it
    is one, because what is stored may be redacted; but one text at least must be the same.
    """
    places = [place for place, message in enumerate(given) if _is_line(message)]
    lines = [given[place] for place in places]
    known = [message for message in stored if _is_line(message)]
    shorter = min(len(lines), len(known))
    for length in range(shorter, 0, -1):
        if _alike(lines[:length], known[-length:]) == length:
            return places[length - 1] + 1, _ids(known[-length:])
    length = _alike(lines[:shorter], known[:shorter])
    while length and _folded(lines[length - 1].text) != _folded(known[length - 1].text):
        length -= 1
    return places[length - 1] + 1 if length else 0, _ids(known[:length])


def _is_line(message: Message) -> bool:
    return message.role == "user" or (message.role == "assistant" and not message.calls and bool(message.text))


def _alike(lines: Sequence[Message], known: Sequence[Message]) -> int:
    """How many lines are alike from the first on; 0 when no text is the same."""
    length, same = 0, False
    for line, other in zip(lines, known, strict=True):
        if line.role != other.role or (line.role == "assistant" and _folded(line.text) != _folded(other.text)):
            break
        length += 1
        same = same or _folded(line.text) == _folded(other.text)
    return length if same else 0


def _ids(messages: Sequence[Message]) -> list[str]:
    return [m.id for m in messages if m.id]


def _folded(text: str) -> str:
    """Return a text without what a client that shows it may change: blanks and line breaks."""
    return " ".join(text.split())
