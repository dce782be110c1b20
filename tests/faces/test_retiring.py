"""A fact that no longer holds is ended by one call; its pages stay, and what quotes them says so."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memoryos_core import (
    AsyncMemoryOS,
    InvalidInputError,
    MemoryConfig,
    MemoryOS,
    NotFoundError,
    UserMemory,
    WorkerConfig,
)
from memoryos_core.hosts.tools import correct_memory

MAY = datetime(2026, 5, 4, 10, tzinfo=timezone.utc)
LATER = MAY + timedelta(days=30)
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryOS]:
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=MANUAL, clock=lambda: LATER) as memory:
        yield memory


@pytest.fixture
def ada(memory: MemoryOS) -> UserMemory:
    talk = memory.user("ada", session_id="may")
    talk.add("I live in Lisbon. I play the cello.", "Lovely.", timestamp=MAY)
    talk.end_session()
    talk.consolidate()
    return memory.user("ada", session_id="later")


def fact(user: UserMemory, word: str) -> str:
    return next(f.id for f in user.facts() if word in f.text)


def test_an_outdated_fact_is_gone_and_its_page_says_so(ada: UserMemory) -> None:
    (ended,) = ada.retire(fact(ada, "Lisbon"))
    assert "Lisbon" in ended.text
    assert not any("Lisbon" in f.text for f in ada.facts())
    assert ada.profile().get("home") is None
    told = ada.recall("Where do I live?").text
    assert "- Home" not in told
    assert "- home" not in told
    assert "I live in Lisbon. I play the cello. (until 3 June 2026)" in told
    assert [f.status for f in ada.facts(current=False) if "Lisbon" in f.text] == ["retired"]
    assert [f.text for f in ada.facts(at=MAY + timedelta(days=1)) if "Lisbon" in f.text]


def test_a_wrong_fact_never_held(ada: UserMemory) -> None:
    (ended,) = ada.retire(ada.facts(text=ended_text(ada))[0], wrong=True)
    assert "(said to be wrong)" in ada.recall("Where do I live?").text
    assert ended.text not in [f.text for f in ada.facts(at=MAY + timedelta(days=1))]
    assert ada.history("home") == []


def ended_text(user: UserMemory) -> str:
    return next(f.text for f in user.facts() if "Lisbon" in f.text)


def test_a_hit_of_a_page_means_the_facts_behind_it(ada: UserMemory) -> None:
    hit = next(h for h in ada.recall("Where do I live?").hits if h.about == "user")
    assert {f.text for f in ada.retire(hit)} == {"The user lives in Lisbon.", "The user plays the cello."}
    assert ada.facts() == []
    assert ada.recall("Which instrument do I play?").hits  # no evidence is lost


def test_the_wrong_thing_is_refused(ada: UserMemory) -> None:
    known = fact(ada, "cello")
    ada.retire(known)
    for what in (known, "nothing", ""):
        with pytest.raises(NotFoundError):
            ada.retire(what)
    with pytest.raises(InvalidInputError):
        ada.retire(7)  # type: ignore[arg-type]


def test_another_user_s_fact_is_out_of_reach(memory: MemoryOS, ada: UserMemory) -> None:
    known = fact(ada, "cello")
    with pytest.raises(NotFoundError):
        memory.user("bob").retire(known)
    assert fact(ada, "cello") == known


def test_a_model_ends_a_fact_with_an_empty_correction(ada: UserMemory) -> None:
    known = fact(ada, "cello")
    assert correct_memory(ada, known, " ") == f"Fact {known} no longer holds."
    assert "no current fact has this id" in correct_memory(ada, known, "")
    assert not any("cello" in f.text for f in ada.facts())


async def test_the_same_awaited(tmp_path: Path) -> None:
    async with AsyncMemoryOS(f"sqlite:///{tmp_path}/a.db", embedder=None, config=MANUAL) as memory:
        user = memory.user("ada")
        told = await user.remember("Ada plays the cello.")
        (ended,) = await user.retire(told)
        assert ended.id == told.id
        assert await user.facts() == []


def test_what_was_useful_is_visited_once_more_and_no_question_loses_evidence(memory: MemoryOS, ada: UserMemory) -> None:
    talk = memory.user("ada", session_id="june")
    talk.add("I planted tomatoes on the balcony.", "Nice.", timestamp=LATER - timedelta(days=2))
    talk.end_session()
    talk.consolidate()
    questions = ("Where do I live?", "Which instrument do I play?", "What did I plant on the balcony?")
    before = [[hit.id for hit in ada.recall(question).hits] for question in questions]
    assert all(before)
    (hit, *_) = ada.recall(questions[1]).hits
    visits = {segment.id: segment.n_visit for segment in ada.segments()}
    for _ in range(30):
        assert {fact.text for fact in ada.useful(hit)} >= {"The user plays the cello."}
    (cello,) = [f for f in ada.facts() if "cello" in f.text]
    assert ada.useful(cello) == [cello]
    assert ada.useful(cello.id) == [cello]
    warmer = {segment.id for segment in ada.segments() if segment.n_visit >= visits[segment.id] + 32}
    assert warmer == {hit.segment_id}
    after = [[hit.id for hit in ada.recall(question).hits] for question in questions]
    assert [set(hits) for hits in after] == [set(hits) for hits in before]
    assert [hits[0] for hits in after] == [hits[0] for hits in before]


def test_nothing_is_useful_that_is_not_there(memory: MemoryOS, ada: UserMemory) -> None:
    known = fact(ada, "cello")
    ended = ada.retire(known)
    for what in (known, ended[0], "nothing"):
        with pytest.raises(NotFoundError):
            ada.useful(what)
    with pytest.raises(NotFoundError):
        memory.user("bob").useful(fact(ada, "Lisbon"))


async def test_useful_awaited(tmp_path: Path) -> None:
    async with AsyncMemoryOS(f"sqlite:///{tmp_path}/a.db", embedder=None, config=MANUAL) as memory:
        user = memory.user("ada")
        told = await user.remember("Ada plays the cello.")
        assert [fact.id for fact in await user.useful(told)] == [told.id]
