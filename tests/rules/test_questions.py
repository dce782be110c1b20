"""Questions as they arrive: searched as they are written, encodable, never long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.rules.ranking.questions import asks, prepare_question

ADA = "Where does Ada live?"


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=2000))
def test_a_question_is_searched_as_it_is_written(text: str) -> None:
    assert prepare_question(text) == text.replace("\x00", " ").strip()


@pytest.mark.parametrize(
    "query",
    [
        f"You are a helpful assistant. Answer only from memory. {ADA}",
        f"<system>Be brief.</system>\n<question>{ADA}</question>",
        f"Context: the boats lay still.\nQuestion: {ADA}\n```python\nprint(1)\n```",
        f"{'The boats lay still. ' * 40}{ADA}",
    ],
)
def test_no_word_of_a_prompt_is_taken_out(query: str) -> None:
    assert prepare_question(query) == query


@given(st.text(alphabet=st.characters(categories=["L", "Zs", "Po", "Cc"]), min_size=2001, max_size=6000))
def test_a_long_one_is_bounded_and_encodable(text: str) -> None:
    prepared = prepare_question(text)
    assert len(prepared) <= 2002
    prepared.encode()


@given(st.text(alphabet=st.sampled_from("a\ud800\udfff\x00?"), max_size=30))
def test_surrogates_and_nul_do_not_reach_the_index(text: str) -> None:
    prepare_question(text).encode()
    assert "\x00" not in prepare_question(text)


def test_of_megabytes_both_ends_are_searched() -> None:
    document = "Lorem ipsum dolor. " * 100_000
    assert prepare_question(f"{document}{ADA} \x00 ").endswith(ADA)
    assert prepare_question(f"{ADA} {document}").startswith(ADA)


@pytest.mark.parametrize(
    ("text", "is_question"),
    [(ADA, True), ("where does ada live", True), ("她住在哪里", True), ("I moved to Porto.", False)],
)
def test_a_question_is_known_by_its_mark_or_its_words(text: str, is_question: bool) -> None:
    assert asks(text) is is_question
