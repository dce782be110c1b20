"""Passages: a message each, and of a long one windows of whole sentences."""

from __future__ import annotations

from datetime import datetime, timezone
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core import MemoryOS
from memoryos_core.rules.paging.pages import Said, passages
from memoryos_core.values.dialogue import Message, Page
from memoryos_core.values.queries import MOST_PASSAGES, PARTS, SEQ_SHIFT, half_of, passage_number

AT = datetime(2025, 3, 1, tzinfo=timezone.utc)


def page(*messages: Message) -> Page:
    return Page("p", "s", 1, messages, AT)


def said(*texts: str) -> Page:
    return page(*(Message("user", text) for text in texts))


def test_each_message_of_a_burst_is_a_passage_and_what_is_not_spoken_is_none() -> None:
    spoken = page(
        Message("system", "Be brief."),
        Message("user", "Hi", "Ada"),
        Message("user", "  "),
        Message("user", "I keep bees", "Ada"),
        Message("assistant", "", calls=("c",)),
        Message("tool", "42", answers="c"),
        Message("assistant", "How many?"),
    )
    found = passages(spoken)
    assert [(p.part, p.at, p.named_text) for p in found] == [
        ("user", 1, "Ada: Hi"),
        ("user.1", 3, "Ada: I keep bees"),
        ("assistant", 6, "How many?"),
    ]
    assert all(p.opens for p in found)


def test_a_long_message_is_cut_between_sentences_and_each_window_begins_with_the_last_sentence_before() -> None:
    told = [f"On day {day} we walked to village {day} and slept in barn number {day}." for day in range(20)]
    windows = passages(said(" ".join(told)))
    assert len(windows) > 3
    assert [p.opens for p in windows] == [True] + [False] * (len(windows) - 1)
    for before, after in pairwise(windows):
        last = told[max(i for i, sentence in enumerate(told) if sentence in before.text)]
        assert after.text.startswith(last)
        assert len(after.text) > len(last)
    assert all(any(sentence in p.text for p in windows) for sentence in told)
    assert all(len(p.text) <= 400 for p in windows)


@pytest.mark.parametrize("text", ["字" * 3_000_000, "word " * 1_000_000, "A. " * 500_000])
def test_a_pasted_book_has_a_bounded_number_of_passages(text: str) -> None:
    assert 1 <= len(passages(said(text))) <= MOST_PASSAGES


def test_more_messages_than_a_page_ever_has_are_bounded_too() -> None:
    found = passages(said(*(f"message {n}" for n in range(MOST_PASSAGES + 5))))
    assert len(found) == MOST_PASSAGES
    assert {p.part for p in found} <= PARTS


@given(st.lists(st.tuples(st.sampled_from(("user", "assistant")), st.text(max_size=900)), max_size=6))
def test_every_word_lies_in_a_passage_and_numbers_ascend(messages: list[tuple[str, str]]) -> None:
    of = page(*(Message("user" if role == "user" else "assistant", text) for role, text in messages))
    found = passages(of)
    for at, message in enumerate(of.messages):
        words = "".join(p.text for p in found if p.at == at).split()
        assert set(message.text.split()) <= set(words)
    numbers = [passage_number(of.seq, p.part) for p in found]
    assert numbers == sorted(set(numbers))
    assert {number >> SEQ_SHIFT for number in numbers} <= {of.seq}
    assert [half_of(p.part) for p in found] == [p.half for p in found]


def test_a_statement_is_found_in_the_message_that_says_it() -> None:
    burst = said("My cousin Amy lives in Bonn.", "My cousin Ben lives in Caen.", "Fine weather today.")
    told = Said(burst).saying("user", "Ben lives in Caen.")
    assert told is not None
    assert told.at == 1
    assert Said(burst).saying("assistant", "Ben lives in Caen.") is None


def test_a_statement_is_found_by_the_sentence_that_is_most_like_it() -> None:
    burst = said("Does my sister who lives in Berlin know?", "I live in Berlin.", "I live in Paris now.")
    told = Said(burst).saying("user", "The user lives in Berlin.")
    assert told is not None
    assert told.at == 1


@pytest.mark.parametrize(
    "before",
    [
        ["word and word. " * 9_000] * 3,
        [
            "A sentence of about one hundred and eight letters, so that two of them with one more do not fit here. "
            * 1_200
        ],
        ["Some words of a long message. " * 130] * 100,
    ],
)
def test_whatever_stands_before_it_every_message_has_its_passages(before: list[str]) -> None:
    of = said(*before, "My locker code is zebra 4711.")
    found = passages(of)
    assert {p.at for p in found} == set(range(len(of.messages)))
    assert found[-1].text == "My locker code is zebra 4711."
    assert all(p.text in of.messages[p.at].text for p in found)


def test_a_message_counts_once_however_many_windows_of_it_are_found() -> None:
    long = " ".join(f"The budget of department {n} is {n} euros and no more." for n in range(600))
    with MemoryOS("sqlite://", embedder=None) as memory:
        ann = memory.user("ann", session_id="s")
        ann.add(long, "Noted.")
        for n in range(8):
            ann.add(f"The wedding budget of cousin {n} is small.", "I see.")
        found = memory.user("ann", session_id="later").search("What is the budget?", 20)
        assert sum("wedding" in hit.text for hit in found) == 8
        text = memory.user("ann", session_id="later").recall("What is the budget?", budget_tokens=2000).text
        assert text.count("wedding") == 8


def test_what_is_said_again_in_one_page_is_quoted_again() -> None:
    with MemoryOS("sqlite://", embedder=None) as memory:
        ann = memory.user("ann", session_id="s")
        told = ["My lucky number is 7.", "My lucky number is 9.", "My lucky number is 7."]
        ann.add_messages([*(Message("user", text) for text in told), Message("assistant", "Which?")])
        text = memory.user("ann", session_id="later").recall("What is my lucky number?", budget_tokens=400).text
        assert text.count("number is 7") == 2
