"""Standing instructions: a later one about the same aspect of answers replaces an earlier one."""

from __future__ import annotations

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.rules.knowledge.instructions import as_standing, aspects_of
from memoryos_core.rules.knowledge.supersession import compare, ends

WANTS = "Tom wants the assistant to "


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("never use emojis", "feel free to use emojis again", "replaces"),
        ("stop using emojis", "use emojis", "replaces"),
        ("stop using emojis", "never use an emoji", "repeats"),
        ("always answer in bullet points", "never use bullet points", "replaces"),
        ("always answer in French", "always answer in English", "replaces"),
        ("be brief", "give longer answers", "replaces"),
        ("use metric units", "use imperial units", "replaces"),
        ("be brief", "be less brief", "replaces"),
        ("call them Tommy", "stop calling them Tommy", "replaces"),
        ("always use short variable names", "give longer answers", "unrelated"),
        ("stop using emojis", "use emojis in headings", "unrelated"),
        ("use bullet points", "stop using so many bullet points", "unrelated"),
        ("always write emails in French", "always answer in German", "unrelated"),
        ("always give temperatures in Celsius", "always give distances in miles", "unrelated"),
        ("be brief", "never use emojis", "unrelated"),
        ("be brief and use bullet points", "give longer answers", "unrelated"),
        ("answer in French when they ask about wine", "always answer in English", "unrelated"),
    ],
)
def test_what_a_later_instruction_does(old: str, new: str, verdict: str) -> None:
    before, after = f"{WANTS}{old}.", f"{WANTS}{new}."
    assert compare(before, after, ("Tom",)) == verdict
    assert ends(before, after, ("Tom",)) == (verdict == "replaces")


def test_an_instruction_for_a_case_settles_nothing_in_general() -> None:
    assert aspects_of(f"{WANTS}answer in French.") == {("language", "french")}
    assert aspects_of(f"{WANTS}answer in French when they ask about wine.") == frozenset()
    assert aspects_of("Tom lives in a short street.") == frozenset()


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("Stop using emojis.", "stop using emojis"),
        ("Correct my English mistakes.", "correct their English mistakes"),
        ("Sign off as Raj Menon.", "sign off as Raj Menon"),
        ("Get to the point.", "get to the point"),
        ("Cut the small talk.", "cut the small talk"),
        ("Temperatures in Fahrenheit, please.", "give temperatures in Fahrenheit"),
    ],
)
def test_a_standing_instruction_is_in_every_prompt_until_it_is_taken_back(said: str, line: str) -> None:
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS("sqlite://", embedder=None, config=config) as memory:
        user = memory.user("tom", session_id="first")
        user.add(said, "All right.")
        user.end_session()
        user.consolidate()
        asked = memory.user("tom", session_id="second")
        assert line in asked.recall("What's the capital of Peru?").text
        if "emojis" in said:
            asked.add("You can use emojis again.", "Great!")
            asked.end_session()
            asked.consolidate()
            assert line not in memory.user("tom", session_id="third").recall("What's the capital of Peru?").text


@pytest.mark.parametrize(
    "text", ["", "Be", "?" * 10_000, "be brief " * 5_000, "no " * 80, "and " * 60, "Be brief.\nThanks!"]
)
def test_any_other_text_stays_as_it_is(text: str) -> None:
    assert as_standing(text) == text
