"""How far the cosines of a scope lie apart: what is sampled, and what the sample says."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.indexes.faiss import FaissIndex
from memoryos_core.indexes.lexical import BM25Index
from memoryos_core.indexes.resident import ResidentIndex
from memoryos_core.indexes.units import Unit, UnitTable
from memoryos_core.models import Page, Scope, Vector
from tests.indexes.feeding import FeedingStore, fact, page, unit_vector

ALICE, BOB = Scope("alice"), Scope("bob")
EAST, NORTH, WEST = unit_vector(1, 0), unit_vector(0, 1), unit_vector(-1, 0)
UNITS = tuple(Unit(f"p{n}", half, "tram", n, "s", seq=n) for n in range(30) for half in ("user", "assistant"))


def sampled(table: UnitTable, most: int) -> set[tuple[str, str]]:
    slots = table.sample(most)
    assert len(set(slots.tolist())) == len(slots)
    named = table.named(slots)
    return set(zip(named.owners, named.parts, strict=True))


def filled(units: Sequence[Unit]) -> UnitTable:
    table = UnitTable()
    for unit in units:
        table.put(unit)
    return table


@given(order=st.permutations(UNITS), most=st.integers(1, 59))
def test_the_same_units_are_sampled_whatever_the_order_they_came_in(order: list[Unit], most: int) -> None:
    expected = sampled(filled(UNITS), most)
    assert len(expected) == most
    assert sampled(filled(order), most) == expected


@given(gone=st.lists(st.sampled_from(UNITS), unique=True), again=st.integers(0, 60), most=st.integers(1, 61))
def test_what_went_is_not_sampled_and_what_came_again_is_as_before(gone: list[Unit], again: int, most: int) -> None:
    table = filled(UNITS)
    for unit in gone:
        table.drop(unit.owner, unit.part)
    for unit in gone[:again]:
        table.put(unit)
    left = [unit for unit in UNITS if unit not in gone[again:]]
    assert len(table) == len(left)
    assert sampled(table, most) == sampled(filled(left), most)
    assert len(sampled(table, most)) == min(most, len(left))


def test_a_small_scope_is_sampled_whole() -> None:
    assert sampled(filled(UNITS), 60) == sampled(filled(UNITS), 2048) == {(u.owner, u.part) for u in UNITS}
    assert sampled(UnitTable(), 5) == set()


def test_a_sample_is_of_the_whole_time_and_of_both_halves() -> None:
    pages = [Unit(f"p{n}", half, "tram", n, "s", seq=n) for n in range(2000) for half in ("user", "assistant")]
    chosen = sampled(filled(pages), 400)
    numbers = [int(owner[1:]) for owner, _ in chosen]
    assert abs(np.mean(numbers) - 1000) < 100
    assert 150 < sum(part == "user" for _, part in chosen) < 250
    assert len(set(numbers)) > 320  # halves are drawn one by one


def resident(store: FeedingStore) -> ResidentIndex:
    return ResidentIndex(store, vector_index=FaissIndex, lexical_index=BM25Index)  # type: ignore[arg-type]


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


def test_a_large_scope_is_measured_by_lot_the_same_whatever_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memoryos_core.indexes.scope_units._SAMPLE", 50)
    rows, results = many(300, 300), []
    for seed in range(3):
        store = FeedingStore()
        for row, vectors in random.Random(seed).sample(rows, len(rows)):
            store.put(ALICE, row, vectors)
        results.append(moments(store))
    assert results[0] == pytest.approx(results[1], abs=1e-6)
    assert results[0] == pytest.approx(results[2], abs=1e-6)
    cosines = np.array([vectors["user"] @ EAST for _, vectors in rows])
    chosen = {owner for owner, _ in sampled(filled([Unit(r.id, "user", "tram", 0, seq=r.seq) for r, _ in rows]), 50)}
    known = [cosine for (row, _), cosine in zip(rows, cosines, strict=True) if row.id in chosen]
    assert results[0] == pytest.approx((np.mean(known), np.std(known)), abs=1e-6)
    assert results[0] != pytest.approx((cosines.mean(), cosines.std()), abs=1e-6)


def test_while_few_units_have_a_vector_all_of_those_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a lot of two near ones would make everything else lie a hundred deviations away."""
    monkeypatch.setattr("memoryos_core.indexes.scope_units._SAMPLE", 50)
    store, rows = FeedingStore(), many(300, 9)
    for row, vectors in rows:
        store.put(ALICE, row, vectors)
    cosines = np.array([vectors["user"] @ EAST for _, vectors in rows if vectors])
    assert moments(store) == pytest.approx((cosines.mean(), cosines.std()), abs=1e-6)
