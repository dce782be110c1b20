"""Who the people in the user's life are, as facts and messages name them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core.rules.knowledge.lines import Book
from memoryos_core.rules.knowledge.slots import Slot, people_of, slots_of
from memoryos_core.values.facts import Fact

BEGIN = datetime(2026, 1, 5, tzinfo=timezone.utc)


def facts(*texts: str) -> list[Fact]:
    days = (BEGIN + timedelta(days=day) for day in range(len(texts)))
    return [
        Fact(str(n), "user", said, when, when, kind="relation")
        for n, (said, when) in enumerate(zip(texts, days, strict=True))
    ]


def lines(question: str, *texts: str, names: tuple[str, ...] = ()) -> list[str]:
    return [line.text.partition(" (")[0] for line in Book(facts(*texts), names).lines(question)]


@pytest.mark.parametrize(
    ("said", "role", "name"),
    [
        ("The user's boss Noor wants a report.", "boss", "Noor"),
        ("My dentist, Dr. Okoye, says I grind my teeth.", "dentist", "Dr. Okoye"),
        ("The user's new landlord is called Mr Petrov.", "landlord", "Mr Petrov"),
        ("The user's therapist's name is Karen", "therapist", "Karen"),
        ("Our coach at the club, Luz Rivera, is back.", "coach", "Luz Rivera"),
        ("The user's younger sister June is ill.", "sister", "June"),
        ("The user's best friend Théo van Dam called.", "best friend", "Théo van Dam"),
        ("Tamsin's neighbour Ruth has a key.", "neighbour", "Ruth"),
        ("The user met their tutor Sana today.", "tutor", "Sana"),
    ],
)
def test_a_person_of_the_users_is_named_beside_whatever_else_is_said(said, role, name):
    assert people_of(said, ("Tamsin",)) == (Slot("user", role, name, many=True),)


@pytest.mark.parametrize(
    "said",
    [
        *("The user's boss Dave's wife is ill.", "The user's sister's boss Karen is awful.", "Mr Hall is a teacher."),
        *(
            "The user's doctor is French.",
            "My dentist Tuesday at three.",
            "The user's dentist May 4.",
            "My boss I like.",
        ),
        *(
            "The user's flatmate Jo moved out last week.",
            "Kim used to be my boss Ann said.",
            "The user's former boss Lu.",
        ),
        *("The user met Ann and their son Leo.", "Ben likes their coach Lu."),
        *("If my boss were Tom I'd quit.", "Is my teacher Mr Bean?", "The user's supervisor Prof."),
    ],
)
def test_who_has_no_role_with_the_user_is_not_named(said):
    assert people_of(said, ()) == ()


@pytest.mark.parametrize("said", ["great", "French", "on holiday", "back from Rome", "really kind", "very tired today"])
def test_how_somebody_is_says_not_who_it_is(said):
    assert all(slot.attribute != "doctor" for slot in slots_of(f"The user's doctor is {said}."))


@pytest.mark.parametrize(
    ("said", "slot"),
    [
        ("The user's doctor is Dr Wu.", Slot("user", "doctor", "Dr Wu")),
        ("The user's boss is now dave.", Slot("user", "boss", "dave")),
        ("The user has changed GP, it's Dr Amin now.", Slot("user", "gp", "Dr Amin")),
        ("We have a new landlady called Ms Keller.", Slot("user", "landlord", "Ms Keller")),
        ("Tamsin has a new cleaner called Rosa.", Slot("user", "cleaner", "Rosa")),
        ("We've found another new tutor, he's called Mr Lund.", Slot("user", "tutor", "Mr Lund")),
    ],
)
def test_who_has_a_role_now_is_a_value_that_replaces_another(said, slot):
    assert slot in slots_of(said, ("Tamsin",))


def test_somebody_elses_change_is_not_the_users():
    assert all(slot.subject != "user" for slot in slots_of("The user's sister changed GP, it's Dr Amin now."))


@pytest.mark.parametrize(
    ("question", "said", "line"),
    [
        ("Who is my manager?", "The user's manager Ana signs the forms.", "Manager: Ana"),
        ("Who do I report to?", "The user's manager Ana signs the forms.", "Manager: Ana"),
        ("What's my brother called?", "The user's brother Finn moved to Oslo.", "Brother: Finn"),
        ("What is my sister's name?", "The user's sister Ida is a cook.", "Sister: Ida"),
        ("What are my kids called?", "The user's son Leo is four.", "Son: Leo"),
        ("What are my children's names?", "The user's daughter Mia starts school.", "Daughter: Mia"),
        ("what is our vet called", "The user's vet is Dr Lee.", "Vet: Dr Lee"),
        ("Do I have any siblings?", "The user's sister Ida is a cook.", "Sister: Ida"),
    ],
)
def test_a_question_for_a_role_gets_the_name(question, said, line):
    assert line in lines(question, said)


def test_a_role_is_told_with_the_newest_name_first():
    said = ("The user's boss Dave is loud.", "The user's boss Sarah approved the leave.")
    assert lines("Who is my boss?", *said) == ["Boss: Sarah, Dave"]
    assert lines("Who is my boss?", "The user's boss is Ann.", *said) == ["Boss: Sarah, Dave, Ann"]


def test_who_is_said_to_have_a_role_has_it_alone():
    said = ("The user's boss Dave is loud.", "The user's boss is Sarah.")
    assert lines("Who is my boss?", *said) == ["Boss: Sarah"]


@pytest.mark.parametrize("question", ["What's my name?", "How are you called?", "What is the name of the river?"])
def test_a_question_for_another_name_gets_no_role(question):
    assert lines(question, "The user's sister Ida is a cook.", "The user's boss Dave is loud.") == []


@pytest.mark.parametrize("question", ["Where does my cousin Ben live?", "Where are the bees?", "How old is Ben?"])
def test_a_question_about_the_person_gets_no_line_that_says_who_it_is(question):
    assert "Cousin: Ben" not in lines(question, "The user's cousin Ben keeps bees.")
    assert "Cousin: Ben" in lines("Who is Ben?", "The user's cousin Ben keeps bees.")


def test_an_appointment_is_told_by_its_day_and_not_as_a_person():
    assert lines("Who is my vet?", "The user's vet is on 4 April at 9.") == []
    assert slots_of("The vet is on 4 April at 9.") == (Slot("", "vet appointment", "4 April at 9"),)


def test_a_role_that_changed_hands_is_told_whatever_is_asked_of_its_holder():
    before, now = facts("The user's landlord is Mr Petrov.", "The user's landlord is Mrs Gray.")
    before = replace(before, status="superseded", superseded_by=now.id, valid_until=now.valid_from)
    told = [line.text for line in Book([before, now]).lines("How is my landlord doing?")]
    assert told == ["Landlord: Mrs Gray (since 6 January 2026; before: Mr Petrov)"]
