"""Our memory behind the interface of the measuring harness (add_turn / finish / search / context).

    python ../shared/memobench/measure.py locomo benchmarks.system:ours

The first speaker of a conversation is the user, the other one the assistant; names stay as message names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Protocol

from memoryos_core import MemoryConfig, MemoryOS, Message, WorkerConfig
from memoryos_core.models import Role


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


class System:
    """One conversation in a memory of its own, in RAM, consolidated before the first question."""

    def __init__(self, conversation: Conversation, memory: Callable[[Callable[[], datetime]], MemoryOS]) -> None:
        self.name = "MemoryOS"
        self._first = conversation.speakers[0]
        self._now = datetime(2020, 1, 1, tzinfo=timezone.utc)
        self._memory = memory(lambda: self._now)
        self._sessions: dict[int, list[Message]] = {}

    def add_turn(self, speaker: str, text: str, timestamp: datetime | None, dia_id: str, session: int) -> None:
        """Keep a turn; sessions are added whole."""
        when = timestamp.replace(tzinfo=timezone.utc) if timestamp else None
        if when and when > self._now:
            self._now = when
        named = None if speaker in ("user", "assistant") else speaker
        role: Role = "user" if speaker == self._first else "assistant"
        if text.strip():
            self._sessions.setdefault(session, []).append(Message(role, text, named, when, dia_id))

    def finish(self) -> None:
        """Add everything and consolidate."""
        for session, messages in self._sessions.items():
            self._memory.user("user", session_id=f"session {session}").add_messages(messages)
        self._memory.user("user").consolidate()
        self._asking = self._memory.user("user", session_id="asking")

    def search(self, query: str, k: int) -> list[Hit]:
        """Ranked hits."""
        return [Hit(h.text, [m.id or "" for m in h.messages], h.score) for h in self._asking.search(query, k)]

    def context(self, query: str, budget: int) -> list[Hit]:
        """The whole recall as one piece, so that headings, dates, profile and facts count in the budget."""
        recall = self._asking.recall(query, budget_tokens=budget)
        return [Hit(recall.text, [m.id or "" for h in recall.hits for m in h.messages])]

    def close(self) -> None:
        """Let go of the memory."""
        self._memory.close()


def _memory(embedder: str | None, config: MemoryConfig) -> Callable[[Callable[[], datetime]], MemoryOS]:
    return lambda clock: MemoryOS("sqlite://", embedder=embedder, config=config, clock=clock)


_MANUAL = WorkerConfig(mode="manual")


def ours(conversation: Conversation) -> System:
    """The default: local embedder, no model."""
    return System(conversation, _memory("local", MemoryConfig(worker=_MANUAL)))


def lexical(conversation: Conversation) -> System:
    """No embedder."""
    return System(conversation, _memory(None, MemoryConfig(worker=_MANUAL)))


def paper(conversation: Conversation) -> System:
    """The paper's algorithm and constants with our pages."""
    return System(conversation, _memory("local", replace(MemoryConfig.paper(), worker=_MANUAL)))
