"""Which questions ask what was in a time, in eight languages, and how what was said then is put in order."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest

from memoryos_core.rules.dates import Span, asked_times, dates_in_question, find_dates, without_dates
from memoryos_core.rules.dates.other_languages import in_english
from memoryos_core.rules.ranking.signals import Ranking
from memoryos_core.rules.ranking.times_alone import asks_what_was, spread_over_times
from memoryos_core.values.queries import Candidates

NOW = datetime(2026, 11, 29, 21, tzinfo=timezone.utc)
MARCH = Span(datetime(2026, 3, 1, tzinfo=timezone.utc), datetime(2026, 4, 1, tzinfo=timezone.utc), "in March")


def asks(question: str) -> bool:
    times = asked_times(question, NOW)
    assert times, "it names a time"
    return asks_what_was(question, times, {"Ann"}, NOW)


@pytest.mark.parametrize(
    "question",
    [
        "What happened in August?",
        "what happend in august",
        "What else happened last week?",
        "What did I do last week?",
        "what did i get up to last weekend",
        "What was I up to in March?",
        "What did we talk about on Tuesday?",
        "What topics came up in August?",
        "What have I been doing since September?",
        "What was going on in my life in spring 2026?",
        "How was last week?",
        "How have things been since September?",
        "Tell me about my October.",
        "Fill me in on October",
        "Recap last week",
        "Give me a short summary of August",
        "Anything important last month?",
        "Did anything special happen in June?",
        "What did I miss last week?",
        "What did Ann tell you in June?",
        "Where did I go in July?",
        "What did I do between May and July?",
        "What did we decide yesterday?",
        "What did I tell you today?",
        "I was away. What happened last week?",
        "And in August?",
        "Was ist im April passiert?",
        "Was habe ich letzte Woche gemacht?",
        "Was habe ich dir im Juni erzählt?",
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
def test_it_asks_what_was_then(question: str) -> None:
    assert asks(question)


@pytest.mark.parametrize(
    "question",
    [
        "What did I eat yesterday?",
        "Who did I meet in May?",
        "What did Bea tell you in June?",
        "What happened to my bike in August?",
        "Where did I live last year?",
        "What talk did I give in May?",
        "Do I work nights this month?",
        "Which events are in December?",
        "Who lives there since May?",
        "Was habe ich im August gekocht?",
        "¿Qué compré en agosto?",
        "八月我买了什么车？",
        "In August I moved. What happened to the cat?",
    ],
)
def test_a_subject_is_looked_for_by_its_words(question: str) -> None:
    assert not asks(question)


@pytest.mark.parametrize(
    "question",
    [
        "What are my plans for next week?",
        "Do I have anything important next week?",
        "What did we agree to do next month?",
        "Remind me what to do next week.",
        "What's happening next month?",
        "When is my appointment on Friday?",
        "Am I working on Saturday?",
        "What happens tomorrow?",
        "What's the weather like today?",
        "How are you today?",
        "How are you doing today?",
        "What day is it today?",
        "What should I do today?",
        "What's on today?",
        "What's new today?",
        "Anything new today?",
        "Anything on for today?",
        "Was ist heute los?",
        "Was soll ich heute machen?",
        "¿Cómo estás hoy?",
        "今日は何をしたらいい？",
        "今天做什么？",
        "What is special about 2020?",
    ],
)
def test_small_talk_and_what_lies_ahead_ask_for_no_time_that_was(question: str) -> None:
    assert not asks(question)


@pytest.mark.parametrize(
    "question", ["What happened after August?", "What happened before August?", "What happened until August?"]
)
def test_before_and_after_are_other_times(question: str) -> None:
    assert not asks(question)


def test_a_long_message_is_no_such_question() -> None:
    assert not asks("What happened in August? " * 20_000)


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


@pytest.mark.parametrize(
    ("statement", "language"),
    [
        ("Trabajé en Lidl de enero a marzo.", "es"),
        ("Sono stato a Roma da gennaio a marzo.", "it"),
        ("Trabalhei no Porto de janeiro a março.", "pt"),
    ],
)
def test_the_end_of_a_span_of_months_is_no_time_of_its_own(statement: str, language: str) -> None:
    english = in_english(statement, language, NOW, ahead=False)
    assert [span.text for span in find_dates(english, NOW)] == ["January"]


def test_a_person_called_like_a_month_is_no_date() -> None:
    assert not dates_in_question("Was hat April gesagt?", NOW)
    assert not find_dates("April and June laughed.", NOW)


def test_what_is_left_of_a_question_without_its_dates() -> None:
    rest = without_dates("What did I cook on 3 May and on 4 May?", NOW)
    assert rest.split() == ["What", "did", "I", "cook", "on", "and", "on", "?"]
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
        homes=(None,) * many,
    )


def test_parts_of_the_time_take_turns_each_with_what_tells_most_and_other_times_come_last() -> None:
    found = units([1, 1.5, 2, 20, 21, 60], [0, 100, 50, 10, 20, 150])
    ranking = Ranking(np.zeros(6), np.arange(6), {"speaker": np.zeros(6)}, np.zeros(6))
    assert spread_over_times(found, ranking, [MARCH]).tolist() == [1, 4, 2, 3, 0, 5]


def test_other_candidates_join_once_and_say_how_much_they_tell() -> None:
    ours, theirs = units([1, 2], [7, 8]), units([1, 2, 3], [70, 80, 90])
    both = ours.with_others(theirs)
    assert both.owners == ("0", "1", "2")
    assert both.disclosures is not None
    assert both.disclosures.tolist() == [70, 80, 90]
    assert ours.disclosures is not None
    assert ours.disclosures.tolist() == [7, 8], "values do not change"
    columns = [column.name for column in fields(both) if column.name not in ("dense_mean", "dense_spread")]
    assert {len(getattr(both, name)) for name in columns} == {3}, "all are aligned"


def test_an_index_that_knows_no_sizes_gets_those_of_the_others() -> None:
    whole = units([1, 2], [7, 8])
    bare = Candidates(**{c.name: getattr(whole, c.name) for c in fields(whole) if c.name not in UNKNOWN})
    both = bare.with_others(units([1, 2, 3], [70, 80, 90]))
    assert both.sizes is not None
    assert both.sizes.tolist() == [-1, -1, 100]
    assert both.disclosures is not None
    assert both.disclosures.tolist() == [70, 80, 90]
    assert len(both.homes) == 3


UNKNOWN = ("sizes", "disclosures", "places", "homes")
