"""The best hits read again by a reranker, where one was given (ADR 0011)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from memoryos_core.errors import MemoryOSError, ModelError
from memoryos_core.ports import Reranker
from memoryos_core.ports.model_errors import ForeignErrors
from memoryos_core.rules.ranking.relevance import log_odds
from memoryos_core.rules.ranking.signals import order_by_both
from memoryos_core.values.dialogue import Hit, Scope
from memoryos_core.values.events import Hook, StepFailed

logger = logging.getLogger(__package__)

# The beginning of a pasted megabyte shows its topic.
_READ_CHARACTERS = 4000


class Rescorer:
    """Puts the first `depth` hits in the order that the reranker and the ranking give together."""

    def __init__(self, reranker: Reranker, depth: int, emit: Hook) -> None:
        self._reranker = reranker
        self.depth = depth
        self._emit = emit

    def rescored(self, scope: Scope, question: str, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """The hits, best first, those after the first `depth` as they were; all of them so when the reranker fails."""
        head, tail = hits[: self.depth], hits[self.depth :]
        answers = self._answers(scope, question, head) if len(head) > 1 else None
        if answers is None:
            return tuple(hits)
        scores = np.array([hit.score for hit in head], dtype=np.float64)
        order: list[int] = order_by_both(log_odds(scores), answers).tolist()
        # The relevances stay with the places: a reranker gives an order of hits, not their relevance.
        moved = [(head[i], float(answers[i]), hit.score) for i, hit in zip(order, head, strict=True)]
        changed = [replace(h, score=s, signals={**h.signals, "rerank": round(a, 4)}) for h, a, s in moved]
        return (*changed, *tail)

    def _answers(self, scope: Scope, question: str, head: Sequence[Hit]) -> NDArray[np.float64] | None:
        """Return the reranker's scores; report to log and hook, and return None, when it fails or they are unusable."""
        try:
            with ForeignErrors("the reranker"):
                texts = [hit.text[:_READ_CHARACTERS] for hit in head]
                answers = np.asarray(self._reranker.scores(question, texts), dtype=np.float64)
            return _check_answers(answers, len(head))
        except MemoryOSError as error:
            logger.warning("the reranker failed (%s): hits keep their order", type(error).__name__)
            self._emit(StepFailed(scope, "rerank", type(error).__name__))
            return None


def _check_answers(answers: NDArray[np.float64], expected: int) -> NDArray[np.float64]:
    if answers.shape != (expected,) or not np.isfinite(answers).all():
        raise ModelError(
            f"the reranker must return {expected} finite scores; it returned an array of shape {answers.shape}"
        )
    return answers
