"""A conversation as a list of events, workers that come by when they like, and all that must be the same afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from itertools import zip_longest
from typing import Literal, TypeAlias

from hypothesis import strategies as st

from memoryos_core import (
    HeatConfig,
    LongTermConfig,
    MemoryConfig,
    MemoryOS,
    Message,
    MidTermConfig,
    ShortTermConfig,
    WorkerConfig,
)
from memoryos_core.config import WorkerMode
from memoryos_core.stores import open_store
from memoryos_core.testing.fakes import FixedClock, KeywordEmbedder
from memoryos_core.values.commands import PageQuery
from memoryos_core.values.dialogue import Scope

START = datetime(2024, 3, 1, 9, tzinfo=timezone.utc)
USER = Scope("u")
SESSIONS = ("monday", "tuesday", "wednesday", "thursday")
TOPICS = (
    "boat with its keel, its mast and its anchor",
    "cat with her whiskers, her paws and her basket",
    "violin with its strings, its bow and its rosin",
    "orchard with its pears, its plums and its ladder",
    "kitchen with its oven, its kettle and its spoons",
    "bicycle with its pedals, its bell and its saddle",
)
QUESTIONS = ("Where is the boat?", "What does the cat like?", "Summarise everything about the violin and the orchard.")


@dataclass(frozen=True)
class Said:
    """Messages of one moment, added at once."""

    session: str
    messages: tuple[tuple[Literal["user", "assistant"], str], ...]
    hours: int


@dataclass(frozen=True)
class Asked:
    """A question, which leaves visits behind."""

    session: str
    question: str


Event: TypeAlias = Said | Asked
Visit: TypeAlias = Literal["nobody", "worker", "reopened", "rebuilt"]

# What is told of a topic, and facts of one moment that replace, repeat and correct one another.
told_of_topics = st.builds("I {} my {}.".format, st.sampled_from(("love", "sold", "painted")), st.sampled_from(TOPICS))
told_of_life = st.builds(
    str.format,
    st.sampled_from(
        (
            "I live in {}.",
            "I moved to {} last spring.",
            "My sister works in {}.",
            "I love the {} of spring.",
            "We sold the {} yesterday.",
            "My dog is called {}.",
            "I work as a {}.",
            "No, I meant {}.",
            "ok",
        )
    ),
    st.sampled_from(("Lisbon", "Oslo", "cello", "baker", "Rex")),
)
sentences = st.lists(told_of_topics | told_of_life, min_size=1, max_size=3).map(" ".join)
messages = st.lists(st.tuples(st.sampled_from(("user", "assistant")), sentences), min_size=1, max_size=3).map(tuple)
events = st.lists(
    st.builds(Said, st.sampled_from(SESSIONS), messages, st.sampled_from((0, 0, 1, 900))),
    min_size=8,
    max_size=40,
)
with_questions = st.lists(
    st.builds(Said, st.sampled_from(SESSIONS), messages, st.sampled_from((0, 0, 1, 900)))
    | st.builds(Asked, st.sampled_from(SESSIONS), st.sampled_from(QUESTIONS)),
    min_size=8,
    max_size=40,
)


def tight(mode: WorkerMode = "manual", *, eviction: Literal["fifo", "lowest_value"] = "lowest_value") -> MemoryConfig:
    """Tiers so small that a few pages fill all of them."""
    return MemoryConfig(
        short_term=ShortTermConfig(capacity_pages=2, capacity_tokens=40, batch_pages=3, active_sessions=2),
        mid_term=MidTermConfig(capacity_segments=3),
        heat=HeatConfig(threshold=2.5),
        long_term=LongTermConfig(capacity_facts=5, eviction=eviction),
        worker=WorkerConfig(mode=mode, backoff_seconds=0.01),
    )


class Life:
    """A memory that goes through events. `url` names an empty database by number: a rebuilt one needs another."""

    def __init__(self, urls: Iterator[str], config: MemoryConfig, *, semantic: bool) -> None:
        self._urls = urls
        self._config = config
        self._embedder = KeywordEmbedder() if semantic else None
        self._clock = FixedClock(START)
        self._now = START
        self._url = next(urls)
        self.memory = self._opened()

    def _opened(self) -> MemoryOS:
        return MemoryOS(self._url, embedder=self._embedder, config=self._config, clock=self._clock)

    def go_through(self, happening: Sequence[Event], visits: Sequence[Visit]) -> None:
        """Each event, and after it who comes by; a question finds a memory that has caught up."""
        for event, visit, later in zip_longest(happening, visits, happening[1:]):
            if isinstance(event, Said):
                self._now += timedelta(hours=event.hours)
                self._clock.set(self._now)
                said = [Message(role, text, timestamp=self._now) for role, text in event.messages]
                self.memory.user("u", session_id=event.session).add_messages(said)
            else:
                self.catch_up()
                self.memory.user("u", session_id=event.session).recall(event.question, budget_tokens=200)
            self._come_by(visit, later.hours if isinstance(later, Said) else 0)
        self.catch_up()

    def catch_up(self) -> None:
        assert self.memory.flush(timeout=60)

    def _come_by(self, visit: Visit, hours: int) -> None:
        if visit == "worker":
            self._clock.set(self._now + timedelta(hours=hours))  # as late as the next event lets it
            self.memory.user("u").consolidate()
        elif visit == "reopened":
            self.memory.close()
            self.memory = self._opened()
        elif visit == "rebuilt":
            self.memory.close()
            self.memory = self._opened()
            records = list(self.memory.user("u").export())
            self.memory.close()
            self._url = next(self._urls)
            self.memory = self._opened()
            self.memory.restore(records)

    def outcome(self) -> dict[str, object]:
        """All that is remembered, with seqs and places instead of ids, but for when a worker learnt it."""
        user = self.memory.user("u", session_id="asking")
        recalled = [str(user.recall(question, budget_tokens=300)) for question in QUESTIONS]
        self.catch_up()
        profile = user.profile()
        self.memory.close()
        with closing(open_store(self._url)) as store:
            pages = store.pages(PageQuery(USER))
            seqs = {page.id: page.seq for page in pages}
            homes = {p.segment_id for p in pages} - {None}
            segments = [*store.segments(USER), *store.segments(USER, archived=True)]
            assert homes == {s.id for s in segments}
            facts = store.facts(USER, current=False)
        places = {fact.id: place for place, fact in enumerate(facts)}
        return {
            "recalled": recalled,
            "pages": [(p.session_id, p.tier, p.open, p.analysed, [m.text for m in p.messages]) for p in pages],
            "chains": sorted(_grouped([(p.chain_id, p.seq) for p in pages])),
            "segments": [
                (s.archived, s.summary, s.keywords, s.n_visit, s.l_interaction, s.last_access) for s in segments
            ],
            "membership": [[p.seq for p in pages if p.segment_id == s.id] for s in segments],
            "facts": [
                (f.about, f.text, f.valid_from, f.valid_until, f.event_time, f.trust, f.status, f.visits) for f in facts
            ],
            "sources": [([seqs[i] for i in f.page_ids], places.get(f.superseded_by or "")) for f in facts],
            "profile": (
                [(f.name, f.value, f.since, [seqs[i] for i in f.page_ids]) for f in profile.fields],
                [(t.dimension, t.level, t.reason, t.since) for t in profile.traits],
            ),
        }


def _grouped(labelled: Sequence[tuple[str | None, int]]) -> list[list[int]]:
    """Seqs that carry the same label together; those without one are left out."""
    groups: dict[str, list[int]] = {}
    for label, seq in labelled:
        if label is not None:
            groups.setdefault(label, []).append(seq)
    return list(groups.values())


def lived(
    urls: Iterator[str], happening: Sequence[Event], visits: Sequence[Visit], config: MemoryConfig, *, semantic: bool
) -> dict[str, object]:
    """What a memory holds after these events."""
    life = Life(urls, config, semantic=semantic)
    try:
        life.go_through(happening, visits)
        return life.outcome()
    finally:
        life.memory.close()
