"""Wishes of what answers are made of, told without a verb or in passing, and how they are changed or withdrawn."""

from __future__ import annotations

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from tests.rules.test_instructions import held_after

WANTS = "The user wants the assistant to "


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Answer in Dutch even when I write in English", ["answer in Dutch even when they write in English"]),
    ],
)
def test_a_case_of_what_the_user_does_is_kept_in_an_instruction(said: str, told: list[str]) -> None:
    assert held_after(said) == [f"{WANTS}{order}." for order in told]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("always use fahrenheit", "use celsius from now on", "use celsius"),
    ],
)
def test_a_later_wish_takes_the_place_of_an_earlier_one(before: str, after: str, told: str) -> None:
    (held,) = held_after(before, after)
    assert held.startswith(f"{WANTS}{told}")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("km please, always km", "Keep your answers short please"),
        ("km please, always km", "celsius please, always"),
        ("If I ask for code, assume R.", "Python's fine now, I mended the install"),
        ("keep your answers short please", "stop with the short answers, what does that phrase mean?"),
        ("please never ask me how the book is going.", "you may now ask me how the garden is going"),
    ],
)
def test_a_wish_stays_where_another_thing_is_told(before: str, after: str) -> None:
    assert held_after(before)[0] in held_after(before, after)


@pytest.mark.parametrize(
    "said",
    [
        "make it short",
        "French please",
        "bullets please",
        "short answers please, I'm in a meeting",
        "Write a post about my bakery. Second: without exclamation marks.",
        "Use only grams in this recipe please.",
        "My wife always wants short answers.",
        "he said always use grams, never cups",
        "My boss said no emojis ever",
        "She speaks French, always French.",
        "Which unit did he use? Miles, always miles",
        "always cups in American recipes, why?",
        "I always use grams when I bake",
        "Translate: 'always in French please'",
        "When I ask him for code he gives me R",
        "If I ask for a raise, should I mention the offer?",
        "If I ask for code, assume R or Python?",
        "tell me what to say if I ask for more money",
        "Explain what happens if I make a mistake",
        "Show me the penalty when I make an error",
        "If I ask you tomorrow, say yes.",
        "Do you use km always?",
        "Notes about my English: B plus",
        "Stop correcting me in front of Anna, I told him",
        "Python by default installs pip",
        "you may now kiss the bride, he said",
    ],
)
def test_what_only_looks_like_a_wish_is_no_instruction(said: str) -> None:
    assert held_after(said) == []


def test_why_a_wish_is_told_is_kept_as_a_fact() -> None:
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS("sqlite://", embedder=None, config=config) as memory:
        user = memory.user("tom", session_id="a")
        user.add(wish := "always short answers please, my eyesight is bad", "Sure.")
        user.end_session()
        user.consolidate()
        told = {fact.text for fact in user.facts()}
    assert told == {f'The user asks for all answers: "{wish}"', "The user's eyesight is bad."}


@pytest.mark.parametrize(
    "said",
    [
        "you can suggest a dessert now",
        "Kotlin by default.",
        "Lists, always lists, my wife lives by them.",
        "use only Julia please, never R, for this exam",
    ],
)
def test_what_is_of_one_thing_or_of_somebody_else_is_no_wish(said: str) -> None:
    assert held_after(said) == []
