"""A conversation full of ties: equal words, equal times, equal facts. What is recalled of it must not hang on ids.

Usage: python -m tests.pipeline.ties URL SEMANTIC SEED TURNS.
Prints all prompts and all that is remembered, without ids.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

from memoryos_core import HeatConfig, MemoryConfig, MemoryOS, Message, MidTermConfig, ShortTermConfig, WorkerConfig
from memoryos_core.testing.fakes import FixedClock, KeywordEmbedder

START = datetime(2024, 3, 1, 9, tzinfo=timezone.utc)
_SAID = (
    "I live in {}.", "I moved to {} last spring.", "My sister works in {}.", "I love the {} of spring.",
    "We sold the {} yesterday.", "My dog is called {}.", "I am allergic to {}.", "I work as a {}.",
    "ok", "Thanks!", "I want to see {} next week.", "My brother Tom hates {}.", "No, I meant {}.",
)  # fmt: skip
_WORDS = ("Lisbon", "Oslo", "boat", "cello", "baker", "peanuts", "Rex", "orchard", "Ghent", "nurse", "violin", "cat")
_REPLIES = ("Noted.", "I see.", "How nice, {}!", "Tell me more about {}.")
_ASKED = (
    "Where do I live?", "What is my dog called?", "What am I allergic to?", "What do I do for work?",
    "What do you know about {}?", "Did I ever mention {}?", "What about the {} and my sister?",
    "Summarise everything about {}.", "What did we say last spring?", "What did you tell me about {}?",
)  # fmt: skip

_IDS, _NAMES = {"id", "ids"}, {"superseded_by", "digest"}


def turns(seed: int = 7, number: int = 160) -> Iterator[tuple[str, str, str, int]]:
    """Yield session, what the user says, the reply, and the minutes since the last one."""
    chance = random.Random(seed)
    for _ in range(number):
        word = chance.choice(_WORDS)
        said = " ".join(chance.choice(_SAID).format(word) for _ in range(chance.choice((1, 1, 2, 9))))
        yield f"s{chance.randrange(4)}", said, chance.choice(_REPLIES).format(word), chance.choice((0, 0, 0, 5, 700))


def questions(seed: int = 7, number: int = 50) -> list[str]:
    """Return questions, some of them alike."""
    chance = random.Random(seed)
    return [chance.choice(_ASKED).format(chance.choice(_WORDS)) for _ in range(number)]


def config() -> MemoryConfig:
    """Tiers so small that all that is said goes through all of them."""
    return MemoryConfig(
        short_term=ShortTermConfig(capacity_pages=4, batch_pages=4, active_sessions=2),
        mid_term=MidTermConfig(capacity_segments=12),
        heat=HeatConfig(threshold=2.0),
        worker=WorkerConfig(mode="manual"),
    )


def outcome(url: str, *, semantic: bool, seed: int = 7, said: int = 160, asked: int = 50) -> str:
    """Return all prompts and all that is remembered, without ids, as one text."""
    clock = FixedClock(START)
    embedder = KeywordEmbedder() if semantic else None
    with MemoryOS(url, embedder=embedder, config=config(), clock=clock) as memory:
        now = START
        for number, (session, line, reply, minutes) in enumerate(turns(seed, said)):
            now += timedelta(minutes=minutes)
            clock.set(now)
            messages = [Message("user", line, timestamp=now), Message("assistant", reply, timestamp=now)]
            memory.user("u", session_id=session).add_messages(messages)
            if number % 40 == 39:
                memory.user("u").consolidate()
        memory.user("u").consolidate()
        asking = memory.user("u", session_id="asking")
        prompts = [asking.recall(question, budget_tokens=400).text for question in questions(seed, asked)]
        found = [[(h.kind, h.text, h.score, h.seq) for h in asking.search(q, k=12)] for q in questions(seed)[:10]]
        memory.flush(timeout=60)
        records = [without_ids(record) for record in asking.export()]
    return json.dumps([prompts, found, records], indent=1, default=str)


def without_ids(record: Any) -> Any:
    """Return a record without what names pages, facts, segments and messages."""
    if isinstance(record, dict):
        return {k: without_ids(v) for k, v in record.items() if not (_IDS & {*k.split("_")} or k in _NAMES)}
    return [without_ids(part) for part in record] if isinstance(record, list | tuple) else record


if __name__ == "__main__":
    print(outcome(sys.argv[1], semantic=sys.argv[2] == "semantic", seed=int(sys.argv[3]), said=int(sys.argv[4])))
