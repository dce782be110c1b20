"""Mean and spread of a scope's cosines, and which of equals are found: no id and no order of loading has a part."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.recall.index.lexical import BM25Index
from memoryos_core.recall.index.resident import ResidentIndex
from memoryos_core.recall.index.vectors import FlatIndex
from memoryos_core.values.dialogue import Page, Scope, Vector
from tests.indexes.feeding import START, FeedingStore, fact, page, unit_vector

ALICE, BOB = Scope("alice"), Scope("bob")
EAST, NORTH, WEST = unit_vector(1, 0), unit_vector(0, 1), unit_vector(-1, 0)


def resident(store: FeedingStore) -> ResidentIndex:
    return ResidentIndex(store, vector_index=FlatIndex, lexical_index=BM25Index)  # type: ignore[arg-type]


def moments(store: FeedingStore, vector: Vector | None = EAST, scope: Scope = ALICE) -> tuple[float, float]:
    found = resident(store).candidates(scope, "tram", vector, 1)
    return found.dense_mean, found.dense_spread


def angle(degrees: float) -> Vector:
    return unit_vector(np.cos(np.radians(degrees)), np.sin(np.radians(degrees)))


@given(angles=st.lists(st.none() | st.integers(0, 180), min_size=1, max_size=12))
def test_mean_and_spread_are_those_of_all_vectors_of_the_scope_and_not_of_those_found(angles: list[int | None]) -> None:
    store = FeedingStore()
    for number, degrees in enumerate(angles):
        row = fact(number, "tram") if number % 3 == 2 else page(number, "tram")
        part = "fact" if number % 3 == 2 else "user"
        store.put(ALICE, row, {} if degrees is None else {part: angle(degrees)})
    cosines = [np.cos(np.radians(degrees)) for degrees in angles if degrees is not None]
    expected = (np.mean(cosines), np.std(cosines)) if cosines else (0, 0)
    assert moments(store) == pytest.approx(expected, abs=1e-6)


def test_without_a_vector_to_ask_with_there_is_nothing_to_measure() -> None:
    store = FeedingStore()
    store.put(ALICE, page(0, "tram"), {"user": EAST})
    assert moments(store, None) == moments(store, unit_vector(1, 0, 0)) == (0, 0)


def test_what_another_user_stores_moves_neither() -> None:
    store = FeedingStore()
    for number, vector in enumerate((EAST, NORTH)):
        store.put(ALICE, page(number, "tram"), {"user": vector})
        store.put(BOB, page(number, "tram"), {"user": WEST})
    assert moments(store) == pytest.approx((0.5, 0.5))
    assert moments(store, scope=BOB) == pytest.approx((-1, 0))


def many(count: int, embedded: int) -> list[tuple[Page, dict[str, Vector]]]:
    draw = random.Random(7)
    angles = [draw.uniform(0, 180) for _ in range(embedded)]
    return [(page(n, "tram"), {"user": angle(angles[n])} if n < embedded else {}) for n in range(count)]


@pytest.mark.parametrize("count", [300, 3000])
def test_a_large_scope_is_measured_whole_the_same_to_the_last_bit_in_any_order(count: int) -> None:
    rows, results = many(count, count), []
    for seed in range(3):
        store = FeedingStore(chunk=70 + seed)
        for row, vectors in random.Random(seed).sample(rows, len(rows)):
            store.put(ALICE, row, vectors)
        results.append(moments(store))
    assert results[0] == results[1] == results[2]
    cosines = np.array([vectors["user"] @ EAST for _, vectors in rows])
    assert results[0] == pytest.approx((cosines.mean(), cosines.std()), abs=1e-6)


def test_while_few_units_have_a_vector_all_of_those_are_measured() -> None:
    store, rows = FeedingStore(), many(300, 9)
    for row, vectors in rows:
        store.put(ALICE, row, vectors)
    cosines = np.array([vectors["user"] @ EAST for _, vectors in rows if vectors])
    assert moments(store) == pytest.approx((cosines.mean(), cosines.std()), abs=1e-6)


@given(order=st.permutations(range(40)), k=st.integers(1, 39), as_facts=st.booleans())
def test_of_equals_the_first_said_is_found_and_candidates_have_one_order(
    order: list[int], k: int, *, as_facts: bool
) -> None:
    store = FeedingStore(chunk=7)
    for number in order:
        same = {"valid_from": START, "seq": number} if as_facts else {"timestamp": START}
        row = fact(number, "tram", **same) if as_facts else page(number, "tram", session_id=f"s{number}", **same)
        store.put(ALICE, row, {"fact" if as_facts else "user": EAST})
    found = resident(store).candidates(ALICE, "tram", EAST, k)
    assert found.owners == tuple(f"{'f' if as_facts else 'p'}{number}" for number in range(k))
