"""Wishes of what answers are made of, told without a verb or in passing, and how they are changed or withdrawn."""

from __future__ import annotations

import time

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.rules.knowledge.instructions import as_standing
from memoryos_core.rules.knowledge.wishes import wish_in
from tests.rules.test_instructions import held_after

WANTS = "The user wants the assistant to "


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("celsius please, always celsius. our thermometer has nothing else", ["use celsius"]),
        ("never feet please, only metres", ["never use feet", "use only metres"]),
        ("Always metric, never imperial.", ["use metric", "never use imperial"]),
        ("In German please, always, I need to learn.", ["answer in German"]),
        ("French only from now on please", ["answer only in French"]),
        ("Only grams please when you give me a recipe, never ounces.", None),
        ("Lovely. Without hashtags please, always, in my captions.", ["never use hashtags in their captions"]),
        ("I'd rather have short answers, always", ["give short answers"]),
        ("I don't want tables in your answers, ever", ["never use tables"]),
        ("could we lose the smileys for good", ["never use smileys"]),
        ("Just always lists, I skim.", ["use lists"]),
        ("do us a favour, keep your answers short. the screen is tiny", ["keep the assistant's answers short"]),
        ("Fahrenheit for the weather, always please", ["use Fahrenheit for the weather"]),
    ],
)
def test_a_wish_without_a_verb_is_an_instruction(said: str, told: list[str] | None) -> None:
    found = held_after(said)
    if told is None:
        told = [f"{verb} when the assistant gives them a recipe" for verb in ("use only grams", "never use ounces")]
    assert found == [f"{WANTS}{order}." for order in told]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Oh, and if I ask for code, use Kotlin.", ["use Kotlin if they ask for code"]),
        (
            "If I ask for code, assume R. I don't want Julia, my team can't read it",
            ["assume R if they ask for code", "never use Julia"],
        ),
        ("whenever I ask for a recipe, keep it dairy free", ["keep it dairy free whenever they ask for a recipe"]),
        ("Correct me when I say something wrong please", ["correct them when they say something wrong"]),
        ("Answer in Dutch even when I write in English", ["answer in Dutch even when they write in English"]),
        (
            "Even when I talk to you in Greek, answer in French, so I practise",
            ["answer in French when they talk to the assistant in Greek"],
        ),
        ("When you tell me the time use 24h", ["use 24h when the assistant tells them the time"]),
        ("if i ask for a summary keep it under 80 words", ["keep it under 80 words if they ask for a summary"]),
        (
            "have a look at this for the shop and correct me, only when it is for buyers: Fresh breads today.",
            ["correct them only when it is for buyers"],
        ),
    ],
)
def test_a_case_of_what_the_user_does_is_kept_in_an_instruction(said: str, told: list[str]) -> None:
    assert held_after(said) == [f"{WANTS}{order}." for order in told]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (
            "keep your answers short please",
            "ok. you can stop with the brief answers, tell me everything",
            "give longer",
        ),
        ("you can stop with the short answers", "concise answers again please, phone", "give concise answers"),
        ("km please, always km", "miles again please, I moved to Hull", "use miles"),
        ("always use fahrenheit", "use celsius from now on", "use celsius"),
        ("If I ask for code, assume R.", "Rust is fine now, make it the default I guess.", "use Rust by default"),
        ("if I ask for code, use Go", "use Swift by default from now on please", "use Swift by default"),
        ("Please correct me always when I make a mistake", "no more corrections please", "stop with the corrections"),
        ("Please correct my grammar", "Please stop with the remarks about my grammar.", "stop with the remarks"),
        ("enough of the notes on my English", "correct me, only when it is for clients", "correct them only when"),
        ("Always bullets please", "Just talk to me normally, in sentences", "write in full sentences"),
        ("please never ask me how the book is going.", "you may now ask me how the book is going", "feel free to ask"),
        ("stop with the little smiley faces", "emojis are fine again", "feel free to use emojis"),
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
        user.add("always short answers please, my eyesight is bad", "Sure.")
        user.end_session()
        user.consolidate()
        told = {fact.text for fact in user.facts()}
    assert told == {f"{WANTS}give short answers.", "The user's eyesight is bad."}


@pytest.mark.parametrize("part", ["please, ", "always ", "km, ", "never use ", "when I ask for a ", "no emojis "])
def test_a_long_wish_is_read_in_time(part: str) -> None:
    started = time.perf_counter()
    for length in (20, 60, 10_000):
        as_standing(part * length)
    assert time.perf_counter() - started < 2


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
    assert wish_in(said, "") is None
