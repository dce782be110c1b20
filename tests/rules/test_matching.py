"""Laws of matching: F is bounded and symmetric, the best is the argmax, broken vectors change nothing."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.rules.paging.heat import absorb, centroid, cosine, f_score, jaccard, page_vector
from memoryos_core.rules.paging.topics import SegmentIndex
from memoryos_core.values.dialogue import Segment, Vector

KEYWORDS = ("painting", "Paintings", "oil painting", "hiking", "Lisbon", "US", "", "画画", "the")
keywords = st.lists(st.sampled_from(KEYWORDS), max_size=5).map(tuple)
numbers = st.floats(width=32) | st.floats(-1, 1, width=32)
vectors = st.lists(numbers, min_size=4, max_size=4).map(lambda xs: vec(*xs))
directions = st.lists(st.integers(-5, 5), min_size=4, max_size=4).filter(any).map(lambda xs: vec(*xs))


def vec(*xs: float) -> Vector:
    return np.array(xs, dtype=np.float32)


def segment(name: str, vector: Vector, words: tuple[str, ...] = (), pages: int = 1) -> Segment:
    return Segment(id=name, summary="", keywords=words, centroid=vector, page_count=pages)


def test_jaccard_compares_terms_not_spellings() -> None:
    assert jaccard(["Painting"], ["paintings"]) == 1
    assert jaccard(["oil painting"], ["paint"]) == pytest.approx(1 / 2)
    assert jaccard(["a b", "cats"], ["dogs"]) == 0
    assert jaccard(["US"], ["us"]) == 1
    assert jaccard([], ["x"]) == jaccard(["x"], []) == jaccard([], []) == jaccard([""], [" "]) == 0


@given(keywords, keywords)
def test_jaccard_is_a_symmetric_share(a: tuple[str, ...], b: tuple[str, ...]) -> None:
    assert 0 <= jaccard(a, b) <= 1
    assert jaccard(a, b) == jaccard(b, a) == jaccard(a + a, b[::-1])
    assert jaccard(a, a) == (1 if any(k.strip() for k in a) else 0)


def test_cosine_examples() -> None:
    assert cosine(vec(1, 0), vec(5, 0)) == pytest.approx(1)
    assert cosine(vec(1, 0), vec(-2, 0)) == pytest.approx(-1)
    assert cosine(vec(1, 0), vec(0, 3)) == 0
    assert cosine(vec(1, 1), vec(1, 0)) == pytest.approx(math.sqrt(0.5))


@pytest.mark.parametrize(
    "broken",
    [vec(0, 0), vec(math.nan, 1), vec(math.inf, 1), vec(), vec(1, 2, 3)],
    ids=lambda v: str(v.tolist()),
)
def test_a_vector_without_direction_is_like_nothing(broken: Vector) -> None:
    good = vec(1, 0)
    assert cosine(broken, good) == cosine(good, broken) == 0
    only = segment("only", broken, ("hiking",))
    assert SegmentIndex([only]).closest(good, ("hiking",), 0.6) is only
    assert SegmentIndex([only]).closest(good, ("painting",), 0.6) is None


@given(vectors, keywords, vectors, keywords)
def test_f_is_bounded_and_symmetric(a: Vector, ka: tuple[str, ...], b: Vector, kb: tuple[str, ...]) -> None:
    score = f_score(a, ka, b, kb)
    assert -1 <= score <= 2
    assert score == pytest.approx(f_score(b, kb, a, ka), abs=1e-12)


segments = st.lists(st.tuples(vectors | directions | st.just(vec()), keywords), max_size=8).map(
    lambda pairs: [segment(str(n), vector, words) for n, (vector, words) in enumerate(pairs)]
)


@given(segments, vectors | directions, keywords, st.floats(-1, 2))
def test_best_is_the_oldest_argmax_of_f_from_theta_up(
    known: list[Segment], vector: Vector, words: tuple[str, ...], threshold: float
) -> None:
    scores = [f_score(s.centroid, s.keywords, vector, words) for s in known]
    found = SegmentIndex(known).closest(vector, words, threshold)
    if found is None:
        assert all(score < threshold for score in scores)
        return
    at = known.index(found)
    assert scores[at] >= threshold - 2e-5
    assert scores[at] >= max(scores) - 2e-5
    assert all(score < scores[at] + 2e-5 for score in scores[:at])


@given(st.lists(directions, min_size=1, max_size=40), directions)
def test_equal_segments_go_to_the_oldest_wherever_they_stand(others: list[Vector], vector: Vector) -> None:
    known = [segment(str(n), other) for n, other in enumerate(others)]
    twice = known + [replace(s, id=f"again{s.id}") for s in known]
    found = SegmentIndex(twice).closest(vector, (), -1.0)
    assert found is not None
    assert not found.id.startswith("again")


def test_theta_itself_joins() -> None:
    only = segment("s", vec(1, 0))
    assert SegmentIndex([only]).closest(vec(1, 0), (), 1.0) is only
    assert SegmentIndex([only]).closest(vec(1, 1), (), 1.0) is None


def test_keywords_can_overrule_the_closest_centroid() -> None:
    near, said = segment("near", vec(1, 0.1)), segment("said", vec(1, 1), ("hiking",))
    assert SegmentIndex([near, said]).closest(vec(1, 0), ("hike",), 0.6) is said
    assert SegmentIndex([near, said]).closest(vec(1, 0), ("opera",), 0.6) is near


def test_best_agrees_with_f_among_many_segments() -> None:
    rng = np.random.default_rng(7)
    known = [
        segment(str(n), rng.normal(size=64).astype(np.float32), (f"word{n % 50}", f"name{n % 7}")) for n in range(2000)
    ]
    vector = rng.normal(size=64).astype(np.float32)
    found = SegmentIndex(known).closest(vector, ("word3", "name2"), 0.0)
    expected = max(known, key=lambda s: f_score(s.centroid, s.keywords, vector, ("word3", "name2")))
    assert found is expected


def test_centroid_examples() -> None:
    assert centroid([vec(2, 0), vec(0, 9)]) == pytest.approx(vec(1, 1) / 2)
    assert page_vector([vec(2, 0), vec(0, 9)]) == pytest.approx(vec(1, 1) / np.sqrt(2))
    assert page_vector([vec(3, 4)]) == pytest.approx(vec(0.6, 0.8))
    assert centroid([vec(1, 0), vec(-1, 0)]).tolist() == [0, 0]
    assert centroid([]).shape == page_vector([]).shape == (0,)
    assert centroid([vec(), vec(0, 2), vec(1, 0, 0), vec(2, 0)]) == pytest.approx(vec(1, 1) / 2)


@given(st.lists(vectors, min_size=1, max_size=6))
def test_a_centroid_is_a_finite_float32_mean_and_a_page_vector_a_direction_or_zero(many: list[Vector]) -> None:
    for mean in (
        centroid(many),
        absorb(segment("s", centroid(many), pages=2), many, (), 5).centroid,
        page_vector(many),
    ):
        assert mean.dtype == np.float32
        assert float(np.linalg.norm(mean)) <= 1 + 1e-5
    assert float(np.linalg.norm(page_vector(many))) == pytest.approx(1, abs=1e-5) or not page_vector(many).any()


@given(st.lists(vectors, min_size=1, max_size=9), st.data())
def test_a_centroid_is_the_same_in_whichever_batches_its_pages_come(many: list[Vector], data: st.DataObject) -> None:
    grown = segment("s", vec(), pages=0)
    left = list(many)
    while left:
        batch = data.draw(st.integers(1, len(left)), label="batch")
        grown, left = absorb(grown, left[:batch], (), 5), left[batch:]
    assert grown.centroid == pytest.approx(centroid(many), abs=1e-6)


@given(st.lists(vectors, max_size=4), st.integers(0, 9), keywords, keywords, st.integers(1, 6))
def test_absorb_counts_each_page_and_touches_nothing_else(
    many: list[Vector], pages: int, known: tuple[str, ...], new: tuple[str, ...], limit: int
) -> None:
    before = segment("s", vec(1, 0, 0, 0), known, pages)
    after = absorb(before, many, new, limit)
    assert after.page_count == pages + len(many)
    assert replace(after, keywords=before.keywords, page_count=before.page_count) == before


@given(keywords, keywords, st.integers(1, 6))
def test_absorb_puts_new_and_repeated_keywords_first_once_and_caps(
    known: tuple[str, ...], new: tuple[str, ...], limit: int
) -> None:
    words = absorb(segment("s", vec(), known), [], new, limit).keywords
    assert len(words) <= limit
    assert set(words) <= {*known, *new} - {""}
    assert all(jaccard([a], [b]) < 1 for n, a in enumerate(words) for b in words[:n])
    fresh = absorb(segment("s", vec()), [], new, limit).keywords
    assert set(words[: len(fresh)]) <= set(new)
    assert (
        not (again := [word for word in words if jaccard([word], known) and jaccard([word], new)])
        or again[0] == words[0]
    )
    assert absorb(segment("s", vec(), words), [], words, limit).keywords == words


def test_a_settled_segment_keeps_its_best_keywords_before_fresh_ones() -> None:
    large = segment("s", vec(1, 0), ("boat", "keel", "sail"), pages=5)
    assert absorb(large, [vec(0, 1)], ("lunch", "keel"), 3).keywords == ("keel", "boat", "lunch")
    small = replace(large, page_count=2)
    assert absorb(small, [vec(0, 1)], ("lunch", "keel"), 3).keywords == ("keel", "lunch", "boat")


def test_absorb_weighs_the_old_centroid_by_its_pages() -> None:
    grown = absorb(segment("s", vec(1, 0), pages=3), [vec(0, 1)], (), 5)
    assert grown.centroid == pytest.approx(vec(3, 1) / 4)
    again = absorb(segment("s", vec(1, 0), pages=3), [vec(0, 1), vec(0, 1), vec(0, 1)], (), 5)
    assert again.centroid == pytest.approx(vec(1, 1) / 2)


def test_absorb_without_vectors_keeps_the_centroid_and_follows_a_new_embedder() -> None:
    old = segment("s", vec(1, 0), pages=3)
    assert absorb(old, [vec()], (), 5).centroid.tolist() == [1, 0]
    assert absorb(old, [vec(0, 0, 2)], (), 5).centroid.tolist() == [0, 0, 1]
    assert absorb(segment("s", vec()), [vec(0, 2)], (), 5).centroid.tolist() == [0, 1]
    assert absorb(segment("s", vec()), [vec(0, 2), vec(), vec(0, 3), vec(1, 0, 0)], (), 5).centroid.tolist() == [0, 1]


def test_absorb_with_only_broken_vectors_keeps_the_direction() -> None:
    grown = absorb(segment("s", vec(0.6, 0.8), pages=2), [vec(0, 0), vec(math.nan, 1)], (), 5)
    assert cosine(grown.centroid, vec(0.6, 0.8)) == pytest.approx(1)
    assert grown.page_count == 4


def test_absorb_of_a_first_page_takes_its_direction() -> None:
    new = absorb(segment("s", vec(0, 0), pages=0), [vec(3, 4)], ("Hiking", "hikes", "Lisbon"), 5)
    assert new.centroid == pytest.approx(vec(0.6, 0.8))
    assert new.keywords == ("Hiking", "Lisbon")
