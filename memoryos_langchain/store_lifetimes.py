"""Lifetimes (TTL) of items of a LangGraph store: kept beside the items, refreshed by reads, and swept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta, timezone

from memoryos_core import Note, NoteWrite, UserMemory
from memoryos_langchain.store_values import Namespace, decode_value

_HOME: Namespace = ("memoryos", "langgraph", "ttl")


def is_lifetime(namespace: Namespace) -> bool:
    """Return whether this namespace of a user holds lifetimes, which are not items."""
    return namespace[: len(_HOME)] == _HOME


class Lifetimes:
    """The lifetimes of one user's items, each a note of its own under the item's name."""

    def __init__(self, user: UserMemory) -> None:
        self._notes = user.notes

    def changes(self, rest: Namespace, key: str, minutes: float | None) -> list[NoteWrite]:
        """Return the note to write so that an item lives for so many minutes; None is for ever."""
        if minutes is not None:
            return [_lifetime(rest, key, minutes)]
        known = self._notes.get((*_HOME, *rest), key)
        return [] if known is None else [NoteWrite(known.namespace, key, None)]

    def refresh(self, names: Iterable[tuple[Namespace, str]]) -> None:
        """Let items that were read live on for as long as they were put for; those without a lifetime are left."""
        wanted = list(names)
        if len(wanted) == 1:
            ((rest, key),) = wanted
            found = [note for note in (self._notes.get((*_HOME, *rest), key),) if note is not None]
        else:
            asked = {((*_HOME, *rest), key) for rest, key in wanted}
            found = [n for n in (self._notes.list(_HOME) if asked else ()) if (n.namespace, n.key) in asked]
        again = [
            _lifetime(n.namespace[len(_HOME) :], n.key, held[0])
            for n in found
            if (held := _parse_lifetime(n)) is not None
        ]
        if again:
            self._notes.write(again)

    def expired(self) -> Iterator[tuple[Namespace, str]]:
        """Return the names of the expired items."""
        now = _now()
        for note in self._notes.list(_HOME):
            held = _parse_lifetime(note)
            if held is not None and held[1] <= now:
                yield note.namespace[len(_HOME) :], note.key


def _lifetime(rest: Namespace, key: str, minutes: float) -> NoteWrite:
    until = _now() + timedelta(minutes=minutes)
    return NoteWrite((*_HOME, *rest), key, json.dumps({"minutes": minutes, "until": until.isoformat()}))


def _parse_lifetime(note: Note) -> tuple[float, datetime] | None:
    """Return the minutes and the end of a lifetime; None for a note that another program wrote there."""
    value = decode_value(note.value) or {}
    minutes, until = value.get("minutes"), value.get("until")
    if not isinstance(minutes, int | float) or not isinstance(until, str):
        return None
    return float(minutes), datetime.fromisoformat(until)


def _now() -> datetime:
    return datetime.now(timezone.utc)
