"""The segment that a topic joins: measured from the middle of its scope, whatever the embedder."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memoryos_core.rules.paging.topics import SegmentIndex
from memoryos_core.values.dialogue import Segment, Vector

RNG = np.random.default_rng(3)


def unit(vector: Vector) -> Vector:
    direction: Vector = (vector / np.linalg.norm(vector)).astype(np.float32)
    return direction


def segments(count: int, offset: float = 0.0, size: int = 32) -> list[Segment]:
    common = np.full(size, offset, dtype=np.float32)
    drawn = np.random.default_rng(5).standard_normal((count, size), dtype=np.float32)
    return [Segment(str(n), "", (f"word{n}",), unit(v + common), page_count=1 + n % 3) for n, v in enumerate(drawn)]


@pytest.mark.parametrize("offset", [0.0, 1.0, 5.0])
def test_a_common_direction_of_all_vectors_changes_nothing(offset: float) -> None:
    known = segments(20, offset)
    index = SegmentIndex(known)
    for segment in known:
        assert index.closest_in_scope(segment.centroid, (), 0.5) is segment
    stranger = unit(RNG.standard_normal(32).astype(np.float32) + np.full(32, offset, dtype=np.float32))
    assert index.closest_in_scope(stranger, (), 0.7) is None, "plain cosines of the last case are all above 0.9"


def test_keywords_add_to_closeness() -> None:
    known = segments(20)
    between = unit(known[3].centroid + known[4].centroid)
    index = SegmentIndex(known)
    assert index.closest_in_scope(between, ("word3",), 0.5) is known[3]
    assert index.closest_in_scope(between, ("word4",), 0.5) is known[4]


def test_the_oldest_of_equals_is_taken() -> None:
    known = segments(9)
    again = [replace(s, id=f"again {s.id}") for s in known]
    index = SegmentIndex([*known, *again])
    assert index.closest_in_scope(known[5].centroid, (), 0.1) is known[5]


def test_a_segment_that_is_put_again_replaces_itself() -> None:
    known = segments(100)
    index = SegmentIndex(known)
    index.closest_in_scope(known[0].centroid, (), 0.1)  # the matrix is there now
    moved = replace(known[7], centroid=known[8].centroid, keywords=("other",))
    index.put(moved)
    assert (len(index), index.get("7")) == (100, moved)
    assert index.closest(known[8].centroid, ("other",), 0.5) is moved
    assert index.closest(unit(-known[8].centroid), ("word7",), 0.5) is None


def test_vectors_of_another_length_are_close_to_nothing() -> None:
    index = SegmentIndex(segments(10))
    assert index.closest_in_scope(np.ones(8, dtype=np.float32), (), 0.1) is None
    assert index.closest_in_scope(np.zeros(0, dtype=np.float32), (), -1.0) is None
    assert SegmentIndex().closest_in_scope(np.ones(8, dtype=np.float32), (), -1.0) is None


def test_a_topic_that_the_talk_turned_to_does_not_go_back_to_the_one_before() -> None:
    known = segments(20)
    index = SegmentIndex(known)
    near = unit(known[3].centroid + 1.2 * unit(np.random.default_rng(8).standard_normal(32, dtype=np.float32)))
    assert index.closest_in_scope(near, (), 0.5) is known[3]
    assert index.closest_in_scope(near, (), 0.5, left="3") is not known[3]
    assert index.closest(near, (), 0.5) is known[3]
    assert index.closest(near, (), 0.5, left="3") is None
    assert index.closest_in_scope(known[3].centroid, (), 0.14, left="3") is known[3], "a cut within one matter was none"
    assert index.closest_in_scope(near, (), 0.5, left="unknown") is known[3]
