"""The memory that `benchmarks.knowledge` measures: our public API, with what a memory knows after a conversation.

The clock goes with the conversation, and each session ends after its last message. Consolidation runs where the worker
of the default configuration would have run by then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Protocol

from benchmarks.asking import Filling, squashed
from benchmarks.system import ASKING, DEFAULT, USER, local_embedder
from benchmarks.talks import Talk
from memoryos_core import Fact, MemoryOS, Message, Page
from memoryos_core.ports import ChatModel, Embedder
from memoryos_core.providers.tokens import open_token_counter
from memoryos_core.values.dialogue import Role

BUDGET = 1000
_ROLES = ("user", "assistant")
_BETWEEN_STATEMENTS = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact that a memory holds: the speaker it is about, the turns it comes from, and whether it is current."""

    text: str
    about: str
    sources: frozenset[str]
    current: bool


class Memory(Filling, Protocol):
    """A memory of one conversation that can be asked for what it knows."""

    def remember(self, text: str) -> None:
        """Keep a statement that was told on purpose."""
        ...

    def facts(self) -> list[KnownFact]:
        """Return all facts, with those that are no longer current."""
        ...

    def segments(self) -> list[list[str]]:
        """Return the turns of each segment."""
        ...

    def hottest(self, count: int) -> list[list[str]]:
        """Return the turns of each of the hottest segments, the hottest first."""
        ...

    def wait(self, time: timedelta) -> None:
        """Let time pass."""
        ...

    def text(self, query: str, budget: int) -> str:
        """Return what would stand in the prompt."""
        ...

    def close(self) -> None:
        """Close the memory."""
        ...


class Knowledge:
    """One conversation in a memory of its own; `model` is asked as well as the rules."""

    def __init__(self, talk: Talk, embedder: Embedder | None, model: ChatModel | None = None) -> None:
        self._speakers = talk.speakers
        self._now = datetime(2020, 1, 1, tzinfo=timezone.utc)
        self._memory = MemoryOS("sqlite://", llm=model, embedder=embedder, config=DEFAULT, clock=lambda: self._now)
        self._user = self._memory.user(USER, session_id=ASKING)
        self._sessions: dict[int, list[Message]] = {}
        self._is_pending = False

    def add_turn(self, speaker: str, text: str, timestamp: datetime | None, dia_id: str, session: int) -> None:
        """Keep a turn; sessions are added whole."""
        when = timestamp.replace(tzinfo=timezone.utc) if timestamp else None
        role: Role = "user" if speaker == self._speakers[0] else "assistant"
        name = None if speaker in _ROLES else speaker
        if text.strip():
            self._sessions.setdefault(session, []).append(Message(role, text, name, when, dia_id))

    def finish(self) -> None:
        """Add the sessions one after the other, end each, and consolidate."""
        for number, messages in self._sessions.items():
            self._now = max([self._now, *(message.timestamp for message in messages if message.timestamp)])
            session = self._memory.user(USER, session_id=f"session {number}")
            session.add_messages(messages)
            session.end_session()
        self._is_pending = True
        self._consolidate()

    def remember(self, text: str) -> None:
        """Keep a statement; the next one comes a minute later."""
        self._now += _BETWEEN_STATEMENTS
        self._user.remember(text)
        self._is_pending = True

    def facts(self) -> list[KnownFact]:
        """Return all facts, with those that are no longer current."""
        self._consolidate()
        pages = {page.id: page for page in self._user.pages()}
        speakers = dict(zip(_ROLES, self._speakers, strict=True))
        return [
            KnownFact(
                fact.text,
                speakers.get(fact.about, fact.about),
                frozenset(_sources(fact, pages)),
                fact.status == "current",
            )
            for fact in self._user.facts(current=False)
        ]

    def segments(self) -> list[list[str]]:
        """Return the turns of each segment, archived segments included."""
        self._consolidate()
        turns: dict[str, list[str]] = {}
        for page in self._user.pages():
            if page.segment_id:
                turns.setdefault(page.segment_id, []).extend(_ids(page.messages))
        return list(turns.values())

    def hottest(self, count: int) -> list[list[str]]:
        """Return the turns of each of the hottest segments, the hottest first."""
        turns: dict[str | None, list[str]] = {}
        for page in self._user.pages():
            turns.setdefault(page.segment_id, []).extend(_ids(page.messages))
        return [turns.get(topic.segment_id, []) for topic in self._user.topics()[:count]]

    def wait(self, time: timedelta) -> None:
        """Let time pass."""
        self._now += time

    def text(self, query: str, budget: int) -> str:
        """Return the text of a recall from a session in which nothing was said."""
        self._consolidate()
        return self._user.recall(query, budget_tokens=budget).text

    def close(self) -> None:
        """Close the memory."""
        self._memory.close()

    def _consolidate(self) -> None:
        if self._is_pending:
            self._user.consolidate()
            self._is_pending = False


def _sources(fact: Fact, pages: Mapping[str, Page]) -> list[str]:
    """Return the turns of the cited pages that the fact comes from, as far as that can be told.

    These are the turns that hold the fact word for word, else those of the speaker that it is about, else all.
    """
    words = squashed(fact.text).rstrip(".!")
    turns: list[str] = []
    for page in (pages[page_id] for page_id in fact.page_ids if page_id in pages):
        messages = [message for message in page.messages if message.text.strip()]
        literal = [message for message in messages if words in squashed(message.text)]
        own = [message for message in messages if message.half == fact.about]
        turns += _ids(literal or own or messages)
    return turns


def _ids(messages: Sequence[Message]) -> list[str]:
    return [message.id for message in messages if message.id]


OpenMemory = Callable[[Talk], Memory]

SYSTEMS: dict[str, Callable[[], Embedder | None]] = {
    "words": lambda: None,
    "dense": local_embedder,  # as by default
}


def opener(system: str, model: ChatModel | None = None) -> OpenMemory:
    """Return what opens a memory of a system, which asks a model if there is one."""
    return lambda talk: Knowledge(talk, SYSTEMS[system](), model)


def gather(memory: Memory, query: str, budget: int = BUDGET) -> str:
    """Return the text for a prompt. Raises RuntimeError when it takes more tokens than the budget."""
    text = memory.text(query, budget)
    if (tokens := open_token_counter()(text)) > budget:
        raise RuntimeError(f"the memory took {tokens} tokens of {budget} for a question")
    return text
