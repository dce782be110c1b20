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
