"""What a model is shown beside the pages that it reads, and what becomes of what rules took from them before."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from memoryos_core import (
    HeatConfig,
    LongTermConfig,
    MemoryConfig,
    MemoryOS,
    Message,
    SafetyConfig,
    UserMemory,
    WorkerConfig,
)
from memoryos_core.errors import ModelError
from memoryos_core.testing.fakes import FixedClock, ScriptedChat
from memoryos_core.values.chat import ChatRequest

JANUARY = datetime(2026, 1, 10, 9, tzinfo=timezone.utc)
FIRST = (
    "I'm Ana, I live in Lisbon, in a flat above a bakery.",
    "My sister Ines teaches physics in Coimbra.",
    "I work as a nurse at the harbour clinic.",
    "Never serve me prawns, I'm allergic to them.",
    "The tram was late again this morning.",
    "I play the cello in an amateur orchestra.",
)
LATER = (
    "It smells of paint like an old boat in here.",
    "Ines has swapped the blackboard for a laboratory in Munich.",
    "The cello got a new case, lighter than the old one.",
    "The neighbour brought us a loaf on the first evening.",
    "I still cannot find the kettle in all this.",
    "The lift is too small for the wardrobe.",
)
KIN = (
    "uncle",
    "aunt",
    "cousin",
    "niece",
    "nephew",
    "neighbour",
    "boss",
    "tutor",
    "landlord",
    "dentist",
    "coach",
    "mentor",
)
HOBBIES = ("stamps", "chess", "rowing", "opera", "bees", "judo", "soup", "maps", "tango", "ferns", "kites", "wool")
Reading = dict[str, list[dict[str, Any]]]


class Reader:
    """A model that reads as it is told to, and keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.reads: Callable[[str], Reading] = lambda shown: {"facts": []}

    def answer(self, request: ChatRequest) -> str:
        shown = request.prompts[-1].text
        if request.schema_name == "page_out":
            return json.dumps({"continues_previous": False, "chains": [], "topics": []})
        self.shown.append(shown)
        return json.dumps(self.reads(shown))

    def known(self) -> list[str]:
        """Return the known facts of the last question."""
        return re.findall(r"^K\d+ (.*)$", self.shown[-1], re.MULTILINE)


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(JANUARY)


def configured(**long_term: Any) -> MemoryConfig:
    return MemoryConfig(worker=WorkerConfig(mode="manual"), long_term=LongTermConfig(**long_term))


@pytest.fixture
def memory(reader: Reader, clock: FixedClock) -> Iterator[MemoryOS]:
    chat = ScriptedChat(reader.answer)
    with MemoryOS("sqlite://", llm=chat, embedder=None, config=configured(), clock=clock) as opened:
        yield opened


def tell(memory: MemoryOS, clock: FixedClock, said: Sequence[str], session: str) -> UserMemory:
    user = memory.user("ana", session_id=session)
    for text in said:
        user.add(text, "I see.")
        clock.tick(60)
    user.end_session()
    user.consolidate()
    return user


def test_a_model_sees_what_the_pages_may_change_and_not_what_was_just_taken_from_them(
    memory: MemoryOS, reader: Reader, clock: FixedClock
) -> None:
    tell(memory, clock, FIRST, "first")
    assert reader.known() == []
    clock.tick(timedelta(days=90).total_seconds())
    tell(memory, clock, LATER, "later")
    known = reader.known()
    assert any("Ines teaches" in text for text in known[:2]), known
    assert any("cello in an amateur" in text for text in known[:2]), known
    assert not [text for text in known if "paint" in text or "Munich" in text or "case" in text]


def test_what_a_model_says_stands_in_place_of_what_rules_copied(
    memory: MemoryOS, reader: Reader, clock: FixedClock
) -> None:
    tell(memory, clock, FIRST, "first")
    clock.tick(timedelta(days=90).total_seconds())

    def read(shown: str) -> Reading:
        number = next(int(n) for n, text in re.findall(r"^K(\d+) (.*)$", shown, re.MULTILINE) if "Ines" in text)
        changed = {"quote": "Ines has swapped the blackboard for a laboratory in Munich", "kind": "relation"}
        bought = {"quote": "The cello got a new case", "text": "Ana bought a lighter case for the cello."}
        text = "Ana's sister Ines works in a laboratory in Munich."
        return {"facts": [{**changed, "text": text, "op": "update", "known": number}, {**bought, "op": "add"}]}

    reader.reads = read
    user = tell(memory, clock, LATER, "later")
    current = {fact.text: fact.kind for fact in user.facts()}
    assert [text for text in current if "blackboard" in text or "paint" in text or "lift" in text] == []
    assert current["The user's sister Ines works in a laboratory in Munich."] == "relation"
    (old,) = [fact for fact in user.facts(current=False) if "teaches" in fact.text]
    assert old.status == "superseded"
    assert [text for text in current if "Lisbon" in text or "prawns" in text]  # read before, by rules alone
    assert "Munich" in user.recall("Where does Ines work?", budget_tokens=300).text


def test_a_reading_without_findings_takes_nothing_away(memory: MemoryOS, reader: Reader, clock: FixedClock) -> None:
    user = tell(memory, clock, FIRST, "first")
    assert reader.shown
    assert sum(fact.origin == "rules" for fact in user.facts()) >= len(FIRST) - 1
    assert {fact.status for fact in user.facts(current=False)} == {"current"}


def test_what_ended_something_stays_beside_what_a_model_says(
    memory: MemoryOS, reader: Reader, clock: FixedClock
) -> None:
    tell(memory, clock, FIRST, "first")
    clock.tick(timedelta(days=90).total_seconds())
    quoted = "I moved to Porto last week"
    reader.reads = lambda shown: {"facts": [{"quote": quoted, "text": "Ana has lived in Porto since last week."}]}
    user = tell(memory, clock, (f"{quoted}.",), "later")
    (old,) = [fact for fact in user.facts(current=False) if "Lisbon" in fact.text]
    assert old.status == "superseded"
    (heir,) = [fact for fact in user.facts() if "Porto" in fact.text]
    assert (heir.origin, heir.id) == ("model", old.superseded_by)
    assert [value.value for value in user.history("home")][-1] == "Porto"


def test_a_topic_of_few_pages_is_read_too_once_and_in_order(
    memory: MemoryOS, reader: Reader, clock: FixedClock
) -> None:
    user = tell(memory, clock, FIRST[:3], "first")
    tell(memory, clock, LATER[:2], "later")
    read = [re.findall(r"^user: (.*)$", shown, re.MULTILINE) for shown in reader.shown]
    assert read == [list(FIRST[:3]), list(LATER[:2])]
    user.consolidate()
    assert len(reader.shown) == 2


@pytest.mark.parametrize("reads", ["model_when_hot", "hot"])
def test_with_fewer_calls_the_model_reads_hot_segments_and_drops_nothing(
    reads: str, reader: Reader, clock: FixedClock
) -> None:
    reader.reads = lambda shown: {"facts": [{"quote": "The lift is too small", "text": "The lift is small."}]}
    chat = ScriptedChat(reader.answer)
    with MemoryOS("sqlite://", llm=chat, embedder=None, config=configured(reads=reads), clock=clock) as opened:
        tell(opened, clock, FIRST[:3], "first")
        assert reader.shown == []
        user = tell(opened, clock, LATER, "later")
        assert {fact.status for fact in user.facts(current=False)} <= {"current"}


def test_what_was_cut_off_is_read_in_a_later_run(memory: MemoryOS, reader: Reader, clock: FixedClock) -> None:
    def give_up(shown: str) -> Reading:
        raise KeyboardInterrupt

    reader.reads = give_up
    user = memory.user("ana", session_id="first")
    for text in FIRST[:3]:
        user.add(text, "I see.")
    user.end_session()
    with pytest.raises(KeyboardInterrupt):
        user.consolidate()
    reader.reads = lambda shown: {"facts": [{"quote": "I work as a nurse", "text": "Ana works as a nurse."}]}
    user.consolidate()
    assert "The user works as a nurse." in [fact.text for fact in user.facts()]
    asked = len(reader.shown)
    user.consolidate()
    assert len(reader.shown) == asked


def test_a_model_that_comes_later_reads_what_is_there_one_question_a_run(
    reader: Reader, clock: FixedClock, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/m.db"
    cold = replace(configured(), heat=HeatConfig(threshold=1000))
    with MemoryOS(url, embedder=None, config=cold, clock=clock) as opened:
        for number, (who, what) in enumerate(zip(KIN, HOBBIES, strict=True)):
            tell(opened, clock, [f"My {who} is keen on {what}."], f"{number}")
    with MemoryOS(url, llm=ScriptedChat(reader.answer), embedder=None, config=cold, clock=clock) as opened:
        user = opened.user("ana", session_id="later")
        for run in range(1, 4):
            user.consolidate()
            assert len(reader.shown) == min(run, 2)


MOVED = ("I'm Ana, I live in Lisbon.", "The tram was late.", "I moved to Porto last week.", "It smells of paint.")
Said = tuple[str, str]


def saying(*facts: Said, known: str | None = None, **more: Any) -> Callable[[str], Reading]:
    """Return what answers with the facts, each a quote and a text, that were shown; `known` is what they update."""

    def read(shown: str) -> Reading:
        there = [{"quote": quote, "text": text, "op": "add"} for quote, text in facts if quote in shown]
        number = next((n for n, text in re.findall(r"^K(\d+) (.*)$", shown, re.MULTILINE) if known == text), None)
        return {"facts": [{**fact, "op": "update", "known": number} if number else fact for fact in there], **more}

    return read


def held(user: UserMemory, name: str) -> list[tuple[str, str, str | None]]:
    """Return the values that something had, each with the moments between which it held."""
    return [
        (one.value, f"{one.since:%m-%d %H:%M}", None if one.until is None else f"{one.until:%m-%d %H:%M}")
        for one in user.history(name)
    ]


IN_LISBON, IN_PORTO = (
    ("I live in Lisbon", "Ana lives in Lisbon."),
    ("I moved to Porto last week", "Ana lives in Porto."),
)


@pytest.mark.parametrize(
    "said",
    [
        (IN_LISBON,),
        (IN_LISBON, IN_PORTO),
        (IN_PORTO, IN_LISBON),
        ((IN_PORTO[0], "The user lives in Lisbon."),),
        ((IN_PORTO[0], "The user lives in Madrid."),),
    ],
    ids=["the older alone", "in order", "the newer first", "the older quoted from the newer", "what nobody said"],
)
def test_what_the_user_said_last_holds_and_each_value_is_told_once(
    memory: MemoryOS, reader: Reader, clock: FixedClock, said: tuple[Said, ...]
) -> None:
    reader.reads = saying(*said)
    user = tell(memory, clock, MOVED, "first")
    assert held(user, "home") == [("Lisbon", "01-10 09:00", "01-10 09:02"), ("Porto", "01-10 09:02", None)]
    assert [value.value for value in user.profile().fields if value.name == "home"] == ["Porto"]


@pytest.mark.parametrize(
    ("quote", "text", "home"),
    [
        ("I moved to Gaia, near Porto", "Ana lives in Gaia, near Porto.", "Gaia, near Porto"),
        ("I moved to Gaia, near Porto", "Ana lives with her aunt.", "her aunt"),
        ("The tram was late", "Ana lives in Braga.", "Braga"),
    ],
    ids=["a word of the quote", "no name", "another page"],
)
def test_a_value_that_the_quote_does_not_deny_is_taken(
    memory: MemoryOS, reader: Reader, clock: FixedClock, quote: str, text: str, home: str
) -> None:
    reader.reads = saying((quote, text))
    user = tell(memory, clock, ("I'm Ana.", "I moved to Gaia, near Porto.", "The tram was late."), "first")
    assert text.replace("Ana", "The user") in [fact.text for fact in user.facts()]


def test_an_update_is_history_where_a_later_page_says_something_else(
    memory: MemoryOS, reader: Reader, clock: FixedClock
) -> None:
    tell(memory, clock, ("I'm Ana.", "I study the map of Lisbon."), "first")
    clock.tick(timedelta(days=90).total_seconds())
    reader.reads = saying(("still in Lisbon", "Ana lives in Lisbon."), known="The user studies the map of Lisbon.")
    user = tell(memory, clock, ("I am still in Lisbon, upstairs.", "I moved to Porto."), "later")
    status = {fact.text: fact.status for fact in user.facts(current=False)}
    assert (status["The user studies the map of Lisbon."], status["The user lives in Lisbon."]) == (
        "superseded",
        "superseded",
    )
    assert held(user, "home") == [("Lisbon", "04-10 09:02", "04-10 09:03"), ("Porto", "04-10 09:03", None)]


def test_a_value_that_is_told_again_began_when_it_was_told_first(
    memory: MemoryOS, reader: Reader, clock: FixedClock
) -> None:
    tell(memory, clock, ("I live in Lisbon.", "The tram was late."), "first")
    clock.tick(timedelta(days=90).total_seconds())
    reader.reads = saying(("I live in Lisbon", "The user lives in Lisbon, in a flat."))
    user = tell(memory, clock, ("I live in Lisbon.", "It smells of paint."), "later")
    assert held(user, "home") == [("Lisbon", "01-10 09:00", None)]
    clock.tick(timedelta(days=90).total_seconds())
    reader.reads = saying(
        ("I moved to Porto", "The user lives in Porto."), ("back in Lisbon", "The user lives in Lisbon.")
    )
    tell(memory, clock, ("I moved to Porto.",), "moved")
    tell(memory, clock, ("I'm back in Lisbon, I live in Lisbon again.",), "back")
    assert [value for value, *_ in held(user, "home")] == ["Lisbon", "Porto", "Lisbon"]


def test_what_another_statement_of_the_page_tells_stays_where_the_models_sentence_is_over(
    memory: MemoryOS, reader: Reader, clock: FixedClock
) -> None:
    reader.reads = saying(("I live in Lisbon", "Ana lives in Lisbon and works as a nurse."))
    said = ("I'm Ana, I live in Lisbon. I work as a nurse.", "The tram was late.", "I moved to Porto.")
    user = tell(memory, clock, said, "first")
    assert [value for value, _, until in held(user, "occupation") if until is None] == ["nurse"]


def test_what_is_forgotten_is_gone_in_the_words_of_the_rules_too(
    memory: MemoryOS, reader: Reader, clock: FixedClock
) -> None:
    text = "The user lives in Porto, near the river."
    reader.reads = saying((IN_LISBON[0], "Ana lives in Lisbon, in a flat."), ("I moved to Porto", text))
    user = tell(memory, clock, ("I'm Ana, I live in Lisbon.", "I moved to Porto.", "We ate soup."), "first")
    (home,) = [fact for fact in user.facts() if fact.text == text]
    assert user.forget(facts=[home], dry_run=True).facts == user.forget(facts=[home]).facts == 2
    left = [fact.text for fact in user.facts(current=False)]
    assert not [said for said in left if "Porto" in said]
    assert [said for said in left if "Lisbon" in said]  # what it had replaced stays, as history
    assert [said for said in left if "soup" in said]


def test_of_two_questions_the_second_waits_for_a_later_run_where_the_first_fails(
    memory: MemoryOS, reader: Reader, clock: FixedClock
) -> None:
    def fail(shown: str) -> Reading:
        raise ModelError("the model is down", transient=False)

    reader.reads = fail
    user = tell(
        memory, clock, [f"My {who} is keen on {what}." for who, what in zip(KIN, HOBBIES, strict=True)], "first"
    )
    assert len(reader.shown) == 1
    assert len(user.facts()) >= len(KIN)  # by rules
    reader.reads = lambda shown: {"facts": []}
    for _ in range(3):
        user.consolidate()
    read = [line for shown in reader.shown[1:] for line in re.findall(r"^user: (.*)$", shown, re.MULTILINE)]
    assert len(read) == len({*read}) == len(KIN)
    assert user.stats().pages_to_reread == 0


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ("physics teacher", "Occupation: physics teacher (since 10 April 2026; before: nurse)"),
        ("nurse at a school", "Occupation: nurse (said 10 January 2026)"),
    ],
)
def test_a_line_has_the_value_that_the_profile_learnt_later(
    memory: MemoryOS, reader: Reader, clock: FixedClock, field: str, line: str
) -> None:
    tell(memory, clock, ("I'm Ana.", "I work as a nurse at the harbour clinic."), "first")
    clock.tick(timedelta(days=90).total_seconds())
    quote = "The children at the school call me miss"
    reader.reads = saying(profile=[{"quote": quote, "name": "occupation", "value": field}])
    tell(memory, clock, (f"{quote}.",), "later")
    user = memory.user("ana", session_id="new")
    for question in ("What do you know about me?", "What is my job?"):
        assert line in user.recall(question, budget_tokens=600).text


def test_what_a_model_read_of_a_tool_drops_nothing_that_the_user_said(reader: Reader, clock: FixedClock) -> None:
    reader.reads = saying(("There it is", "There is a blue kettle."))
    config = replace(configured(), safety=SafetyConfig(learn_from_documents=True))
    said = (Message("user", "I found the old kettle."), Message("assistant", "There it is.", trust="tool"))
    with MemoryOS("sqlite://", llm=ScriptedChat(reader.answer), embedder=None, config=config, clock=clock) as opened:
        user = opened.user("ana", session_id="first")
        user.add_messages(said)
        user.end_session()
        user.consolidate()
        trust = {fact.text: fact.trust for fact in user.facts()}
    assert trust == {"The user found the old kettle.": "user", "There is a blue kettle.": "tool"}
