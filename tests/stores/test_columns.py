"""What a value becomes in a column, and back."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects import sqlite

from memoryos_core.errors import InvalidInputError
from memoryos_core.stores.sql.columns import (
    Instant,
    Messages,
    Words,
    escape,
    message_from_record,
    message_to_record,
    to_microseconds,
    unescape,
)
from memoryos_core.values.dialogue import Message

DIALECT = sqlite.dialect()

# Every code point, surrogates and NUL included; the store's own mark comes up often enough to matter.
anything = st.text(st.characters(exclude_categories=())) | st.text(st.sampled_from("\x1a\x000d8\ud83d\ude00a"))
zones = st.timedeltas(timedelta(hours=-23), timedelta(hours=23)).map(
    lambda offset: timezone(timedelta(minutes=offset // timedelta(minutes=1)))
)
moments = st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=zones)
messages = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant", "tool", "system"]),
    text=anything,
    name=st.none() | anything,
    timestamp=st.none() | moments,
    id=st.none() | anything,
    calls=st.lists(anything, max_size=3).map(tuple),
    answers=st.none() | anything,
    payload=st.none() | anything,
)


@given(anything)
def test_any_text_becomes_one_that_any_database_takes(text):
    stored = escape(text)
    stored.encode("utf-8")
    assert "\x00" not in stored
    assert unescape(stored) == text


@given(anything, anything)
def test_two_texts_are_never_stored_alike(a, b):
    assert (escape(a) == escape(b)) == (a == b)


@given(st.lists(messages, max_size=3).map(tuple))
def test_messages_come_back_as_they_were(given_messages):
    column = Messages()
    read = column.result_processor(DIALECT, None)
    assert read(column.process_bind_param(given_messages, DIALECT)) == given_messages


@given(messages)
def test_a_message_record_is_json_and_comes_back(message):
    record = message_to_record(message)
    json.dumps(record)
    assert message_from_record(record) == message


@given(st.lists(anything, max_size=4).map(tuple))
def test_words_come_back_as_they_were(words):
    column = Words()
    read = column.result_processor(DIALECT, None)
    assert read(column.process_bind_param(words, DIALECT)) == words


@given(moments, moments)
def test_moments_are_exact_and_sort_as_numbers(a, b):
    column = Instant()
    assert column.result_processor(DIALECT, None)(column.process_bind_param(a, DIALECT)) == a
    assert (to_microseconds(a) < to_microseconds(b)) == (a < b)


def test_a_naive_moment_is_refused():
    with pytest.raises(InvalidInputError, match="no time zone"):
        to_microseconds(datetime(2024, 1, 1))
