"""Our memory behind the interface of the measuring harness (add_turn / finish / search / context).

    python ../shared/memobench/measure.py locomo benchmarks.system:ours

The first speaker of a conversation is the user, the other one the assistant; names stay as message names. Whatever
embeds in these benchmarks, ours or not, does it with the one embedder of this module.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memoryos_core import MemoryConfig, MemoryOS, Message, Recall, UserMemory, WorkerConfig
from memoryos_core.ports import Clock, Embedder
from memoryos_core.providers.embedders import open_embedder
from memoryos_core.values.dialogue import Role, Vector

USER = "user"
ASKING = "asking"  # a session of its own, in which nothing was said


class Conversation(Protocol):
    """What the harness, or our own runner, hands to a factory."""

    @property
    def speakers(self) -> tuple[str, str]:
        """The first is the user."""
        ...


@dataclass
class Hit:
    """A piece of prompt text and the turns it holds verbatim."""

    text: str
    dia_ids: list[str]
    score: float = 0.0


@dataclass
class Stopwatch:
    """Milliseconds, added up."""

    milliseconds: float = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Add what the block takes."""
        start = time.perf_counter()
        yield
        self.milliseconds += 1000 * (time.perf_counter() - start)


EMBEDDING = Stopwatch()  # one for all: systems are asked one after the other


class TimedEmbedder:
    """An embedder whose work is added to `EMBEDDING`; its vectors, name and width are the embedder's own."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        """The embedder's."""
        return self._embedder.name

    @property
    def dimension(self) -> int:
        """The embedder's."""
        return self._embedder.dimension

    @property
    def semantic(self) -> bool:
        """The embedder's."""
        return self._embedder.semantic

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The embedder's vectors."""
        with EMBEDDING.running():
            return self._embedder.embed_documents(texts)

    def embed_query(self, text: str) -> Vector:
        """The embedder's vector."""
        with EMBEDDING.running():
            return self._embedder.embed_query(text)


@lru_cache(maxsize=1)
def local_embedder() -> TimedEmbedder:
    """The MiniLM of `memoryos-tiered[local]`, loaded once for all systems. Raises MissingExtraError."""
    return TimedEmbedder(open_embedder("local"))


class Asking:
    """A memory that holds a conversation: what it is asked in the runner's words."""

    def __init__(self, user: UserMemory, close: Callable[[], object]) -> None:
        self._asking = user
        self._close = close

    def search(self, query: str, k: int) -> list[Hit]:
        """Ranked hits."""
        return [Hit(h.text, [m.id or "" for m in h.messages], h.score) for h in self._asking.search(query, k)]

    def context(self, query: str, budget: int) -> list[Hit]:
        """The whole recall as one piece, so that headings, dates, profile and facts count in the budget."""
        recall = self.recall(query, budget)
        return [Hit(recall.text, [m.id or "" for h in recall.hits for m in h.messages])]

    def recall(self, query: str, budget: int) -> Recall:
        """Return what the memory gathers for a prompt."""
        return self._asking.recall(query, budget_tokens=budget)

    def close(self) -> None:
        """Let go of the memory."""
        self._close()


class System(Asking):
    """One conversation in a memory of its own, consolidated before the first question."""

    def __init__(self, conversation: Conversation, memory: Callable[[Clock], MemoryOS]) -> None:
        self.name = "MemoryOS"
        self.now = datetime(2020, 1, 1, tzinfo=timezone.utc)
        self._first = conversation.speakers[0]
        self._memory = memory(lambda: self.now)
        self._sessions: dict[int, list[Message]] = {}
        super().__init__(self._memory.user(USER, session_id=ASKING), self._memory.close)

    def add_turn(self, speaker: str, text: str, timestamp: datetime | None, dia_id: str, session: int) -> None:
        """Keep a turn; sessions are added whole."""
        when = timestamp.replace(tzinfo=timezone.utc) if timestamp else None
        if when and when > self.now:
            self.now = when
        named = None if speaker in ("user", "assistant") else speaker
        role: Role = "user" if speaker == self._first else "assistant"
        if text.strip():
            self._sessions.setdefault(session, []).append(Message(role, text, named, when, dia_id))

    def finish(self) -> None:
        """Add everything and consolidate."""
        for session, messages in self._sessions.items():
            self._memory.user(USER, session_id=f"session {session}").add_messages(messages)
        self._memory.user(USER).consolidate()


# Consolidation at a moment that we choose.
DEFAULT = MemoryConfig(worker=WorkerConfig(mode="manual"))
PAPER = replace(MemoryConfig.paper(), worker=DEFAULT.worker)


def in_ram(embedder: Embedder | None, config: MemoryConfig) -> Callable[[Clock], MemoryOS]:
    return lambda clock: MemoryOS("sqlite://", embedder=embedder, config=config, clock=clock)


def ours(conversation: Conversation) -> System:
    """The default: local embedder, no model."""
    return System(conversation, in_ram(local_embedder(), DEFAULT))


def lexical(conversation: Conversation) -> System:
    """No embedder."""
    return System(conversation, in_ram(None, DEFAULT))


def paper(conversation: Conversation) -> System:
    """The paper's algorithm and constants with our pages."""
    return System(conversation, in_ram(local_embedder(), PAPER))
