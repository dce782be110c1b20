"""Topics made anew: when it is due, which pages stay together, which topics come out, with whose ids and heat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from memoryos_core.rules.paging.regrouping import (
    _DECIMALS,
    Run,
    _products,
    group,
    is_due,
    keep_ids,
    runs,
    share,
    word_rows,
)
from memoryos_core.values.dialogue import HeatCounters, Message, Page, Vector

NOW = datetime(2025, 1, 1, tzinfo=timezone.utc)
EAST, NORTH, UP, NOWHERE = (np.array(v, dtype=np.float32) for v in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)))


def page(seq: int, session: str = "s", chain: str = "c") -> Page:
    return Page(str(seq), session, seq, (), NOW, tier="mid_term", chain_id=chain)


def run(segment_id: str, vector: Vector, *, weight: int = 1, settled: bool = False, words: Vector = NOWHERE) -> Run:
    return Run(segment_id, (), vector.astype(np.float64), words.astype(np.float64), weight, settled)


def says(said: str, answer: str = "", name: str | None = None) -> Page:
    return replace(page(0), messages=(Message("user", said), Message("assistant", answer, name)))


def slowly_linked(units: Sequence[Run], least: float) -> set[frozenset[int]]:
    """Join the closest two of all, again and again: what average linkage is."""
    pages = np.array([unit.weight for unit in units], dtype=np.float64)
    centroids = np.stack([unit.centroid for unit in units])
    middle = pages @ centroids / pages.sum()
    away = centroids - middle
    words = np.stack([unit.words for unit in units])
    # Rounded as there: else one in some thousands lies on the other side of `least`.
    closeness = (np.round(away @ away.T / (1 - middle @ middle), _DECIMALS) + np.round(words @ words.T, _DECIMALS)) / 2
    clusters = [frozenset([i]) for i in range(len(units))]

    def mean(one: frozenset[int], other: frozenset[int]) -> float:
        pairs = [(pages[i] * pages[j], closeness[i, j]) for i in one for j in other]
        return float(sum(w * c for w, c in pairs) / sum(w for w, _ in pairs))

    while len(clusters) > 1:
        found = [(mean(a, b), a, b) for i, a in enumerate(clusters) for b in clusters[i + 1 :]]
        best, a, b = max(found, key=lambda entry: entry[0])
        if best < least:
            break
        clusters = [c for c in clusters if c not in (a, b)] + [a | b]
    return set(clusters)


def test_a_scope_is_regrouped_at_32_pages_with_each_eight_more_and_later_with_each_quarter() -> None:
    due = [seq for seq in range(320) if is_due(seq - 1, seq)]
    assert due == [*range(32, 129, 8), 160, 200, 250, 313]
    assert is_due(30, 60), "one batch may pass several moments"
    assert not is_due(40, 40)


def test_runs_are_the_pages_of_a_chain_and_a_segment_that_follow_one_another_in_a_session() -> None:
    pages = [page(0), page(1), page(2, chain="d"), page(3, "t"), page(4, chain="d"), page(5, "t"), page(6, "t")]
    homes = ["a", "a", "a", "b", "a", "b", "a"]
    found = runs(pages, homes, [EAST] * 7, np.arange(7.0)[:, None])
    assert [(r.segment_id, r.places) for r in found] == [("a", (0, 1)), ("a", (2, 4)), ("b", (3, 5)), ("a", (6,))]
    assert [r.weight for r in found] == [2, 2, 2, 1]
    assert [float(r.words[0]) for r in found] == [0.5, 3, 4, 6]
    assert [float(r.words[0]) for r in found] == [0.5, 3, 4, 6]


def test_a_page_without_direction_stays_with_the_others_of_its_segment() -> None:
    pages = [page(n, chain=str(n)) for n in range(5)]
    found = runs(pages, ["a", "a", "a", "b", "a"], [NOWHERE, EAST, NOWHERE, NOWHERE, NORTH], np.zeros((5, 1)))
    assert [r.places for r in found] == [(0, 1, 2), (3,), (4,)]


@example(566100649, 14, 0.3)  # a mean that lies within the rounding of the threshold
@given(st.integers(0, 2**32 - 1), st.integers(2, 14), st.sampled_from((0.0, 0.1, 0.3)))
def test_chains_of_nearest_neighbours_give_average_linkage(seed: int, count: int, least: float) -> None:
    drawn = np.random.default_rng(seed)
    vectors = drawn.standard_normal((count, 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assume(float(np.triu(vectors @ vectors.T, 1).max()) < 0.94)  # what hardly differs is near whatever the middle
    words = 0.3 * drawn.standard_normal((count, 3)).astype(np.float32)
    units = [run(str(n), v, weight=int(drawn.integers(1, 4)), words=words[n]) for n, v in enumerate(vectors)]
    assert set(map(frozenset, group(units, least))) == slowly_linked(units, least)


TRAINS = [
    says("The train to Orkney leaves at nine.", "Have a nice trip."),
    says("Is the Orkney ferry rough?", "It can be."),
    says("My train to the Whitby wedding is late.", "Have a nice trip."),
    says("Who speaks first at the Whitby wedding?", "It can be the sister."),
    says("I bought bread.", "It can be frozen."),
    says("The cat sleeps.", "Have a nice day."),
]


def test_words_that_few_pages_have_tell_topics_apart_where_meaning_does_not() -> None:
    rows = word_rows(TRAINS)
    closeness = rows @ rows.T
    assert closeness[0, 1] > 0.2, "Orkney"
    assert closeness[2, 3] > 0.2, "the wedding in Whitby"
    assert closeness[0, 2] < closeness[0, 1], "trains are everywhere"
    units = [run(str(n), EAST + 0.5 * side, words=rows[n]) for n, side in enumerate((NORTH, UP, NORTH, UP))]
    assert group([replace(u, centroid=u.centroid / 2) for u in units], 0.1) == [(0, 1), (2, 3)]


def test_rows_of_words_are_measured_from_the_middle_of_the_pages_and_against_their_spread() -> None:
    rows = word_rows(TRAINS)
    np.testing.assert_allclose(rows.sum(axis=0), 0, atol=1e-12)
    assert np.mean(np.sum(rows**2, axis=1)) == pytest.approx(1)


def test_what_everybody_always_says_counts_for_nothing() -> None:
    answered = [replace(p, messages=(p.messages[0], Message("assistant", "Noted, as you wish."))) for p in TRAINS]
    alone = [replace(p, messages=p.messages[:1]) for p in TRAINS]
    np.testing.assert_allclose(word_rows(answered), word_rows(alone))
    assert not word_rows(TRAINS[:1] * 9).any(), "all the same"


def test_a_person_counts_more_than_an_assistant_without_a_name() -> None:
    def shares(name: str | None) -> float:
        others = [says(f"word{n}") for n in range(6)]
        rows = word_rows([says("Orkney"), says("well", "the Orkney ferry", name), *others])
        return float(rows[0] @ rows[1])

    assert shares("Ann") > shares(None)


@pytest.mark.parametrize("count", [1, 21, 22, 23, 100])
def test_products_are_the_same_in_blocks(count: int) -> None:
    """A block of this width has 22 rows; no block is so large that OpenBLAS shares it among threads."""
    rows = np.random.default_rng(count).standard_normal((count, 384))
    products = _products(rows)
    np.testing.assert_array_equal(products, np.round(rows @ rows.T, 5))
    np.testing.assert_array_equal(products, products.T)


def test_pages_that_hardly_differ_are_one_topic_though_all_is_about_it() -> None:
    alike = np.full((9, 16), 1.0) + 0.1 * np.random.default_rng(1).standard_normal((9, 16))
    units = [run(str(n), (v / np.linalg.norm(v)).astype(np.float32)) for n, v in enumerate(alike)]
    assert group(units, 0.1) == [tuple(range(9))]


def test_settled_segments_are_never_joined_and_what_has_no_direction_stays_alone() -> None:
    units = [run("a", EAST), run("b", EAST), run("c", NORTH), run("d", NOWHERE), run("e", NOWHERE)]
    assert group(units, 0.1) == [(0, 1), (2,), (3,), (4,)]
    held = [replace(units[0], settled=True), replace(units[1], settled=True), *units[2:], run("f", EAST)]
    assert (0, 1) not in {topic[:2] for topic in group(held, 0.1)}
    assert group(held, 0.1) == group(held, 0.1)


def test_a_topic_keeps_the_id_of_the_segment_with_which_it_shares_most_pages() -> None:
    units = [run("a", EAST, weight=5), run("a", NORTH, weight=2), run("b", NORTH, weight=4), run("c", UP)]
    assert keep_ids(units, [(0,), (1, 2), (3,)]) == ["a", "b", "c"]
    assert keep_ids(units, [(0,), (1,), (2, 3)]) == ["a", None, "b"]
    assert keep_ids(units, [(0, 2), (1,), (3,)]) == ["a", None, "c"], "an id is kept once"


def test_a_settled_segment_keeps_its_id_however_many_pages_come_to_it() -> None:
    units = [run("old", EAST, settled=True), run("a", EAST, weight=9)]
    assert keep_ids(units, [(0, 1)]) == ["old"]


@given(st.integers(0, 50), st.integers(0, 50), st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_shared_heat_is_neither_lost_nor_made_up(visits: int, pages: int, sizes: list[int]) -> None:
    shares = share(HeatCounters(visits, pages, None), {str(n): size for n, size in enumerate(sizes)})
    assert sum(v for v, _ in shares.values()) == visits
    assert sum(p for _, p in shares.values()) == pages
    assert all(v >= 0 and p >= 0 for v, p in shares.values())


@pytest.mark.parametrize(("visits", "expected"), [(4, (3, 1)), (5, (4, 1)), (0, (0, 0))])
def test_visits_go_with_the_pages(visits: int, expected: tuple[int, int]) -> None:
    shares = share(HeatCounters(visits, 0, None), {"a": 3, "b": 1})
    assert tuple(v for v, _ in shares.values()) == expected
