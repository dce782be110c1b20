"""Which questions name a time and no subject, in eight languages, and how what was said then is put in order."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import numpy as np
import pytest

from memoryos_core.config import RecallConfig
from memoryos_core.rules.dates import Span, dates_in_question, find_dates, without_dates
from memoryos_core.rules.ranking.signals import Ranking
from memoryos_core.rules.ranking.times_alone import keep_names_of_times, names_no_subject, spread_over_times
from memoryos_core.values.queries import Candidates

NOW = datetime(2026, 11, 29, 21, tzinfo=timezone.utc)
MARCH = Span(datetime(2026, 3, 1, tzinfo=timezone.utc), datetime(2026, 4, 1, tzinfo=timezone.utc), "in March")


@pytest.mark.parametrize(
    "question",
    [
        "What happened in August?",
        "What did I do last week?",
        "What was I up to in March?",
        "What did we talk about on Tuesday?",
        "What have I been doing since September?",
        "What was going on in my life in spring 2026?",
        "Tell me about my October.",
        "Anything important last month?",
        "What did Ann tell you in June?",
        "Where did I go in July?",
        "What did I do between May and July?",
        "What did we decide yesterday?",
        "And in August?",
        "Was ist im April passiert?",
        "Was habe ich letzte Woche gemacht?",
        "Qu'est-ce qui s'est passé en août ?",
        "Qu'ai-je fait la semaine dernière ?",
        "¿Qué pasó en agosto?",
        "¿Qué hice la semana pasada?",
        "Cosa è successo ad agosto?",
        "O que aconteceu em agosto?",
        "八月发生了什么？",
        "我上周做了什么？",
        "8月に何がありましたか？",
        "先週何をした？",
    ],
)
def test_it_names_a_time_and_no_subject(question: str) -> None:
    assert dates_in_question(question, NOW)
    assert names_no_subject(question, {"Ann"}, NOW)


@pytest.mark.parametrize(
    "question",
    [
        "What did I eat yesterday?",
        "What are my plans for next week?",
        "When is my appointment on Friday?",
        "What's the weather like today?",
        "Who did I meet in May?",
        "What did Bea tell you in June?",
        "What happened to my bike in August?",
        "Was habe ich im August gekocht?",
        "¿Qué compré en agosto?",
        "八月我买了什么车？",
    ],
)
def test_it_names_a_subject(question: str) -> None:
    assert dates_in_question(question, NOW)
    assert not names_no_subject(question, {"Ann"}, NOW)


def test_the_words_that_are_looked_for_are_names_of_times() -> None:
    assert keep_names_of_times("What happened in August 2025?") == "August 2025?"
    assert not keep_names_of_times("What did I do last week?")


@pytest.mark.parametrize(
    ("question", "month"),
    [
        ("Was habe ich im April gemacht?", 4),
        ("Was war im Mai?", 5),
        ("Wo war ich im März?", 3),
        ("¿Dónde estuve en abril?", 4),
        ("Où étais-je en mars ?", 3),
        ("Dove sono stato ad aprile?", 4),
    ],
)
def test_a_month_behind_in_is_a_month_in_other_languages_too(question: str, month: int) -> None:
    assert [span.start.month for span in dates_in_question(question, NOW)] == [month]


def test_a_person_called_like_a_month_is_no_date() -> None:
    assert not dates_in_question("Was hat April gesagt?", NOW)
    assert not find_dates("April and June laughed.", NOW)


def test_what_is_left_of_a_question_without_its_dates() -> None:
    assert without_dates("What did I cook on 3 May and on 4 May?", NOW).split() == [
        "What",
        "did",
        "I",
        "cook",
        "on",
        "and",
        "on",
        "?",
    ]
    assert without_dates("Who laughed?", NOW) == "Who laughed?"


def units(days: list[float], tells: list[int]) -> Candidates:
    many = len(days)
    zeros = np.zeros(many, dtype=np.float32)
    return Candidates(
        owners=tuple(map(str, range(many))),
        parts=("user",) * many,
        sessions=("s",) * many,
        segments=(None,) * many,
        speakers=(None,) * many,
        seqs=np.arange(many),
        times=np.array([(MARCH.start + timedelta(days=day)).timestamp() for day in days]),
        lexical=zeros,
        dense=zeros,
        coverage=zeros,
        sizes=np.full(many, 100, dtype=np.int32),
        disclosures=np.array(tells, dtype=np.int16),
        places=np.zeros(many, dtype=np.int32),
    )


def test_parts_of_the_time_take_turns_each_with_what_tells_most_and_other_times_come_last() -> None:
    found = units([1, 1.5, 2, 20, 21, 60], [0, 100, 50, 10, 20, 150])
    ranking = Ranking(np.zeros(6), np.arange(6), {}, np.zeros(6))
    assert spread_over_times(found, ranking, [MARCH], RecallConfig()).tolist() == [1, 4, 2, 3, 0, 5]


def test_other_candidates_join_once_and_say_how_much_they_tell() -> None:
    ours, theirs = units([1, 2], [7, 8]), units([1, 2, 3], [70, 80, 90])
    both = ours.with_others(theirs)
    assert both.owners == ("0", "1", "2")
    assert both.disclosures is not None
    assert both.disclosures.tolist() == [70, 80, 90]
    assert len(both.homes) == len(both) == len(both.times) == len(both.dense)
    assert ours.disclosures is not None
    assert ours.disclosures.tolist() == [7, 8], "values do not change"
