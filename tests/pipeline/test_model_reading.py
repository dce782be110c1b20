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

from memoryos_core import HeatConfig, LongTermConfig, MemoryConfig, MemoryOS, UserMemory, WorkerConfig
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
    assert current["Ana's sister Ines works in a laboratory in Munich."] == "relation"
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
    assert "Ana works as a nurse." in [fact.text for fact in user.facts()]
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
