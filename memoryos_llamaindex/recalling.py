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
    """A question of a turn: a mark of what began the turn, "" if that is not known, the words, the most tokens."""

    turn: str
    question: str
    budget_tokens: int


@dataclass(frozen=True, slots=True)
class _Answer:
    text: str = ""
    hits: int = 0
    tokens: int = 0
    error: str | None = None


class Recalls:
    """The last recalls of one conversation, ready for a prompt. Thread-safe; visits are counted once for each."""

    def __init__(self, user: UserMemory) -> None:
        self._user = user
        self._lock = threading.Lock()
        self._answers: OrderedDict[tuple[Asked, int], _Answer] = OrderedDict()

    def text(self, asked: Asked, shown: Collection[str]) -> str:
        """What is remembered on a question, "" where that is nothing or where it fails. Raises ClosedError.

        Args:
            asked: the question; asked again, it gets the same answer without another recall, unless something was
                erased since.
            shown: ids of the messages that the prompt holds already.
        """
        with Contained() as reading:
            key = asked, self._user.epoch()
            known = self._answers.get(key) if asked.turn else None
            return known.text if known else self._told(key, shown)
        return self._nothing(reading.error).text

    def _told(self, key: tuple[Asked, int], shown: Collection[str]) -> str:
        """Recall, or wait for whoever is asking the same; handlers are told while nothing is locked."""
        scope = self._user.scope
        told: dict[str, object] = {"user_id": scope.user_id, "assistant_id": scope.assistant_id}
        told["session_id"] = self._user.session_id
        dispatcher.event(MemoryOSRecallStartEvent.model_validate(told))
        with self._lock:
            answer = self._answers.get(key) if key[0].turn else None
            if answer is None:
                answer = self._recalled(key[0], shown)
                if key[0].turn:  # else the same question may be one of another day
                    self._answers[key] = answer
                if len(self._answers) > _TURNS_KEPT:
                    self._answers.popitem(last=False)
        dispatcher.event(MemoryOSRecallEndEvent.model_validate({**told, "hits": answer.hits, "tokens": answer.tokens}))
        if answer.error is not None:
            failed(scope, "recall", answer.error)
        return answer.text

    def _recalled(self, asked: Asked, shown: Collection[str]) -> _Answer:
        with Contained() as reading:
            budget = asked.budget_tokens
            recall = self._user.recall(asked.question, budget_tokens=budget, include_recent=False, shown=shown)
            return _Answer(told(str(recall)), len(recall.hits), recall.tokens)
        # Kept as "nothing" for this turn: a model that hangs is not waited for with every round of tools.
        return self._nothing(reading.error)

    def _nothing(self, error: Exception | None) -> _Answer:
        if isinstance(error, ClosedError):
            raise error
        name = type(error).__name__
        logger.warning("nothing could be recalled (%s): the conversation goes on without", name)
        return _Answer(error=name)
