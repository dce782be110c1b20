"""Vectors in pgvector: the same bits back, all compared in a small scope, an approximate index for a large one."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from memoryos_core.errors import InvalidInputError, StoreError
from memoryos_core.ports import PageIndex
from memoryos_core.recall.index import analyse_item, open_index
from memoryos_core.stores import open_store
from memoryos_core.stores.sql.searching import candidates as searching
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.postgres import LocalPostgres
from memoryos_core.testing.store_samples import ALICE, BOB, add
from memoryos_core.values.commands import EmbedderStamp, PageQuery, VectorRow
from memoryos_core.values.dialogue import Scope, Vector
from tests.postgres.planning import planned

pytestmark = pytest.mark.postgres

SIZE = 12


@pytest.fixture
def store(postgres_url: str) -> Iterator[SqlStore]:
    with closing(SqlStore(postgres_url, analyse=analyse_item)) as store:
        yield store


FLOATS = st.integers(0, 2**32 - 1).map(lambda bits: struct.unpack("<f", struct.pack("<I", bits))[0])


@given(numbers=st.lists(FLOATS.filter(np.isfinite), min_size=1, max_size=40))
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
def test_every_finite_number_comes_back_bit_for_bit(store, numbers):
    (page,) = store.pages(PageQuery(ALICE)) or add(store, "a tram")
    vector = np.array(numbers, dtype=np.float32)
    store.save_vectors(ALICE, [VectorRow(page.id, "user", vector)])
    back = store.vectors(ALICE, [page.id])[page.id]["user"]
    assert back.dtype == np.float32
    assert back.tobytes() == vector.tobytes()
    assert not back.flags.writeable


@pytest.mark.parametrize("numbers", [[], [float("nan")], [1.0, float("inf")]])
def test_what_pgvector_does_not_take_is_refused_by_name_and_nothing_changes(store, numbers):
    (page,) = add(store, "a tram")
    store.save_vectors(ALICE, [VectorRow(page.id, "user", np.ones(2, dtype=np.float32))])
    with pytest.raises(InvalidInputError, match="vector"):
        store.save_vectors(ALICE, [VectorRow(page.id, "user", np.array(numbers, dtype=np.float32))])
    assert store.vectors(ALICE, [page.id])[page.id]["user"].tolist() == [1, 1]


def clustered(lot: np.random.Generator, count: int, centres: np.ndarray) -> np.ndarray:
    near = centres[lot.integers(len(centres), size=count)] + lot.normal(scale=0.25, size=(count, SIZE))
    found: np.ndarray = (near / np.linalg.norm(near, axis=1, keepdims=True)).astype(np.float32)
    return found


def put(store: SqlStore, scope: Scope, vectors: np.ndarray) -> None:
    pages = add(store, *(f"number {i}" for i in range(len(vectors))), scope=scope)
    given = zip(pages, vectors, strict=True)
    store.save_vectors(scope, [VectorRow(page.id, "user", vector) for page, vector in given])


def test_the_approximate_index_finds_what_comparing_all_finds_beside_other_scopes(store, monkeypatch):
    lot = np.random.default_rng(5)
    centres = lot.normal(size=(12, SIZE))
    store.stamp_embedder(EmbedderStamp("e", SIZE))
    put(store, ALICE, clustered(lot, 1200, centres))
    put(store, BOB, clustered(lot, 1200, centres))
    put(store, Scope("carol"), clustered(lot, 1200, centres))
    with store._database.writing(None) as connection:
        connection.execute(text("ANALYZE"))
    index, questions = open_index(store, kind="database"), clustered(lot, 20, centres)
    exact = [_nearest(index, question) for question in questions]
    store._exact_up_to = store._whole_up_to = 100
    assert _index(store) == ""
    put(store, BOB, clustered(lot, 10, centres))  # one that has outgrown it is enough for all
    assert f"vector({SIZE})" in _index(store)
    with planned() as plans:
        found = [_nearest(index, question) for question in questions]
    used = [n.get("Index Name") for plan in plans for n in plan.nodes if n.get("Relation Name") == "memoryos_vectors"]
    assert "memoryos_vectors_near" in used
    monkeypatch.setattr(searching, "LEAST_SHARE", 0.9)  # of all vectors, a third are of this scope
    assert [_nearest(index, question) for question in questions] == exact
    shared = [len(set(one) & set(other)) / 40 for one, other in zip(exact, found, strict=True)]
    assert np.mean(shared) >= 0.95
    assert {len(one) for one in found} == {40}


def _nearest(index: PageIndex, question: Vector) -> tuple[str, ...]:
    found = index.candidates(ALICE, "", question, 40)
    assert np.isfinite(found.dense).all()
    assert 0.1 < found.dense_spread < 0.6
    return found.owners


def _index(store: SqlStore) -> str:
    with store._database.reading(None) as connection:
        wanted = text("SELECT indexdef FROM pg_indexes WHERE indexname = 'memoryos_vectors_near'")
        return connection.scalar(wanted) or ""


def test_the_approximate_index_comes_with_size_and_goes_with_the_embedder(store):
    store._exact_up_to = 2
    for dimension in (3, 4):
        store.stamp_embedder(EmbedderStamp("e", dimension))
        assert _index(store) == ""
        put(store, ALICE, np.ones((3, dimension), dtype=np.float32))
        assert f"vector({dimension})" in _index(store)
        # It keeps no other length out: another process may not have noticed the new embedder.
        put(store, BOB, np.ones((1, 9), dtype=np.float32))
        assert (
            len(open_index(store, kind="database").candidates(ALICE, "", np.ones(dimension, dtype=np.float32), 5)) == 3
        )
    store.stamp_embedder(EmbedderStamp("large", 3072))
    put(store, ALICE, np.ones((3, 3072), dtype=np.float32))
    assert _index(store) == ""
    assert len(open_index(store, kind="database").candidates(ALICE, "", np.ones(3072, dtype=np.float32), 5)) == 3


def test_the_approximate_index_waits_until_most_pages_have_their_vectors(store):
    """An index that is there makes each vector that comes several times as dear."""
    store._exact_up_to = 2
    store.stamp_embedder(EmbedderStamp("e", 3))
    pages = add(store, *(f"number {i}" for i in range(510)))
    rows = [VectorRow(page.id, "user", np.ones(3, dtype=np.float32)) for page in pages]
    store.save_vectors(ALICE, rows[:9])
    assert _index(store) == ""
    store.save_vectors(ALICE, rows[9:])
    assert "vector(3)" in _index(store)


def test_an_index_that_is_there_is_left_alone(store):
    store._exact_up_to = 2
    store.stamp_embedder(EmbedderStamp("e", 3))
    put(store, ALICE, np.ones((3, 3), dtype=np.float32))
    with store._database.reading(None) as connection:
        before = connection.scalar(_NUMBER)
    put(store, ALICE, np.ones((3, 3), dtype=np.float32))
    with store._database.reading(None) as connection:
        assert connection.scalar(_NUMBER) == before


_NUMBER = text("SELECT to_regclass('memoryos_vectors_near')::oid")


def test_a_missing_extension_is_asked_for(postgres: LocalPostgres):
    url = postgres.database()
    postgres.sql("DROP EXTENSION vector", database=url.split("?")[0].rsplit("/", 1)[1])
    with pytest.raises(StoreError, match="CREATE EXTENSION vector"):
        open_store(url)
