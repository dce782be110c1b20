"""The new messages of a conversation, whoever hands them in, however it is cut, and however often."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from memoryos_core import Message, Page

Turn: TypeAlias = tuple[Message, ...]
"""What the user said, and all that followed before the user spoke again. Only a conversation's first may lack the
user."""

# Enough for an id: 160 bits.
_DIGITS = 40
# Turns of a session that say the same and that a prompt which says it, too, counts as shown.
_MOST_ALIKE = 8


class Counted(NamedTuple):
    """A turn, and for each of its beginnings how many turns of the conversation, up to this one, begin so."""

    turn: Turn
    numbers: tuple[int, ...]

    @property
    def key(self) -> tuple[str, int]:
        """A key that no other turn of the conversation has, not even one that says the same."""
        return digest(self.turn), self.numbers[-1]


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


def count_turns(found: Iterable[Turn], before: Counter[str] | None = None) -> tuple[Counted, ...]:
    """Count turns in their order, from `before` on, which is counted on."""
    counts = Counter[str]() if before is None else before
    counted: list[Counted] = []
    for turn in found:
        marks = beginnings_of(turn)
        counts.update(marks)
        counted.append(Counted(turn, tuple(counts[mark] for mark in marks)))
    return tuple(counted)


def beginnings_of(turn: Turn) -> list[str]:
    """Return a mark of each beginning of a turn, the last is that of the whole; equal for turns that say the same."""
    return _digests(map(_comparable, turn))


def give_ids(turn: Turn, number: int = 1) -> Turn:
    """A turn's messages with ids that are the same wherever and whenever the same turn is handed in.

    `number` tells turns of one session apart that say the same.
    """
    name = digest(turn) if number == 1 else f"{digest(turn)}.{number}"
    return tuple(replace(message, id=f"{name}-{place}") for place, message in enumerate(turn))


def news(given: Iterable[Counted], pages: Iterable[Page], gone: Collection[str] = ()) -> tuple[Message, ...]:
    """Return the turns that the session does not hold yet, in order, with ids for `add_messages(..., once=True)`.

    A turn that goes on where the session ends brings only its rest. A turn that the session holds already, put there
    by whomever, brings nothing; of turns that say the same, word for word, as many are held as were given.

    Args:
        given: turns, in order.
        pages: all pages of the session, in order, also those that ended.
        gone: ids of messages that the session is about to supersede.
    """
    pages = tuple(pages)
    used = {message.id for page in pages for message in page.messages}
    stands = (m for page in pages if not page.ended for m in page.messages if m.id not in gone)
    held = [tuple(map(_comparable, turn)) for turn in turns(stands)]
    beginnings = Counter(mark for said in held for mark in _digests(said))
    last = held[-1] if held else ()
    new: list[Message] = []
    for turn, numbers in given:
        said = tuple(map(_comparable, turn))
        marks = _digests(said)
        headless = turn[0].role != "user"
        if beginnings[marks[-1]] >= numbers[-1] or (headless and any(_within(said, other) for other in held)):
            continue
        there = len(last) if said[: len(last)] == last and len(last) < len(said) else 0
        if there and beginnings[marks[there - 1]] < numbers[there - 1]:
            there = 0  # it says the same as the last one, and is another
        named = _with_free_ids(turn, used)
        used.update(message.id for message in named)
        new += named[there:]
        beginnings.update(marks[there:])
        held.append(said)
        last = said
    return tuple(new)


def superseded_ids(dropped: Iterable[Turn], held: Iterable[Message]) -> frozenset[str]:
    """Return the ids of the messages of dropped turns, among those that a session holds; of equal turns the first."""
    found = [(tuple(map(_comparable, turn)), turn) for turn in turns(held)]
    ids: set[str] = set()
    for turn in dropped:
        said = tuple(map(_comparable, turn))
        place = next((i for i, (other, _) in enumerate(found) if other == said[: len(other)]), None)
        if place is not None:
            ids.update(str(message.id) for message in found.pop(place)[1])
    return frozenset(ids)


def ids_when_learnt(messages: Iterable[Message]) -> frozenset[str]:
    """The ids that these messages have, where they were learnt; of a turn also that of a question learnt by itself."""
    found = turns(messages)
    learnt = {digest(turn): turn for turn in (*found, *(turn[:1] for turn in found))}.values()
    numbers = range(1, _MOST_ALIKE + 1)
    return frozenset(str(message.id) for turn in learnt for number in numbers for message in give_ids(turn, number))


def _with_free_ids(turn: Turn, used: Collection[str | None]) -> Turn:
    number = 1
    while (named := give_ids(turn, number))[-1].id in used:
        number += 1
    return named


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
