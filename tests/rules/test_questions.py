"""Questions as they arrive: stripped, freed of what is pasted around them, never long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.rules import questions
from memoryos_core.rules.questions import clean
from memoryos_core.rules.words import sentences


@given(st.text(max_size=600))
def test_a_short_question_comes_back_as_it_is(text: str) -> None:
    assert clean(text) == text.replace("\x00", " ").strip()


@given(st.text(alphabet=st.characters(categories=["L", "Zs", "Po", "Cc"]), min_size=601, max_size=3000))
def test_a_cleaned_question_is_short_and_encodable(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned) <= 900
    cleaned.encode()
    assert bool(cleaned) == bool(text.replace("\x00", " ").strip())


@given(st.text(alphabet=st.sampled_from("a\ud800\udfff\x00?"), max_size=30))
def test_surrogates_and_nul_do_not_reach_the_index(text: str) -> None:
    clean(text).encode()
    assert "\x00" not in clean(text)


def test_of_a_pasted_document_the_questions_are_kept() -> None:
    document = "You are a helpful assistant. Is this a test? " + "Lorem ipsum dolor sit amet. " * 60
    assert clean(document + "Where does Ada live?") == "Is this a test? Where does Ada live?"


def test_of_megabytes_the_end_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def counted(text: str) -> list[str]:
        read.append(len(text))
        return sentences(text)

    monkeypatch.setattr(questions, "sentences", counted)
    assert clean("Lorem ipsum dolor. " * 100_000 + "Where does Ada live? \x00 ") == "Where does Ada live?"
    assert read == [12_000]


def test_the_last_questions_are_kept_first() -> None:
    many = " ".join(f"What did I say about subject number {i} in the long afternoon meeting?" for i in range(40))
    kept = clean(many)
    assert kept.endswith("subject number 39 in the long afternoon meeting?")
    assert len(kept) <= 420
    assert "number 30" not in kept


def test_without_a_question_the_end_is_kept() -> None:
    assert clean("Filler sentence here. " * 60 + "Tell me about Ada.").endswith(
        "Filler sentence here. Tell me about Ada."
    )


def test_a_question_without_an_end_is_cut_at_its_start() -> None:
    assert clean("ada " * 5000) == ("ada " * 5000).strip()[-400:].strip()


def test_chinese_and_japanese_questions_are_seen() -> None:
    assert clean("这是一个很长的文件。" * 80 + "她住在哪里？") == "她住在哪里？"
