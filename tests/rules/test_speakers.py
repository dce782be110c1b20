"""Whom a question speaks of, and what it asks without them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.rules.ranking.signals import speakers_in_question, subject, without_names

ODD = ("@bob", "C++", "(Ada)", "[a-z]+", "a|b", "\\d", "$", "^x", "Dr.", "O'Brien", "*", "?")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where does Ada Lovelace live?", {"Ada Lovelace"}),
        ("where does ADA live", {"Ada Lovelace"}),
        ("Is that Ada's?", {"Ada Lovelace"}),
        ("Did Ada meet Bob?", {"Ada Lovelace", "Bob"}),
        ("Where does Lovelace live?", set()),
        ("Was it in Canada, Adana or on Bobby's adagio?", set()),
        ("ada_lovelace", set()),
        ("", set()),
    ],
)
def test_a_first_name_that_is_a_word_of_its_own_is_who_is_spoken_of(question: str, expected: set[str]) -> None:
    assert speakers_in_question(question, ["Ada Lovelace", "Bob"]) == expected


@pytest.mark.parametrize(
    ("question", "speakers", "expected"),
    [
        ("Where does Ada live?", ["Ada"], "Where does live?"),
        ("Where does ADA live?", ["ada"], "Where does live?"),
        ("What is Ada's dog called?", ["Ada"], "What is dog called?"),
        ("What is Ada\u2019s dog called?", ["Ada"], "What is dog called?"),
        ("What are James' dogs called?", ["James"], "What are dogs called?"),
        ("Is it Ada'sister?", ["Ada"], "Is it 'sister?"),
        ("Did Ada meet Bob, or Bob Ada?", ["Ada", "Bob"], "Did meet , or ?"),
        ("Was Ada in Canada?", ["Ada"], "Was in Canada?"),
        ("Where does Ada Lovelace live?", ["Ada Lovelace"], "Where does live?"),
        ("Where does Ada live?", ["Ada Lovelace"], "Where does live?"),
        ("Did O'Brien's boat sink?", ["O'Brien"], "Did boat sink?"),
        ("Where \n does  Ada live?", ["Bob"], "Where \n does  Ada live?"),
        ("Where \n does  Ada live?", ["Ada"], "Where does live?"),
        ("Where does Ada live?", [], "Where does Ada live?"),
        ("Where does Ada live?", ["", "  ", "\u3000"], "Where does Ada live?"),
    ],
)
def test_names_are_left_out_of_what_is_asked(question: str, speakers: list[str], expected: str) -> None:
    assert without_names(question, speakers) == expected


@pytest.mark.parametrize("question", ["Ada?", " Ada ", "Ada's", "Ada, Bob!", "Ada Bob\u2019s ...", "", "?"])
def test_a_question_of_names_alone_stays_as_it_is(question: str) -> None:
    assert without_names(question, ["Ada", "Bob"]) == question


@pytest.mark.parametrize("name", ODD)
def test_what_means_something_in_a_pattern_is_a_name_like_any(name: str) -> None:
    assert speakers_in_question(f"What does {name} want?", [name]) == {name}
    assert without_names(f"What does {name} want?", [name]) == "What does want?"
    assert speakers_in_question("What does abcde want", [name]) == frozenset()
    assert without_names("What does abcde want", [name]) == "What does abcde want"


@pytest.mark.parametrize(
    ("question", "name", "expected"),
    [
        ("小明喜欢什么?", "小明", "喜欢什么?"),
        ("你知道小明的狗叫什么吗?", "小明", "你知道 狗叫什么吗?"),
        ("Anna喜欢什么?", "Anna", "喜欢什么?"),
        ("さくらは何が好き?", "さくら", "は何が好き?"),
        ("昨日アンナの犬は?", "アンナ", "昨日 犬は?"),
        ("민수의 개는?", "민수", "개는?"),
        ("สมชายชอบอะไร", "สมชาย", "ชอบอะไร"),
    ],
)
def test_names_need_no_space_where_nobody_writes_one(question: str, name: str, expected: str) -> None:
    assert speakers_in_question(question, [name]) == {name}
    assert without_names(question, [name]) == expected


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("明天去哪里?", "明"),  # one letter is in too many words
        ("アナログの時計は?", "アナ"),  # katakana goes on: another word
        ("マリアナは?", "アナ"),
        ("Annas喜欢什么?", "Anna"),
        ("小红喜欢什么?", "小明"),
    ],
)
def test_a_part_of_another_word_is_no_name_there_either(question: str, name: str) -> None:
    assert speakers_in_question(question, [name]) == frozenset()
    assert without_names(question, [name]) == question


def test_a_name_of_one_letter_counts_where_it_stands_alone() -> None:
    assert speakers_in_question("Did J call?", ["J"]) == {"J"}
    assert speakers_in_question("明, call me", ["明"]) == {"明"}
    assert speakers_in_question("Did James call?", ["J"]) == frozenset()


@given(st.permutations(["Ann", "Ann-Marie", "Anna", "Anna Lee"]))
def test_the_longest_name_goes_first_whatever_the_order(speakers: list[str]) -> None:
    assert without_names("Did Ann-Marie call Ann, and Anna Lee Anna?", speakers) == "Did call , and ?"


names = st.sampled_from(("Ada", "Ann", "Ann-Marie", "小明", "Bo Li", *ODD)) | st.text(max_size=6)
sentences = st.lists(names | st.sampled_from(("where", "does", "'s", "?", "喜欢")), max_size=8).map(" ".join)


@given(question=sentences | st.text(max_size=30), speakers=st.lists(names, max_size=4))
def test_any_names_in_any_question(question: str, speakers: list[str]) -> None:
    found = speakers_in_question(question, speakers)
    assert found <= set(speakers)
    assert all(s.strip() and s.split()[0].lower() in question.lower() for s in found)
    rest = without_names(question, speakers)
    assert rest == without_names(question, speakers[::-1])
    # Something is always asked, if anything was; and nothing comes in that was not there.
    assert rest == question or re.search(r"\w", rest)
    assert len(rest) <= len(question)


@given(speakers=st.sets(names, max_size=5), question=sentences)
def test_each_speaker_is_judged_alone(speakers: set[str], question: str) -> None:
    assert speakers_in_question(question, speakers) == {s for s in speakers if speakers_in_question(question, [s])}


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("Where does Ada live?", "Ada"),
        ("What does Ada think of Ben's boat?", "Ada"),
        ("what did BEN tell Ada about the ferry", "Ben"),
        ("What do Ada and Ben have in common?", None),
        ("What did Ada, and Ben, buy?", None),
        ("Ada or Ben?", None),
        ("What are Ada's and Ben's hobbies?", None),
        ("What did Ada as well as Ben buy?", None),
        ("Ada vs. Ben: who sails more?", None),
        ("Ada plus Ben", None),
        ("阿达さんと小明さんは何が好き？", None),
        ("What did Ada say of Cy and Ben?", "Ada"),
        ("Where do they live?", None),
        ("", None),
        ("阿达和小明喜欢什么？", None),
        ("阿达觉得小明的船怎么样？", "阿达"),
    ],
)
def test_a_question_is_about_whom_it_names_first_unless_names_are_joined(question: str, about: str | None) -> None:
    assert subject(question, ["Ben", "Ada", "Cy", "阿达", "小明"]) == about


def test_of_two_speakers_with_one_first_name_it_is_about_neither() -> None:
    assert subject("Where does Ada live?", ["Ada Lovelace", "Ada Byron"]) is None
    assert subject("Where does Ada live?", []) is None


@pytest.mark.parametrize("speaker", ["Will", "You", "May I", "The Professor", "I", "An Li"])
def test_a_first_name_that_is_a_function_word_names_nobody(speaker: str) -> None:
    question = "When will the dog that you, the owner and I may own, see an Ada?"
    assert speakers_in_question(question, [speaker, "Ada"]) == {"Ada"}
    assert subject(question, [speaker, "Ada"]) == "Ada"
    assert without_names(question, [speaker]) == question
    assert speakers_in_question("What did the professor say?", ["The Professor"]) == {"The Professor"}
