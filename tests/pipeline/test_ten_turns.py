"""Ten turns as a new user types them, five in January and five in June: what is known then, with no model."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS, UserMemory, WorkerConfig

JANUARY, JUNE = datetime(2026, 1, 5, 10, tzinfo=timezone.utc), datetime(2026, 6, 10, 10, tzinfo=timezone.utc)
TALK = {
    JANUARY: (
        "Hi! I'm Tom, I work as a data scientist in San Francisco.",
        "I live in Lisbon with my cat Moth. I'm allergic to sesame.",
        "Please always answer in bullet points.",
        "My favourite dish is ramen.",
        "My sister Imogen marries on 16 August.",
    ),
    JUNE: (
        "We moved to Porto last week, new flat by the river.",
        "Imogen moved the wedding to 30 August.",
        "I'm a vegetarian no longer, I eat fish now.",
        "What's the capital of Peru?",
        "for i in range(10): print(i)",
    ),
}
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


class Clock:
    def __init__(self) -> None:
        self.now = JANUARY

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[MemoryOS]:
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=MANUAL, clock=clock) as memory:
        yield memory


@pytest.fixture
def tom(memory: MemoryOS, clock: Clock) -> UserMemory:
    """Tom in a third session, after both talks ended."""
    for start, said in TALK.items():
        user = memory.user("tom", session_id=f"{start:%B}")
        for minute, text in enumerate(said):
            clock.now = start + timedelta(minutes=minute)
            user.add(text, "Noted!")
        user.end_session()
        user.consolidate()
    return memory.user("tom", session_id="later")


def text_of(user: UserMemory, question: str) -> str:
    return user.recall(question).text


def test_the_profile_is_current(tom: UserMemory) -> None:
    profile = {field.name: field.value for field in tom.profile().fields}
    more = {"allergy": "sesame", "pet": "cat called Moth"}
    assert profile == {"name": "Tom", "occupation": "data scientist", "home": "Porto", **more}
    assert all(field.page_ids for field in tom.profile().fields)


def test_each_fact_has_its_source_and_date(tom: UserMemory) -> None:
    facts = tom.facts()
    said = {fact.text: fact for fact in facts}
    assert {
        "The user has a cat called Moth.",
        "The user is allergic to sesame.",
        "The user wants the assistant to always answer in bullet points.",
        "The user's favourite dish is ramen.",
    } <= set(said)
    assert all(fact.page_ids and tom.pages(fact.page_ids) for fact in facts)
    assert {fact.valid_from.date() for fact in facts} == {JANUARY.date(), JUNE.date()}
    wedding = next(fact for fact in facts if "30 August" in fact.text)
    assert wedding.event_time is not None
    assert (wedding.event_time.month, wedding.event_time.day) == (8, 30)


def test_a_changed_value_is_told_as_a_change(tom: UserMemory) -> None:
    assert [(v.value, v.until and v.until.date()) for v in tom.history("home")] == [
        ("Lisbon", date(2026, 6, 1)),  # said on 10 June: "last week"
        ("Porto", None),
    ]
    assert [v.value for v in tom.history("wedding")] == ["16 August", "30 August"]


def test_facts_of_a_date(tom: UserMemory) -> None:
    march = {fact.text for fact in tom.facts(at=datetime(2026, 3, 1, tzinfo=timezone.utc))}
    assert "The user lives in Lisbon with their cat Moth." in march
    assert not any("Porto" in text for text in march)


def test_where_do_i_live_begins_with_the_current_home(tom: UserMemory) -> None:
    lines = text_of(tom, "Where do I live?").splitlines()
    assert lines[:3] == [
        "<memory>",
        "Known about the user:",
        "- Home: Porto (since about 4 June 2026; before: Lisbon)",
    ]
    assert "Lisbon with my cat Moth. I'm allergic to sesame. (until about 4 June 2026; now: Porto)" in "\n".join(lines)


@pytest.mark.parametrize(
    ("asked", "line"), [("What is my adress?", "Home: Porto"), ("What am I alergic to?", "Allergy: sesame")]
)
def test_a_misspelt_question_brings_the_line_that_is_meant(tom: UserMemory, asked: str, line: str) -> None:
    assert line in text_of(tom, asked)


def test_a_dinner_knows_allergy_diet_and_dish_and_not_peru(tom: UserMemory) -> None:
    dinner = text_of(tom, "Plan a dinner for me")
    assert all(word in dinner for word in ("sesame", "fish", "ramen", "bullet points"))
    assert "Peru" not in dinner


def test_a_pet_is_found_by_its_kind(tom: UserMemory) -> None:
    assert "Pet: cat called Moth" in text_of(tom, "What should I buy for my pet?")


def test_thanks_brings_at_most_the_instruction(tom: UserMemory) -> None:
    told = [line for line in text_of(tom, "thanks!").splitlines() if line.startswith("- ")]
    assert told == ["- The user wants the assistant to always answer in bullet points."]


@pytest.mark.parametrize("asked", ["What do you know about me?", "Who am I?", "Was weißt du über mich?"])
def test_who_asks_for_the_whole_person_gets_a_portrait(tom: UserMemory, asked: str) -> None:
    told = [line for line in text_of(tom, asked).splitlines() if line.startswith("- ")]
    assert told[0] == "- Home: Porto (since about 4 June 2026; before: Lisbon)"
    for known in ("name: Tom", "Porto", "data scientist", "sesame", "fish", "cat called Moth", "ramen", "30 August"):
        assert [known in line for line in told].count(True) == 1, (known, told)
    assert "bullet points" in told[-2]
    assert len(text_of(tom, "What do you know about the weather?").splitlines()) < len(told)


def test_a_portrait_fits_the_budget(tom: UserMemory) -> None:
    for budget in (30, 60, 90):
        assert tom.recall("What do you know about me?", budget_tokens=budget).tokens <= budget


def test_the_wedding_lies_ahead(tom: UserMemory, clock: Clock) -> None:
    clock.now = datetime(2026, 8, 20, tzinfo=timezone.utc)
    assert [fact.text for fact in tom.upcoming(days=14)] == ["Imogen moved the wedding to 30 August."]
    assert tom.upcoming(days=7) == []


def test_what_is_told_replaces_what_was_read(tom: UserMemory, clock: Clock) -> None:
    clock.now += timedelta(days=1)
    told = tom.remember("Tom moved to Braga.")
    assert tom.profile().get("home") == "Braga"
    assert "Home: Braga (since 11 June 2026; before: Porto, Lisbon)" in text_of(tom, "Where do I live?")
    tom.forget(facts=[told.id])
    assert "Braga" not in text_of(tom, "Where do I live?")


def test_questions_about_the_past_change_nothing(tom: UserMemory, clock: Clock) -> None:
    for day in range(1, 31):
        clock.now = JUNE + timedelta(days=day)
        for question in ("What was it like in Lisbon?", "Where did I live in January?", "Is Lisbon nice?"):
            tom.recall(question)
            tom.add(question, "I see.")
        tom.consolidate()
    assert tom.profile().get("home") == "Porto"
    assert text_of(tom, "Where do I live?").splitlines()[2].startswith("- Home: Porto")


def test_the_order_of_arrival_does_not_matter(tmp_path: Path) -> None:
    """June is imported before January: the same knowledge."""
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=MANUAL, clock=lambda: JUNE) as memory:
        for start in (JUNE, JANUARY):
            user = memory.user("tom", session_id=f"{start:%B}")
            for minute, text in enumerate(TALK[start]):
                user.add(text, "Noted!", timestamp=start + timedelta(minutes=minute))
            user.end_session()
            user.consolidate()
        assert user.profile().get("home") == "Porto"
        assert [v.value for v in user.history("home")] == ["Lisbon", "Porto"]
        assert [v.value for v in user.history("wedding")] == ["16 August", "30 August"]
        assert all(f.valid_until is None or f.valid_until >= f.valid_from for f in user.facts(current=False))


def test_an_instruction_for_one_task_stands_in_no_other_prompt(tmp_path: Path) -> None:
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=MANUAL, clock=lambda: JUNE) as memory:
        user = memory.user("tom", session_id="first")
        user.add("Please always answer in bullet points.", "Sure.", timestamp=JANUARY)
        user.add("Always answer in short bullet points, please.", "Sure.", timestamp=JANUARY)
        user.add(
            "Write in a single paragraph about the data of the survey, with no headings.", "Done.", timestamp=JANUARY
        )
        user.end_session()
        user.consolidate()
        told = memory.user("tom", session_id="later").recall("What is for dinner?").profile_text
        assert len(told) == 1
        assert "bullet points" in told[0]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("home", ["Graz", "Wels"]),
        ("Parents' home", ["Linz", "Steyr"]),
        ("imogen's home", ["Oslo"]),
        ("vehicle", ["Skoda"]),
        ("brother's vehicle", ["Volvo"]),
        ("birthday", []),
        ("mum's birthday", ["3 March"]),
        ("wedding", ["16 August"]),
        ("Imogen's wedding", ["16 August"]),
        ("favourite dish", ["ramen"]),
        ("Imogen's favourite dish", ["soup"]),
    ],
)
def test_what_others_have_is_no_history_of_the_users(name: str, values: list[str]) -> None:
    said = (
        *(
            "I live in Graz.",
            "My parents moved to Linz.",
            "My sister Imogen lives in Oslo.",
            "My brother drives a Volvo.",
        ),
        *("I drive a Skoda.", "My mum's birthday is on 3 March.", "My sister Imogen marries on 16 August."),
        *("I moved to Wels.", "My parents moved to Steyr.", "My favourite dish is ramen."),
        "Imogen's favourite dish is soup.",
    )
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: JUNE) as memory:
        for number, text in enumerate(said):
            user = memory.user("tom", session_id=f"s{number}")
            user.add(text, "Noted!", timestamp=JANUARY + timedelta(days=number))
            user.end_session()
            user.consolidate()
        assert [value.value for value in user.history(name)] == values
