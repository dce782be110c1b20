"""What a memory is compared to: the last turns, and BM25 over pages. Both rank turns or pages and pack from the top."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from benchmarks.system import Conversation, Hit
from benchmarks.talks import Turn
from memoryos_core.indexes.lexical import BM25Index
from memoryos_core.tokens import open_token_counter

DEPTH = 200  # how many hits are asked for; enough to fill 4,000 tokens


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
        turns = [turn for session in self._sessions.values() for turn in session]
        return [[turn] for turn in turns[::-1][:k]]


class PageBM25(Ranking):
    """The words of two-turn pages, with the speakers' names."""

    def finish(self) -> None:
        """Index every page."""
        sessions = self._sessions.values()
        self._pages = [session[i : i + 2] for session in sessions for i in range(0, len(session), 2)]
        self._index = BM25Index()
        for number, page in enumerate(self._pages):
            self._index.add(number, named(page))

    def _ranked(self, query: str, k: int) -> list[Sequence[Turn]]:
        order = np.argsort(-self._index.scores(query), kind="stable")[:k]
        return [self._pages[number] for number in order]
