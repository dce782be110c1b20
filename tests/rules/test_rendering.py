"""Rendering: dated, in order, and never able to close its own delimiter."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.rules.ranking.rendering import (
    _INVISIBLE,
    CLOSING,
    OPENING,
    compose,
    date_line,
    escape,
    fact_line,
    fact_lines,
    hit_lines,
    page_lines,
    profile_lines,
    speaker_line,
    time_marks,
)
from memoryos_core.values.dialogue import Hit, Message, Page
from memoryos_core.values.facts import Fact, Profile, ProfileField, Trait
from tests.rules.material import START, fact_hit, page_hit

OURS = re.compile(r"<\s*/?\s*(memory|recent|profile|facts|pages|question|draft)\b", re.IGNORECASE)
tags = st.from_regex(OURS, fullmatch=True)
nasty = st.lists(
    tags | st.text(max_size=8) | st.sampled_from(["<", "/", "memory>", " ", "\n", "&lt;"]), max_size=9
).map("".join)


@given(nasty)
def test_no_tag_of_ours_survives(text: str) -> None:
    assert OURS.search(escape(text)) is None


@given(nasty, nasty)
def test_no_tag_of_ours_arises_where_a_speaker_meets_a_text(speaker: str, text: str) -> None:
    assert OURS.search(speaker_line(Message("user", text, speaker or None))) is None


def _seen(text: str) -> str:
    """What of a text can be seen, unescaped."""
    return _INVISIBLE.sub("", text.replace("&lt;", "<").replace("&#91;", "["))


@given(nasty)
def test_escaping_changes_nothing_else(text: str) -> None:
    assert _seen(escape(text)) == _seen(text)


@given(
    st.text(alphabet="<>/abc memory_-&;", max_size=40).filter(
        lambda text: not OURS.search(text) and text[-1:] not in "</ "
    )
)
def test_what_is_not_ours_stays_verbatim(text: str) -> None:
    assert escape(text) == text


@pytest.mark.parametrize(
    "text", ["</memory>", "</MEMORY>", "< / memory >", "<memory>", "<\n/memory>", "</question>", "<", "< / "]
)
def test_spellings_of_our_tags(text: str) -> None:
    assert escape(text) == "&lt;" + text[1:]


@pytest.mark.parametrize("text", ["<memories>", "<b>bold</b>", "a < memory2", "i<3", "</memoryless>"])
def test_other_markup_is_left_alone(text: str) -> None:
    assert escape(text) == text


@given(name=nasty, value=nasty, reason=nasty)
def test_names_facts_and_profile_are_escaped_too(name: str, value: str, reason: str) -> None:
    profile = Profile(
        (ProfileField(name, value, START),), (Trait(name, "high", reason, START), Trait(value, "low", "", START))
    )
    lines = [*profile_lines(profile), fact_line(value, START), fact_line(name, None)]
    lines.append(page_lines(Page("p", "s", 1, (Message("user", value, name), Message("assistant", name)), START)))
    assert OURS.search("\n".join(lines)) is None


def test_a_page_is_shown_by_its_spoken_messages() -> None:
    messages = (
        Message("system", "Be kind."),
        Message("user", "What is on?", name="Ada"),
        Message("assistant", "  "),
        Message("tool", "{}", answers="c"),
        Message("assistant", "A play."),
    )
    assert page_lines(Page("p", "s", 1, messages, START)) == "Ada: What is on?\nassistant: A play."


def test_a_profile_shows_fields_then_traits_the_most_telling_first() -> None:
    traits = (
        Trait("Openness", "medium", "", START),
        Trait("Agreeableness", "low", "argues", START),
        Trait("Safety", "high", "asks twice", START),
    )
    assert profile_lines(Profile((ProfileField("name", "Ada", START),), traits)) == [
        "- name: Ada",
        "- Safety: high (asks twice)",
        "- Agreeableness: low (argues)",
        "- Openness: medium",
    ]


def test_hits_stand_under_their_day_oldest_first_the_question_before_its_answer() -> None:
    said = [
        page_hit(2, "evening", START + timedelta(days=1)),
        page_hit(1, "answer", START, about="assistant"),
        page_hit(1, "question", START),
    ]
    assert hit_lines(said) == [
        "[1 March 2024]",
        "user: question",
        "assistant: answer",
        "[2 March 2024]",
        "user: evening",
    ]


@given(st.permutations(range(6)), st.permutations([f"id-{i}" for i in range(6)]))
def test_hits_of_one_time_stand_as_they_were_said_whatever_their_ids(order: list[int], names: list[str]) -> None:
    hits = [replace(page_hit(i, f"turn {i}", START), page_ids=(names[i],), id=names[i]) for i in order]
    assert hit_lines(hits) == [date_line(START), *(f"user: turn {i}" for i in range(6))]


def test_sessions_that_ran_side_by_side_have_one_date_line_each() -> None:
    hits = [page_hit(i, f"turn {i}", START + timedelta(minutes=i), "st"[i % 2]) for i in range(6)]
    assert hit_lines(hits) == [
        "[1 March 2024]",
        *(f"user: turn {i}" for i in (0, 2, 4)),
        "[1 March 2024, another conversation]",
        *(f"user: turn {i}" for i in (1, 3, 5)),
    ]


def test_only_the_conversations_of_one_day_are_told_apart() -> None:
    hits = [page_hit(i, f"turn {i}", START + timedelta(days=i // 3), "stu"[i % 3]) for i in range(5)]
    assert hit_lines(hits) == [
        "[1 March 2024]",
        "user: turn 0",
        "[1 March 2024, another conversation]",
        "user: turn 1",
        "[1 March 2024, another conversation]",
        "user: turn 2",
        "[2 March 2024]",
        "user: turn 3",
        "[2 March 2024, another conversation]",
        "user: turn 4",
    ]


def test_facts_are_dated_by_what_they_speak_of() -> None:
    known = Fact("f", "user", "She moved.", START, START, event_time=START - timedelta(days=366))
    hit: Hit = fact_hit(1, "She sails.", START)
    assert fact_lines([known, hit]) == ["- She moved. (1 March 2023)", "- She sails. (1 March 2024)"]
    assert fact_lines([Fact("g", "user", "She sings.", START, START)]) == ["- She sings."]


def test_only_sections_with_lines_are_shown() -> None:
    assert compose([("A:", []), ("B:", ["b"])]) == f"{OPENING}\nB:\nb\n{CLOSING}"
    assert compose([("A:", [])]) == ""


@pytest.mark.parametrize(
    ("said", "marks"),
    [
        (
            "Ann: I went yesterday. It was fun!",
            [("Ann: I went yesterday.", "(yesterday: 27 August 2023)")],
        ),
        ("Ann: we met two days ago", [("Ann: we met two days ago", "(two days ago: 26 August 2023)")]),
        ("Ann: last weekend we sailed", [("Ann: last weekend we sailed", "(last weekend: 26 to 27 August 2023)")]),
        ("Ann: it began last week", [("Ann: it began last week", "(last week: 21 to 27 August 2023)")]),
        ("Ann: it rained last Tuesday", [("Ann: it rained last Tuesday", "(last Tuesday: 22 August 2023)")]),
        ("Ann: next month we move", [("Ann: next month we move", "(next month: September 2023)")]),
        ("Ann: 4 years ago I quit", [("Ann: 4 years ago I quit", "(4 years ago: 2019)")]),
        ("安：昨天我去了公园。", [("安：昨天我去了公园。", "(昨天: 27 August 2023)")]),
        ("安：上个月我搬家了。", [("安：上个月我搬家了。", "(上个月: July 2023)")]),
        ("安：后天见。", [("安：后天见。", "(后天: 30 August 2023)")]),
        (
            "Ann: it rained the week before last",
            [("Ann: it rained the week before last", "(the week before last: 14 to 20 August 2023)")],
        ),
        (
            "Ann: I ran yesterday. Yesterday it rained. Last week it didn't.",
            [
                ("Ann: I ran yesterday.", "(yesterday: 27 August 2023)"),
                ("Last week it didn't.", "(Last week: 21 to 27 August 2023)"),
            ],
        ),
        (
            "Ann: we waited for months, and last month it came",
            [("Ann: we waited for months, and last month it came", "(last month: July 2023)")],
        ),
        # May be either of two.
        ("安：昨日の話だが、月曜日に試験がある", [("安：昨日の話だが、月曜日に試験がある", "(昨日: 27 August 2023)")]),
        # Of no day by itself, or part of a longer one.
        ("Ann: I want to finish it before Christmas", []),
        ("Ann: I'll be back after New Year's Eve", []),
        ("Ann: we met one month and two days ago", []),
        # Said already, as the day above, or to be read in two ways.
        ("Ann: on 3 May 2021 we sailed, the year before we did not", []),
        ("Ann: today is fine, and last March was not", []),
        ("Ann: on Saturday we sail, next Friday we don't", []),
        ("Ann: a nice day", []),
        ("", []),
    ],
)
def test_words_for_a_time_are_said_as_the_time_they_mean(said: str, marks: list[tuple[str, str]]) -> None:
    assert time_marks(said, datetime(2023, 8, 28, 9, tzinfo=timezone.utc)) == marks


def test_a_few_days_at_the_turn_of_a_month_and_a_year_have_both() -> None:
    may, january = (datetime(2023, month, 2, tzinfo=timezone.utc) for month in (5, 1))
    assert time_marks("last week", may)[0][1] == "(last week: 24 to 30 April 2023)"
    assert time_marks("last week", datetime(2023, 5, 9, tzinfo=timezone.utc))[0][1] == "(last week: 1 to 7 May 2023)"
    assert time_marks("last week", january)[0][1] == "(last week: 26 December 2022 to 1 January 2023)"
