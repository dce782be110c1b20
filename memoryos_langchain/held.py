"""The part of a conversation handed in whole, with ids, as LangGraph keeps it, that a session holds already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from langchain_core.messages import BaseMessage, HumanMessage

from memoryos_core import Message
from memoryos_langchain.alignment import is_redacted, is_shortened, known_beginning, known_end
from memoryos_langchain.edits import find_edit
from memoryos_langchain.messages import to_core
from memoryos_langchain.record_filter import Record, filter_or_keep


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
    """The stored text of the message that was edited for certain, by id."""
    answers: tuple[str, ...] = ()
    """Ids of what the session holds in answer to the last question, and is not given; in order."""
    reply_to: str | None = None
    """Id of the stored message that a new answer to a question that the session holds stands behind."""

    def is_edited(self, message: Message) -> bool:
        """Return whether the session holds another version of a message, which is no redaction of it."""
        stored = self.versions.get(message.id or "", message.text)
        return stored != message.text and not is_redacted(message.text, stored)


def find_held(
    said: Sequence[BaseMessage], window: Sequence[Message], transcript: Callable[[], Sequence[Message]], record: Record
) -> Held:
    """Compare new messages with those of the session.

    A message of the same id and text shows that a conversation is handed in again, and so do words that lead up to the
    end of the session, or to the same question: other equal words may be examples in front of each question. Where an
    id shows it, answers are known by their words, too, for a parser in the chain leaves them without an id.

    Args:
        said: the new messages without instructions.
        window: the session's recent messages, which are to stand in front of them.
        transcript: reads all messages of the session; called where the new ones are several with ids.
        record: the application's choice of messages to record.
    """
    if not any(m.id for m in said):
        return Held()
    stored = transcript() if len(said) > 1 else window
    given = [(at, to_core(m)) for at in range(len(said)) for m in filter_or_keep(record, said[at : at + 1])]
    held = _same(given, stored)
    question = max((at for at, m in enumerate(said) if isinstance(m, HumanMessage)), default=0)
    upto, before = [m for at, m in given if at <= question], [m for at, m in given if at < question]
    versions, asked = dict[str, str](), _place(upto[len(before) :], stored)
    further, again = known_end(before, stored), known_end(before, stored[:asked]) if asked < len(stored) else []
    same = all(at in held for at, m in given if m.role == "user" and at <= question)
    if again and (not further or same or is_shortened(before[-1].text, upto[-1].text)):
        ids, known, held = again, question, held | {question}
    elif further:
        ids, known, asked, held = further, question, len(stored), {at for at in held if at > question}
    elif held:
        versions = find_edit(upto, stored)
        known, ids = _find_recorded(given, held, question, stored)
        asked = _place(upto[len(before) :], stored, versions)
    else:
        return Held()
    shown = {*ids, *versions, *(m.id for at, m in given if at in held)}
    begins = next((at for at, m in enumerate(window) if m.id in shown), None)
    answers, last = _answers(stored, asked, {m.id for m in said})
    return Held(frozenset({*range(known), *held}), known, begins, (*ids, *versions), versions, answers, last)


def _same(given: Sequence[tuple[int, Message]], stored: Sequence[Message]) -> set[int]:
    """Return the places of the messages that are stored under their id; as often as they are stored."""
    left, held = Counter((m.id, m.text) for m in stored), set[int]()
    for at, message in given:
        if left[message.id, message.text]:
            left[message.id, message.text] -= 1
            held.add(at)
    return held


def _find_recorded(
    given: Sequence[tuple[int, Message]], held: Collection[int], question: int, stored: Sequence[Message]
) -> tuple[int, list[str]]:
    """Return how many messages were recorded or have been forgotten since, and the stored ids of those alike.

    Both is true of what stands before something that the session holds.
    """
    before = [(at, m) for at, m in given if at < question]
    known, ids = known_beginning([m for _, m in before], stored)
    return max([*(at + 1 for at, _ in before[:known]), *(at + 1 for at in held if at < question), 0]), ids


def _place(question: Sequence[Message], stored: Sequence[Message], versions: Mapping[str, str] | None = None) -> int:
    """Return where a question is stored, under its id and with its text or the former one; else behind all."""
    keys = {(m.id, (versions or {}).get(m.id or "", m.text)) for m in question}
    return max((at for at, m in enumerate(stored) if (m.id, m.text) in keys), default=len(stored))


def _answers(
    stored: Sequence[Message], asked: int, there: Collection[str | None]
) -> tuple[tuple[str, ...], str | None]:
    """Return the ids of a question's stored answers that are not given, and that of the turn's last message.

    An id by which a later message is meant, too, is left out: some hosts number the messages of each request anew.
    """
    behind = list(takewhile(lambda m: m.role in ("assistant", "tool"), stored[asked + 1 :]))
    later = {m.id for m in stored[asked + 1 + len(behind) :]}
    turn = [m.id for m in (*stored[asked : asked + 1], *behind) if m.id and m.id not in later]
    return tuple(m.id for m in behind if m.id and m.id not in there), turn[-1] if turn else None
