"""The recall for a turn: once, however often an agent reads its memory while it works on the turn."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeAlias

from memoryos_core import ClosedError, Recall, UserMemory
from memoryos_core.hosts.concurrency import Contained, Lock
from memoryos_llamaindex.events import MemoryOSRecallEndEvent, MemoryOSRecallStartEvent, dispatcher, report_failure

logger = logging.getLogger(__name__)

# Agents read two times and once more for each round of tools; a session seldom has two turns at once.
_TURNS_KEPT = 8


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a turn: a mark of what began the turn, "" if that is not known, the words, and what is wanted.

    That is the most tokens, and the least relevance of a hit, None as configured.
    """

    turn: str
    question: str
    budget_tokens: int
    min_score: float | None = None


Fit: TypeAlias = Callable[[Recall], Recall]
"""Make a recall fit its prompt: what it returns is sent, and its `tokens` are those of the host."""


@dataclass(frozen=True, slots=True)
class _Answer:
    recall: Recall
    error: str | None = None


class Recalls:
    """The last recalls of one conversation. Thread-safe; visits are counted once for each."""

    def __init__(self, user: UserMemory) -> None:
        self._user = user
        self._lock = Lock()
        self._answers: OrderedDict[tuple[Asked, int], _Answer] = OrderedDict()

    def drop(self) -> None:
        """Keep no answer: the conversation was replaced, and an answer may hold what it no longer says."""
        with self._lock:
            self._answers.clear()

    def recall(self, asked: Asked, shown: Collection[str], fit: Fit, standing: Collection[str] = ()) -> Recall:
        """Return the recall to send; an empty one where nothing is found or where it fails.

        Args:
            asked: the question; asked again, it is answered by the same recall, unless something was erased since.
            shown: ids of the messages that the prompt holds already.
            fit: shortens the recall to the room that the prompt has for it, at every call.
            standing: ids of remembered messages that the conversation refers to, see `UserMemory.recall`.

        Raises:
            ClosedError: the memory was closed.
        """
        with Contained() as reading:
            key = asked, self._user.epoch()
            known = self._answers.get(key) if asked.turn else None
            return fit(known.recall) if known else self._ask(key, shown, fit, standing)
        return self._failure(asked, reading.error).recall

    def _ask(self, key: tuple[Asked, int], shown: Collection[str], fit: Fit, standing: Collection[str]) -> Recall:
        """Recall, or wait for the thread that asks the same. Handlers of events run while no lock is held."""
        scope = self._user.scope
        told: dict[str, object] = {"user_id": scope.user_id, "assistant_id": scope.assistant_id}
        told["session_id"] = self._user.session_id
        dispatcher.event(MemoryOSRecallStartEvent.model_validate(told))
        with self._lock:
            answer = self._answers.get(key) if key[0].turn else None
            if answer is None:
                answer = self._answer(key[0], shown, standing)
                if key[0].turn:  # else the same question may be one of another day
                    self._answers[key] = answer
                if len(self._answers) > _TURNS_KEPT:
                    self._answers.popitem(last=False)
        sent = fit(answer.recall)
        dispatcher.event(MemoryOSRecallEndEvent.model_validate({**told, "hits": len(sent.hits), "tokens": sent.tokens}))
        if answer.error is not None:
            report_failure(scope, "recall", answer.error)
        return sent

    def _answer(self, asked: Asked, shown: Collection[str], standing: Collection[str]) -> _Answer:
        with Contained() as reading:
            return _Answer(
                self._user.recall(
                    asked.question,
                    budget_tokens=asked.budget_tokens,
                    include_recent=False,
                    shown=shown,
                    standing=standing,
                    min_score=asked.min_score,
                )
            )
        # Kept as an empty recall for this turn: a model that hangs is not waited for with every round of tools.
        return self._failure(asked, reading.error)

    def _failure(self, asked: Asked, error: Exception | None) -> _Answer:
        if isinstance(error, ClosedError):
            raise error
        name = type(error).__name__
        logger.warning("recall failed (%s): the conversation goes on without it", name)
        return _Answer(Recall(asked.question, "", 0, asked.budget_tokens), error=name)
