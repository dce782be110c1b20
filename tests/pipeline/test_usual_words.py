"""Moves and jobs that are told in usual words replace the home and the work that were known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, UserMemory, WorkerConfig
from memoryos_core.rules.knowledge.corrections import values_in

JANUARY = datetime(2026, 1, 5, 12, tzinfo=timezone.utc)
JUNE = datetime(2026, 6, 1, 12, tzinfo=timezone.utc)  # a Monday


Tell = Callable[..., UserMemory]


@pytest.fixture
def told() -> Iterator[Tell]:
    """A function that tells a memory one message in January and one in June, and returns its user."""
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS("sqlite://", embedder=None, config=config, clock=lambda: JUNE.replace(day=3)) as memory:

        def tell(*said: str) -> UserMemory:
            for at, text in zip((JANUARY, JUNE), said, strict=False):
                user = memory.user("ann", session_id=f"{at:%m}")
                user.add_messages([Message("user", text, None, at), Message("assistant", "Noted.", None, at)])
                user.end_session()
            memory.flush()
            return memory.user("ann", session_id="later")

        yield tell


@pytest.mark.parametrize(
    ("change", "home"),
    [
        ("We are now in Utrecht, we moved on 21 May.", "Utrecht"),
        ("So we are now in Utrecht, moved at 21 may.", "Utrecht"),
        ("We're in Utrecht now, moved last week.", "Utrecht"),
        ("I'm now in Graz, we moved here in March.", "Graz"),
        ("I've moved. I'm in the ground floor flat in Pickering since last Thursday.", "Pickering"),
        ("We're in Lisbon now, they moved the meeting to Friday.", "Rotterdam"),
        ("I'm in Porto now and moved our flight.", "Rotterdam"),
        ("We are in Utrecht for the weekend.", "Rotterdam"),
        ("I'm in the ground floor flat in Pickering to feed the cat.", "Rotterdam"),
    ],
)
def test_a_move_is_told_beside_the_place(told: Tell, change: str, home: str) -> None:
    assert told("I live in Rotterdam.", change).profile().get("home") == home


@pytest.mark.parametrize(
    ("change", "since"),
    [
        ("We are now in Utrecht, we moved on 21 May.", "21 May 2026"),
        ("I'm now in Graz, we moved here in March.", "March 2026"),
        ("We're in Utrecht now, moved last week.", "about 28 May 2026"),
    ],
)
def test_the_day_of_a_move_is_told_behind_the_place(told: Tell, change: str, since: str) -> None:
    assert f"(since {since}; before: Rotterdam)" in told("I live in Rotterdam.", change).recall("Where do I live?").text


@pytest.mark.parametrize(
    ("before", "change", "work"),
    [
        ("I'm a barista.", "I got the job! I start on Monday as a vet receptionist.", "vet receptionist"),
        ("I'm a vet receptionist.", "I've got a new role, trainee vet nurse, same clinic.", "trainee vet nurse"),
        ("I'm a waiter.", "I have got a new job as a cook.", "cook"),
        ("I'm a waiter.", "My sister got a new role, shift manager.", "waiter"),
        ("I'm a waiter.", "We found a new job as nurse for my sister.", "waiter"),
        ("Ich arbeite als Buchhändlerin.", "Im Moment bin ich arbeitslos.", "arbeitslos"),
        ("Ich arbeite als Lehrerin.", "Ich bin jetzt in Rente.", "in Rente"),
        ("Ich bin arbeitslos.", "Ich arbeite jetzt als Köchin.", "Köchin"),
        ("Ich arbeite als Lehrerin.", "Mein Bruder ist arbeitslos.", "Lehrerin"),
        ("I'm a nurse.", "I start in goal as a keeper.", "nurse"),
    ],
)
def test_a_new_role_replaces_the_old_one(told: Tell, before: str, change: str, work: str) -> None:
    assert told(before, change).profile().get("occupation") == work


def test_who_is_out_of_work_has_no_employer(told: Tell) -> None:
    user = told("Ich arbeite als Buchhändlerin bei Thalia.", "Ich bin seit Mai arbeitslos.")
    assert user.profile().get("employer") is None


def test_a_stay_is_no_home_in_german(told: Tell) -> None:
    user = told("Ich wohne in Köln.", "Wir haben Urlaub und wohnen in Rom in einer Ferienwohnung.")
    assert user.profile().get("home") == "Köln"


def test_a_move_is_told_in_german(told: Tell) -> None:
    assert (
        told("Ich wohne in Leipzig.", "Wir sind umgezogen und wohnen jetzt in Dresden.").profile().get("home")
        == "Dresden"
    )


def test_the_house_that_two_bought_is_one_statement(told: Tell) -> None:
    user = told("I live in Whitby, in the house Ken and I bought in 1979.", "She was wrong about Ken.")
    assert user.profile().get("home") == "Whitby"
    assert [fact.text for fact in user.facts(current=False)] == [
        "The user lives in Whitby, in the house they and Ken bought in 1979."
    ]


@pytest.mark.parametrize(
    "message",
    [
        "pretend you are a hiring manager. my name is Chen, I live in Berlin. ask me 3 questions",
        "You are a hiring manager. My name is Chen and I live in Berlin. Interview me.",
        "Act as a technical recruiter and ask me three questions. I live in Berlin.",
    ],
)
def test_who_plays_a_candidate_tells_nothing_of_the_user(told: Tell, message: str) -> None:
    assert told(message).profile().fields == ()


@pytest.mark.parametrize(
    "message",
    [
        "You are a travel agent. I live in Porto and want a trip.",
        "My manager is a recruiter. I live in Porto.",
        "You're a recruiter, right? I live in Porto.",
        "Don't pretend you are a human. I live in Porto.",
        "Pretend you're a doctor. I live in Porto and take metformin.",
        "You are a hiring manager's dream, my boss told me. I live in Porto.",
        "Can you act as a technical recruiter? I live in Porto.",
    ],
)
def test_who_gives_the_assistant_a_task_stays_who_they_are(told: Tell, message: str) -> None:
    assert told(message).profile().get("home") == "Porto"


@pytest.mark.parametrize("known", ["My rent is 900 euros a month.", "My brother Cem lives in Berlin."])
def test_what_else_is_known_of_homes_does_not_hide_which_one_a_move_ends(told: Tell, known: str) -> None:
    user = told(f"I live in Rome. {known}", "We moved here last month.")
    assert {fact.text: fact.status for fact in user.facts(current=False)}["The user lives in Rome."] == "superseded"
    assert [fact.status for fact in user.facts(current=False)].count("superseded") == 1


@pytest.mark.parametrize("name", ["", "My name is Denise. "])
def test_a_moved_appointment_has_its_new_day_whatever_the_user_is_called(told: Tell, name: str) -> None:
    user = told(f"{name}Dad's dentist is 20 June.", "Dad's dentist has been moved, it's now the 24th of June.")
    assert [fact.event_time.day for fact in user.facts() if fact.event_time is not None] == [24]


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("Please don't give me medical advice unless I ask.", "never give them medical advice unless they ask"),
        ("Don't ask me about my job.", "never ask them about their job"),
        ("Please don't tell me to see a therapist.", "never tell them to see a therapist"),
        ("Don't schedule meetings on Fridays.", "never schedule meetings on Fridays"),
        ("Please correct always my grammar.", "correct always their grammar"),
    ],
)
def test_what_the_assistant_shall_not_do_is_an_instruction(told: Tell, said: str, order: str) -> None:
    assert [(fact.kind, fact.text) for fact in told(said).facts()] == [
        ("instruction", f"The user wants the assistant to {order}.")
    ]


@pytest.mark.parametrize(
    "said",
    [
        "Don't give me code yet.",
        "Don't ask me how I know.",
        "Don't tell me you forgot.",
        "Don't show me the answer.",
        "Don't give me a hard time about it.",
        "Don't forget the milk.",
        "Don't give me grief about it.",
        "Don't send me home early, boss said.",
        "Don't ask me for money, I told my brother.",
        "Don't book anything after 5pm tomorrow for the demo.",
        "Don't give me dairy, I'm lactose intolerant.",
        "Answer always depends on the data.",
        "Use always evaluates to true here.",
    ],
)
def test_what_is_said_of_the_moment_is_no_instruction(told: Tell, said: str) -> None:
    assert [fact for fact in told(said).facts() if fact.kind == "instruction"] == []


@pytest.mark.parametrize(
    ("order", "taken_back"),
    [
        ("dont use capital letters when u reply pls", "u can use capitals again idc"),
        ("Never use capitals.", "You can use capital letters again."),
        (
            "Antworte mir ab jetzt bitte kürzer, ich lese das alles am Handy.",
            "Du darfst ruhig wieder ausführlicher antworten.",
        ),
        ("Bitte antworte kurz, weil ich wenig Zeit habe.", "Du kannst wieder länger schreiben, ich bin am Laptop."),
    ],
)
def test_an_order_that_is_taken_back_is_over(told: Tell, order: str, taken_back: str) -> None:
    first, *_ = told(order, taken_back).facts(current=False)
    assert first.status == "superseded"


def test_german_wishes_of_one_message_are_two_instructions(told: Tell) -> None:
    user = told("Du kannst mich duzen, das passt schon. Aber bitte keine Emojis.")
    assert [fact.kind for fact in user.facts()] == ["instruction", "instruction"]


@pytest.mark.parametrize(
    ("said", "kinds"),
    [
        ("We moved at 21 february.", ["date"]),
        ("It starts at 9.", ["time"]),
        ("Es beginnt um 9 Uhr.", ["time"]),
    ],
)
def test_a_day_behind_at_is_no_hour(said: str, kinds: list[str]) -> None:
    assert [value.kind for value in values_in(said)] == kinds
