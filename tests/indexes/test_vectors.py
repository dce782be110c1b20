from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.errors import InvalidInputError
from memoryos_core.recall.index.vectors import FlatIndex

DIMENSION = 8


def rows(seed: int, count: int) -> np.ndarray:
    made = np.random.default_rng(seed).standard_normal((count, DIMENSION), dtype=np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made


def ids(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int64)


def check(index: FlatIndex, held: dict[int, np.ndarray], query: np.ndarray) -> None:
    """The index answers as numpy does over the same vectors."""
    assert len(index) == len(held)
    found = index.scores(query)
    assert len(found) > max(held, default=-1)
    wanted = [held[i] @ query if i in held else np.nan for i in range(len(found))]
    np.testing.assert_allclose(found, wanted, atol=1e-5)


some_ids = st.lists(st.integers(0, 50), max_size=40)


@given(steps=st.lists(st.tuples(st.booleans(), some_ids), max_size=12))
def test_any_sequence_of_changes_answers_as_brute_force(steps: list[tuple[bool, list[int]]]) -> None:
    index, held = FlatIndex(DIMENSION), dict[int, np.ndarray]()
    for seed, (adding, numbers) in enumerate(steps):
        if adding:
            vectors = rows(seed, len(numbers))
            index.add(ids(*numbers), vectors)
            held.update(zip(numbers, vectors, strict=True))
        else:
            index.remove(ids(*numbers))
            held = {id_: vector for id_, vector in held.items() if id_ not in numbers}
    check(index, held, rows(99, 1)[0])


@given(order=st.permutations(range(80)), gone=st.sets(st.integers(0, 79)), chunk=st.integers(1, 80))
def test_a_vector_scores_the_same_bit_for_bit_whatever_came_before_it(
    order: list[int], gone: set[int], chunk: int
) -> None:
    vectors, query = rows(11, 80), rows(12, 1)[0]
    alone, index = FlatIndex(DIMENSION), FlatIndex(DIMENSION)
    for number in range(80):
        alone.add(ids(number), vectors[number : number + 1])
    for start in range(0, 80, chunk):
        some = order[start : start + chunk]
        index.add(ids(*some), vectors[some])
    index.remove(ids(*gone))
    index.add(ids(*gone), vectors[[*gone]])
    assert index.scores(query).tobytes() == alone.scores(query).tobytes()


@pytest.mark.parametrize("dimension", [1, 31, 96, 384, 1025])
def test_a_wide_vector_scores_the_same_bit_for_bit_wherever_it_stands(dimension: int) -> None:
    random = np.random.default_rng(dimension)
    vectors, query = (random.standard_normal((n, dimension), dtype=np.float32) for n in (67, 1))
    alone = [FlatIndex(dimension) for _ in vectors]
    for number, index in enumerate(alone):
        index.add(ids(0), vectors[number : number + 1])
    wanted = np.array([index.scores(query[0])[0] for index in alone])
    together = FlatIndex(dimension)
    for some in np.split(random.permutation(67), [1, 4, 30]):
        together.add(some, vectors[some])
    np.testing.assert_array_equal(together.scores(query[0]), wanted)
    np.testing.assert_allclose(wanted, vectors.astype(np.float64) @ query[0].astype(np.float64), rtol=1e-3, atol=1e-4)


def test_scores_follow_each_change_of_the_rows() -> None:
    index, vectors, query = FlatIndex(DIMENSION), rows(3, 200), rows(4, 1)[0]
    index.add(np.arange(100), vectors[:100])
    first = index.scores(query)
    index.add(ids(5), vectors[150:151])  # in its place
    assert index.scores(query)[5] == pytest.approx(float(vectors[150] @ query), abs=1e-6)
    index.add(np.arange(100, 140), vectors[100:140])  # another block
    assert index.scores(query)[:5].tolist() == first[:5].tolist()
    index.remove(np.arange(60, 140))  # the last block goes
    check(index, dict(enumerate([*vectors[:5], vectors[150], *vectors[6:60]])), query)


def test_many_blocks_fill_shrink_and_fill_again() -> None:
    # More than two of the largest blocks, in chunks that fit no block.
    index, vectors = FlatIndex(DIMENSION), rows(1, 9001)
    for start in range(0, 9001, 500):
        index.add(np.arange(start, min(start + 500, 9001)), vectors[start : start + 500])
    query, some = rows(2, 1)[0], np.arange(0, 9001, 7)
    held = dict(enumerate(vectors))
    check(index, held, query)
    index.remove(some)
    check(index, {id_: vector for id_, vector in held.items() if id_ % 7}, query)
    index.remove(np.arange(9001))
    check(index, {}, query)
    index.add(some, vectors[some])
    check(index, {id_: vector for id_, vector in held.items() if not id_ % 7}, query)


def test_of_an_id_given_twice_the_last_vector_stays() -> None:
    index, vectors = FlatIndex(DIMENSION), rows(3, 3)
    index.add(ids(4, 7, 4), vectors)
    check(index, {4: vectors[2], 7: vectors[1]}, rows(4, 1)[0])


def test_a_matrix_that_is_not_contiguous_float32_is_taken_as_its_values() -> None:
    index, vectors = FlatIndex(DIMENSION), rows(5, 4)
    index.add(ids(0, 1, 2, 3), np.asfortranarray(vectors.astype(np.float64)))
    check(index, dict(enumerate(vectors)), rows(6, 1)[0])


def test_wrong_shapes_and_ids_are_refused_and_change_nothing() -> None:
    index = FlatIndex(DIMENSION)
    index.add(ids(0), rows(7, 1))
    for wrong_ids, wrong in ((ids(1), rows(8, 2)), (ids(1), np.zeros((1, 3), np.float32)), (ids(-1), rows(8, 1))):
        with pytest.raises(InvalidInputError, match="not allowed"):
            index.add(wrong_ids, wrong)
    with pytest.raises(InvalidInputError, match="query"):
        index.scores(np.zeros(3, np.float32))
    with pytest.raises(InvalidInputError, match="dimension"):
        FlatIndex(0)
    check(index, {0: rows(7, 1)[0]}, rows(9, 1)[0])


# In a process of its own: memory that this one freed earlier would hide what the index takes.
_MEASURE = """
import sys, numpy as np
from memoryos_core.recall.index.vectors import FlatIndex

def kib(what):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(what))

count, dimension = 20_000, 384
index, chunk = FlatIndex(dimension), np.ones((500, dimension), np.float32)
FlatIndex(dimension).add(np.arange(500), chunk)
before = kib("VmRSS")
for start in range(0, count, 500):
    index.add(np.arange(start, start + 500), chunk)
index.scores(chunk[0])
print(kib("VmHWM") - before)
"""


def test_no_vector_is_held_twice_not_even_while_loading() -> None:
    done = subprocess.run([sys.executable, "-c", _MEASURE], capture_output=True, text=True, check=True)
    assert int(done.stdout) * 1024 < 1.5 * 20_000 * 384 * 4


def test_a_scope_takes_as_many_rows_as_it_has_and_later_blocks_are_small() -> None:
    index = FlatIndex(DIMENSION)
    index.add(np.arange(40), rows(1, 40))
    assert [len(block) for block in index._blocks] == [40]
    for number in range(40, 400):
        index.add(ids(number), rows(number, 1))
        assert sum(map(len, index._blocks)) <= max(len(index) * 1.25, len(index) + 16)
    assert len(index._blocks) < 15
