"""News that shares words with an older statement and is about something else ends nothing."""

from __future__ import annotations

import pytest

from memoryos_core.rules.knowledge.supersession import compare

STAYS = [
    # A draft, a round, a year: first and last are two.
    (
        "I am polishing my first novel chapter draft by 3 June, and I have 2,100 words to hand in.",
        "I am trying to see how to improve my novel, since my final chapter draft has already reached 2,600 words.",
    ),
    # A part in another part of the sentence.
    (
        "I have a rescheduled gym session on 4 May after missing the last one due to a dinner with Ana at Lumo.",
        "I have a dinner with Ana rescheduled from 7 PM to 8 PM on 2 June.",
    ),
    # What is counted and a version are two numbers.
    ("I have added 48 photos to my Darkroom library.", "I just updated Darkroom to version 7.2."),
    # The same numbers again.
    (
        "I have spent 5 hours on the thesis, with 2 hours on the index.",
        "I have already spent 5 hours on the thesis, including 2 hours on the index.",
    ),
    (
        "I am deciding whether the 15% discount of the gym is good enough.",
        "I have been promoted to team lead with a 9% raise, and I still get the 15% discount of the gym.",
    ),
    ("The chance of a six on a fair die is 1:6 or 1/6.", "The chance of a six on a fair die is 1/6 or about 17%."),
    # Not what was said of it.
    ("I am not giving up on the garden.", "Instead of giving up on the garden, I planted beans."),
    # What happened once.
    ("My brother likes to bake at home.", "My brother just came home now."),
    ("My brother's rabbits got a new hutch!", "The hutch is big enough now for three, so my brother is happy."),
    ("My brother came home and cooked pasta.", "My brother just came home now."),
    ("My sister got a new fridge.", "The fridge is full enough now for two."),
]
ENDS = [
    (
        "The first novel chapter draft has 2,100 words.",
        "The first novel chapter draft has already reached 2,600 words.",
    ),
    ("I have a gym session on 4 May.", "I have the gym session rescheduled to 6 May."),
    ("I use version 6.1 of Darkroom.", "I just updated Darkroom to version 7.2."),
    ("I have read 40 pages of Emma.", "I have already read 95 pages of Emma."),
    ("The load time of the shop is 300 ms.", "The load time of the shop is down to 250 ms, from 300 ms."),
    ("I am taking the bus to work.", "Instead of taking the bus, I cycle to work."),
]


@pytest.mark.parametrize(("old", "new"), STAYS)
def test_news_of_something_else_end_nothing(old: str, new: str) -> None:
    assert compare(old, new) not in {"replaces", "retires"}


@pytest.mark.parametrize(("old", "new"), ENDS)
def test_news_of_the_same_end_what_was_said(old: str, new: str) -> None:
    assert compare(old, new) in {"replaces", "retires"}
