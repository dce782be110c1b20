"""Which messages fit: whole turns, and the last whatever its size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.values.dialogue import Message
from memoryos_llamaindex.fitting import fit_turns, turns

LETTERS = {"u": "user", "a": "assistant", "t": "tool", "s": "system"}


def talk(letters: str) -> list[Message]:
    """A conversation of one letter a message: u(ser), a(ssistant), t(ool), s(ystem); the texts are numbers."""
    return [Message(LETTERS[letter], str(n)) for n, letter in enumerate(letters)]  # type: ignore[arg-type]


def numbers(messages: list[Message]) -> list[int]:
    return [int(m.text) for m in messages]


def one(message: Message) -> int:
    return 1


@pytest.mark.parametrize(
    ("letters", "expected"),
    [
        ("", []),
        ("u", [[0]]),
        ("ua", [[0, 1]]),
        ("uaua", [[0, 1], [2, 3]]),
        ("uatauata", [[0, 1, 2, 3], [4, 5, 6, 7]]),
        ("uua", [[0], [1, 2]]),
        ("uu", [[0], [1]]),
        # Before the first question
        ("a", []),
        ("at", []),
        ("aua", [[1, 2]]),
        ("ataua", [[3, 4]]),
        ("sua", [[0, 1, 2]]),
        ("ssua", [[0, 1, 2, 3]]),
        ("saua", [[0, 2, 3]]),
        ("asua", [[1, 2, 3]]),
        ("sasua", [[0, 2, 3, 4]]),
        # System messages alone
        ("s", [[0]]),
        ("ss", [[0, 1]]),
        ("sa", [[0]]),
        ("as", [[1]]),
        # In the middle, between turns, at the end
        ("usa", [[0, 1, 2]]),
        ("uasa", [[0, 1, 2, 3]]),
        ("uasua", [[0, 1], [2, 3, 4]]),
        ("uassua", [[0, 1], [2, 3, 4, 5]]),
        ("uas", [[0, 1, 2]]),
        ("uass", [[0, 1, 2, 3]]),
        ("us", [[0, 1]]),
        ("suasuas", [[0, 1, 2], [3, 4, 5, 6]]),
    ],
)
def test_turns(letters: str, expected: list[list[int]]) -> None:
    assert [numbers(turn) for turn in turns(talk(letters))] == expected


@pytest.mark.parametrize(
    ("limit", "expected", "tokens"),
    [
        (-5, [5, 6], 2),
        (0, [5, 6], 2),
        (1, [5, 6], 2),
        (2, [5, 6], 2),
        (4, [5, 6], 2),
        (5, [2, 3, 4, 5, 6], 5),
        (6, [2, 3, 4, 5, 6], 5),
        (7, [0, 1, 2, 3, 4, 5, 6], 7),
        (99, [0, 1, 2, 3, 4, 5, 6], 7),
    ],
)
def test_the_newest_turns_within_the_limit(limit: int, expected: list[int], tokens: int) -> None:
    kept, took = fit_turns(talk("uauatua"), one, limit)
    assert (numbers(kept), took) == (expected, tokens)


def test_a_turn_that_does_not_fit_hides_what_is_before_it() -> None:
    sizes = {"0": 1, "1": 50, "2": 1}
    kept, took = fit_turns(talk("uuu"), lambda m: sizes[m.text], 40)
    assert (numbers(kept), took) == ([2], 1)


def test_a_newest_turn_beyond_the_limit_is_alone() -> None:
    kept, took = fit_turns(talk("uaua"), lambda m: 1 if m.text in "01" else 50, 60)
    assert (numbers(kept), took) == ([2, 3], 100)


def test_nothing_has_no_size() -> None:
    assert fit_turns([], one, 10) == ([], 0)
    assert fit_turns(talk("ata"), one, 10) == ([], 0)


def test_no_message_is_measured_that_lies_behind_what_did_not_fit() -> None:
    measured: list[str] = []

    def size(message: Message) -> int:
        measured.append(message.text)
        return 1

    fit_turns(talk("uaua" * 100), size, 3)
    assert sorted(map(int, measured)) == [396, 397, 398, 399]


@given(
    st.text(alphabet="uats", max_size=40), st.integers(-1, 60), st.lists(st.integers(0, 9), min_size=40, max_size=40)
)
def test_what_fits_is_an_end_of_the_conversation_in_whole_turns(letters: str, limit: int, sizes: list[int]) -> None:
    said = talk(letters)

    def size(message: Message) -> int:
        return sizes[int(message.text)]

    kept, tokens = fit_turns(said, size, limit)
    parts = turns(said)
    assert tokens == sum(map(size, kept))
    ends = [[m for turn in parts[at:] for m in turn] for at in range(len(parts) + 1)]
    assert kept in ends
    if parts:
        newest = parts[-1]
        assert kept[-len(newest) :] == newest
        assert tokens <= limit or kept == newest
    spoken = [m for m in kept if m.role != "system"]
    assert not spoken or spoken[0].role == "user"
    more, _ = fit_turns(said, size, limit + 1)
    assert more[len(more) - len(kept) :] == kept
    begun = letters.find("u")
    if begun >= 0:  # from the first question on, each message is in exactly one turn
        assert [n for n in numbers(ends[0]) if n >= begun] == list(range(begun, len(letters)))
