"""The same conversations in another form: what is said stays, and so does what a question cites."""

from __future__ import annotations

from datetime import datetime

import pytest

from benchmarks.changes import Changes, in_bursts, merge, rename, split
from benchmarks.talks import Question, Talk, Turn

SAID = (
    ("Ada", "My dog Rex is old. He sleeps a lot."),
    ("Ben", "Poor Rex! Ada, take care."),
    ("Ada", "I will."),
    ("Ben", "Ben's advice: walk him."),
    ("Ada", "Adaptable as ever."),
)
NOON = datetime(2024, 5, 1, 12)
TURNS = tuple(Turn(f"D1:{n}", who, text, 0, NOON) for n, (who, text) in enumerate(SAID, start=1))
LATER = (Turn("D2:1", "Ben", "Hello Ada", 1, None),)
TALK = Talk(
    "talk",
    ("Ada", "Ben"),
    (TURNS, LATER),
    (
        Question("q1", "What is Ada's dog called?", "easy", ("D1:1",), "Rex, says Ada"),
        Question("q2", "Who?", "hard", ("D1:2", "D2:1")),
    ),
)


def test_bursts_change_the_order_alone() -> None:
    talk = in_bursts(TALK, 2)
    assert [[turn.id for turn in session] for session in talk.sessions] == [
        ["D1:1", "D1:3", "D1:2", "D1:4", "D1:5"],
        ["D2:1"],
    ]
    assert talk.questions == TALK.questions


def test_merged_bursts_know_their_turns() -> None:
    talk = merge(TALK, 2)
    first, second, third = talk.sessions[0]
    assert (first.id, first.speaker, first.text, first.when) == (
        "D1:1",
        "Ada",
        "My dog Rex is old. He sleeps a lot.\nI will.",
        NOON,
    )
    assert first.holds == (("D1:1", "My dog Rex is old. He sleeps a lot."), ("D1:3", "I will."))
    assert [turn_id for turn in (second, third) for turn_id, _ in turn.holds] == ["D1:2", "D1:4", "D1:5"]
    assert talk.questions == TALK.questions


def test_split_messages_are_cited_by_their_sentences() -> None:
    talk = split(TALK)
    assert [(turn.id, turn.text) for turn in talk.sessions[0][:5]] == [
        ("D1:1/1", "My dog Rex is old."),
        ("D1:1/2", "He sleeps a lot."),
        ("D1:2/1", "Poor Rex!"),
        ("D1:2/2", "Ada, take care."),
        ("D1:3", "I will."),
    ]
    assert [question.gold for question in talk.questions] == [("D1:1/1", "D1:1/2"), ("D1:2/1", "D1:2/2", "D2:1")]
    assert {turn.when for turn in talk.sessions[0]} == {NOON}


def test_names_change_wherever_they_stand() -> None:
    talk = rename(TALK)
    assert talk.speakers == ("Thora", "Iven")
    assert [(turn.speaker, turn.text) for turn in talk.turns] == [
        ("Thora", "My dog Rex is old. He sleeps a lot."),
        ("Iven", "Poor Rex! Thora, take care."),
        ("Thora", "I will."),
        ("Iven", "Iven's advice: walk him."),
        ("Thora", "Adaptable as ever."),
        ("Iven", "Hello Thora"),
    ]
    assert [(q.text, q.answer) for q in talk.questions] == [
        ("What is Thora's dog called?", "Rex, says Thora"),
        ("Who?", ""),
    ]
    assert [turn.id for turn in talk.turns] == [turn.id for turn in TALK.turns]


def test_a_name_that_is_there_is_not_given() -> None:
    other = Talk("talk", ("Ada", "Ben"), ((Turn("D1:1", "Ada", "I met Thora.", 0, None),),), ())
    assert rename(other).speakers == ("Iven", "Sunniva")


def test_changes_are_made_together() -> None:
    changes = Changes(bursts=2, merged=2, split=True, renamed=True, swapped=True)
    assert changes.label == "bursts of 2, bursts of 2 merged, split, renamed, swapped"
    assert changes.apply(TALK).speakers == ("Iven", "Thora")
    assert Changes().label == ""
    assert Changes().apply(TALK) == TALK
    assert Changes(swapped=True).apply(TALK).turns == TALK.turns


@pytest.mark.parametrize("changes", [Changes(renamed=True), Changes(swapped=True)])
def test_roles_keep_their_names(changes: Changes) -> None:
    with pytest.raises(ValueError, match="where both are people with names of their own"):
        changes.apply(Talk("talk", ("user", "assistant"), (), ()))
