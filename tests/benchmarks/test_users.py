"""The invented people of `benchmarks.users`: their files are whole, and what is known of them is counted rightly."""

from __future__ import annotations

from itertools import pairwise

import pytest

from benchmarks.users import Person, load_people, measure_person, row_of


@pytest.mark.parametrize("which", ["a", "b"])
def test_each_value_and_answer_stands_in_what_the_person_wrote(which: str) -> None:
    people = list(load_people(which))
    assert len(people) == 4
    for person in people:
        said = " ".join(turn["user"] for turn in person.turns).casefold()
        values = [accepted for values in person.profile.values() for accepted in values]
        expected = [*values, *(wish["any"] for wish in person.wishes), *(q["answer"] for q in person.questions)]
        assert not [parts for parts in expected if not any(part in said for part in parts)]
        assert all(one["at"] <= other["at"] for one, other in pairwise(person.turns))


def test_what_is_known_of_a_person_is_counted() -> None:
    person = Person(
        "tess",
        [
            {"at": "2026-02-03T19:12", "user": "I live in Leeds and I work as a plumber.", "assistant": "Thanks!"},
            {"at": "2026-05-03T19:12", "user": "I moved to York. My dog is called Rex.", "assistant": "Nice!"},
        ],
        {"home": [["york"]], "occupation": [["plumber"]], "vehicle": [["van"]]},
        {"pet": ["rex"]},
        [{"any": ["metric"], "standing": True}],
        [{"ask": "Where do I live?", "answer": ["york"], "old": ["leeds"]}, {"ask": "Who is Max?", "answer": ["max"]}],
    )
    counts, notes = measure_person(person, "words")
    assert (counts["known"], counts["values"], counts["shown"], counts["wrong"]) == (2, 3, 3, 0)
    assert (counts["answered"], counts["questions"], counts["outdated first"]) == (1, 2, 0)
    assert notes == ["missed vehicle: van", "wish standing, missed: metric", "question unanswered: Who is Max?"]
    assert row_of(person, "set a", counts).values["lifted too late"] is None
