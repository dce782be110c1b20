"""Who asks for a time gets the time that words such as "yesterday" mean, behind the message that says them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, RecallConfig

WHEN = datetime(2023, 8, 28, 9, tzinfo=timezone.utc)
SAID = "Yesterday I took the kids to the park. Next we bake."
TOLD = f"user: {SAID} (Yesterday: 27 August 2023)"


def park(config: MemoryConfig, question: str, budget: int = 200) -> str:
    with MemoryOS("sqlite://", embedder=None, config=config, clock=lambda: WHEN) as memory:
        memory.user("ann", session_id="first").add_messages([Message("user", SAID, None, WHEN)])
        memory.user("ann").consolidate()
        recall = memory.user("ann", session_id="second").recall(question, budget_tokens=budget)
        assert recall.tokens <= budget
        assert [message.text for hit in recall.hits for message in hit.messages] in ([SAID], []), "what was said stays"
        return recall.text


@pytest.mark.parametrize("question", ["When did I go to the park?", "How long ago was the park with the kids?"])
def test_a_question_for_a_time_gets_it(question: str) -> None:
    assert TOLD in park(MemoryConfig(), question).splitlines()


@pytest.mark.parametrize(
    ("config", "question"),
    [
        (MemoryConfig(), "Who was at the park?"),
        (MemoryConfig(recall=RecallConfig(resolve_times=False)), "When did I go to the park?"),
    ],
)
def test_no_other_question_pays_for_it(config: MemoryConfig, question: str) -> None:
    assert f"user: {SAID}" in park(config, question).splitlines()


def test_the_papers_recall_is_as_it_was() -> None:
    paper = MemoryConfig.paper()
    assert not paper.recall.resolve_times
    words = replace(paper, recall=replace(paper.recall, lexical=1.0))
    assert "27 August" not in park(words, "When did I go to the park?")


@pytest.mark.parametrize("budget", [30, 36, 40, 45, 60])
def test_it_counts_in_the_budget(budget: int) -> None:
    park(MemoryConfig(), "When did I go to the park?", budget)


def test_only_the_best_hits_pay_for_it() -> None:
    with MemoryOS("sqlite://", embedder=None, clock=lambda: WHEN) as memory:
        said = [f"Yesterday we saw the park of town {number}." for number in range(20)]
        first = memory.user("ann", session_id="first")
        first.add_messages([Message("user", text, None, WHEN) for text in said])
        memory.user("ann").consolidate()
        recall = memory.user("ann", session_id="second").recall("When did we see the park?", budget_tokens=900)
    assert len(recall.hits) > 6
    assert recall.text.count("27 August 2023") == 6


JANUARY = datetime(2026, 1, 10, tzinfo=timezone.utc)
OCTOBER = datetime(2026, 10, 29, tzinfo=timezone.utc)


def told(first: str, then: str, asked: str) -> tuple[str, list[tuple[str, str, str | None]]]:
    """The text that answers, and the history of what is asked for, after a statement in January and one in October."""
    with MemoryOS("sqlite://", embedder=None, clock=lambda: OCTOBER) as memory:
        user = memory.user("ann", session_id="first")
        for text, when in ((first, JANUARY), (then, OCTOBER)):
            user.add(text, "ok", timestamp=when)
        user.end_session()
        memory.flush()
        user = memory.user("ann", session_id="second")
        history = [(v.value, f"{v.since:%d.%m}", f"{v.until:%d.%m}" if v.until else None) for v in user.history(asked)]
        return user.recall(f"What is my {asked}? {first}", budget_tokens=300).text, history


@pytest.mark.parametrize(
    ("first", "then", "asked", "line", "day"),
    [
        ("I live in Leeds.", "I moved to York in March.", "home", "York (since March 2026; before: Leeds)", "01.03"),
        ("I live in Leeds.", "I moved to York on 3 May.", "home", "York (since 3 May 2026; before: Leeds)", "03.05"),
        ("I live in Leeds.", "In March I moved to York.", "home", "York (since March 2026; before: Leeds)", "01.03"),
        (
            "I live in Leeds.",
            "I moved to York last month.",
            "home",
            "York (since September 2026; before: Leeds)",
            "01.09",
        ),
        ("I work at Shell.", "I joined BP in June.", "employer", "BP (since June 2026; before: Shell)", "01.06"),
        ("I live in Leeds.", "I've lived in York since May.", "home", "York (since May 2026; before: Leeds)", "01.05"),
    ],
)
def test_a_value_holds_since_the_day_that_its_statement_tells(
    first: str, then: str, asked: str, line: str, day: str
) -> None:
    text, history = told(first, then, asked)
    assert f": {line}" in text
    since = line.partition("since ")[2].partition(";")[0]
    assert f"{first} (until {since}; now: " in text
    old, new = first.rstrip(".").split()[-1], line.split()[0]
    assert history == [(old, "10.01", day), (new, day, None)]


@pytest.mark.parametrize(
    ("first", "then", "asked", "line"),
    [
        ("I live in Leeds.", "I moved to York.", "home", "York (since 29 October 2026; before: Leeds)"),
        # Before the other value was said: both cannot be.
        ("I live in Leeds.", "I moved to York in 2019.", "home", "York (since 29 October 2026; before: Leeds)"),
        (
            "I live in Leeds.",
            "I live in York; I was ill in March.",
            "home",
            "York (since 29 October 2026; before: Leeds)",
        ),
        (
            "I live in Leeds.",
            "I moved to York and joined a choir in March.",
            "home",
            "York (since 29 October 2026; before: Leeds)",
        ),
        (
            "I work at Shell.",
            "I work at BP now, and I saw Ben in May.",
            "employer",
            "BP (since 29 October 2026; before",
        ),
        ("I live in Leeds.", "I moved to York today.", "home", "York (since 29 October 2026; before: Leeds)"),
    ],
)
def test_a_value_without_a_day_of_its_own_holds_since_it_was_said(first: str, then: str, asked: str, line: str) -> None:
    text, history = told(first, then, asked)
    assert f": {line}" in text
    assert [since for _, since, _ in history] == ["10.01", "29.10"]
    assert [until for _, _, until in history] == ["29.10", None]
