"""Ranking: a permutation, made of signals that mean what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from memoryos_core.config import MemoryConfig, RecallConfig
from memoryos_core.rules.dates import Span, find_dates
from memoryos_core.rules.ranking.signals import (
    add_heat,
    date_signal,
    dense_signal,
    group_signal,
    lend_meaning,
    lexical_signal,
    number_groups,
    number_names,
    rank,
    speaker_signal,
)
from memoryos_core.values.queries import Candidates

NOW = datetime(2024, 6, 1, 12, tzinfo=timezone.utc)
BARE = replace(
    MemoryConfig.paper().recall, gate=False, lexical=0.0, dense=0.0
)  # every weight 0: a test adds the one that it is about


def candidates(n: int, **given) -> Candidates:
    """n units of one session, a day apart, that nothing speaks for."""
    zeros, nans = np.zeros(n, dtype=np.float32), np.full(n, np.nan, dtype=np.float32)
    blank = Candidates(
        owners=tuple(f"page-{i}" for i in range(n)),
        parts=("user",) * n,
        sessions=("s",) * n,
        segments=(None,) * n,
        speakers=(None,) * n,
        seqs=np.arange(n, dtype=np.int64),
        times=np.array([(NOW - timedelta(days=n - i)).timestamp() for i in range(n)]),
        lexical=zeros,
        dense=nans,
        coverage=zeros,
    )
    scores: dict[str, Any] = {
        key: np.array(value, dtype=np.float32) if key in ("lexical", "dense") else value for key, value in given.items()
    }
    return replace(blank, **scores)


def order(found: Candidates, config: RecallConfig = BARE, spans: Sequence[Span] = ()) -> list[int]:
    return [int(i) for i in rank(found, "", spans, NOW.timestamp(), config).order]


scores = arrays(np.float32, 6, elements=st.floats(0, 30, width=32))
cosines = arrays(np.float32, 6, elements=st.floats(-1, 1, width=32) | st.just(float("nan")))
spreads = st.sampled_from([0.0, 0.05, 0.2])
groups = st.lists(st.sampled_from([None, "a", "b", "c"]), min_size=6, max_size=6).map(tuple)


@given(lexical=scores, dense=cosines, spread=spreads, segments=groups, speakers=groups, question=st.text())
def test_ranking_is_a_permutation_with_finite_scores_best_first(
    lexical, dense, spread: float, segments, speakers, question: str
) -> None:
    found = candidates(
        6, lexical=lexical, dense=dense, dense_mean=0.2, dense_spread=spread, segments=segments, speakers=speakers
    )
    ranking = rank(found, question, find_dates(question, NOW), NOW.timestamp(), RecallConfig())
    hot = add_heat(found, ranking, {"a": 0.9, "b": 0.1}, 0.5)
    for one in (ranking, hot):
        assert sorted(one.order) == list(range(6))
        assert np.isfinite(one.scores).all()
        assert (np.diff(one.scores[one.order]) <= 0).all()
        assert np.allclose(np.sum(list(one.signals.values()), axis=0), one.scores)


@given(lexical=scores)
def test_lexical_is_a_part_of_the_best(lexical) -> None:
    signal = lexical_signal(candidates(6, lexical=lexical))
    assert ((signal >= 0) & (signal <= 1)).all()
    assert signal.max() == (1.0 if lexical.any() else 0.0)
    top = max(lexical.tolist())
    assert signal.tolist() == pytest.approx([one / top if top else 0.0 for one in lexical.tolist()])


def test_words_count_for_less_where_no_text_has_much_of_the_question() -> None:
    dense, lexical = [0.5, 0.1, np.nan], [6.0, 3.0, 0.0]

    def signal(*coverage: float, dense: list[float] = dense) -> list[float]:
        shares = np.array(coverage, dtype=np.float32)
        return [float(one) for one in lexical_signal(candidates(3, lexical=lexical, dense=dense, coverage=shares))]

    assert signal(0.9, 0.4, 0.0) == [1.0, 0.5, 0.0]  # one text has most of it: words are trusted
    assert signal(0.35, 0.2, 0.0) == pytest.approx([0.5, 0.25, 0.0])
    assert signal(0.05, 0.0, 0.0) == pytest.approx([0.3, 0.15, 0.0])  # one shared word may still be a name
    assert signal(0.05, 0.0, 0.0, dense=[np.nan] * 3) == [1.0, 0.5, 0.0]  # words are all there is


def test_a_question_in_other_words_is_answered_by_meaning() -> None:
    """Both share one word of ten with the question; the second one means the same."""
    found = candidates(
        2,
        lexical=[2.0, 0.0],
        dense=[0.2, 0.32],
        dense_mean=0.2,
        dense_spread=0.03,
        coverage=np.array([0.1, 0.0], np.float32),
    )
    assert order(found, replace(BARE, lexical=1.0, dense=0.17)) == [1, 0]


def test_dense_is_in_deviations_from_the_scopes_mean_not_from_that_of_the_candidates() -> None:
    found = candidates(4, dense=[0.5, 0.2, 0.1, np.nan], dense_mean=0.2, dense_spread=0.1)
    assert dense_signal(found) == pytest.approx([3.0, 0.0, -1.0, 0.0], abs=1e-5)


@given(dense=cosines, spread=spreads, scale=st.sampled_from([0.01, 0.25, 1.0]), shift=st.floats(-0.5, 0.5))
def test_embedders_that_spread_their_cosines_otherwise_say_the_same(
    dense, spread: float, scale: float, shift: float
) -> None:
    one = dense_signal(candidates(6, dense=dense, dense_mean=0.1, dense_spread=spread))
    narrow = candidates(6, dense=dense, dense_mean=0.1 * scale + shift, dense_spread=spread * scale)
    # In float64, or what is subtracted here would be lost by rounding.
    other = dense_signal(replace(narrow, dense=dense.astype(np.float64) * scale + shift))
    assert other == pytest.approx(one, abs=1e-6)
    assert (one[np.isnan(dense)] == 0).all()


def test_cosines_that_are_all_alike_and_no_cosines_say_nothing() -> None:
    assert dense_signal(candidates(3, dense=[0.4, 0.4, np.nan], dense_mean=0.4)).tolist() == [0.0, 0.0, 0.0]
    assert dense_signal(candidates(3)).tolist() == [0.0, 0.0, 0.0]
    assert dense_signal(candidates(2, dense_mean=0.3, dense_spread=0.1)).tolist() == [0.0, 0.0]


def test_a_cosine_far_above_the_mean_outweighs_a_weak_word() -> None:
    config, ones = replace(BARE, lexical=1.0, dense=0.17), np.ones(3, dtype=np.float32)
    found = candidates(3, lexical=[4, 1, 0], dense=[0.1, 0.1, 0.5], dense_mean=0.1, dense_spread=0.1, coverage=ones)
    assert order(found, config) == [0, 2, 1]
    assert order(replace(found, dense_spread=0.05), config) == [2, 0, 1]


def test_one_that_is_unlike_hundreds_weighs_no_more_than_six_deviations() -> None:
    found = candidates(3, dense=[0.9, 0.1, -0.9], dense_mean=0.1, dense_spread=0.01)
    assert dense_signal(found) == pytest.approx([6.0, 0.0, -6.0], abs=1e-5)


def test_a_reply_is_found_by_the_meaning_of_what_it_answers() -> None:
    asks = replace(BARE, dense=1.0, meaning_window=0.4)
    found = candidates(4, dense=[0.2, 0.2, 0.6, 0.2], dense_mean=0.2, dense_spread=0.1)
    said = rank(found, "", (), NOW.timestamp(), asks).signals["dense"]
    assert said == pytest.approx([0.0, 0.8, 4.0, 1.6], abs=1e-5)  # the next turn gets .4 of it, the one before a half
    assert order(found, asks) == [2, 3, 1, 0]


@pytest.mark.parametrize(
    "apart",
    [
        {"sessions": ("s", "t", "t", "s")},
        {"seqs": np.array([0, 3, 5, 9], dtype=np.int64)},
        {"seqs": np.array([0, -1, 2, -1], dtype=np.int64), "parts": ("user", "fact", "user", "fact")},
    ],
    ids=["another session", "turns between them", "facts"],
)
def test_meaning_is_lent_only_to_the_next_turn_of_a_session(apart: dict[str, Any]) -> None:
    found = candidates(4, dense=[0.6, 0.1, float("nan"), 0.1], dense_mean=0.2, dense_spread=0.1, **apart)
    assert not lend_meaning(found, dense_signal(found), 0.4, number_names(found.sessions)).any()


def test_relevance_goes_by_half_of_what_the_session_gives() -> None:
    found = rank(candidates(2, lexical=[1.0, 0.5]), "", (), NOW.timestamp(), replace(BARE, lexical=1.0, session=0.2))
    assert found.scores == pytest.approx([1.2, 0.7])
    assert found.judged == pytest.approx([1.1, 0.6])


def test_passages_of_a_page_stand_next_to_each_other() -> None:
    seqs = np.zeros(3, dtype=np.int64)
    found = candidates(3, seqs=seqs, parts=("user", "user.1", "assistant"), dense=[0.3, 0.2, 0.2], dense_mean=0.2)
    found = replace(found, dense_spread=0.1)
    assert lend_meaning(found, dense_signal(found), 0.5, number_names(found.sessions)) == pytest.approx(
        [0.0, 0.5, 0.0], abs=1e-5
    )


def test_equal_scores_keep_conversation_order() -> None:
    assert order(candidates(5)) == [0, 1, 2, 3, 4]


def test_nothing_found_is_nothing_ranked() -> None:
    empty = candidates(0)
    assert order(empty, config=RecallConfig()) == []
    assert add_heat(empty, rank(empty, "", (), 0.0, RecallConfig()), {}, 1.0).order.tolist() == []


def test_a_named_date_wins_and_fades_outside() -> None:
    found = candidates(60)
    spans = find_dates("What happened on 10 April 2024?", NOW)
    signal = date_signal(found.times, spans)
    on_the_day = [i for i, t in enumerate(found.times) if datetime.fromtimestamp(t, timezone.utc).day == 10]
    assert order(found, config=replace(BARE, date=1.0), spans=spans)[0] in on_the_day
    assert (np.diff(signal[:8]) > 0).all()
    assert date_signal(found.times, ()).tolist() == [0.0] * 60


def test_recency_prefers_the_newer_and_takes_the_future_for_now() -> None:
    found = candidates(3)
    assert order(found, config=replace(BARE, recency=1.0)) == [2, 1, 0]
    later = replace(found, times=found.times + 400 * 86_400.0)
    assert rank(later, "", (), NOW.timestamp(), replace(BARE, recency=1.0)).scores.max() == 1.0


def test_a_message_that_goes_on_with_a_talk_finds_what_led_up_to_it() -> None:
    """The best unit is the fifth. Of its segment's sessions before it the last three count, by their best unit."""
    found = candidates(
        9,
        lexical=[0.3, 0.2, 0.1, 0.4, 0.2, 1.0, 0.6, 0.9, 0.5],
        sessions=("a", "b", "c", "c", "d", "e", "f", "g", "h"),
        segments=("x", "x", "x", "x", "x", "x", "x", "y", None),
    )
    config = replace(BARE, lexical=1.0, thread=0.8)

    def led_up(message: str, config: RecallConfig = config) -> list[int]:
        signals = rank(found, message, (), NOW.timestamp(), config).signals
        return [place for place, extra in enumerate(signals.get("thread", ())) if extra]

    assert led_up("I'm back. What's the next step?") == [1, 3, 4]
    assert led_up("What's the next step? I'm back.") == []
    assert led_up("") == []
    assert led_up("I'm back.", replace(config, thread=0.0)) == []
    assert order(replace(found, segments=(None,) * 9), config) == [5, 7, 6, 8, 3, 0, 1, 4, 2]
    ranking = rank(found, "I'm back.", (), NOW.timestamp(), config)
    assert ranking.judged.tolist() == found.lexical.tolist()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where does Ada Lovelace live?", [1, 0, 0]),
        ("what did ADA say", [1, 0, 0]),
        ("Who told Bob?", [0, 1, 0]),
        ("Did Ada meet Bob?", [1, 0, 0]),
        ("Did Ada and Bob meet?", [0, 0, 0]),
        ("Was it in Canada?", [0, 0, 0]),
        ("Where do I live?", [0, 0, 0]),
    ],
)
def test_with_names_the_one_that_is_named_counts(question: str, expected: list[int]) -> None:
    found = candidates(3, speakers=("Ada Lovelace", "Bob", None))
    assert speaker_signal(found, question).tolist() == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did you recommend?", [0, 1]),
        ("Did you ever say that to me?", [0, 1]),
        ("Where do I live?", [1, 0]),
        ("my shoes", [1, 0]),
        ("Where is the quarry?", [1, 0]),
    ],
)
def test_without_names_the_user_is_asked_about_unless_it_is_the_assistant(question: str, expected: list[int]) -> None:
    assert speaker_signal(candidates(2, parts=("user", "assistant")), question).tolist() == expected


@pytest.mark.parametrize("name", ["@bob", "C++", "(Ada)", "  ", "\u3000"])
def test_odd_names_are_names_too(name: str) -> None:
    found = candidates(1, speakers=(name,), parts=("assistant",))
    said = name.strip()
    assert speaker_signal(found, f"what does {said} want").tolist() == [1.0 if said else 0.0]


def test_a_segment_is_as_good_as_the_mean_of_its_best_three() -> None:
    segments = ("a", "a", "a", "a", "b", None)
    own = np.array([0.9, 0.6, 0.3, -9.0, 0.3, 5.0])
    assert group_signal(number_groups(segments), own, best_of=3) == pytest.approx([1.0, 1.0, 1.0, 1.0, 0.5, 0.0])


@given(
    st.lists(st.tuples(st.sampled_from((None, "a", "b", "c", "d")), st.floats(-2, 6)), max_size=40), st.integers(1, 4)
)
def test_a_group_is_scored_as_one_unit_after_the_other_would_be(
    units: list[tuple[str | None, float]], best_of: int
) -> None:
    best_first = sorted((score, group) for group, score in units if group is not None)[::-1]
    taken: dict[str, list[float]] = {}
    for score, group in best_first:
        taken.setdefault(group, [])
        taken[group] += [score] if len(taken[group]) < best_of else []
    means = {group: max(sum(scores) / len(scores), 0.0) for group, scores in taken.items()}
    top = max(means.values(), default=0.0)
    expected = [means.get(group or "", 0.0) / top if top > 0 else 0.0 for group, _ in units]
    own = np.array([score for _, score in units], dtype=np.float64)
    assert group_signal(number_groups([group for group, _ in units]), own, best_of=best_of).tolist() == expected


def test_segments_that_answer_nothing_count_nothing() -> None:
    assert group_signal(number_groups(("a", None)), np.array([-1.0, 2.0]), best_of=3).tolist() == [0.0, 0.0]
    assert group_signal(number_groups((None,)), np.array([2.0]), best_of=3).tolist() == [0.0]
    assert group_signal(number_groups(()), np.array([]), best_of=3).tolist() == []


def test_heat_is_a_prior_for_the_units_of_warm_segments() -> None:
    found = candidates(4, segments=("cold", "warm", None, "hot"))
    ranking = add_heat(found, rank(found, "", (), NOW.timestamp(), BARE), {"hot": 0.8, "warm": 0.5}, 0.1)
    assert ranking.order.tolist() == [3, 1, 0, 2]
    assert ranking.signals["heat"] == pytest.approx([0.0, 0.05, 0.0, 0.08])


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_hotter_segment_is_never_ranked_lower(one: float, other: float) -> None:
    found = candidates(2, segments=("a", "b"))
    ranking = add_heat(found, rank(found, "", (), NOW.timestamp(), BARE), {"a": one, "b": other}, 0.05)
    assert ranking.order[0] == (1 if 0.05 * other > 0.05 * one else 0)


def test_the_best_of_a_session_lifts_the_rest_of_it_and_facts_stand_for_themselves() -> None:
    found = candidates(4, lexical=[0.5, 0.2, 0.2, 0.5], sessions=("a", "a", "b", None), owners=("p1", "p2", "p3", "f1"))
    signals = rank(found, "", (), NOW.timestamp(), replace(BARE, lexical=1.0, session=0.5)).signals
    assert signals["session"] == pytest.approx([0.5, 0.5, 0.2, 0.5])
