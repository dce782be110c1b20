"""Changes that a host made to a thread between two runs: messages edited, removed, or gone back to (ADR 0019)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from typing_extensions import NotRequired, TypedDict

from memoryos_core import Message
from memoryos_langchain.removals import removed_by_host

_DIGEST_BYTES = 6


class Seen(TypedDict):
    """The state after a run: a digest of each message by id, oldest first, whether the run ended, and at which step."""

    digests: dict[str, str]
    ended: bool
    step: NotRequired[int | None]


@dataclass(frozen=True, slots=True)
class Changes:
    """The arguments of `UserMemory.add_messages` for a conversation, besides its new messages."""

    edited: frozenset[str] = frozenset()
    """Ids of messages that were recorded before with other content."""
    replaces: frozenset[str] = frozenset()
    """Ids of messages of which the recorded version no longer stands."""
    follows: frozenset[str] = frozenset()
    """Ids of the messages before the new ones; see `UserMemory.add_messages`."""
    same: frozenset[str] = frozenset()
    """Ids that the session holds already; comparison with the model's input shows whether the messages differ."""
    again: str | None = None
    """Id of the run's question, where the session held it before the run, in whatever version."""


def snapshot_messages(messages: Sequence[BaseMessage], *, ended: bool, step: int | None = None) -> Seen:
    """Return what the next run is to be compared with; to be kept with the thread."""
    return {"digests": {m.id: _digest(m) for m in messages if m.id}, "ended": ended, "step": step}


def changes(
    messages: Sequence[BaseMessage], before: Seen, *, alone: bool, config: RunnableConfig | None = None
) -> Changes:
    """Compare the messages that a run begins with to those that the last run of the same user left.

    What disappeared while a run went on was not removed by the host: that is how middleware shortens a conversation.
    Between two runs `removed_by_host` tells.

    Args:
        messages: what belongs to the conversation, oldest first.
        before: what `seen` gave as the last run ended.
        alone: whether this conversation is all that is recorded in its session.
        config: that of the hook, which leads to the checkpoints of the thread.
    """
    digests = before["digests"]
    edited = frozenset(m.id for m in messages if m.id in digests and digests[m.id] != _digest(m))
    now = {m.id for m in messages if m.id}
    if not before["ended"]:
        return Changes(edited, edited, follows(messages, alone=alone))
    removed = removed_by_host(list(digests), now, config, before.get("step"))
    # What was trimmed still comes before: it was not answered again.
    trimmed = digests.keys() - now - removed if alone else set[str]()
    return Changes(edited, edited | removed, follows(messages, alone=alone) | trimmed)


def handed_in(
    messages: Sequence[BaseMessage], known: int, stored_ids: Collection[str], asked: str | None, *, alone: bool
) -> Changes:
    """Return how a conversation that was handed in, without a thread that is kept, differs from the session's.

    What is not in it may have been left out to save room: nothing is taken for removed, or for answered again.

    Args:
        messages: what belongs to the conversation, oldest first.
        known: how many of the first messages the session holds.
        stored_ids: the ids of those in the session.
        asked: the id of the question, where the session holds it, in whatever version.
        alone: whether this conversation is all that is recorded in its session.
    """
    if not alone or len(messages) < 2:  # noqa: PLR2004 - a single message is no conversation
        return Changes()
    same = frozenset(m.id for m in messages[:known] if m.id) & frozenset(stored_ids)
    return Changes(replaces=frozenset(m.id for m in messages[known:] if m.id), same=same, again=asked)


def follows(messages: Sequence[BaseMessage], *, alone: bool) -> frozenset[str]:
    """Return the ids of the messages that the last one comes after; none where others share the session."""
    return frozenset(m.id for m in messages[:-1] if m.id) if alone else frozenset()


def former_answer(stored: Sequence[Message], question_id: str) -> frozenset[str]:
    """Return the ids of what the session holds in answer to a question: all up to the next question."""
    behind = list(dropwhile(lambda m: m.id != question_id, stored))[1:]
    return frozenset(m.id for m in takewhile(lambda m: m.role in ("assistant", "tool"), behind) if m.id)


def _digest(message: BaseMessage) -> str:
    said = (message.content, getattr(message, "tool_calls", None))
    return hashlib.blake2b(json.dumps(said, default=str).encode(), digest_size=_DIGEST_BYTES).hexdigest()
