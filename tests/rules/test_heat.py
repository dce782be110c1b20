"""Laws of heat: it falls by itself, rises only by visits and pages, and decides without asking what time it is now."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.config import HeatConfig, MemoryConfig
from memoryos_core.rules.paging.heat import coldest, heat, heat_in_month, hot, recency
from memoryos_core.values.dialogue import HeatCounters, Segment

NOW = datetime(2023, 5, 8, 12, tzinfo=timezone.utc)
CONFIG = HeatConfig()

counts = st.integers(0, 1000)
weights = st.floats(0, 100)
seconds = st.floats(-1e9, 1e9)
configs = st.builds(
    HeatConfig,
    alpha=weights,
    beta=weights,
    gamma=weights,
    mu_seconds=st.floats(1, 1e9),
    threshold=st.floats(0, 50),
)


def segment(name: str = "s", **fields: object) -> Segment:
    bare = Segment(id=name, summary="", keywords=(), centroid=np.zeros(0, dtype=np.float32))
    return replace(bare, **fields)  # type: ignore[arg-type]


segments = st.builds(
    lambda n, visits, pages, ago, unread: segment(
        f"s{n}",
        n_visit=visits,
        l_interaction=pages,
        unanalysed=unread,
        last_access=None if ago is None else NOW - timedelta(seconds=ago),
    ),
    st.integers(0, 10_000),
    st.integers(0, 6),
    st.integers(0, 6),
    st.none() | st.floats(-1e6, 1e8),
    st.integers(0, 2),
)
many = st.lists(segments, max_size=12, unique_by=lambda s: s.id)


def test_the_papers_worked_values() -> None:
    touched, paper = segment(n_visit=2, l_interaction=3, last_access=NOW), MemoryConfig.paper().heat
    assert heat(touched, paper, NOW) == pytest.approx(6.0)
    assert heat(touched, paper, NOW + timedelta(seconds=1e7)) == pytest.approx(5 + math.exp(-1))
    assert heat(segment(n_visit=2, l_interaction=3), paper, NOW) == pytest.approx(5.0)


def test_visits_and_unread_pages_fade_and_are_read_all_the_same() -> None:
    touched, later = segment(n_visit=2, l_interaction=3, last_access=NOW, unanalysed=3), NOW + timedelta(seconds=2.6e6)
    assert heat(touched, CONFIG, NOW) == pytest.approx(6.0)
    assert heat(touched, CONFIG, later) == pytest.approx(5 * math.exp(-1) + math.exp(-0.26))
    assert hot([touched], CONFIG) == (touched,)


def test_an_old_interest_is_colder_than_a_new_one() -> None:
    old = segment("old", n_visit=3, l_interaction=9, last_access=NOW - timedelta(days=30))
    new = segment("new", n_visit=6, last_access=NOW)
    assert coldest([new, old], 1, CONFIG) == (old,)
    assert coldest([new, old], 1, MemoryConfig.paper().heat) == (new,)


def test_heat_says_what_it_is_made_of() -> None:
    touched = segment(n_visit=4, l_interaction=3, last_access=NOW)
    found = heat(touched, CONFIG, NOW + timedelta(days=12))
    assert found == found.visits + found.pages + found.recency
    told = found.explain()
    assert found.pages == pytest.approx(3 * math.exp(-12 * 86400 / 2.6e6))
    assert told.startswith(f"{found:.2f} = {found.visits:.2f} of 4 visits + {found.pages:.2f} of 3 pages that were not")
    assert told.endswith("last touched 12 days ago")
    assert heat(segment(), CONFIG, NOW).explain().endswith("never touched")


def test_weights_are_applied_to_their_own_counters() -> None:
    config = HeatConfig(alpha=2, beta=30, gamma=400)
    assert heat(segment(n_visit=1, l_interaction=1, last_access=NOW), config, NOW) == pytest.approx(432)


def test_recency_bounds() -> None:
    assert recency(0, 1e7) == 1
    assert recency(-5, 1e7) == 1
    assert recency(1e300, 1e-9) == 0


def test_what_was_hot_when_it_was_last_accessed_is_due_however_late_somebody_looks() -> None:
    idle = segment(l_interaction=4, unanalysed=4, last_access=NOW)
    assert hot([idle], CONFIG) == (idle,)
    assert heat(idle, CONFIG, NOW + timedelta(days=5 * 365)) < CONFIG.threshold
    assert hot([replace(idle, l_interaction=3)], CONFIG) == ()


def test_a_busy_segment_with_nothing_new_does_not_starve_the_others() -> None:
    busy = segment("busy", n_visit=900, last_access=NOW)
    due = [segment(f"due{n}", l_interaction=9 + n, unanalysed=1) for n in range(3)]
    assert hot([busy, *due], CONFIG) == (due[2], due[1], due[0])


def test_eviction_is_by_heat_not_by_use() -> None:
    full = segment("full", l_interaction=50, last_access=NOW)
    visited = segment("visited", n_visit=1, l_interaction=1, last_access=NOW)
    assert coldest([full, visited], 1, CONFIG) == (visited,)


def test_the_coldest_are_told_at_the_last_access_of_all() -> None:
    old = segment("old", l_interaction=5, last_access=NOW - timedelta(days=900))
    new = segment("new", l_interaction=5, last_access=NOW)
    assert coldest([new, old], 1, CONFIG) == (old,)


def test_of_equals_the_first_given_comes_first_whatever_its_id() -> None:
    twins = [segment(name, l_interaction=9, unanalysed=1) for name in ("b", "c", "a")]
    assert [s.id for s in hot(twins, CONFIG)] == ["b", "c", "a"]
    assert [s.id for s in coldest(twins, 1, CONFIG)] == ["b", "c"]


def test_the_papers_threshold_counts_as_hot() -> None:
    assert len(hot([segment(l_interaction=5, unanalysed=1)], MemoryConfig.paper().heat)) == 1


@given(segments, configs, seconds, st.floats(0, 1e9))
def test_heat_never_rises_by_waiting(one: Segment, config: HeatConfig, start: float, wait: float) -> None:
    before = NOW + timedelta(seconds=start)
    assert heat(one, config, before + timedelta(seconds=wait)) <= heat(one, config, before) + 1e-9


@given(segments, configs, st.floats(0, 1e8))
def test_a_clock_that_goes_backwards_adds_nothing(one: Segment, config: HeatConfig, back: float) -> None:
    touched = replace(one, last_access=NOW)
    assert heat(touched, config, NOW - timedelta(seconds=back)) == heat(touched, config, NOW)


@given(segments, configs, counts, counts)
def test_a_visit_or_a_page_never_cools(one: Segment, config: HeatConfig, visits: int, pages: int) -> None:
    after = replace(one, n_visit=one.n_visit + visits, l_interaction=one.l_interaction + pages, last_access=NOW)
    assert heat(after, config, NOW) >= heat(one, config, NOW)


@given(many, configs, st.integers(0, 14), st.randoms(use_true_random=False))
def test_the_order_of_the_input_shows_in_equals_only(
    given_order: list[Segment], config: HeatConfig, capacity: int, random: object
) -> None:
    other = list(given_order)
    random.shuffle(other)  # type: ignore[attr-defined]
    assert set(ids(hot(other, config))) == set(ids(hot(given_order, config)))
    moment = max((s.last_access for s in given_order if s.last_access), default=NOW)
    gone, others = (coldest(order, capacity, config) for order in (given_order, other))
    assert [heat(s, config, moment) for s in gone] == [heat(s, config, moment) for s in others]


def ids(found: tuple[Segment, ...]) -> list[str]:
    return [s.id for s in found]


def at_access(one: Segment, config: HeatConfig) -> float:
    return heat(one, config, one.last_access or NOW)


@given(many, configs)
def test_hot_is_exactly_what_is_due_hottest_first(given_order: list[Segment], config: HeatConfig) -> None:
    found = hot(given_order, config)
    due = [s for s in given_order if at_access(s, config) >= config.threshold and s.unanalysed]
    assert list(found) == sorted(due, key=lambda s: -at_access(s, config))


@given(many, configs, st.integers(-2, 14))
def test_what_stays_is_at_least_as_warm_as_what_goes(
    given_order: list[Segment], config: HeatConfig, capacity: int
) -> None:
    gone = coldest(given_order, capacity, config)
    moment = max((s.last_access for s in given_order if s.last_access), default=NOW)
    stays = [s for s in given_order if s not in gone]
    assert len(stays) == min(len(given_order), max(0, capacity))
    warmest_gone = max((heat(s, config, moment) for s in gone), default=-1.0)
    assert all(heat(s, config, moment) >= warmest_gone for s in stays)


@given(segments, configs, st.integers(0, 40), st.integers(0, 400))
def test_the_heat_of_a_month_is_the_formula_on_what_is_known_of_it(
    one: Segment, config: HeatConfig, pages: int, days: int
) -> None:
    end = NOW + timedelta(days=days)
    unseen = heat_in_month(replace(one, last_access=end + timedelta(1)), config, pages=pages, last=NOW, end=end)
    assert unseen == heat(HeatCounters(0, pages, NOW), config, end)  # its visits may have come later
    seen = heat_in_month(replace(one, last_access=end), config, pages=pages, last=NOW, end=end)
    assert seen == heat(HeatCounters(one.n_visit, pages, end), config, end)
    assert heat_in_month(replace(one, last_access=None), config, pages=pages, last=NOW, end=end) == unseen
    later = heat_in_month(one, config, pages=pages, last=NOW, end=end + timedelta(days=9_000_000 // 86_400))
    assert later >= 0
