"""What a model may wrap an answer in, and what is no answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from memoryos_core.errors import ModelAnswerError
from memoryos_core.extract.asking import first_value, parse, without_thinking


class Tea(BaseModel):
    kind: str
    cups: int = 1


GOOD = '{"kind": "sencha", "cups": 2}'


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\nI hope this helps!",
        f"Sure, here you are [as asked]: {GOOD} Anything else?",
        f"[1] The list you gave.\n{GOOD}",
        f"<think>They like tea. {{}} perhaps?</think>\n{GOOD}",
        f"<THINKING>a <think>b</THINKING>{GOOD}",
        f"all of this was thought\n</think>\n{GOOD}",
        '{"kind": "sencha", "cups": 2,}',
        '{"kind": "sencha", "tags": ["a", "b",\n ], "cups": 2 , }',
        '{"kind": "sencha", "cups": "2"}',
        '{"kind": "sencha", "cups": 2, "note": "a } brace, ] a bracket"}',
        f"{{not json}} {GOOD}",
        "\ufeff" + GOOD,
    ],
)
def test_an_answer_is_found_in_its_wrapping(text: str) -> None:
    assert parse(text, Tea) == Tea(kind="sencha", cups=2)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("a </think> tag and <think> another", "a </think> tag and <think> another"),
        ("commas, ] stay, }", "commas, ] stay, }"),
        ('a "quote",]', 'a "quote",]'),
        ("两行\n茶", "两行\n茶"),
    ],
)
def test_what_stands_inside_a_string_is_left_alone(kind: str, expected: str) -> None:
    assert parse(json.dumps({"kind": kind}), Tea).kind == expected


def test_a_line_break_inside_a_string_is_forgiven() -> None:
    assert parse('{"kind": "green\ntea"}', Tea).kind == "green\ntea"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no complete JSON"),
        ("I would rather not answer that.", "no complete JSON"),
        ("<think>hm " * 2000 + GOOD, "no complete JSON"),
        ('{"kind": "sencha", "cups": ', "no complete JSON"),
        (f"[{GOOD}]", "array where an object"),
        ("[1, 2]", "array where an object"),
        ('"sencha"', "scalar where an object"),
        ('{"cups": 2}', "kind: Field required"),
        ('{"kind": "x", "cups": "many"}', "cups: "),
        ("[" * 100_000, "no complete JSON"),
        ('{"a":' * 100_000, "no complete JSON"),
        ('{"kind": "x", "cups": ' + "9" * 6000 + "}", "no complete JSON|cups"),
    ],
)
def test_what_is_no_answer_says_why(text: str, why: str) -> None:
    with pytest.raises(ModelAnswerError, match=why):
        parse(text, Tea)


def test_an_error_quotes_nothing_of_the_answer() -> None:
    with pytest.raises(ModelAnswerError) as caught:
        parse('{"kind": ["the secret"], "cups": "the other secret"}', Tea)
    shown = f"{caught.value} {caught.value.__cause__} {caught.value.__context__}"
    assert "secret" not in shown


def test_a_cut_off_answer_is_not_replaced_by_something_inside_it() -> None:
    assert first_value('{"pot": {"kind": "inner"}, "kind": "ou') is None


@given(st.text(alphabet='<>/thinkTHINK {}[]",:1a\\\n', max_size=200) | st.text(max_size=200))
def test_parsing_arbitrary_text_answers_or_refuses(text: str) -> None:
    try:
        answer = parse(text, Tea)
    except ModelAnswerError:
        return
    assert isinstance(answer, Tea)


@given(
    st.dictionaries(st.text(max_size=8), st.text(max_size=8) | st.integers() | st.lists(st.integers())),
    st.text(alphabet="abc .,\n", max_size=40),
    st.text(alphabet="abc .,\n", max_size=40),
)
def test_any_object_is_read_back_from_between_prose(value: dict, before: str, after: str) -> None:
    assert first_value(f"{before}```json\n{json.dumps(value)}\n```{after}") == value


@given(st.text(alphabet="ab<think></think>", max_size=80))
def test_no_think_tag_pair_survives(text: str) -> None:
    assert "<think>" not in without_thinking(text)
