"""The same recall in other forms: the same hits, within the budget, with nothing lost but what the form leaves out."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from benchmarks import contexts
from benchmarks.answering import open_system
from benchmarks.asking import fill
from benchmarks.contexts import FORMS, bare, best_first, best_last, lines
from benchmarks.talks import Talk, Turn
from memoryos_core import MemoryOS, Message, Recall
from memoryos_core.providers.embedders import open_embedder
from memoryos_core.providers.tokens import open_token_counter

WHEN = datetime(2024, 5, 14, 9, tzinfo=timezone.utc)
LATER = datetime(2024, 6, 1, 9, tzinfo=timezone.utc)
BOUGHT, SAILED = "I bought a boat yesterday.", "My boat sailed for the first time."


@pytest.fixture
def recall() -> Recall:
    with MemoryOS("sqlite://", embedder=None, clock=lambda: LATER) as memory:
        memory.user("ann", session_id="one").add_messages([Message("user", BOUGHT, None, WHEN)])
        memory.user("ann", session_id="two").add_messages([Message("user", SAILED, None, LATER)])
        memory.user("ann").consolidate()
        return memory.user("ann", session_id="asking").recall("What is it with the boat?")


def test_every_form_shows_the_same_hits(recall: Recall) -> None:
    order = [hit.text for hit in recall.hits]
    assert sorted(order) == sorted([f"user: {BOUGHT}", f"user: {SAILED}"])
    for form in (best_first, best_last, lines, bare):
        assert all(text in form(recall) for text in order)
    first, last = best_first(recall), best_last(recall)
    assert first.index(order[0]) < first.index(order[1])
    assert last.index(order[0]) > last.index(order[1])
    assert f"[14 May 2024] user: {BOUGHT}\n[1 June 2024] user: {SAILED}" in lines(recall)
    assert bare(recall) == f"[14 May 2024]\nuser: {BOUGHT}\n[1 June 2024]\nuser: {SAILED}"


@pytest.mark.parametrize("name", FORMS)
def test_every_form_keeps_within_the_budget(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contexts, "local_embedder", lambda: open_embedder(None))
    turns = tuple(
        Turn(f"D1:{i}", "Ann", f"Yesterday we saw boat number {i} in the bay.", 0, datetime(2024, 5, 1 + i))
        for i in range(20)
    )
    talk = Talk("talk", ("Ann", "Ben"), (turns,), ())
    memory = open_system(name, talk)
    fill(memory, talk)
    (hit,) = memory.context("Which boats did Ann see in the bay?", 120)
    memory.close()
    assert 20 < open_token_counter()(hit.text) <= 120
    assert "boat number" in hit.text
