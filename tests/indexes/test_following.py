"""The resident index over real SQLite files, with another store object, as another process has it, writing too."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest

from memoryos_core.ports import Store
from memoryos_core.recall.index import open_index
from memoryos_core.stores import open_store
from memoryos_core.values.commands import (
    Append,
    EmbedderStamp,
    Eviction,
    FactChange,
    Forgetting,
    Learning,
    Move,
    NewPage,
    PageOut,
    Promotion,
    VectorRow,
)
from memoryos_core.values.dialogue import Message, Page, Scope, Segment
from memoryos_core.values.facts import Fact
from memoryos_core.values.queries import Candidates

ALICE, BOB = Scope("alice"), Scope("bob")
AT = datetime(2024, 5, 1, tzinfo=timezone.utc)
EAST, NORTH = np.array([1, 0], dtype=np.float32), np.array([0, 1], dtype=np.float32)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'memory.db'}"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = open_store(url)
    yield opened
    opened.close()


@pytest.fixture
def other(store: Store, url: str) -> Iterator[Store]:
    opened = open_store(url)
    yield opened
    opened.close()


def say(store: Store, user: str, assistant: str = "", *, scope: Scope = ALICE, extend: bool = False) -> Page:
    said = (Message("assistant", assistant),) if extend else (Message("user", user), Message("assistant", assistant))
    new = NewPage(said, tokens=1, open=not assistant, extends_last=extend)
    return store.append(Append(scope, "s", (new,), AT))[-1]


def found(candidates: Candidates) -> set[tuple[str, str]]:
    return set(zip(candidates.owners, candidates.parts, strict=True))


def test_every_write_of_another_process_is_seen(store: Store, other: Store) -> None:
    index = open_index(store)
    assert len(index.candidates(ALICE, "tram", EAST, 9)) == 0

    page = say(other, "The tram is yellow")
    assert found(index.candidates(ALICE, "tram", EAST, 9)) == {(page.id, "user")}
    assert say(other, "", "Like a canary", extend=True).id == page.id
    assert (page.id, "assistant") in found(index.candidates(ALICE, "canary", None, 9))

    other.stamp_embedder(EmbedderStamp("test", 2))
    other.save_vectors(ALICE, [VectorRow(page.id, "user", EAST), VectorRow(page.id, "assistant", NORTH)])
    candidates = index.candidates(ALICE, "", NORTH, 9)
    np.testing.assert_allclose(candidates.dense, [0, 1], atol=1e-6)
    assert (candidates.dense_mean, candidates.dense_spread) == pytest.approx((0.5, 0.5))

    segment = Segment("g" * 32, "trams", ("tram",), EAST, page_count=1)
    other.page_out(PageOut(ALICE, (Move(page.id, segment.id, "c" * 32),), (segment,), (), AT))
    assert index.candidates(ALICE, "tram", None, 9).segments == (segment.id, segment.id)
    other.evict(Eviction(ALICE, (segment.id,), AT, archive=True))
    assert (page.id, "user") in found(index.candidates(ALICE, "tram", EAST, 9))

    fact = Fact("f" * 32, "user", "Rides the funicular", AT, AT, page_ids=(page.id,))
    learnt = Learning(facts=(fact,), vectors=(VectorRow(fact.id, "fact", EAST),))
    other.promote(Promotion(ALICE, learnt, AT))
    assert (fact.id, "fact") in found(index.candidates(ALICE, "funicular", NORTH, 9))
    other.promote(Promotion(ALICE, Learning(changes=(FactChange(fact.id, status="retired"),)), AT))
    assert len(index.candidates(ALICE, "funicular", None, 9)) == 0

    other.forget(Forgetting(ALICE, page_ids=(page.id,)))
    assert len(index.candidates(ALICE, "tram canary", EAST, 9)) == 0


def test_names_written_by_another_process_are_seen_in_their_scope_alone(store: Store, other: Store) -> None:
    index = open_index(store)
    assert index.speakers(ALICE) == frozenset()

    def join(name: str | None, text: str = "Hello", scope: Scope = ALICE) -> Page:
        said = (Message("user", text, name=name), Message("tool", "42", name="adder", answers="c"))
        return other.append(Append(scope, "s", (NewPage(said, tokens=1, open=False),), AT))[-1]

    ana = join("Ana")
    assert index.speakers(ALICE) == {"Ana"}
    for page in (("Ana", "Again"), (None, "Nobody"), ("  ", "Blank"), ("Bo Li", ""), ("Bo Li", " ")):
        join(*page)
    assert index.speakers(ALICE) == {"Ana"}  # who says nothing is none
    join("Bo Li")
    join("Cy", scope=BOB)
    assert index.speakers(ALICE) == {"Ana", "Bo Li"}
    assert index.speakers(BOB) == {"Cy"}
    other.forget(Forgetting(BOB, everything=True))
    assert index.speakers(BOB) == frozenset()
    other.forget(Forgetting(ALICE, page_ids=(ana.id,)))
    assert index.speakers(ALICE) == {"Ana", "Bo Li"}  # she said it again


def test_another_embedder_replaces_every_vector(store: Store, other: Store) -> None:
    index = open_index(store)
    page = say(store, "The tram is yellow")
    store.stamp_embedder(EmbedderStamp("small", 2))
    store.save_vectors(ALICE, [VectorRow(page.id, "user", EAST)])
    assert len(index.candidates(ALICE, "", EAST, 9)) == 1
    other.stamp_embedder(EmbedderStamp("large", 3))
    assert np.isnan(index.candidates(ALICE, "tram", EAST, 9).dense).all()
    up = np.array([0, 0, 1], dtype=np.float32)
    other.save_vectors(ALICE, [VectorRow(page.id, "user", up)])
    np.testing.assert_allclose(index.candidates(ALICE, "", up, 9).dense, [1], atol=1e-6)


def test_a_scope_erased_whole_begins_anew(store: Store, other: Store) -> None:
    index = open_index(store)
    say(store, "The tram is yellow")
    assert len(index.candidates(ALICE, "tram", None, 9)) == 1
    other.forget(Forgetting(ALICE, everything=True))
    assert len(index.candidates(ALICE, "tram", None, 9)) == 0
    page = say(other, "A green tram")
    assert found(index.candidates(ALICE, "tram", None, 9)) == {(page.id, "user")}


def test_many_pages_come_in_chunks_and_in_order(store: Store) -> None:
    pages = tuple(NewPage((Message("user", f"word{n} tram"),), tokens=1, open=False) for n in range(1203))
    stored = store.append(Append(ALICE, "s", pages, AT + timedelta(days=1)))
    index = open_index(store)
    assert len(index.candidates(ALICE, "tram", None, 2000)) == 1203
    near = index.candidates(ALICE, "word700", None, 9)
    assert near.owners == tuple(page.id for page in stored[698:703])
    assert near.lexical[0] == near.lexical[4] < near.lexical[1] == near.lexical[3] < near.lexical[2]


def test_eight_threads_two_stores_one_truth(store: Store, other: Store) -> None:
    index = open_index(store)

    def work(lane: int) -> None:
        scope, writer = (ALICE, BOB)[lane % 2], (store, other)[lane // 4]
        for number in range(6):
            page = say(writer, f"word{lane}x{number} tram", "yes", scope=scope)
            assert page.id in index.candidates(scope, f"word{lane}x{number}", None, 9).owners

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    for scope in (ALICE, BOB):
        fresh = open_index(other).candidates(scope, "tram yes", None, 99)
        kept = index.candidates(scope, "tram yes", None, 99)
        assert len(kept) == 48
        assert found(kept) == found(fresh)
        assert sorted(kept.lexical.tolist()) == pytest.approx(sorted(fresh.lexical.tolist()))
