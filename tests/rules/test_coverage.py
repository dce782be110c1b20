"""Questions that want all of a matter, and the turns that sessions take to answer them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.rules.ranking.hits import asks_for_all, spread_out
from memoryos_core.rules.ranking.signals import Ranking
from memoryos_core.values.queries import Candidates


@pytest.mark.parametrize(
    "question",
    [
        "Give me a summary of how my garden has come along.",
        "Sum up my week with the bees",
        "Can I have a rundown of the house hunt?",
        "What have we tried against the damp so far?",
        "Can you summarise what we said about the roof?",
        "Please SUMMARIZE my trips",
        "An overview of my knitting projects, please",
        "Recap the move to Porto for me",
        "Put my jobs on a timeline",
        "List the concerts I went to chronologically",
        "In which order did I visit the islands?",
        "In what order did I read the books?",
        "List my flats in order",
        "What was the order in which I hired them?",
        "Tell me everything about my bees",
        "Everything you know about my sister",
        "Repeat all that I told you about the boat",
        "All we discussed on taxes",
        "Walk me through how my thesis took shape",
        "How has my running progressed through the winter?",
        "How did her plans for the shop evolve over time?",
        "Which worries came up throughout our conversations?",
        "How has my garden changed over the past few months?",
        "总结一下我的旅行",
        "請總結我們的討論",
        "请概述我的工作经历",
        "帮我回顾一下装修的过程",
        "按时间顺序列出我看过的电影",
        "告诉我关于花园的一切",
        "这件事的来龙去脉是什么?",
        "庭の作業をまとめてください",
        "旅行の話をまとめて。",
        "これまでの経緯を教えて",
        "引っ越しの話を要約して",
        "訪れた島を順番に並べて",
        "読んだ本を順に教えて",
        "この一年を振り返って",
        "出来事を時系列で教えて",
        "船についてすべて教えて",
    ],
)
def test_asked_for_all(question: str) -> None:
    assert asks_for_all(question)
    assert asks_for_all(question.upper())


@pytest.mark.parametrize(
    "question",
    [
        "",
        "Where did I sell my boat?",
        "What did I buy in order to mend the roof?",
        "Is my passport in order?",
        "Did I put my papers in order?",
        "What did I buy over the last few weeks?",
        "Does he have an overview map?",
        "Did I move in order that she could study?",
        "Which summer did we meet?",
        "Was the water in the pool over six feet?",
        "What did I order at the harbour?",
        "Who has my drill?",
        "Did all my friends come?",
        "What is everything called in Danish?",
        "How did the exchange go?",
        "Who recaptured the castle?",
        "Did I walk the dog through the park?",
        "How many hours did I work over the weekend?",
        "我什么时候搬家的?",
        "我的狗叫什么名字?",
        "上次我点了什么菜?",
        "关于花园我买了什么?",
        "いつ引っ越しましたか?",
        "犬の名前は何ですか?",
        "電池をまとめて買ったのはどこ?",
        "手順に何が足りなかった?",
        "従順に待っていたのは誰の犬?",
    ],
)
def test_not_asked_for_all(question: str) -> None:
    assert not asks_for_all(question)


def candidates(sessions: Sequence[str], seqs: Sequence[int]) -> Candidates:
    n = len(sessions)
    zeros = np.zeros(n, dtype=np.float32)
    return Candidates(
        owners=tuple(f"page-{i}" for i in range(n)),
        parts=("user",) * n,
        sessions=tuple(sessions),
        segments=(None,) * n,
        speakers=(None,) * n,
        seqs=np.array(seqs, dtype=np.int64),
        times=np.zeros(n),
        lexical=zeros,
        dense=zeros,
        coverage=zeros,
    )


def ranking(scores: Sequence[float], speaker: Sequence[float] | None = None) -> Ranking:
    total = np.array(scores, dtype=np.float64)
    said = np.zeros(len(total)) if speaker is None else np.array(speaker, dtype=np.float64)
    return Ranking(total, np.argsort(-total, kind="stable"), {"speaker": said}, total)


def spread(found: Candidates, ranked: Ranking) -> list[int]:
    return [int(i) for i in spread_out(found, ranked)]


def test_sessions_take_turns_the_best_of_each_first() -> None:
    # Far apart in seq, within a session, so that how a session opens is not what decides.
    found = candidates("aaabbc", [0, 0, 0, 1, 1, 2])
    assert spread(found, ranking([9, 8.9, 8.8, 8.2, 8.1, 8])) == [0, 3, 5, 1, 4, 2]
    assert spread(found, ranking([8, 8.1, 8.2, 8.8, 8.9, 9])) == [5, 4, 2, 3, 1, 0]


def test_what_opens_a_session_stands_before_what_is_a_little_better_further_on() -> None:
    found = candidates("aaaaa", [10, 11, 12, 20, 21])
    assert spread(found, ranking([1.0, 1.0, 1.0, 1.4, 1.5])) == [4, 0, 1, 3, 2], "but not before the very best"
    assert spread(found, ranking([1.0, 1.0, 1.0, 1.6, 1.7])) == [4, 3, 0, 1, 2]


def test_what_others_said_comes_after_all_that_the_one_asked_about_said_in_the_session() -> None:
    found = candidates("aaaabb", [0, 1, 2, 3, 4, 5])
    speaker = [0, 0.6, 0, 0.6, 0, 0]
    # Session b has nothing of theirs: it takes its turn all the same, after those that do, but for the very best.
    order = spread(found, ranking([9, 8, 8.5, 8.2, 9.5, 9.4], speaker))
    assert order == [4, 1, 3, 5, 0, 2]


def test_facts_take_turns_with_the_sessions_as_one_of_them() -> None:
    found = replace(candidates(["", "a", "", "a"], [-1, 0, -1, 1]), parts=("fact", "user", "fact", "user"))
    assert spread(found, ranking([5, 4, 3, 2])) == [0, 1, 2, 3]


def test_equal_ones_keep_conversation_order_and_nothing_is_nothing() -> None:
    assert spread(candidates("bca", [0, 2, 4]), ranking([1, 1, 1])) == [0, 1, 2]
    assert spread(candidates("", []), ranking([])) == []


found_units = st.lists(
    st.tuples(st.sampled_from(["", "a", "b", "c"]), st.floats(-3, 30), st.sampled_from([0.0, 0.6]), st.integers(0, 9)),
    max_size=14,
)


@given(units=found_units)
def test_sessions_of_the_matter_take_turns_before_all_others(units: list[tuple[str, float, float, int]]) -> None:
    sessions = [session for session, *_ in units]
    found = candidates(sessions, [seq for *_, seq in units])
    made = ranking([score for _, score, *_ in units], [said for _, _, said, _ in units])
    before = made.scores.copy()
    order = spread(found, made)
    assert sorted(order) == list(range(len(units)))
    assert (made.scores == before).all()
    if not units:
        return
    assert order[0] == made.order[0]  # the very best is never lost
    top = made.scores.max()
    of_it = {s for s, score in zip(sessions, made.scores, strict=True) if score >= top - 0.4 * abs(top)}
    count = sum(s in of_it for s in sessions)
    assert {sessions[i] for i in order[:count]} == of_it
    assert not of_it & {sessions[i] for i in order[count:]}
    turns = [[sessions[j] for j in order[:place]].count(sessions[i]) for place, i in enumerate(order[:count])]
    assert turns == sorted(turns)  # nobody has a second turn before everybody has had a first
    for session in of_it:
        said = [made.signals["speaker"][i] > 0 for i in order[1:count] if sessions[i] == session]
        assert said == sorted(said, reverse=True)  # within a session others come last


def test_a_session_that_is_of_something_else_takes_no_turn() -> None:
    found = candidates("aaabbcc", range(7))
    assert spread(found, ranking([9, 8, 7, 3, 2, 6, 1])) == [0, 5, 1, 6, 2, 3, 4]
