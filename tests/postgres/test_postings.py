"""Units and postings follow every write in its own transaction: nothing is missing, nothing is left behind."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event, text

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.errors import ConflictError
from memoryos_core.recall.index import analyse_item, open_index
from memoryos_core.stores import open_store
from memoryos_core.stores.migrations import VERSION_TABLE
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.store_samples import (
    ALICE,
    BOB,
    T0,
    add,
    fact,
    ids,
    learn,
    move_out,
    new_page,
    segment,
    supersede,
)
from memoryos_core.values.commands import Append, Eviction, FactChange, Forgetting, NewPage, PageQuery
from memoryos_core.values.dialogue import Message
from tests.postgres.talk import rows, talk

pytestmark = pytest.mark.postgres


@pytest.fixture
def store(postgres_url: str) -> Iterator[SqlStore]:
    with closing(SqlStore(postgres_url, analyse=analyse_item)) as store:
        yield store


def held(store: SqlStore) -> list[tuple[str, str]]:
    """Owner and part of each unit, checked against what is made afresh."""
    before = rows(store)
    store.analyse_again(ALICE)
    assert before == rows(store)
    units, posted = before
    assert {row[2] for row in posted} <= {row[0] for row in units}
    return [(row[1], row[2]) for row in units]


def halves(*page_ids: str) -> list[tuple[str, str]]:
    return [(page_id, half) for page_id in page_ids for half in ("user", "assistant")]


def test_pages_are_units_once_they_are_written(store):
    pages = add(store, "a tram", "the", "a boat")
    units, posted = rows(store)
    assert held(store) == halves(*(page.id for page in pages))
    assert [row[3] for row in units] == [1, 1, 0, 0, 1, 1]  # function words do not count
    assert [row[-1] for row in units] == [0, 1, 2, 3, 4, 5]
    assert len(posted) == 4


def test_a_page_that_grows_is_analysed_again(store):
    add(store, "a boat", session="other")
    store.append(Append(ALICE, "s", (NewPage((Message("user", "a tram"),), 1, open=True),), T0))
    add(store, "a lens", session="other")
    more = NewPage((Message("assistant", "the harbour tram"),), 1, open=False, extends_last=True)
    store.append(Append(ALICE, "s", (more, new_page("a kettle")), T0))
    assert len(held(store)) == 8
    found = open_index(store, kind="database").candidates(ALICE, "harbour kettle", None, 99)
    assert set(found.parts) == {"user", "assistant"}
    assert len(found) == 4  # the neighbours, too


def test_what_is_forgotten_leaves_no_row_and_no_gap(store):
    pages = add(store, "a tram", "a boat", "a lens", "a dog")
    other = add(store, "a tram elsewhere", session="other")
    bobs = add(store, "a tram", scope=BOB)
    store.forget(Forgetting(ALICE, page_ids=(pages[1].id,)))
    assert held(store) == halves(pages[0].id, pages[2].id, pages[3].id, other[0].id)
    assert [row[-1] for row in rows(store)[0]][:6] == [0, 1, 2, 3, 4, 5]
    store.forget(Forgetting(ALICE, session_id="s"))
    assert held(store) == halves(other[0].id)
    store.forget(Forgetting(ALICE, everything=True))
    assert rows(store) == ([], [])
    assert [row[1] for row in rows(store, BOB)[0]] == [bobs[0].id] * 2


def test_only_current_facts_are_units(store):
    (page,) = add(store, "a tram")
    learn(store, fact("old", page.id, text="likes trams"), fact("other", text="a boat"))
    assert held(store)[:2] == [("other", "fact"), ("old", "fact")]
    learn(store, fact("new", text="likes kettles"), changes=[supersede("old", "new")])
    assert [owner for owner, part in held(store) if part == "fact"] == ["new", "other"]
    store.forget(Forgetting(ALICE, fact_ids=("new",)))  # the old one stays replaced
    assert [owner for owner, part in held(store) if part == "fact"] == ["other"]
    learn(store, changes=[FactChange("other", status="retired", valid_until=T0)])
    assert [owner for owner, part in held(store) if part == "fact"] == []
    store.forget(Forgetting(ALICE, page_ids=(page.id,)))
    assert held(store) == []


@pytest.mark.parametrize("archive", [True, False])
def test_what_is_archived_is_still_found_and_what_is_deleted_is_not(store, archive):
    pages = add(store, "a tram", "a boat", "a lens")
    store.page_out(move_out(pages[:2]))
    store.evict(Eviction(ALICE, ("g1",), T0, archive=archive))
    assert held(store) == halves(*(page.id for page in pages[0 if archive else 2 :]))


def test_what_is_restored_is_found(store, new_database):
    talk(store, random.Random(4), 30)
    learn(store, fact("f1", text="likes trams"))
    with closing(SqlStore(new_database(), analyse=analyse_item)) as other:
        other.restore(ALICE, store.export(ALICE))
        assert held(other) == held(store)
        assert rows(other) == rows(store)


def test_equal_words_have_nothing_in_common_between_scopes_and_keys(store, new_database):
    add(store, "tram")
    add(store, "tram", scope=BOB)
    of_alice, of_bob = ({row[1] for row in rows(store, scope)[1]} for scope in (ALICE, BOB))
    assert len(of_alice) == 1
    assert not of_alice & of_bob
    with closing(SqlStore(new_database(), analyse=analyse_item)) as other:
        other._database.secret = b"key"
        add(other, "tram")
        assert not of_alice & {row[1] for row in rows(other)[1]}
        assert len(open_index(other, kind="database").candidates(ALICE, "tram", None, 9)) == 2


def test_what_another_wrote_without_analysis_is_found_nevertheless(store, postgres_url):
    add(store, "a tram")
    with closing(open_store(postgres_url)) as plain:
        add(plain, "a kettle")
        learn(plain, fact("f1", text="likes kettles"))
    found = open_index(store, kind="database").candidates(ALICE, "kettle", None, 99)
    assert sorted(found.parts) == ["assistant", "assistant", "fact", "user", "user"]
    assert len(held(store)) == 5


def test_a_memory_keeps_its_units_through_the_verbs_of_a_user(postgres_url):
    with MemoryOS(postgres_url, embedder=None) as memory:
        user = memory.user("alice")
        for number in range(30):
            user.add(f"I have tram number {number} and a boat.", "A fine one.")
        user.remember("likes kettles")
        user.consolidate()
        (known,) = [f for f in user.facts() if "kettles" in f.text]
        user.correct(known.id, "likes teapots")
        user.forget(pages=[user.pages()[3]])
        assert "teapots" in user.recall("teapots").text
        assert "kettles" not in user.recall("kettles").text
        store: Any = memory._engine.parts.store
        assert len(held(store)) >= 59


_STEP = st.tuples(st.integers(0, 7), st.integers(0, 9), st.sampled_from(["tram", "the boat", "京都 lens", "tram tram"]))


@given(steps=st.lists(_STEP, min_size=4, max_size=14))
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
def test_any_order_of_writes_leaves_what_is_made_afresh(store, steps):
    store.forget(Forgetting(ALICE, everything=True))
    for number, (kind, which, said) in enumerate(steps):
        _write(store, number, kind, which, said)
    units = held(store)
    pages = store.pages(PageQuery(ALICE))
    assert {owner for owner, part in units if part != "fact"} == {page.id for page in pages}
    assert {owner for owner, part in units if part == "fact"} == {f.id for f in store.facts(ALICE)}


def _write(store: SqlStore, number: int, kind: int, which: int, said: str) -> None:
    """One write; what it names may not be there."""
    here, session = ids(store), f"s{which % 2}"
    some = [here[which % len(here)]] if here else []
    facts = store.facts(ALICE)
    if kind in (0, 1):
        add(store, said, said * 2, session=session)
    elif kind == 2:
        more = NewPage((Message("user" if which % 3 else "assistant", said),), 1, open=False, extends_last=True)
        try:
            store.append(Append(ALICE, session, (more,), T0))
        except ConflictError:
            add(store, said, session=session)
    elif kind == 3:
        store.forget(Forgetting(ALICE, page_ids=tuple(some)))
    elif kind == 4:
        learn(store, fact(f"f{number}", *some, text=said))
    elif kind == 5 and facts:
        old = facts[which % len(facts)].id
        learn(store, fact(f"f{number}", text=said), changes=[supersede(old, f"f{number}")])
    elif kind == 6 and facts:
        store.forget(Forgetting(ALICE, fact_ids=(facts[which % len(facts)].id,)))
    elif kind == 7:
        short = store.pages(PageQuery(ALICE, tiers=("short_term",), session_id=session))[:2]
        if short:
            store.page_out(move_out(short, into=segment(f"g{number}"), chain=f"c{number}"))
            store.evict(Eviction(ALICE, (f"g{number}",), T0, archive=False))


def test_units_of_the_first_revision_are_made_anew(store, postgres_url):
    """Their numbers are those of halves of pages, and a question meanwhile finds what it always found."""
    add(store, "a tram", "a boat")
    before = rows(store)
    with store._database.writing(ALICE) as connection:
        connection.execute(text("UPDATE memoryos_postings SET unit = unit / 1024"))
        connection.execute(text("UPDATE memoryos_units SET unit = unit / 1024, place = place + 7"))
        connection.execute(text("DROP TABLE memoryos_chunks, memoryos_tombstones, memoryos_secret"))
        connection.execute(text("ALTER TABLE memoryos_grants DROP COLUMN until"))
        connection.execute(text("ALTER TABLE memoryos_pages DROP COLUMN written_at"))
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '0011'"))
    assert rows(store) != before
    with closing(SqlStore(postgres_url, analyse=analyse_item)) as again:
        found = open_index(again, kind="database").candidates(ALICE, "tram", None, 9)
        assert found.parts[0] == "user"
        assert rows(again) == before


def test_a_worker_analyses_and_embeds_the_scopes_of_the_first_revision(store, postgres_url):
    add(store, "a tram", "a boat")
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS(postgres_url, embedder="terms", config=config) as memory:
        memory.user(ALICE.user_id, assistant_id=ALICE.assistant_id).consolidate()
    before = rows(store)
    with store._database.writing(ALICE) as connection:
        connection.execute(text("UPDATE memoryos_scopes SET due = NULL"))
        connection.execute(text("UPDATE memoryos_postings SET unit = unit / 1024"))
        connection.execute(text("UPDATE memoryos_units SET unit = unit / 1024, place = place + 7"))
        connection.execute(text("DROP TABLE memoryos_chunks, memoryos_tombstones, memoryos_secret"))
        connection.execute(text("ALTER TABLE memoryos_grants DROP COLUMN until"))
        connection.execute(text("ALTER TABLE memoryos_pages DROP COLUMN written_at"))
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '0011'"))
    with MemoryOS(postgres_url, embedder="terms", config=config) as memory:
        assert (memory.backlog().scopes, memory.backlog().pages) == (1, 2)
        assert rows(store) != before
        memory.run_worker(once=True)
        assert (memory.backlog().scopes, memory.backlog().pages) == (0, 0)
    assert rows(store) == before


def test_large_is_what_has_many_passages_and_not_many_pages(store):
    """A burst of messages is one page; all of them would be ranked for each question."""
    burst = tuple(Message("user", f"tram number {number}") for number in range(30))
    store.append(Append(ALICE, "s", (NewPage(burst, 90, open=True),), T0))
    add(store, "a boat")
    store._whole_up_to = 20
    asked: list[str] = []
    event.listen(store._database._engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    assert open_index(store, kind="database").candidates(ALICE, "boat", None, 5).parts
    assert any("enable_sort" in statement for statement in asked)
    store._whole_up_to = 100
    asked.clear()
    open_index(store, kind="database").candidates(ALICE, "boat", None, 5)
    assert not any("enable_sort" in statement for statement in asked)
