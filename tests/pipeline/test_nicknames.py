"""Who signs as "Emi" may be "Kate" to whom she writes: a question about Kate is about what Emi said."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, UserMemory, WorkerConfig
from memoryos_core.rules.knowledge.nicknames import names_called
from memoryos_core.rules.ranking.questions import as_signed

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
NOW = datetime(2026, 3, 1, tzinfo=timezone.utc)
SAID = (
    ("elise", "Hey Kate! The weather in Miami is lovely."),
    ("Emi", "Nice. I decided to change the colour from platinum to a deep honey blonde."),
    ("elise", "Wow, Kate! Kate, I would love to see it. My hair is as dry as ever."),
    ("Emi", "I will send a picture."),
    ("elise", "Thanks Kate. I went to the salon yesterday and had my hair cut."),
    ("Emi", "Good for you."),
)


@pytest.fixture
def user() -> Iterator[UserMemory]:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL, clock=lambda: NOW) as memory:
        told = [Message("assistant" if who == "elise" else "user", text, who, NOW) for who, text in SAID]
        user = memory.user("u", session_id="s")
        user.add_messages(told)
        user.end_session()
        user.consolidate()
        yield memory.user("u", session_id="q")


def test_a_name_that_others_use_is_a_fact(user: UserMemory) -> None:
    assert [fact.text for fact in user.facts() if " called " in fact.text] == ["Emi is called Kate."]
    assert user.profile().get("name") == "Emi"


@pytest.mark.parametrize("question", ["When did Kate dye her hair?", "Kate's hair: when did she dye it?"])
def test_a_question_by_that_name_is_about_who_signs(user: UserMemory, question: str) -> None:
    found = [hit.messages[0].name for hit in user.search(question, k=6)]
    assert found == sorted(found, key=lambda name: name != "Emi")
    assert set(found) == {"Emi", "elise"}
    assert "honey blonde" in user.recall(question, budget_tokens=100).text


@pytest.mark.parametrize(
    ("said", "called"),
    [
        ("Hey Mel! How are you?", ["Mel"]),
        ("Thanks, Jo.", ["Jo"]),
        ("Hi Kate", ["Kate"]),
        ("Great Job!", []),
        ("Wow, Paris!", []),
        ("Good morning Sunshine!", []),
        ("Hey Melanie!", []),  # the name that is signed with
        ("Hey everyone!", []),
        ("Hi there!", []),
        ("Hello Kitty is my favourite.", []),
        ("Thanks God.", []),
        ("Yes, Monday!", []),
        ("Kate told me so.", []),
        ("Hi, Tom here.", []),  # the author's own
    ],
)
def test_greetings_name_the_other_one(said: str, called: list[str]) -> None:
    assert list(names_called([said], "Melanie", "Tom")) == called


def test_only_whole_names_are_put_back() -> None:
    called = {"Kate": "Emi", "Bill": "William", "Jo": "A\\1"}
    assert as_signed("How much was the electricity bill?", called) == "How much was the electricity bill?"
    assert as_signed("Where did Jo go?", called) == "Where did A\\1 go?"
    assert as_signed("Does Kate's sister know Katerina?", called) == "Does Emi's sister know Katerina?"
    assert as_signed("What is a skate?", called) == "What is a skate?"
