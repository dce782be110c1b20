"""The new messages of a conversation, whoever hands them in, however it is cut, and however often."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from memoryos_core import Message, Page

Turn: TypeAlias = tuple[Message, ...]
"""What the user said, and all that followed before the user spoke again. Only a conversation's first may lack the
user."""

# Enough for an id: 160 bits.
_DIGITS = 40


def turns(messages: Iterable[Message]) -> tuple[Turn, ...]:
    """Messages in turns, in order; each of the user's begins one. Instructions and empty messages are left out."""
    found: list[list[Message]] = []
    for message in messages:
        if message.role == "system" or not _says_something(message):
            continue
        if message.role == "user" or not found:
            found.append([])
        found[-1].append(message)
    return tuple(map(tuple, found))


def rejoin_turn(before: Turn, messages: Sequence[Message]) -> tuple[Message, ...]:
    """Messages with the turn that they go on with, where they begin in the midst of one."""
    first = next(iter(turns(messages)), ())
    return (*before, *messages) if first and first[0].role != "user" else tuple(messages)


def digest(turn: Turn) -> str:
    """Return a digest of a turn: of the texts of its messages, in order, and their payloads."""
    return _digests(map(_all, turn))[-1]


def give_ids(turn: Turn) -> Turn:
    """A turn's messages with ids that are the same wherever and whenever the same turn is handed in."""
    name = digest(turn)
    return tuple(replace(message, id=f"{name}-{place}") for place, message in enumerate(turn))


def news(given: Iterable[Turn], pages: Iterable[Page]) -> tuple[Message, ...]:
    """Return the turns that the session does not hold yet, in order, with ids for `add_messages(..., once=True)`.

    A turn that goes on where the session ends brings only its rest. A turn that the session holds already, put there
    by whomever, brings nothing; so two that say the same, word for word, count as one.

    Args:
        given: turns, in order.
        pages: all that the session holds, in order.
    """
    held = [tuple(map(_comparable, turn)) for turn in turns(m for page in pages for m in page.messages)]
    beginnings = {mark for said in held for mark in _digests(said)}
    last = held[-1] if held else ()
    new: list[Message] = []
    for turn in given:
        said = tuple(map(_comparable, turn))
        marks = _digests(said)
        headless = turn[0].role != "user"
        if marks[-1] in beginnings or (headless and any(_within(said, other) for other in held)):
            continue
        goes_on = 0 < len(last) < len(said) and said[: len(last)] == last
        new += give_ids(turn)[len(last) if goes_on else 0 :]
        beginnings.update(marks)
        held.append(said)
        last = said
    return tuple(new)


def ids_when_learnt(messages: Iterable[Message]) -> frozenset[str]:
    """The ids that these messages have, where they were learnt; of a turn also that of a question learnt by itself."""
    found = turns(messages)
    learnt = (*found, *(turn[:1] for turn in found))
    return frozenset(str(message.id) for turn in learnt for message in give_ids(turn))


def _says_something(message: Message) -> bool:
    return bool(message.text.strip() or message.calls or message.answers or message.payload)


def _comparable(message: Message) -> tuple[object, ...]:
    """Return the parts of a message to compare: its payload may differ between entry points, its text not."""
    silent = not (message.text.strip() or message.calls or message.answers)
    return message.role, message.text, message.calls, message.answers, message.payload if silent else None


def _all(message: Message) -> tuple[object, ...]:
    return message.role, message.text, message.name, message.calls, message.answers, message.payload


def _digests(parts: Iterable[tuple[object, ...]]) -> list[str]:
    """One for each beginning of the sequence, the last is that of the whole."""
    running = hashlib.sha256()
    found: list[str] = []
    for part in parts:
        running.update(json.dumps(part).encode())
        found.append(running.hexdigest()[:_DIGITS])
    return found


def _within(part: Sequence[object], whole: Sequence[object]) -> bool:
    return any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))
