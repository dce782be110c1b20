"""What one user stored is never in what another gets, changes none of their scores, and is in no error and no log."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memoryos_core import MemoryOS, MemoryOSError, Message, ModelError, UserMemory
from memoryos_core.testing.fakes import FixedClock, KeywordEmbedder, ScriptedChat
from tests.faults.opening import small, talk

QUESTIONS = ("Which tree did I plant by the river?", "tree number 7", "What will like the water?", "harpsichord")
MANY = 500 if "MEMORYOS_SOAK" in os.environ else 150
PARTS = ("pages_short_term", "pages_mid_term", "segments", "facts_user", "traits", "profile_fields", "sessions")


@pytest.fixture(params=[None, "semantic"])
def memory(request: pytest.FixtureRequest) -> Iterator[MemoryOS]:
    embedder = KeywordEmbedder() if request.param else None
    with MemoryOS("sqlite://", embedder=embedder, config=small(batch=16), clock=FixedClock()) as memory:
        yield memory


def scores(user: UserMemory) -> list[Any]:
    found = [[(h.id, h.score, dict(h.signals)) for h in user.search(q, k=30)] for q in QUESTIONS]
    return [*found, *(str(user.recall(q)) for q in QUESTIONS)]


def test_another_users_many_pages_change_no_score(memory: MemoryOS) -> None:
    ada, bob = memory.user("ada"), memory.user("bob")
    memory._engine.visits.note = lambda *_: None  # type: ignore[method-assign]  # her own questions would warm segments
    talk(ada, 40)
    ada.consolidate()
    before = scores(ada), [getattr(ada.stats(), p) for p in PARTS], list(ada.export())
    turns = list[Message]()
    for i in range(MANY):  # the same words, so that statistics which are shared would show
        said = f"I planted tree number {i} by the river with a harpsichord."
        turns += [Message("user", said), Message("assistant", "The river and the tree, again.")]
    assert len(bob.add_messages(turns)) == MANY
    bob.consolidate()
    bob.remember("Planted trees by the river.")
    assert (scores(ada), [getattr(ada.stats(), p) for p in PARTS], list(ada.export())) == before
    bob.forget(everything=True)
    assert scores(ada) == before[0]


def test_two_assistants_of_one_user_know_nothing_of_each_other(memory: MemoryOS) -> None:
    tutor, coach = memory.user("ada", assistant_id="tutor"), memory.user("ada", assistant_id="coach")
    tutor.add("My exam is about volcanoes.", "Let us read about volcanoes.")
    tutor.remember("Fears volcanoes.")
    assert coach.search("volcanoes") == []
    assert str(coach.recall("What is my exam about? Volcanoes?")) == ""
    assert coach.facts() == []
    assert len(list(coach.export())) == 1


SECRET = "zanzibar-7731"


def down(_: object) -> str:
    raise ModelError("down")


def errors(memory: MemoryOS, user: UserMemory) -> list[str]:
    """The words of the errors a caller can bring about while remembered text is being handled."""
    attempts: list[Callable[[], object]] = [
        lambda: user.chat(f"What about {SECRET}?"),
        lambda: user.add(SECRET, timestamp=SECRET),  # type: ignore[arg-type]  # meant
        lambda: user.add(SECRET, b"5"),  # type: ignore[arg-type]  # meant
        lambda: user.search(SECRET, k=0),
        lambda: user.correct("no such fact", SECRET),
        lambda: memory.restore([{**r, "seq": "x"} if r["kind"] == "page" else r for r in user.export()]),
        user.consolidate,
    ]
    words: list[str] = []
    for attempt in attempts:
        with pytest.raises(MemoryOSError) as error:
            attempt()
        words.append(str(error.value))
    return words


def test_no_error_and_no_log_line_quotes_what_is_remembered(caplog: pytest.LogCaptureFixture) -> None:
    embedder = KeywordEmbedder()
    with (
        caplog.at_level(logging.DEBUG),
        MemoryOS("sqlite://", embedder=embedder, llm=ScriptedChat(down), config=small()) as memory,
    ):
        ada = memory.user("ada")
        for i in range(8):
            ada.add(f"The password is {SECRET}, {i}.", f"I will keep {SECRET}.")
        ada.consolidate()  # the model fails: the twin takes over
        assert ada.stats().pages_to_reread > 0
        talk(ada, 4)
        embedder.failure = ModelError("embedder down")
        words = errors(memory, ada)
    assert caplog.records
    for line in (*words, *(r.getMessage() for r in caplog.records)):
        assert SECRET not in line
        assert "password" not in line
