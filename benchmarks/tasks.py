"""How a question is put to a model and how its answer is scored: in words, by choosing an option, or by a judge."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from benchmarks.scores import bleu1, locomo_f1, set_f1
from benchmarks.talks import Question
from memoryos_core.values.chat import Prompt

LETTERS = "abcdefgh"
INSTRUCTIONS = """\
You answer questions about a conversation that took place over months. You are given what a memory found of it: what \
was said, each part under its date. Answer with the shortest phrase that is complete: a name, a place, a date, a \
number, or several things with commas between them. Write no sentence, no reason and no introduction, and use the \
speakers' own words. Words such as "yesterday" or "last week" count from the date of the part they stand in: turn \
them into the date that is meant, like 13 March 2021. When it is not said outright, answer what is most likely."""
# Small models follow an example sooner than a rule.
_EXAMPLES = (
    (
        "[14 March 2021]\nTom: I sold my old bike yesterday.\nIda: At last!",
        "When did Tom sell his bike?",
        "13 March 2021",
    ),
    ("[2 May 2020]\nIda: Our choir goes to Rome next month, by train.", "When is Ida's choir in Rome?", "June 2020"),
    ("[9 July 2021]\nTom: Skis and a tent, that is all I bought.", "What did Tom buy?", "skis, a tent"),
)


def _ask_in_words(context: str, question: str) -> str:
    return f"{context}Question: {question}\nAnswer in a few words:"


# What is the same for all questions comes first: a server reads it once.
_WORDS_OPENING = (
    Prompt("system", INSTRUCTIONS),
    *(
        prompt
        for context, question, answer in _EXAMPLES
        for prompt in (Prompt("user", _ask_in_words(f"{context}\n\n", question)), Prompt("assistant", answer))
    ),
)

_CHOOSING = """\
You are the assistant of a user whom you have talked with over months. You are given what a memory found of it. The \
user writes to you, and several replies are ready. Choose the one that fits best what you know of this user. Answer \
with its letter alone, like (b)."""
_OPTION = re.compile(r"\(([a-h])\)")
_LONE_LETTER = re.compile(r"\b([a-h])\b")
_COMPANION = """\
You are the companion of a user whom you have talked with for days. You are given what a memory found of it. Answer \
the user in one to three sentences, from what was said. Say so when you do not remember."""


@dataclass(frozen=True, slots=True)
class Task:
    """A kind of question: what stands before it in a prompt, how it is asked, and which figures come out."""

    metrics: tuple[str, ...]
    opening: tuple[Prompt, ...]
    ask: Callable[[str, Question], str]  # of a context that ends with an empty line, and a question


def _choose(context: str, question: Question) -> str:
    options = "\n".join(f"({letter}) {option}" for letter, option in zip(LETTERS, question.options, strict=False))
    return f"{context}The user writes: {question.text}\n\n{options}\n\nLetter of the best reply:"


IN_WORDS = Task(
    ("F1", "BLEU-1", "set-F1"), _WORDS_OPENING, lambda context, question: _ask_in_words(context, question.text)
)
BY_CHOICE = Task(("accuracy",), (Prompt("system", _CHOOSING),), _choose)
BY_JUDGE = Task(
    ("retrieval", "correctness", "coherence"),
    (Prompt("system", _COMPANION),),
    lambda context, question: f"{context}The user writes: {question.text}\nYour answer:",
)


def task_of(question: Question) -> Task | None:
    """Return the task of a question; None where nothing says what a right answer is, though evidence is labelled."""
    if question.options:
        return BY_CHOICE
    if question.answer:
        return IN_WORDS
    return None if question.gold else BY_JUDGE


def score_words(metric: str, given: str, expected: str, category: str) -> float:
    """Return one of the figures of an answer in words, from 0 to 1."""
    if metric == "F1":
        return locomo_f1(given, expected, category)
    return (bleu1 if metric == "BLEU-1" else set_f1)(given, expected)


def score_choice(given: str, expected: str, options: Iterable[str]) -> float:
    """Return 1 when an answer names the right option and no other, else 0.

    A letter in brackets counts before a bare one, since a sentence may hold the article "a".
    """
    text = given.lower()
    found = set(_OPTION.findall(text)) or set(_LONE_LETTER.findall(text))
    if len(found) != 1:
        return 0.0
    chosen = dict(zip(LETTERS, options, strict=False)).get(found.pop())
    return float(chosen == expected)
