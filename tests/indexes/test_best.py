"""The best scores of a scope: those that sorting all of them gives, however many there are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.recall.index.scope_units import best, find_moments


def sorted_best(scores: np.ndarray, keys: np.ndarray, k: int, least: float) -> set[int]:
    usable = [place for place in range(len(scores)) if least < scores[place] < np.inf]
    return set(sorted(usable, key=lambda place: (-scores[place], keys[place]))[:k])


@given(
    seed=st.integers(0, 99),
    size=st.sampled_from([0, 1, 63, 64, 65, 200, 1_000, 3_001]),
    k=st.sampled_from([0, 1, 2, 15, 3_001]),
    levels=st.sampled_from([1, 3, 50, 10_000]),
    odd=st.sampled_from([(), (np.nan,), (np.inf,), (np.nan, np.inf, -np.inf)]),
    least=st.sampled_from([-np.inf, 0.0, 0.5]),
)
def test_the_best_are_those_of_sorting(
    seed: int, size: int, k: int, levels: int, odd: tuple[float, ...], least: float
) -> None:
    """With many equal scores, scores that are none, and none at all."""
    drawn = np.random.default_rng(seed)
    scores = (drawn.integers(-1, levels, size) / levels).astype(np.float32)
    for value in odd:
        scores[drawn.integers(0, size, size // 3)] = value
    keys = drawn.permutation(size)
    found = best(scores, keys, k, least).tolist()
    assert len(found) == len(set(found))
    assert set(found) == sorted_best(scores, keys, k, least)


@given(
    values=st.lists(st.floats(-1, 1, width=32) | st.just(float("nan")), max_size=50),
    scale=st.sampled_from([1e-6, 1.0, 3e4]),
    data=st.data(),
)
def test_the_mean_and_the_spread_are_those_of_all_values_in_any_order(
    values: list[float], scale: float, data: st.DataObject
) -> None:
    cosines = np.array(values, dtype=np.float32) * np.float32(scale)
    known = cosines[np.isfinite(cosines)].astype(np.float64)
    mean, spread = find_moments(cosines)
    if len(known):
        assert mean == pytest.approx(known.mean(), rel=1e-9, abs=1e-10 * scale)
        assert spread == pytest.approx(known.std(), rel=1e-6, abs=1e-6 * scale)
    else:
        assert (mean, spread) == (0, 0)
    moved = np.array(data.draw(st.permutations(cosines.tolist())), dtype=np.float32)
    assert find_moments(moved) == (mean, spread)


def test_the_order_of_very_many_values_changes_nothing() -> None:
    cosines = np.random.default_rng(1).standard_normal(200_000, dtype=np.float32) * np.float32(0.05)
    there = find_moments(cosines)
    assert find_moments(np.sort(cosines)) == there
    assert find_moments(cosines[::-1]) == there
    assert there == pytest.approx((cosines.mean(dtype=np.float64), cosines.std(dtype=np.float64)), rel=1e-8)
