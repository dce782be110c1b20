"""What a user answers to the assistant's questions, in a few words, becomes knowledge like what they tell unasked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, WorkerConfig

NOW = datetime(2026, 1, 5, 9, tzinfo=timezone.utc)
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


def talk(*turns: tuple[str, str], names: tuple[str, str] | None = None) -> tuple[dict[str, str], list[str]]:
    """Return the profile and the current facts after turns of a user and an assistant, two minutes apart."""
    user, other = names or (None, None)
    with MemoryOS("sqlite://", config=MANUAL, clock=lambda: NOW + timedelta(days=1)) as memory:
        alice = memory.user("alice", session_id="s")
        for number, (said, reply) in enumerate(turns):
            at = NOW + timedelta(minutes=2 * number)
            alice.add_messages(
                [Message("user", said, name=user, timestamp=at), Message("assistant", reply, name=other, timestamp=at)]
            )
        alice.end_session()
        alice.consolidate()
        return {f.name: f.value for f in alice.profile().fields}, [f.text for f in alice.facts()]


ONBOARDING: Sequence[tuple[str, str]] = (
    ("hi", "Hello! What's your name?"),
    ("Tom", "Nice to meet you, Tom. Where do you live?"),
    ("Porto", "Lovely. What do you do for a living?"),
    ("software engineer", "Great. Do you have any allergies?"),
    ("peanuts", "Noted. How old are you?"),
    ("34", "And do you have pets?"),
    ("yes, a cat called Moth", "Sweet! What's your favourite dish?"),
    ("ramen", "What can I do for you?"),
    ("plan a dinner", "Sure."),
)


def test_an_onboarding_fills_the_profile() -> None:
    profile, facts = talk(*ONBOARDING)
    assert profile == {
        "name": "Tom",
        "home": "Porto",
        "occupation": "software engineer",
        "allergy": "peanuts",
        "age": "34",
        "pet": "cat called Moth",
    }
    assert "The user's favourite dish is ramen." in facts


def test_an_answer_replaces_what_was_known() -> None:
    profile, facts = talk(("I live in Leeds.", "And where do you live now?"), ("York", "Thanks."))
    assert profile == {"home": "York"}
    assert facts == ["The user lives in York."]


@pytest.mark.parametrize(
    ("turns", "names"),
    [
        ((("Where do you live?", "Porto"), ("ok", "Fine.")), None),  # an assistant lives nowhere
        ((("Hi", "Where do you live, and with whom? Or do you travel?"), ("Porto", "Fine.")), None),
        ((("Hi", "Do you want me to draft a letter?"), ("yes", "Done.")), None),
        (
            (("Let's play a game: you are a border guard and I am a spy.", "What's your name?"), ("Boris", "Pass.")),
            None,
        ),
    ],
)
def test_what_is_asked_in_play_or_of_the_moment_teaches_nothing(
    turns: tuple[tuple[str, str], ...], names: tuple[str, str] | None
) -> None:
    assert talk(*turns, names=names)[0] == {}


def test_an_answer_in_another_session_belongs_to_no_question() -> None:
    with MemoryOS("sqlite://", config=MANUAL, clock=lambda: NOW) as memory:
        memory.user("alice", session_id="one").add("hi", "Hello! Where do you live?")
        memory.user("alice", session_id="two").add("Porto", "Is that a question?")
        for session in ("one", "two"):
            memory.user("alice", session_id=session).end_session()
        alice = memory.user("alice")
        alice.consolidate()
        assert not alice.profile()


def test_two_people_answer_each_other() -> None:
    _, facts = talk(
        ("Where do you live?", "Porto, by the river. And what do you do for a living?"),
        ("nurse", "Thanks, Tom!"),
        names=("Tom", "Ana"),
    )
    assert facts == ["Ana lives in Porto, by the river.", "Tom works as a nurse."]


def test_a_pronoun_may_mean_whom_the_assistant_asked_about() -> None:
    _, facts = talk(("What a day!", "How is your sister doing?"), ("She moved to Leeds.", "Nice."))
    assert facts == ["The user's sister moved to Leeds."]


def test_the_page_stays_as_it_was_said() -> None:
    with MemoryOS("sqlite://", config=MANUAL, clock=lambda: NOW) as memory:
        alice = memory.user("alice", session_id="s")
        alice.add("hi", "Hello! Where do you live?")
        alice.add("Porto", "Lovely.")
        alice.end_session()
        alice.consolidate()
        (fact,) = alice.facts()
        assert fact.text == "The user lives in Porto."
        assert "user: Porto\n" in memory.user("alice", session_id="later").recall("Where do I live?").text
