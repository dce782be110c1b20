"""The recall of a block: once a turn, however often the turn is read, and without facts forgotten since."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from llama_index.core.base.llms.types import ChatMessage, MessageRole

from memoryos_core import Message, Recall, UserMemory
from memoryos_core.hosts.concurrency import Lock
from memoryos_llamaindex.block_truncation import Host
from memoryos_llamaindex.block_turns import ids_when_learnt
from memoryos_llamaindex.recalling import Asked, Fit, Recalls

_SESSIONS_KEPT = 256


@dataclass(frozen=True, slots=True)
class Question:
    """The user's question, and a mark of the messages before it: the same for every read of one turn."""

    text: str
    turn: str


def last_question(messages: Sequence[ChatMessage]) -> Question | None:
    """Return the user's last words; None when they are empty.

    An agent reads first with the question at the end, and then with the same question once more behind it.
    """
    at = next((i for i in range(len(messages) - 1, -1, -1) if messages[i].role == MessageRole.USER), None)
    if at is None or not (text := _text(messages[at])):
        return None
    while at and messages[at - 1].role == MessageRole.USER and _text(messages[at - 1]) == text:
        at -= 1
    before = f"{at}:{_text(messages[at - 1]) if at else ''}"
    return Question(text, hashlib.sha256(before.encode(errors="surrogatepass")).hexdigest())


class BlockRecalls:
    """The recalls of all sessions that one block serves; the sessions read last are kept. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._sessions: OrderedDict[tuple[str, str], Recalls] = OrderedDict()
        self._hosts: OrderedDict[tuple[str, str], Host] = OrderedDict()

    def recall(self, user: UserMemory, asked: Asked, messages: Sequence[Message], fit: Fit) -> Recall:
        """Return the recall text for a prompt that holds these messages; see `Recalls.recall`."""
        key = user.scope.key, user.session_id
        with self._lock:
            recalls = self._sessions.setdefault(key, Recalls(user))
            self._sessions.move_to_end(key)
            if len(self._sessions) > _SESSIONS_KEPT:
                self._sessions.popitem(last=False)
        return recalls.recall(asked, ids_when_learnt(messages), fit)

    def serve(self, user: UserMemory, host: Host) -> None:
        """Note which `Memory` the session is of; those noted last are kept."""
        key = user.scope.key, user.session_id
        with self._lock:
            self._hosts[key] = host
            self._hosts.move_to_end(key)
            if len(self._hosts) > _SESSIONS_KEPT:
                self._hosts.popitem(last=False)

    def host(self, user: UserMemory) -> Host:
        """Return the known limits of the session's `Memory`."""
        with self._lock:
            found = self._hosts.get((user.scope.key, user.session_id))
        return Host.of(None) if found is None else found

    def changed(self, user: UserMemory) -> None:
        """The session has learnt something: ask anew."""
        with self._lock:
            self._sessions.pop((user.scope.key, user.session_id), None)


def _text(message: ChatMessage) -> str:
    return (message.content or "").strip()
