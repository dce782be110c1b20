"""A conversation that is handed in anew, without a checkpointer: no turn of the user's is lost, whatever is alike."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, PIIMiddleware
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from memoryos_core import MemoryOS, Message
from memoryos_langchain.alignment import known_beginning
from memoryos_langchain.middleware import MemoryOSMiddleware
from tests.langchain.scripted_agents import AgentModel, on, recorded

NOTED = "Noted."
ANSWERS = (NOTED, "A dog!", "A cat!")


def talk(*texts: str) -> list[BaseMessage]:
    """What user and assistant said, under new ids."""
    return [AIMessage(text) if text in ANSWERS else HumanMessage(text) for text in texts]


def core(texts: list[str]) -> list[Message]:
    return [Message("assistant" if n % 2 else "user", text, id=f"{n} {text}") for n, text in enumerate(texts)]


def app(memory: MemoryOS, *before: AgentMiddleware[Any, Any, Any]) -> Any:
    model = AgentModel(answering=lambda _: NOTED)
    return create_agent(model, middleware=[*before, MemoryOSMiddleware(memory)])


def users(memory: MemoryOS) -> list[str]:
    return [line.removeprefix("user: ") for line in recorded(memory, "t") if line.startswith("user: ")]


HANDED_IN: dict[str, tuple[list[str], list[str]]] = {
    # what is handed in after "My dog is Rex", "Noted.", "My cat is Mog", "Noted.", and the user's turns that are held
    "all of it": (["My dog is Rex", NOTED, "My cat is Mog", NOTED, "?"], ["My dog is Rex", "My cat is Mog", "?"]),
    "a trimmed front": (["My cat is Mog", NOTED, "?"], ["My dog is Rex", "My cat is Mog", "?"]),
    "a front that begins with an answer": (
        [NOTED, "My cat is Mog", NOTED, "?"],
        ["My dog is Rex", "My cat is Mog", "?"],
    ),
    "another turn alone": (["My owl is Ulf", NOTED, "?"], ["My dog is Rex", "My cat is Mog", "My owl is Ulf", "?"]),
    "a turn that was not recorded": (
        ["My dog is Rex", NOTED, "My cat is Mog", NOTED, "My owl is Ulf", NOTED, "?"],
        ["My dog is Rex", "My cat is Mog", "My owl is Ulf", "?"],
    ),
    "one that was not recorded behind a trimmed front": (
        ["My cat is Mog", NOTED, "My owl is Ulf", NOTED, "?"],
        ["My dog is Rex", "My cat is Mog", "My owl is Ulf", "?"],
    ),
    "the last turn edited": (
        ["My dog is Rex", NOTED, "My cat is Tom", NOTED, "?"],
        ["My dog is Rex", "My cat is Mog", "My cat is Tom", "?"],
    ),
    "an earlier turn edited": (
        ["My dog is Bob", NOTED, "My cat is Mog", NOTED, "?"],
        ["My dog is Rex", "My cat is Mog", "My dog is Bob", "My cat is Mog", "?"],
    ),
    "an answer made again": (
        ["My dog is Rex", NOTED, "My cat is Mog", "A cat!", "?"],
        ["My dog is Rex", "My cat is Mog", "?"],
    ),
    "an earlier answer made again": (
        ["My dog is Rex", "A dog!", "My cat is Mog", NOTED, "?"],
        ["My dog is Rex", "My cat is Mog", "My cat is Mog", "?"],
    ),
    "a turn left out": (
        ["My dog is Rex", NOTED, "My owl is Ulf", NOTED, "?"],
        ["My dog is Rex", "My cat is Mog", "My owl is Ulf", "?"],
    ),
}


@pytest.mark.parametrize("case", HANDED_IN)
def test_no_turn_of_the_users_is_lost_where_all_answers_are_alike(memory: MemoryOS, case: str) -> None:
    handed_in, held = HANDED_IN[case]
    agent = app(memory)
    agent.invoke({"messages": talk("My dog is Rex")}, on("t"))
    agent.invoke({"messages": talk("My dog is Rex", NOTED, "My cat is Mog")}, on("t"))
    agent.invoke({"messages": talk(*handed_in)}, on("t"))
    assert users(memory) == held


def test_a_conversation_that_grows_is_recorded_once_where_all_answers_are_alike(memory: MemoryOS) -> None:
    agent, said = app(memory), list[str]()
    for text in ("one", "two", "three", "two", "four"):
        agent.invoke({"messages": talk(*said, text)}, on("t"))
        said += [text, NOTED]
    assert recorded(memory, "t") == [f"{'assistant' if n % 2 else 'user'}: {text}" for n, text in enumerate(said)]


@pytest.mark.parametrize("strategy", ["redact", "mask", "hash"])
def test_what_was_redacted_is_known_and_another_turn_is_not(memory: MemoryOS, strategy: Any) -> None:
    agent = app(memory, PIIMiddleware("email", strategy=strategy))
    agent.invoke({"messages": talk("Mail me at ann@example.com")}, on("t"))
    agent.invoke({"messages": talk("Mail me at ann@example.com", NOTED, "Thank you")}, on("t"))
    assert len(users(memory)) == 2
    agent.invoke({"messages": talk("Mail me at my office", NOTED, "Thank you", NOTED, "?")}, on("t"))
    assert users(memory)[2:] == ["Mail me at my office", "Thank you", "?"]
    assert "ann@example.com" not in repr(recorded(memory, "t"))


@pytest.mark.parametrize(
    ("stored", "given", "known"),
    [
        ("I am <PERSON>", "I am ann", True),
        ("My card is ****-****-****-1234, thanks", "My card is 4111 1111 1111 1234, thanks", True),
        ("[REDACTED_EMAIL]", "ann@example.com", True),
        ("[REDACTED_EMAIL]", "My cat is Mog", False),
        ("Call [REDACTED_PHONE] at noon", "Call my mother at noon", False),
        ("Call [REDACTED_PHONE] at noon", "Call +351 912 345 678 at noon", True),
        ("Call +351 912 345 678", "Call [REDACTED_PHONE]", False),
        ("a\n b", "a b", True),
        ("* milk", "Buy milk", False),
        ("Look [image]", "Look Mog", False),
        ("** " * 40 + "x", "A " * 200 + "y", False),
    ],
)
def test_a_redaction_is_told_from_another_text(stored: str, given: str, known: bool) -> None:
    count, _ = known_beginning(core([given, NOTED]), core([stored, NOTED]))
    assert bool(count) is known


def test_what_keeps_its_id_is_known(memory: MemoryOS) -> None:
    stored, given = core(["My dog is Rex", NOTED]), core(["My dog is Rex", NOTED])
    edited = [Message("user", "My dog is Bob", id=stored[0].id), *given[1:]]
    assert known_beginning(edited, stored) == (2, [stored[0].id, stored[1].id])


TEXTS = st.lists(st.sampled_from(["a", "b", "[REDACTED]"]), max_size=8)


@given(stored=TEXTS, given_=TEXTS)
def test_what_is_taken_for_known_is_held_word_for_word(stored: list[str], given_: list[str]) -> None:
    known, ids = known_beginning(core(given_), core(stored))
    held = {m.id: m.text for m in core(stored)}
    assert [held[i] for i in ids] == given_[:known]
