"""What a memory is compared to: the last turns, and words or vectors of pages or turns. All of them pack from the top.

Long replies of an assistant crowd out what the user said: `UserBM25` and `UserDense` leave them out. Nobody is an
assistant where the speakers have names of their own, and all turns are ranked.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

import numpy as np
import Stemmer
from numpy.typing import NDArray

from benchmarks.system import Conversation, Hit, local_embedder
from benchmarks.talks import Turn
from memoryos_core.providers.tokens import open_token_counter

DEPTH = 200  # how many hits are asked for; enough to fill 4,000 tokens
ASSISTANT = "assistant"
_K1, _B = 1.2, 0.75
_WORD = re.compile(r"\w+")
_CLOSED_CLASS_TEXT = """
    a an the this that these those i me my you your he him his she her it its we us our they them their
    am is are was were be been being do does did doing have has had having can could will would shall should may might
    must not no nor what which who whom whose when where why how and or but if then than so too very just here there
    as of to in on at by for with about from into s t re ve ll m d
"""
_CLOSED_CLASS = frozenset(_CLOSED_CLASS_TEXT.split())


def rendered(turns: Sequence[Turn]) -> str:
    """Turns as they would stand in a prompt: one date, then a line for each, with its speaker."""
    when = turns[0].when
    return (f"[{when.day} {when:%B %Y}] " if when else "") + named(turns)


def named(turns: Sequence[Turn]) -> str:
    """A line for each turn, with its speaker."""
    return "\n".join(f"{turn.speaker}: {turn.text}" for turn in turns)


class Ranking:
    """Keeps the turns; what is best for a question, its kinds say."""

    def __init__(self, conversation: Conversation) -> None:
        self._sessions: dict[int, list[Turn]] = {}
        self._count = open_token_counter()

    def add_turn(self, speaker: str, text: str, timestamp: datetime | None, dia_id: str, session: int) -> None:
        """Keep a turn."""
        self._sessions.setdefault(session, []).append(Turn(dia_id, speaker, text, session, timestamp))

    def finish(self) -> None:
        """Nothing more comes."""

    def close(self) -> None:
        """Nothing is held open."""

    def _turns(self) -> list[Turn]:
        return [turn for session in self._sessions.values() for turn in session]

    def _pieces(self) -> list[Sequence[Turn]]:
        """What is ranked: every turn."""
        return [[turn] for turn in self._turns()]

    def _ranked(self, query: str, k: int) -> list[Sequence[Turn]]:
        raise TypeError(f"{type(self).__name__} does not rank")

    def search(self, query: str, k: int) -> list[Hit]:
        """The k best, best first."""
        return [Hit(rendered(turns), [turn.id for turn in turns]) for turns in self._ranked(query, k)]

    def context(self, query: str, budget: int) -> list[Hit]:
        """From the best down until one no longer fits; one that brings no new turn costs nothing."""
        packed: list[Hit] = []
        seen: set[str] = set()
        left = budget
        for hit in self.search(query, DEPTH):
            if seen.issuperset(hit.dia_ids):
                continue
            left -= self._count(hit.text)
            if left < 0:
                break
            seen.update(hit.dia_ids)
            packed.append(hit)
        return packed


class LastTurns(Ranking):
    """A plain buffer: whatever is asked, what was said last."""

    def _ranked(self, query: str, k: int) -> list[Sequence[Turn]]:
        return self._pieces()[::-1][:k]


class UsersTurns(Ranking):
    """Ranks what the user said alone."""

    def _pieces(self) -> list[Sequence[Turn]]:
        return [[turn] for turn in self._turns() if turn.speaker != ASSISTANT]


class BM25(Ranking):
    """The words of turns, with the speakers' names: textbook BM25 over English stems.

    With an analysis of its own, so that what we do to ours moves nothing here.
    """

    def finish(self) -> None:
        """Count the words of every piece."""
        self._indexed = self._pieces()
        self._counts = [Counter(_stems(named(piece))) for piece in self._indexed]
        lengths = np.array([counts.total() for counts in self._counts])
        self._norms = _K1 * (1 - _B + _B * lengths / max(lengths.mean(), 1))  # some say function words only
        self._held_by = Counter(stem for counts in self._counts for stem in counts)

    def _scores(self, query: str) -> NDArray[np.float64]:
        scores = np.zeros(len(self._indexed))
        for stem in dict.fromkeys(_stems(query)):
            held_by = self._held_by[stem]
            times = np.array([counts[stem] for counts in self._counts])
            scores += math.log1p((len(times) - held_by + 0.5) / (held_by + 0.5)) * times / (times + self._norms)
        return scores

    def _ranked(self, query: str, k: int) -> list[Sequence[Turn]]:
        order = np.argsort(-self._scores(query), kind="stable")[:k]
        return [self._indexed[number] for number in order]


def _stems(text: str) -> list[str]:
    words = _WORD.findall(text.lower())
    return list(Stemmer.Stemmer("english").stemWords([word for word in words if word not in _CLOSED_CLASS]))


class PageBM25(BM25):
    """The words of two-turn pages."""

    def _pieces(self) -> list[Sequence[Turn]]:
        sessions = self._sessions.values()
        return [session[i : i + 2] for session in sessions for i in range(0, len(session), 2)]


class UserBM25(UsersTurns, BM25):
    """The words of the user's turns."""


class Dense(Ranking):
    """Cosine of turns, with the speakers' names: every vector is compared. Raises MissingExtraError."""

    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation)
        self._embedder = local_embedder()

    def finish(self) -> None:
        """Embed every piece."""
        self._indexed = self._pieces()
        self._vectors = self._embedder.embed_documents([named(piece) for piece in self._indexed])

    def _ranked(self, query: str, k: int) -> list[Sequence[Turn]]:
        order = np.argsort(-(self._vectors @ self._embedder.embed_query(query)), kind="stable")[:k]
        return [self._indexed[number] for number in order]


class UserDense(UsersTurns, Dense):
    """Cosine of the user's turns."""
