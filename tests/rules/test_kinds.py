"""Synonyms of a question's words, and the things that answer a question for a kind."""

import pytest

from memoryos_core import MemoryOS
from memoryos_core.rules.text.languages import index_terms, weighted_terms
from memoryos_core.rules.text.words import terms


def test_a_question_for_a_kind_is_ranked_by_its_things_too() -> None:
    weights = weighted_terms("Which pets do I have?")
    assert weights["pet"] == 1
    assert 0 < weights["cat"] == weights["dog"] < 1
    assert weighted_terms("Which pet is the cat?")["cat"] == 1, "a word of the question keeps its weight"


def test_a_synonym_weighs_more_than_a_thing_and_less_than_the_word_itself() -> None:
    weights = weighted_terms("When did my mum buy the couch?")
    assert weights["mum"] == weights["buy"] == 1
    assert weights["mother"] == weights["sofa"] == weights["purchas"] < 1
    assert weighted_terms("Which animals has my mum?")["dog"] < weights["mother"]
    assert terms("a flat tyre") != terms("an apartment tyre"), "where facts are compared, a synonym is another word"


@pytest.mark.parametrize(
    ("asked", "said"),
    [("buy", "bought"), ("taught", "teach"), ("children", "child"), ("favourite", "favorite"), ("kids", "children")],
)
def test_other_forms_of_a_word_are_searched_for(asked: str, said: str) -> None:
    (term,) = index_terms(said)
    assert weighted_terms(f"What about the {asked}?")[term] >= 0.7


@pytest.mark.parametrize(("asked", "other"), [("left", "leave"), ("rose", "rise"), ("saw", "see")])
def test_a_form_that_is_a_word_of_its_own_is_no_form_of_another(asked: str, other: str) -> None:
    assert index_terms(asked) == terms(asked) != index_terms(other)


@pytest.mark.parametrize(
    "question",
    [
        "When did we get our pets?",
        "And since when do I have pets?",
        "How long have I had pets?",
        "Welche pets habe ich, und wo leben sie?",
        "¿Qué pets tengo en mi casa y cómo son?",
        "pets " + " ".join(f"word{number}" for number in range(20)),
        "",
    ],
)
def test_a_question_for_a_time_a_long_one_and_another_language_name_no_things(question: str) -> None:
    assert set(weighted_terms(question).values()) <= {1.0}
    assert "cat" not in weighted_terms(question)


def test_a_question_of_many_kinds_is_ranked_by_its_own_words_first() -> None:
    question = "What country has food and sport that Zelda and her family would like?"
    assert len(weighted_terms(question)) > 128, "more terms than are ranked by"
    with MemoryOS("sqlite://", embedder=None) as memory:
        user = memory.user("ada", session_id="one")
        for text in ("Zelda wants to come with me next summer.", "The report is late.", "Zelda sent me a postcard."):
            user.add(text, "Noted.")
        found = [hit.text for hit in user.search(question, 2)]
    assert all("Zelda" in text for text in found)
    assert len(found) == 2


@pytest.mark.parametrize(
    ("said", "question"),
    [
        (("We flew to Japan in spring.", "Last year I saw half of Portugal."), "Which countries have I visited?"),
        (("My cello needs new strings.", "I took up the accordion."), "Which instruments do I play?"),
        (("I bought a kettle.", "Then I bought two mugs."), "What did I buy for the kitchen?"),
        (("Mum rang on Sunday.", "It is my mum's birthday."), "How is my mother?"),
    ],
)
def test_what_answers_in_other_words_is_recalled_without_an_embedder(said: tuple[str, ...], question: str) -> None:
    with MemoryOS("sqlite://", embedder=None) as memory:
        user = memory.user("ada", session_id="one")
        for number in range(40):
            user.add(f"The kitchen of house {number} was painted and visited.", "Noted.")
        for text in said:
            user.add(text, "Noted.")
            for number in range(10):
                user.add(f"I play with the idea of chapter {number}.", "Noted.")
        recalled = user.recall(question, budget_tokens=300, include_recent=False).text
    assert all(text in recalled for text in said)


# What is told, and a question in other words.
TOLD_AND_ASKED = [
    ("They pay me 31,000 before tax.", "What is my salary?"),
    ("I earn 14 pounds an hour at the bakery.", "How much money do I make there?"),
    ("My husband Piet sells tractors.", "What does my spouse do?"),
    ("The twins start nursery in autumn.", "Do I have children?"),
    ("I tip the scales at 82 kilos.", "How heavy am I?"),
    ("Dr Osei has her surgery on the corner.", "Who is my GP?"),
    ("Shellfish makes my lips swell.", "Do I have an allergy?"),
    ("I tore a ligament playing futsal.", "Which injury did I have?"),
    ("I can't stand coriander.", "Which herb do I dislike?"),
    ("Odin is a whippet.", "What breed is my dog?"),
    ("I crochet blankets in the evenings.", "What do I do in my free time?"),
    ("We flew out with Ryanair.", "Which airline did we take?"),
    ("I was born in Aarhus.", "What is my hometown?"),
    ("I finished law at Leuven in 2011.", "When did I graduate?"),
    ("My Pixel is cracked again.", "What mobile do I have?"),
    ("The alarm goes off at half five.", "What time do I get up?"),
    ("The form has to be submitted by 3 May.", "What is the deadline for the form?"),
    ("I go to the mosque on Fridays.", "What is my religion?"),
    ("We run Fedora on all machines.", "Which operating system do I use?"),
    ("I'm quite shy with strangers.", "What is my personality like?"),
]


@pytest.mark.parametrize(("said", "question"), TOLD_AND_ASKED)
def test_what_is_told_in_other_words_than_asked_is_recalled_without_an_embedder(said: str, question: str) -> None:
    with MemoryOS("sqlite://", embedder=None) as memory:
        user = memory.user("ada", session_id="one")
        for other, _ in TOLD_AND_ASKED:
            user.add(other, "Noted.")
            user.add(f"The shed of number {len(other)} needs paint.", "Noted.")
        recalled = user.recall(question, budget_tokens=120, include_recent=False).text
    assert said in recalled


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("How do I manage two branches?", "boss"),
        ("What did you hear about the concert?", "deaf"),
        ("When does the train depart?", "ward"),
        ("Who will provide the chairs?", "wifi"),
        ("Which tram was lovely?", "enjoy"),
        ("Could you show me the list?", "episod"),
        ("What did I give my aunt?", "quit"),
        ("What is the likely date?", "prefer"),
    ],
)
def test_a_word_with_the_stem_of_another_asks_for_nothing_of_that(question: str, term: str) -> None:
    assert term not in weighted_terms(question)


def test_two_kinds_of_one_stem_have_the_things_of_both() -> None:
    weights = weighted_terms("Which medication is it?")
    assert {"metformin", "hospit"} <= weights.keys()
    assert "birthday" in weighted_terms("Which parties did we go to?")
