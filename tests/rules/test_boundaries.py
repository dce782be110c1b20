"""Ends of topics: cuts fall where similarity falls, a question keeps its answer, and boilerplate has no say."""

from __future__ import annotations

from datetime import datetime, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.rules.paging.topics import Turn, cuts, turns_of, weigh
from memoryos_core.values.dialogue import Half, Message, Page, Vector

NOW = datetime(2024, 5, 1, tzinfo=timezone.utc)
BEES, HONEY = "Our bees made honey in the hive beside the orchard", "Bees from the hive left honey on orchard flowers"
OPERA, VERDI = "The opera sings Verdi on the stage in Milan", "Verdi wrote an opera that Milan saw on stage"


def vec(*xs: float) -> Vector:
    return np.array(xs, dtype=np.float32)


EAST, NORTH = vec(1, 0.1), vec(0.1, 1)


def page(user: str, assistant: str = "") -> Page:
    said = (Message("user", user, timestamp=NOW), Message("assistant", assistant, timestamp=NOW))
    return Page("p", "s", 0, said, NOW)


def turns(user: str, assistant: str, vector: Vector, answer: Vector | None = None) -> tuple[Turn, ...]:
    vectors: dict[Half, Vector] = {"user": vector, "assistant": vector if answer is None else answer}
    return turns_of(page(user, assistant), vectors)


def test_a_topic_begins_where_similarity_falls() -> None:
    bees, opera = turns(BEES, HONEY, EAST), turns(OPERA, VERDI, NORTH)
    assert cuts([bees, bees, opera, opera]) == (False, False, True, False)


def test_words_decide_without_vectors() -> None:
    none = vec()
    bees, opera = turns(BEES, HONEY, none), turns(OPERA, VERDI, none)
    assert cuts([bees, bees, opera, opera]) == (False, False, True, False)


def test_a_question_keeps_its_answer() -> None:
    told, asked = turns(BEES, f"{HONEY}.", EAST), turns(BEES, f"{HONEY}?", EAST)
    after = turns(BEES, HONEY, vec(0.736, 0.677))
    assert cuts([told, told, after])[2]
    assert not cuts([told, asked, after])[2]


def test_an_answer_that_is_always_the_same_has_no_say() -> None:
    noted = vec(-1, -1)
    pages = [
        turns(text, "Noted.", v, noted) for text, v in ((BEES, EAST), (BEES, EAST), (OPERA, NORTH), (OPERA, NORTH))
    ]
    assert [turn.weight for turn in weigh([t for p in pages for t in p])] == [1.0, 0.0] * 4
    assert cuts(pages) == (False, False, True, False)


def test_pages_without_words_open_no_topic() -> None:
    bees, empty = turns(BEES, BEES, EAST), turns_of(page(""), {})
    assert empty == ()
    assert cuts([]) == ()
    assert cuts([empty, bees, empty, bees, empty]) == (False,) * 5


broken = st.sampled_from([vec(), vec(0, 0), vec(np.nan, 1), vec(1, 2, 3), EAST, NORTH])


@given(st.lists(st.tuples(st.sampled_from([BEES, OPERA, "Noted.", "?", ""]), broken), max_size=8))
def test_any_vectors_give_one_answer_a_page(some: list[tuple[str, Vector]]) -> None:
    found = cuts([turns(text, text, vector) for text, vector in some])
    assert len(found) == len(some)
    assert not found or found[0] is False


@pytest.mark.parametrize("text", [BEES, "我们的蜜蜂在果园旁边的蜂箱里酿了很多蜜"])
def test_one_subject_is_one_topic(text: str) -> None:
    assert not any(cuts([turns(text, text, EAST)] * 8))
