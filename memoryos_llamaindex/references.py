"""A conversation that was set anew shows messages that are remembered already: which ones, by id and never by text.

So nothing is learnt twice, and what is forgotten leaves every conversation that showed it. The ids are kept in a note:
in a store without notes, a conversation that is set anew is remembered anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

from memoryos_core import Message, NoteWrite, Page, UserMemory

_NAMESPACE = ("memoryos", "llamaindex", "conversations")
# A payload as long as this may hold text of its own, which is not to be kept outside a page.
_LONGEST_PAYLOAD = 64

Shown: TypeAlias = tuple[str, str, str | None]
"""A message on show: the id of its page, its own id, and its payload where that differs from the remembered one."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """How a conversation is to be replaced: what it shows first, what of that is new, and what goes on after it."""

    head: tuple[Message | Shown, ...]
    tail: tuple[Message, ...]


def replacement(user: UserMemory, messages: Sequence[Message]) -> Replacement:
    """Split a whole conversation into remembered and new messages; each remembered one stands for one message only.

    Without notes all of them are new. Raises StoreError.
    """
    pages = user.pages(session=True) if user.notes.supported else ()
    remembered: dict[tuple[object, ...], list[tuple[Page, Message]]] = {}
    for page in pages:
        for message in page.messages:
            remembered.setdefault(_comparable(message), []).append((page, message))
    found = [_match_message(message, remembered.get(_comparable(message), [])) for message in messages]
    last_known = max((i for i, entry in enumerate(found) if not isinstance(entry, Message)), default=-1)
    return Replacement(tuple(found[: last_known + 1]), tuple(messages[last_known + 1 :]))


def same(one: Message, other: Message) -> bool:
    """Return whether two messages have the same text in the same form."""
    return _comparable(one) == _comparable(other) and one.payload == other.payload


def showing(user: UserMemory, shown: Sequence[Shown]) -> NoteWrite | None:
    """Return the note by which the conversation of this session begins with these messages; None without notes."""
    if not user.notes.supported:
        return None
    return NoteWrite(_NAMESPACE, user.session_id, json.dumps(shown) if shown else None)


def showing_head(user: UserMemory, entries: Sequence[Message | Shown], homes: Mapping[str, str]) -> NoteWrite | None:
    """Return the note by which the conversation begins with these entries; `homes` names the pages of new messages."""
    return showing(user, [(homes[str(m.id)], str(m.id), None) if isinstance(m, Message) else m for m in entries])


def read_references(user: UserMemory) -> list[Shown]:
    """Return what the conversation of this session begins with, as its note says. Raises StoreError."""
    if not user.notes.supported:
        return []
    note = user.notes.get(_NAMESPACE, user.session_id)
    return [] if note is None else [cast("Shown", tuple(entry)) for entry in json.loads(note.value)]


def head(user: UserMemory, shown: Sequence[Shown]) -> list[Message]:
    """Return these messages, those that are still remembered. Raises StoreError."""
    if not shown:
        return []
    pages = user.pages(list(dict.fromkeys(page for page, _, _ in shown)))
    by_id = {(page.id, message.id): message for page in pages for message in page.messages}
    found = ((by_id.get((page, message)), payload) for page, message, payload in shown)
    return [m if payload is None else replace(m, payload=payload) for m, payload in found if m is not None]


def _comparable(message: Message) -> tuple[object, ...]:
    return message.role, message.text, message.calls, message.answers


def _match_message(message: Message, candidates: list[tuple[Page, Message]]) -> Message | Shown:
    """Return a remembered message with the same text, if possible in the same form; else the message itself."""
    exact = next((i for i, (_, m) in enumerate(candidates) if m.payload == message.payload), None)
    short = len(message.payload or "") <= _LONGEST_PAYLOAD
    if exact is None and not (candidates and short):
        return message
    page, known = candidates.pop(exact or 0)
    return page.id, str(known.id), None if exact is not None else message.payload
