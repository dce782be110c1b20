"""What a question is about, in its language: no function words, no particles, no calculation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.rules.text.function_words import FUNCTION_WORDS
from memoryos_core.rules.text.languages import guess, is_calculation, question_terms, search_terms
from memoryos_core.rules.text.words import words


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("Was ist die Hauptstadt der Mongolei?", ["hauptstadt", "mongolei"]),
        ("Was ist los?", ["los"]),
        ("C'est quoi l'avion ?", ["avion"]),
        ("¿Cuál es la capital de Mongolia?", ["capit", "mongolia"]),
        ("Qual è la capitale della Mongolia?", ["capital", "mongolia"]),
        ("Onde é que fica a capital?", ["fica", "capit"]),
        ("Wat is de hoofdstad van Mongolië?", ["hoofdstad", "mongolië"]),
        ("Где моя машина?", ["машина"]),
        # Beside English, or alone, a word is what it is in English.
        ("Who wants to die, man?", ["want", "die", "man"]),
        ("die", ["die"]),
        ("sin", ["sin"]),
        ("Die Hard", ["die", "hard"]),
        ("Where is La La Land?", ["la", "la", "land"]),
        ("El Paso", ["el", "paso"]),
    ],
)
def test_function_words_of_its_own_language_are_no_content(question: str, content: list[str]) -> None:
    assert question_terms(question) == content


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("どこですか？", set[str]()),
        ("どうやって書けばいいですか", {"書"}),
        ("おしえてください", set[str]()),
        ("猫はどこですか", {"猫"}),
        ("これはりんごですか？", {"りん", "んご"}),
        ("私のかばんはどこにありますか", {"私", "かば", "ばん"}),
        ("モンゴルの首都はどこですか", {"モン", "ンゴ", "ゴル", "首都"}),
        ("かに", {"かに"}),
    ],
)
def test_japanese_keeps_its_words_and_drops_what_is_said_with_them(question: str, content: set[str]) -> None:
    found = set(question_terms(question))
    assert content <= found
    assert not [term for term in found - content if len(term) == 1], "an ideograph of a compound is no word"
    assert not found & {"です", "すか", "ます", "まし", "した", "のは", "どこ"}


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("What is 17 * 23?", []),
        ("What is 17 + 4 - 2?", []),
        ("Convert 17 miles", ["convert", "mile"]),
        ("What is 17?", ["17"]),
        ("When was I 17?", ["17"]),
        ("Did I move at 17?", ["move", "17"]),
        ("Who called 555-1234?", ["call", "1234"]),
        ("Where was the cup of 1998?", ["cup", "1998"]),
        ("What did my 17 * 23 garden cost?", ["17", "23", "garden", "cost"]),
    ],
)
def test_a_small_number_needs_a_word_beside_it_or_the_speaker(question: str, content: list[str]) -> None:
    assert question_terms(question) == content


def test_only_a_calculation_alone_is_one() -> None:
    assert is_calculation("What is 17 * 23?")
    assert not is_calculation("What did my 17 * 23 garden cost?")
    assert not is_calculation("What was on 2024-05-12?")
    assert not is_calculation("What is it?")


@given(st.text())
def test_what_is_counted_is_searched_for(text: str) -> None:
    assert set(question_terms(text)) <= set(search_terms(text))


@pytest.mark.parametrize("code", FUNCTION_WORDS)
def test_a_sentence_of_function_words_speaks_for_its_language(code: str) -> None:
    assert guess(" ".join(sorted(FUNCTION_WORDS[code]))) == code
    assert all(words(word) == [word] for word in FUNCTION_WORDS[code])
