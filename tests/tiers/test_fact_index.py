"""The facts of a scope stay filed between readings, and say the same as facts that are filed anew."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, timezone
from random import Random
from typing import Any

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.config import LongTermConfig
from memoryos_core.stores import open_store
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.fakes import FixedClock
from memoryos_core.tiers import long_term
from memoryos_core.tiers.candidates import Candidate
from memoryos_core.tiers.long_term import LongTerm
from memoryos_core.values.commands import FactChange, Forgetting, Learning, Promotion, Visit
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.facts import Fact, ProfileField, Trust

ANN = Scope("ann")
NOON = datetime(2026, 5, 1, 12, tzinfo=timezone.utc)
SAID = (
    "Ann lives in {}.",
    "Ann lives in {} now.",
    "Ann works as a {} pilot.",
    "Ann no longer eats {}.",
    "Ann eats {}.",
    "Ann drinks coffee and {}.",
    "No wait, it is {}.",
    "They put the fee up; the bank statement now says {}.",
    "Ann's gym costs {} euros a month.",
    "Ann keeps bees behind the house in {}.",
)
WORDS = ("Lisbon", "Porto", "Braga", "Faro", "meat", "29", "31", "harbour")


@pytest.fixture
def store() -> Iterator[SqlStore]:
    opened = open_store("sqlite://")
    assert isinstance(opened, SqlStore)
    yield opened
    opened.close()


def tier(store: SqlStore, capacity: int) -> LongTerm:
    return LongTerm(store, LongTermConfig(capacity_facts=capacity), FixedClock(NOON))


def found(random: Random, number: int) -> Candidate:
    when = NOON + timedelta(minutes=30 * random.randrange(40))
    text = random.choice(SAID).format(random.choice(WORDS))
    trusts: tuple[Trust, ...] = ("user", "user", "document")
    trust = random.choice(trusts)
    return Candidate(Fact(f"{number:05}", "user", text, when, when, kind="change", origin="rules", trust=trust))


def disturb(store: SqlStore, random: Random, ids: Sequence[str]) -> None:
    """Change the facts behind the back of the index, as another thread or process does."""
    some = random.sample(ids, min(2, len(ids)))
    what = random.randrange(6)
    if what == 0:
        store.forget(Forgetting(ANN, fact_ids=tuple(some), at=NOON))
    elif what == 1:
        changes = tuple(FactChange(i, "retired", NOON + timedelta(days=9)) for i in some)
        store.promote(Promotion(ANN, Learning(changes=changes), NOON))
    elif what == 2:
        changes = tuple(FactChange(i, "current") for i in some)
        store.promote(Promotion(ANN, Learning(changes=changes), NOON))
    elif what == 3:
        store.visit(Visit(ANN, (), NOON, tuple(some)))


@pytest.mark.parametrize("capacity", [12, 1_000])
@pytest.mark.parametrize("seed", range(6 if "MEMORYOS_SOAK" in os.environ else 2))
def test_facts_that_stay_filed_say_the_same_as_facts_filed_anew(store: SqlStore, seed: int, capacity: int) -> None:
    random, kept, number = Random(seed), tier(store, capacity), 0
    for _ in range(40):
        candidates = [found(random, number + n) for n in range(random.randrange(4))]
        number += len(candidates)
        current = [f.id for f in store.facts(ANN)]
        retired = random.sample(current, 1) if current and random.random() < 0.2 else ()
        named = [ProfileField("name", "Ann", NOON)] if random.random() < 0.1 else ()
        anew = tier(store, capacity).learning(ANN, candidates, retired=retired, profile=named)
        learning = kept.learning(ANN, candidates, retired=retired, profile=named)
        assert learning == anew
        if random.random() < 0.8:  # otherwise the transaction is refused, and nothing of it is stored
            store.promote(Promotion(ANN, learning, NOON))
        disturb(store, random, [f.id for f in store.facts(ANN, current=False)])


def test_no_more_facts_stay_filed_than_a_process_has_room_for(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_term, "_FACTS_AT_MOST", 3)
    kept, read = tier(store, 100), list[tuple[str, int | None]]()
    whole = SqlStore.facts

    def note(self: SqlStore, scope: Scope, **filters: Any) -> tuple[Fact, ...]:
        read.append((scope.user_id, filters.get("after_version")))
        return whole(self, scope, **filters)

    monkeypatch.setattr(SqlStore, "facts", note)
    for user, many in (("ann", 2), ("ben", 2), ("cyd", 9)):
        facts = tuple(Fact(f"{user}{n}", "user", f"Keeps {n} bees.", NOON, NOON) for n in range(many))
        store.promote(Promotion(Scope(user), Learning(facts=facts), NOON))
        kept.learning(Scope(user), [])
    for user in ("cyd", "ben"):
        kept.learning(Scope(user), [])
    assert [name for name, after in read if after is None] == ["ann", "ben", "cyd", "ben"]
    assert [name for name, after in read if after is not None] == ["cyd"]


def test_each_batch_reads_only_the_facts_that_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0
    whole = SqlStore.facts

    def count(self: SqlStore, *args: Any, **filters: Any) -> tuple[Fact, ...]:
        nonlocal read
        facts = whole(self, *args, **filters)
        read += len(facts)
        return facts

    monkeypatch.setattr(SqlStore, "facts", count)
    each: list[float] = []
    for pages in (60, 240):
        config = MemoryConfig(worker=WorkerConfig(mode="manual"))
        with MemoryOS("sqlite://", embedder=None, config=config, clock=lambda: NOON) as memory:
            for number in range(pages):
                memory.user("ann", session_id=f"s{number // 20}").add(
                    f"I keep {number} hives of kind{number}.", "Good!"
                )
            read = 0
            memory.user("ann").consolidate()
            each.append(read / len(memory.user("ann").facts()))
    assert each[1] < each[0] + 0.5
    assert each[1] < 3
