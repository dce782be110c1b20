"""One relevance from 0 to 1 for every question, which keeps the order of the ranking."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.rules.ranking.relevance import (
    Floor,
    Match,
    asks_in_general,
    asks_nothing,
    asks_of_memory,
    is_echo,
    log_odds,
    match,
    may_echo,
    meets_by_chance,
    relevance,
    without,
    without_idle_words,
)
from memoryos_core.values.queries import Candidates

scores = st.lists(st.floats(-2, 6), min_size=1, max_size=30)


def candidates(coverage: list[float], dense: list[float], *, mean: float = 0.1) -> Candidates:
    count = len(coverage)
    return Candidates(
        owners=tuple(map(str, range(count))),
        parts=("user",) * count,
        sessions=("s",) * count,
        segments=(None,) * count,
        speakers=(None,) * count,
        seqs=np.arange(count),
        times=np.zeros(count),
        lexical=np.array(coverage, np.float32),
        dense=np.array(dense, np.float32),
        coverage=np.array(coverage, np.float32),
        dense_mean=mean,
        dense_spread=0.1,
    )


@given(scores, st.booleans(), st.floats(0, 12), st.floats(-0.3, 1), st.floats(0, 1))
def test_a_relevance_is_a_probability_that_rises_with_the_score(
    ranked: list[float], semantic: bool, words: float, cosine: float, few: float
) -> None:
    count = len(ranked)
    found = Match(np.full(count, cosine if semantic else np.nan), np.full(count, words), few)
    relevant = relevance(np.array(ranked), found, range(count))
    assert ((relevant >= 0) & (relevant <= 1)).all()
    assert (relevant > 0).all() == (semantic or words > 0), (
        "by words alone a question without a shared word finds noise"
    )
    order = np.argsort(ranked, kind="stable")
    assert (np.diff(relevant[order]) >= 0).all()


def test_each_hit_is_judged_by_its_own_match() -> None:
    """A perfect match of one hit says nothing for the others: an old question must not lift unrelated lines."""
    found = Match(np.array([0.95, 0.05, 0.05]), np.array([3.0, 0.0, 0.0]))
    alone = Match(np.array([0.05, 0.05, 0.05]), np.array([0.0, 0.0, 0.0]))
    ranked = np.array([1.7, 0.6, 0.6])
    assert relevance(ranked, found, range(3))[0] > 0.9
    assert relevance(ranked, found, range(3))[1:].tolist() == relevance(ranked, alone, range(3))[1:].tolist()
    assert (relevance(ranked, found, range(3))[1:] < 0.1).all()


def test_without_vectors_the_best_words_of_the_chosen_count_for_all() -> None:
    found = match(candidates([0.5, 1.0], [np.nan, np.nan]), "Which boats sail?")
    assert np.isnan(found.cosines).all()
    assert found.words.tolist() == pytest.approx([1.0, 2.0])
    ranked = np.array([1.0, 1.0])
    assert relevance(ranked, found, [0, 1])[0] > relevance(ranked, found, [0])[0]


def test_a_candidate_without_a_vector_is_as_near_as_the_mean() -> None:
    assert match(candidates([0.0, 0.0], [0.4, np.nan], mean=0.1), "boats").cosines.tolist() == pytest.approx([0.4, 0.1])


@given(st.lists(st.floats(-2, 2), min_size=2, max_size=10), st.floats(0, 0.5), st.floats(0, 2))
def test_log_odds_are_linear_in_the_scores(ranked: list[float], cosine: float, words: float) -> None:
    some, count = np.array(ranked), len(ranked)
    odds = log_odds(relevance(some, Match(np.full(count, cosine), np.full(count, words)), range(count)))
    assert np.allclose(odds - odds[0], (some - some[0]) * 2.36, atol=1e-5)


@pytest.mark.parametrize("zero", [0.5, 0.6, 0.75])
def test_an_embedder_whose_unrelated_texts_are_near_is_read_on_its_own_scale(zero: float) -> None:
    """A scope of 200 vectors about which a question says nothing, and one that is half way to the same text."""
    found = match(candidates([0.0] * 200, [zero] * 199 + [(1 + zero) / 2], mean=zero), "boats")
    assert found.cosines[-1] == pytest.approx(0.5, abs=0.08)
    assert found.cosines[0] == pytest.approx(0.0, abs=0.15)


@pytest.mark.parametrize("mean", [-0.1, 0.0, 0.2, 0.34])
def test_an_ordinary_mean_changes_nothing(mean: float) -> None:
    assert match(candidates([0.0] * 50, [0.5] * 50, mean=mean), "boats").cosines[0] == pytest.approx(0.5)


def test_in_another_language_the_mean_of_the_scope_is_the_zero() -> None:
    found = candidates([0.0] * 200, [0.3] * 199 + [0.65], mean=0.3)
    assert match(found, "Wo liegt mein Boot?").cosines[[0, -1]] == pytest.approx([0.0, 0.5], abs=0.05)
    assert match(found, "Where is my boat?").cosines[[0, -1]] == pytest.approx([0.3, 0.65])


def test_without_a_word_of_the_question_nothing_is_found_by_words() -> None:
    idle = replace(candidates([0.0, 0.0], [0.4, 0.2]), lexical=np.array([1.0, 0.5], np.float32))
    assert without_idle_words(idle).lexical.tolist() == [0.0, 0.0]
    some = candidates([0.0, 0.3], [0.4, 0.2])
    assert without_idle_words(some) is some


def test_one_near_page_is_not_taken_for_the_zero_of_its_embedder() -> None:
    assert match(candidates([0.0], [0.7], mean=0.7), "boats").cosines[0] == pytest.approx(0.7)


def test_a_page_passes_with_its_better_half_or_with_its_echo() -> None:
    ranked, owners = np.array([0.9, 0.1, 0.1, 0.0]), ("a", "a", "b", "c")
    none, echo = np.zeros(0, dtype=np.int64), np.array([2])
    assert Floor(0.5).passed(ranked, owners, none).tolist() == [True, False, False, False]
    assert Floor(0.5, of_pages=True).passed(ranked, owners, none).tolist() == [True, True, False, False]
    assert Floor(0.5, of_pages=True).passed(ranked, owners, echo).tolist() == [True, True, True, False]


def told(sessions: str, seqs: list[int], minutes: list[float]) -> Candidates:
    some = candidates([0.0] * len(seqs), [0.0] * len(seqs))
    return replace(some, sessions=tuple(sessions), seqs=np.array(seqs), times=np.array(minutes) * 60)


def test_beside_a_sure_page_of_the_same_talk_a_quarter_of_the_floor_is_enough() -> None:
    floor, scores = Floor(0.12, of_pages=True), np.array([0.05, 0.4, 0.03, 0.02, 0.1, 0.1, 0.1])
    found = told("sssssst", [4, 5, 6, 6, 7, 3, 6], [0, 2, 50, 50, 52, 0, 50])
    raised = floor.raise_neighbours(scores, found)
    passed = floor.passed(raised, tuple("abcdefg"), np.zeros(0, dtype=np.int64))
    assert passed.tolist() == [True, True, True, False, False, False, False]
    assert Floor(0.12).raise_neighbours(scores, found) is scores, "a number that is given counts for each hit alone"


@pytest.mark.parametrize(
    ("scores", "seqs", "minutes"),
    [
        pytest.param([0.39, 0.1], [5, 6], [0, 1], id="no page is sure"),
        pytest.param([0.9, 0.1], [5, 6], [0, 61], id="another talk"),
        pytest.param([0.9, 0.1], [5, 7], [0, 1], id="two pages away"),
        pytest.param([0.9, 0.1], [-1, -1], [0, 0], id="facts stand nowhere"),
        pytest.param([0.0, 0.0], [5, 6], [0, 1], id="nothing is relevant"),
    ],
)
def test_else_a_relevance_counts_as_it_is(scores: list[float], seqs: list[int], minutes: list[float]) -> None:
    raised = Floor(0.12, of_pages=True).raise_neighbours(np.array(scores), told("ss", seqs, minutes))
    assert raised[1] == scores[1]


def test_with_a_higher_floor_only_what_passes_it_is_sure() -> None:
    found, scores = told("ss", [1, 2], [0, 1]), np.array([0.5, 0.2])
    assert Floor(0.6, of_pages=True).raise_neighbours(scores, found)[1] == 0.2
    assert Floor(0.5, of_pages=True).raise_neighbours(scores, found)[1] == 0.8


def test_no_candidate_is_beside_nothing() -> None:
    assert not len(Floor(0.12, of_pages=True).raise_neighbours(np.zeros(0), told("", [], [])))


@pytest.mark.parametrize(
    "said",
    [
        "What is 17 * 23?",
        "thanks!",
        "Thank you so much",
        "ok",
        "great, that works",
        "lol",
        "hmm",
        "Haha wow!",
        "hm, ok",
        "Hello there",
        "谢谢！",
        "yes please",
        "Great, thanks for the help!",
        "1+1",
        "2+2=?",
        "What's 1+1?",
        "3*(4-1)",
        "👍",
        "😀 😀",
        "?!",
        "Have a nice day",
        "Have a great rest of your week!",
        "Sleep well, my friend",
        "Good night!",
        "Good luck!",
        "See you tomorrow",
        "Enjoy your weekend 🎉",
        "Take care",
        "Thanks, have a good one!",
        "Happy birthday!",
        "Guten Morgen",
        "Gute Nacht",
        "Schönen Abend noch",
        "Bonne journée !",
        "Buenas noches",
        "Boa noite",
        "早上好",
        "晚安",
        "おやすみなさい",
    ],
)
def test_thanks_and_greetings_ask_for_nothing(said: str) -> None:
    assert asks_nothing(said)


@pytest.mark.parametrize(
    "asked",
    [
        "",
        "work",
        "Where do I work?",
        "morning",
        "Is it a nice hotel?",
        "hmm, where was that?",
        "lol what is my dog called",
        "go",
        "what is a good night",
        "Nice, France",
        "What is the 1+1 code?",
        "Which door does the 1+1 code open?",
        "What does the 👍 sign mark?",
        "Have a look at my boat",
        "Where is the boat Good Night?",
        "Have I a nice day planned?",
        "Sleep well app",
        "Did I sleep well?",
        "Good luck charm",
        "Gate 7-3",
        "2024-05-12",
        "555-0199",
    ],
)
def test_what_asks_for_something_does(asked: str) -> None:
    assert not asks_nothing(asked)


@pytest.mark.parametrize(
    "asked",
    [
        "What do you know about me?",
        "What did we talk about last time?",
        "Do you remember what I told you yesterday?",
        "Who am I?",
        "Remind me what I said",
        "Describe me",
    ],
)
def test_a_question_may_speak_of_the_memory_alone(asked: str) -> None:
    assert asks_of_memory(asked)


@pytest.mark.parametrize(
    "asked",
    [
        "",
        "What time is it?",
        "Tell me a joke",
        "again",
        "What did I tell you about Lisbon?",
        "What is 17 * 23?",
        "thanks",
    ],
)
def test_other_questions_name_what_they_want(asked: str) -> None:
    assert not asks_of_memory(asked)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("where did I park the CAR?", "Where did I park the car?"),
        ("Where was the car parked?", "Where did I park the car?"),
        ("where did i park  the car", "Where did I park the car"),
    ],
)
def test_a_question_asked_before_is_its_echo(text: str, question: str) -> None:
    assert is_echo(text, question)


@pytest.mark.parametrize(
    "text", ["I parked the car", "Where is the car?", "Where did I park the red car?", "I never parked the car", ""]
)
def test_what_says_more_or_less_is_none(text: str) -> None:
    assert not is_echo(text, "Where did I park the car?")


def test_only_what_holds_every_word_may_be_an_echo_and_it_measures_nobody() -> None:
    found = replace(candidates([1.0, 0.9, 0.6, 1.0], [0.9, 0.4, 0.4, 0.2]), sessions=("s", "s", "t", "u"))
    assert may_echo(found, "Where is it?").tolist() == [0, 3]
    assert not len(may_echo(found, "It is here.")), "what asks nothing has no echo, so nothing is read to look for one"
    rest = without(found, np.array([0, 3]))
    assert rest.coverage.tolist() == pytest.approx([0.0, 0.9, 0.6, 0.0])
    assert rest.lexical.tolist() == pytest.approx([0.0, 0.6, 0.6, 0.0]), "what stands beside counts as the best other"
    assert found.lexical[0] == 1.0
    alone = without(candidates([1.0, 0.9], [0.9, 0.4]), np.array([0]))
    assert alone.lexical.tolist() == pytest.approx([0.0, 0.9])


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Any open tasks?", "The shop on the corner is open on Sundays."),
        ("What are my reading habits?", "Reads the meter in March."),
        ("thinking about mobility and trams", "Made a mobile for the baby's room."),
    ],
)
def test_a_single_word_that_says_nothing_of_the_matter_is_chance(question: str, text: str) -> None:
    """It qualifies what the text lacks, or only looks alike."""
    assert meets_by_chance(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Is the shop open on Sundays?", "The shop on the corner is open on Sundays."),
        ("What instrument do I play?", "Plays the clarinet."),
        ("How does our CI pipeline run?", "CI is on the old server."),
        ("Which abilities do I have?", "Has the ability to whistle."),
        ("Wo wohne ich?", "Wohnt in Köln."),
    ],
)
def test_a_word_that_says_what_is_asked_is_no_chance(question: str, text: str) -> None:
    """Several words, the object of the question, the same word in another number, other languages."""
    assert not meets_by_chance(question, text)


@pytest.mark.parametrize(
    "question",
    [
        *("How do I boil an egg?", "how can we get wax out of a tablecloth", "What is the best way to ripen a mango?"),
        *("Give me four rhymes for moon.", "Please write a short poem about rivers", "can you explain entropy"),
        *("Tell me a riddle", "Which metal melts first?", 'Correct this sentence: "I has two brothers"'),
        *("Can you turn this into a table: red 4, blue 7", "Who invented the zip?", "ok, now translate 'good evening'"),
    ],
)
def test_a_question_that_names_no_person_is_a_general_one(question):
    assert asks_in_general(question, {"Ada", "Ben Okri"})


@pytest.mark.parametrize(
    "question",
    [
        *("Where do I keep the spare key?", "How do I take my coffee?", "Remind me what the plumber said"),
        *("What did Ada cook?", "does ben swim", "Is she still at the bank?", "Which of them has a dog?"),
        *("What should I cook tonight?", "Plan a dinner for me", "Where can we go on Sunday?"),
        *("Give me a recipe that my sister can eat", "What do our neighbours grow?", "Does the user eat meat?"),
        *("dietary restrictions", "travel plans for June", "Nice weather today"),  # key words, and a statement
        *("Wie kocht man ein Ei?", "¿Cómo se hierve un huevo?", "卵のゆで方は？"),  # other languages are not read
    ],
)
def test_what_names_a_person_or_asks_nothing_is_no_general_question(question):
    assert not asks_in_general(question, {"Ada", "Ben Okri"})


@pytest.mark.parametrize("cosine", [0.4, float("nan")])
def test_a_general_question_is_doubted_by_the_words_that_nobody_said(cosine):
    def found(question: str, coverage: float, *, echoed: bool = False) -> float:
        there = candidates([coverage, 0.1], [cosine, cosine])
        return float(relevance(np.array([1.0, 0.2]), match(there, question), range(2), echoed=echoed)[0])

    general, personal = "Which cheese melts best?", "Which cheese melts best for me?"
    assert found(general, 0.2) < found(general, 0.6) < found(general, 1.0)
    assert found(general, 0.2) < found(personal, 0.2)
    assert found(general, 1.0) == pytest.approx(found(personal, 1.0))
    assert found(general, 0.2, echoed=True) > found(general, 0.2), "what was asked before is answered in the memory"


def test_a_name_that_was_spoken_of_is_no_general_question():
    there = candidates([0.5, 0.1], [0.4, 0.4])
    assert match(there, "Who teaches Clara?").doubt == 0.0
    assert match(there, "Who teaches the cello?").doubt > 0.0
    assert match(candidates([0.2, 0.1], [0.4, 0.4]), "Who painted the Mona Lisa?").doubt > 0.0


@pytest.mark.parametrize("said", ["go on", "Go ahead!", "please continue", "ok, keep going"])
def test_to_be_asked_to_go_on_asks_nothing(said):
    assert asks_nothing(said)


@pytest.mark.parametrize(
    "said", ["Did she go on holiday?", "Shall I continue the course?", "How does the story go on?"]
)
def test_a_question_with_these_words_asks_something(said):
    assert not asks_nothing(said)
