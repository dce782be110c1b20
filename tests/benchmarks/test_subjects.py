"""The two conversations with known subjects, and the agreement of pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.knowledge_memory import opener
from benchmarks.subjects import boilerplate_talk, demo_talk, measure_subjects, pair_agreement
from benchmarks.talks import Talk
from tests.benchmarks.knowledge_files import Scripted


def test_every_turn_of_the_demo_has_one_of_ten_topics() -> None:
    talk, topic_of = demo_talk()
    assert list(topic_of) == [turn.id for turn in talk.turns if turn.speaker == "user"]
    assert len(set(topic_of.values())) == 10


def test_the_other_chat_has_two_statements_on_each_of_twenty_subjects_and_one_answer() -> None:
    talk, subject_of = boilerplate_talk()
    said = [turn.text for turn in talk.turns if turn.id in subject_of]
    assert (len(set(said)), len(set(subject_of.values()))) == (40, 20)
    assert {turn.text for turn in talk.turns if turn.speaker == "assistant"} == {"Noted."}


def test_pairs_agree_by_precision_and_recall() -> None:
    gold = {"a": "1", "b": "1", "c": "1", "d": "2"}
    assert pair_agreement({"a": "x", "b": "x", "c": "y", "d": "y"}, gold) == (0.5, 1 / 3)
    assert pair_agreement({name: name for name in gold}, gold) == (0.0, 0.0)


def test_turns_outside_all_segments_are_alone() -> None:
    def scripted(talk: Talk) -> Scripted:
        return Scripted(segments=[[turn.id for turn in talk.turns[:4]]])

    rows = list(measure_subjects(scripted, Path()))
    assert [row.group for row in rows] == ["the demo", "forty statements, one answer"]
    assert rows[1].values["pair precision"] == 1
    assert rows[1].values["pair recall"] == 1 / 20


@pytest.mark.parametrize(("system", "precision", "recall"), [("dense", 0.7, 0.35), ("words", 0.55, 0.175)])
def test_the_segments_of_both_agree_with_their_subjects(system: str, precision: float, recall: float) -> None:
    """By words alone, which know no synonyms, half of the recall is held."""
    demo, boilerplate = (row.values for row in measure_subjects(opener(system), Path()))
    assert (demo["pair precision"] or 0) >= precision
    assert (demo["pair recall"] or 0) >= recall
    assert 15 <= (boilerplate["segments"] or 0) <= 25
