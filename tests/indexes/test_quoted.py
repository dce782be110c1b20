"""What an index knows of how its units are quoted saves reading them, and changes nothing of what is recalled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memoryos_core import MemoryConfig, MemoryOS, Message, RecallConfig, WorkerConfig
from memoryos_core.recall.index import content as contents
from memoryos_core.recall.index import kept
from memoryos_core.recall.index.content import decode, encode, without
from memoryos_core.recall.index.resident import ResidentIndex
from memoryos_core.rules.ranking.disclosure import disclosure
from memoryos_core.rules.ranking.rendering import speaker_line
from memoryos_core.stores import open_store
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.fakes import FixedClock
from memoryos_core.testing.store_samples import ALICE, add, fact, learn, move_out, segment
from memoryos_core.values.commands import Forgetting, PageQuery
from memoryos_core.values.queries import Candidates
from tests.indexes.keeping import kept_index, never, plain_index
from tests.pipeline.sameness import TOPICS

CONFIG = MemoryConfig(worker=WorkerConfig(mode="manual"), recall=RecallConfig(top_facts=20, heat=0.0))
QUESTIONS = ("Where is the boat?", "What does the cat like to do on day 7?", "Who painted the violin?", "My sister?")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    with closing(open_store(f"sqlite:///{tmp_path}/memory.db")) as store:
        yield store


@pytest.fixture(params=[None])
def memory(request: pytest.FixtureRequest) -> Iterator[MemoryOS]:
    """A conversation in which every second message of the user's has the name that is given, if one is."""
    verbs = ("love", "sold", "painted", "live in Lisbon with")
    named = (request.param, None)
    with MemoryOS("sqlite://", embedder=None, config=CONFIG, clock=FixedClock()) as memory:
        for i in range(90):
            user = memory.user("ann", session_id=f"s{i % 4}")
            long = " ".join([f"It has a tale of its own, number {i}."] * (i % 7) * 6)
            user.add_messages(
                [
                    Message(
                        "user", f"I {verbs[i % 4]} my {TOPICS[i % 6]}, on day {i}. {long}", named[i % 2], id=f"q{i}"
                    ),
                    Message("assistant", f"Tell me more of the {TOPICS[i % 6].split()[0]}. {long}", id=f"a{i}"),
                ],
                once=True,
            )
        memory.user("ann").consolidate()
        yield memory


def blind(candidates: Candidates) -> Candidates:
    return replace(candidates, sizes=None, disclosures=None, places=None, homes=())


def recalled(memory: MemoryOS, session: str) -> list[Any]:
    user = memory.user("ann", session_id=session)
    asked = [(question, budget) for question in QUESTIONS for budget in (150, 1000, 6000)]
    found = [user.recall(question, budget_tokens=budget, min_score=0.0) for question, budget in asked]
    return [replace(recall, timings_ms={}) for recall in found]


NAMED = pytest.mark.parametrize("memory", [None, "Ann"], indirect=True)


@NAMED
def test_a_recall_is_the_same_where_the_index_knows_nothing(memory: MemoryOS, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = memory.user("ann", session_id="s2")
    ended.add_messages([Message("user", "I love my boat.", id="q10")], once=True, replaces=["q10", "a30"])
    ended.end_session()
    search = ResidentIndex.candidates
    for session in ("asking", "s1", "s2"):
        known = recalled(memory, session)
        assert any(hit.id for recall in known for hit in recall.hits)
        with monkeypatch.context() as blinded:
            blinded.setattr(ResidentIndex, "candidates", lambda *given: blind(search(*given)))
            assert recalled(memory, session) == known


def test_only_what_the_prompt_has_room_for_is_read(memory: MemoryOS, monkeypatch: pytest.MonkeyPatch) -> None:
    user = memory.user("ann", session_id="asking")
    user.recall(QUESTIONS[0])
    read: list[str] = []
    pages = SqlStore.pages

    def note(store: SqlStore, query: PageQuery) -> Any:
        read.extend((query.ids or ()) if query.session_id is None else ())  # not whether the session ended some
        return pages(store, query)

    monkeypatch.setattr(SqlStore, "pages", note)
    monkeypatch.setattr(SqlStore, "facts", lambda *_, **__: pytest.fail("a fact was read to know its length"))
    recall = user.recall(QUESTIONS[0], budget_tokens=300, min_score=0.0)
    shown = {hit.id for hit in recall.hits}
    assert shown
    assert shown <= set(read)
    assert len(set(read)) <= len(shown) + 12  # what may be the question itself is read before


@pytest.mark.parametrize("memory", ["Ann"], indirect=True)
def test_size_and_telling_are_those_of_the_message_as_it_is_quoted(memory: MemoryOS) -> None:
    scope = memory.user("ann").scope
    found = memory._engine.index.candidates(scope, QUESTIONS[0], None, 1000)
    pages = {page.id: page for page in memory.user("ann").pages()}
    assert found.sizes is not None
    assert found.places is not None
    assert found.disclosures is not None
    assert len(set(found.disclosures.tolist())) > 1
    homes = [home for home in found.homes if home is not None]
    assert homes
    numbers = (found.sizes.tolist(), found.disclosures.tolist(), found.places.tolist())
    for owner, part, size, tells, place, home in zip(found.owners, found.parts, *numbers, found.homes, strict=True):
        if part == "fact" and home is None:
            assert size == -1
            continue
        page = pages[owner if home is None else home.page_id]
        assert size == len(speaker_line(page.messages[place]).encode())
        assert tells == disclosure(page.messages[place])
        assert home is None or home.session_id == page.session_id


def cited_twice(store: SqlStore) -> tuple[str, str]:
    """Write a fact that stands in two pages, and return their ids."""
    a, b = add(store, "a likes tea", "b likes tea")
    store.page_out(move_out([a, b], into=segment("g"), chain="c"))
    learn(store, fact("f", a.id, b.id))
    return a.id, b.id


def home_of(index: ResidentIndex) -> str | None:
    found = index.candidates(ALICE, "likes tea", None, 10)
    home = found.homes[found.parts.index("fact")]
    return None if home is None else home.page_id


def test_where_a_fact_was_quoted_from_is_forgotten_with_the_page(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "LEAST", 1)
    first, _ = cited_twice(store)
    index = kept_index(store)
    assert home_of(index) == first
    index.keep(ALICE, never)
    (chunk,) = store.index_chunks(ALICE)
    left = without(decode(chunk.content), {first}, set())
    assert first not in left.units.names
    assert decode(encode(left)).units.sizes.tolist() == left.units.sizes.tolist()
    assert decode(encode(left)).units.disclosures.tolist() == left.units.disclosures.tolist()
    store.forget(Forgetting(ALICE, (first,)))
    index.forget(ALICE)
    assert home_of(index) is None
    assert home_of(plain_index(store)) != first


def test_a_chunk_of_an_older_format_is_made_again(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "LEAST", 1)
    cited_twice(store)
    assert contents.FORMAT == 4
    monkeypatch.setattr(kept, "MADE_BY", kept.MADE_BY.replace("format 4", "format 3"))
    kept_index(store).keep(ALICE, never)
    monkeypatch.undo()
    monkeypatch.setattr(kept, "LEAST", 1)
    assert home_of(kept_index(store)) is not None
    index = kept_index(store)
    index.keep(ALICE, never)
    (chunk,) = store.index_chunks(ALICE)
    assert chunk.made_by == kept.MADE_BY
