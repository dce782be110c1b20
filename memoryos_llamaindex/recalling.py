"""What is recalled for a turn: once, however often an agent reads its memory while it works on the turn."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass

from memoryos_core import ClosedError, UserMemory
from memoryos_core.foreign import Contained
from memoryos_llamaindex.events import MemoryOSRecallEndEvent, MemoryOSRecallStartEvent, dispatcher, failed
from memoryos_llamaindex.prompts import told

logger = logging.getLogger(__name__)

# Agents read two times and once more for each round of tools; a session seldom has two turns at once.
_TURNS_KEPT = 8


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a turn: the id of the message that began the turn, the words, and the most tokens to recall."""

    turn: str
    question: str
    budget_tokens: int


class Recalls:
    """The last recalls of one conversation, ready for a prompt. Thread-safe; visits are counted once for each."""

    def __init__(self, user: UserMemory) -> None:
        self._user = user
        self._lock = threading.Lock()
        self._texts: OrderedDict[Asked, str] = OrderedDict()

    def text(self, asked: Asked, shown: Collection[str]) -> str:
        """What is remembered on a question, "" where that is nothing or where it fails. Raises ClosedError.

        Args:
            asked: the question; asked again, it gets the same answer without another recall.
            shown: ids of the messages that the prompt holds already.
        """
        with self._lock:  # held while recalling: who asks the same meanwhile waits for the answer
            if not asked.turn:  # nothing says which turn it is: the same question may be one of another day
                return self._recall(asked, shown)
            if asked not in self._texts:
                self._texts[asked] = self._recall(asked, shown)
                if len(self._texts) > _TURNS_KEPT:
                    self._texts.popitem(last=False)
            return self._texts[asked]

    def clear(self) -> None:
        """Keep nothing: something was forgotten."""
        with self._lock:
            self._texts.clear()

    def _recall(self, asked: Asked, shown: Collection[str]) -> str:
        scope, session_id = self._user.scope, self._user.session_id
        whose = {"user_id": scope.user_id, "assistant_id": scope.assistant_id, "session_id": session_id}
        dispatcher.event(MemoryOSRecallStartEvent.model_validate(whose))
        with Contained() as reading:
            recall = self._user.recall(
                asked.question, budget_tokens=asked.budget_tokens, include_recent=False, shown=shown
            )
            found = {**whose, "hits": len(recall.hits), "tokens": recall.tokens}
            dispatcher.event(MemoryOSRecallEndEvent.model_validate(found))
            return told(str(recall))
        if isinstance(reading.error, ClosedError):
            raise reading.error
        # Kept as "nothing" for this turn: a model that hangs is not waited for with every round of tools.
        logger.warning("nothing could be recalled (%s): the conversation goes on without", type(reading.error).__name__)
        failed(scope, "recall", type(reading.error).__name__)
        return ""
