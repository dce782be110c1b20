"""The part of a conversation handed in whole, with ids, as LangGraph keeps it, that a session holds already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from langchain_core.messages import BaseMessage, HumanMessage

from memoryos_core import Message
from memoryos_langchain.alignment import is_redacted, known_beginning
from memoryos_langchain.messages import to_core
from memoryos_langchain.reconciling import former_answer
from memoryos_langchain.record_filter import Record, filter_messages


@dataclass(frozen=True, slots=True)
class Held:
    """The part of the new messages that the session holds; as it is, nothing of them."""

    places: frozenset[int] = frozenset()
    """The places of the messages that need no recording, unless they are edited."""
    asked: int | None = None
    """The place of the first message to recall for; None where all are new."""
    begins: int | None = None
    """The place in the window from which on the messages show it themselves; None where they do not."""
    stored_ids: tuple[str, ...] = ()
    """Ids of stored messages that are among the new ones, under whatever id."""
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    """The stored texts of messages that are given with another one, by id."""
    answers: tuple[str, ...] = ()
    """Ids of what the session holds in answer to the last question, and is not given; in order."""

    def is_edited(self, message: Message) -> bool:
        """Return whether the session holds another version of a message, which is no redaction of it."""
        stored = self.versions.get(message.id or "", message.text)
        return stored != message.text and not is_redacted(message.text, stored)


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
    given = [(at, to_core(m)) for at in range(len(said)) for m in filter_messages(record, said[at : at + 1])]
    held = _same(given, stored)
    if not held:
        return Held()
    question = max((at for at, m in enumerate(said) if isinstance(m, HumanMessage)), default=0)
    before = [(at, m) for at, m in given if at < question]
    known, ids = known_beginning([m for _, m in before], stored)
    # What stands before something that the session holds was recorded before, or has been forgotten since.
    recorded = max([*(at + 1 for at, _ in before[:known]), *(at + 1 for at in held if at < question), 0])
    versions = _other_versions([m for _, m in given], stored)
    shown = {*ids, *versions, *(m.id for at, m in given if at in held)}
    begins = next((at for at, m in enumerate(window) if m.id in shown), None)
    there = {m.id for m in said}
    answers = tuple(i for i in former_answer(stored, said[question].id) if i not in there)
    return Held(frozenset({*range(recorded), *held}), recorded, begins, (*ids, *versions), versions, answers)


def _same(given: Sequence[tuple[int, Message]], stored: Sequence[Message]) -> set[int]:
    """Return the places of the messages that are stored under their id; as often as they are stored."""
    left, held = Counter((m.id, m.text) for m in stored), set[int]()
    for at, message in given:
        if left[message.id, message.text]:
            left[message.id, message.text] -= 1
            held.add(at)
    return held


def _other_versions(given: Sequence[Message], stored: Sequence[Message]) -> dict[str, str]:
    """Return the stored texts of messages that were edited, by id.

    An id that stands for several messages tells nothing, nor does one under which another stored text is given: some
    hosts number the messages of each request anew.
    """
    several = {i for some in (given, stored) for i, n in Counter(m.id for m in some).items() if n > 1}
    texts = {m.id: m.text for m in stored}
    there = {(m.role, m.text) for m in stored}
    edited = (m for m in given if m.id in texts and m.id not in several and (m.role, m.text) not in there)
    return {m.id: texts[m.id] for m in edited if m.id}
