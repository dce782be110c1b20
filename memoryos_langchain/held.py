"""The part of a conversation handed in whole, with ids, as LangGraph keeps it, that a session holds already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage, HumanMessage

from memoryos_core import Message
from memoryos_langchain.alignment import known_beginning
from memoryos_langchain.messages import to_core
from memoryos_langchain.record_filter import Record, filter_messages


@dataclass(frozen=True, slots=True)
class Held:
    """The part of the new messages that the session holds; as it is, nothing of them."""

    places: frozenset[int] = frozenset()
    """The places of the messages that need no recording."""
    asked: int | None = None
    """The place of the first message to recall for; None where all are new."""
    begins: int | None = None
    """The place in the window from which on the messages show it themselves; None where they do not."""
    stored_ids: tuple[str, ...] = ()
    """Ids of stored messages that are among the new ones, under whatever id."""


def find_held(
    said: Sequence[BaseMessage], window: Sequence[Message], transcript: Callable[[], Sequence[Message]], record: Record
) -> Held:
    """Compare new messages with those of the session.

    Only a message of the same id and text shows that a conversation is handed in again: equal words alone may be
    examples in front of each question. Where one does, its answers are known by their words, too, for a parser in the
    chain leaves them without an id.

    Args:
        said: the new messages without instructions.
        window: the session's recent messages, which are to stand in front of them.
        transcript: reads all messages of the session; called where the new ones are several with ids.
        record: the application's choice of messages to record.
    """
    if not any(m.id for m in said):
        return Held()
    stored = transcript() if len(said) > 1 else window
    there = {(m.id, m.text) for m in stored}
    given = [(at, to_core(m)) for at in range(len(said)) for m in filter_messages(record, said[at : at + 1])]
    held = {at for at, m in given if (m.id, m.text) in there}
    if not held:
        return Held()
    question = max((at for at, m in enumerate(said) if isinstance(m, HumanMessage)), default=0)
    before = [(at, m) for at, m in given if at < question]
    known, ids = known_beginning([m for _, m in before], stored)
    # What stands before something that the session holds was recorded before, or has been forgotten since.
    recorded = max([*(at + 1 for at, _ in before[:known]), *(at + 1 for at in held if at < question), 0])
    shown = {*ids, *(m.id for at, m in given if at in held)}
    begins = next((at for at, m in enumerate(window) if m.id in shown), None)
    return Held(frozenset({*range(recorded), *held}), recorded, begins, tuple(ids))
