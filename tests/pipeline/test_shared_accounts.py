"""Two persons who share an account, and a user who plays somebody: each is told as who they are."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, WorkerConfig

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
BEGAN = datetime(2026, 5, 4, 12, tzinfo=timezone.utc)


def told(*sessions: tuple[str, ...]) -> tuple[dict[str, str], list[str]]:
    """Return the profile and the texts of the facts that hold, after sessions of the user a month apart."""
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: BEGAN + timedelta(days=200)) as memory:
        for number, said in enumerate(sessions):
            user = memory.user("u", session_id=f"s{number}")
            for turn, text in enumerate(said):
                when = BEGAN + timedelta(days=30 * number, minutes=turn)
                user.add_messages(
                    [Message("user", text, None, when), Message("assistant", "Noted.", None, when + timedelta(0, 5))]
                )
            user.end_session()
            memory.flush()
        user = memory.user("u")
        return {f.name: f.value for f in user.profile().fields}, [fact.text for fact in user.facts()]


HANNAH = "Hi, this is Hannah. I live in Leeds and I'm a midwife."
WITH_TOMASZ = f"{HANNAH} My boyfriend Tomasz and I are going to share this account."


@pytest.mark.parametrize(
    ("sessions", "fact"),
    [
        (((WITH_TOMASZ, "Tomasz here. I've moved to York."),), "Tomasz has moved to York."),
        (((WITH_TOMASZ,), ("Tomasz here. I've moved to York.",)), "Tomasz has moved to York."),
        (
            ((WITH_TOMASZ,), ("I like tea.",), ("Hi, Tomasz here! I'm allergic to cats.",)),
            "Tomasz is allergic to cats.",
        ),
        (((WITH_TOMASZ,), ("Tomasz: I've moved to York.",)), "Tomasz has moved to York."),
        (((WITH_TOMASZ,), ("Tomasz: my knee hurts. I've moved to York.",)), "Tomasz has moved to York."),
        (((WITH_TOMASZ,), ("Tomasz here, I've moved to York.",)), "Tomasz has moved to York."),
        (
            ((WITH_TOMASZ,), ("Tomasz here. My brother rang, he's ill. I've moved to York.",)),
            "Tomasz has moved to York.",
        ),
        (((f"{HANNAH} My sister is called Ruth.",), ("Ruth: I'm vegan now.",)), "Ruth is vegan now."),
    ],
)
def test_what_another_person_signs_is_about_them_in_any_session(
    sessions: tuple[tuple[str, ...], ...], fact: str
) -> None:
    profile, facts = told(*sessions)
    assert (profile["name"], profile["home"], profile["occupation"]) == ("Hannah", "Leeds", "midwife")
    assert fact in facts
    assert not {"allergy", "diet"} & profile.keys()


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("Hannah here. I've moved to York.", "The user has moved to York."),
        ("Hannah: I've moved to York.", "The user has moved to York."),
        ("Hannah here again, I've moved to York.", "The user has moved to York."),
        ("Update: I've moved to York.", "The user has moved to York."),
        ("Same here. I've moved to York.", "The user has moved to York."),
        ("Company here! I've moved to York.", "The user has moved to York."),
        ("Annie here. I've moved to York.", "The user has moved to York."),
        ("Winter here, and I've moved to York.", "Winter here, and the user has moved to York."),
        ("Tomasz: my boyfriend, 40. I've moved to York.", "The user has moved to York."),
        ("Tomasz: my hero. I love him. I've moved to York.", "The user has moved to York."),
        ("Tomasz here, as you know, loves pizza. I've moved to York.", "The user has moved to York."),
        ("Tomasz here! He just came home. I've moved to York.", "The user has moved to York."),
    ],
)
def test_what_the_user_signs_and_what_is_no_name_is_about_the_user(said: str, fact: str) -> None:
    profile, facts = told((WITH_TOMASZ,), (said,))
    assert profile["home"] == "York"
    assert fact in facts


@pytest.mark.parametrize(
    "said",
    [
        ("Let's say I'm Eva Smith. I live in York and I'm 24.", "I lost my job."),
        ("For the lesson, let's say I'm Eva Smith. I'm 24.", "I live in York."),
        ("Pretend I'm Eva Smith and you're my boss. I'm 24.", "I live in York and I lost my job."),
        ("Pretend I'm a tenant and you're my landlord.", "I'm 24 and I live in York."),
        ("Let's pretend I'm Anna, a nurse.", "I live in York."),
        ("Let's imagine my name is Dr Ana Lima. I'm 24.", "I live in York."),
    ],
)
def test_whoever_plays_somebody_tells_nothing_of_themselves(said: tuple[str, ...]) -> None:
    profile, facts = told((HANNAH, *said), ("I like tea.",))
    assert (profile["name"], profile["home"], profile.get("age")) == ("Hannah", "Leeds", None)
    assert not [text for text in facts if "job" in text or "York" in text or "24" in text]


@pytest.mark.parametrize(
    "said",
    [
        ("Pretend I'm a lawyer.", "I've moved to York."),
        ("Let's say I'm Irish.", "I've moved to York."),
        ("Let's just say I'm tired.", "I've moved to York."),
        ("Let's say I'm 30 and you're 40, who is older?", "I've moved to York."),
        ("I don't want to pretend I'm fine and you're the problem.", "I've moved to York."),
        ("Let's say I'm Team Edward.", "I've moved to York."),
        ("Pretend you're a doctor.", "I've moved to York."),
        ("The kids pretend I'm Elsa. I've moved to York.",),
        ("He said let's say I'm Dad, ok? I've moved to York.",),
        ("I told him: pretend I'm Ann. I've moved to York.",),
        *(
            (f"Let's say I'm {word}.", "I've moved to York.")
            for word in ("Gay", "Black", "Deaf", "Protestant", "Libra")
        ),
        ("Let's say I'm Home.", "I've moved to York."),
        ("Let's say I'm Sorry.", "I've moved to York."),
        ("I'm new here and you're my guide.", "I've moved to York."),
        ("I'm off on Friday and you're the driver.", "I've moved to York."),
        ("Let's just say I'm not happy and you're the reason.", "I've moved to York."),
        ("Let's say I'm Eva Smith.", "How did I do? I've moved to York."),
    ],
)
def test_what_only_looks_like_a_role_hides_nothing(said: tuple[str, ...]) -> None:
    assert told((HANNAH, *said))[0]["home"] == "York"
