from __future__ import annotations

import logging
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core.recall.index.lexical import BM25Index
from memoryos_core.recall.index.resident import ResidentIndex
from memoryos_core.recall.index.vectors import FlatIndex
from memoryos_core.values.commands import Cursor, Feed
from memoryos_core.values.dialogue import Message, Scope
from memoryos_core.values.queries import Candidates
from tests.indexes.feeding import START, FeedingStore, fact, page, unit_vector

ALICE, BOB = Scope("alice"), Scope("bob")
EAST, NORTH, WEST = unit_vector(1, 0), unit_vector(0, 1), unit_vector(-1, 0)


def resident(store: FeedingStore, capacity_units: int = 200_000) -> ResidentIndex:
    return ResidentIndex(
        store,  # type: ignore[arg-type]  # the two verbs that an index follows
        vector_index=FlatIndex,
        lexical_index=BM25Index,
        capacity_units=capacity_units,
    )


def by_unit(found: Candidates) -> dict[tuple[str, str], tuple[object, ...]]:
    """Everything said of each unit, rounded so that two loading orders compare equal."""
    moments = (np.full(len(found), found.dense_mean), np.full(len(found), found.dense_spread))
    numbers = (found.lexical, found.dense, found.coverage, *moments)
    columns = [np.where(np.isnan(n), 99, np.round(n.astype(float), 4)).tolist() for n in numbers]
    names = (found.sessions, found.segments, found.speakers, found.seqs.tolist(), found.times.tolist())
    assert all(len(column) == len(found) for column in (found.parts, *names, *columns))
    rows = list(zip(*names, *columns, strict=True))
    units = dict(zip(zip(found.owners, found.parts, strict=True), rows, strict=True))
    assert len(units) == len(found)
    return units


def owners(found: Candidates) -> set[str]:
    return set(found.owners)


def test_a_unit_is_half_a_page() -> None:
    store = FeedingStore()
    store.put(ALICE, page(0, "I moved to Lisbon", "How do you like it?"), {"user": EAST, "assistant": NORTH})
    store.put(ALICE, page(1, "The tram is lovely", segment_id="g"), {"user": NORTH})
    store.put(ALICE, page(2, "Bye", session_id="t"))
    found = resident(store).candidates(ALICE, "lovely tram", None, 1)
    assert list(zip(found.owners, found.parts, strict=True)) == [("p1", "user")]
    assert (found.sessions, found.segments, found.speakers) == (("s",), ("g",), (None,))
    assert (found.seqs.tolist(), found.times.tolist()) == ([1], [START.timestamp() + 1800])
    assert found.coverage.tolist() == [pytest.approx(1)]
    assert np.isnan(found.dense).all()
    assert (found.dense_mean, found.dense_spread) == (0.0, 0.0)

    found = resident(store).candidates(ALICE, "", EAST, 1)
    assert list(zip(found.owners, found.parts, strict=True)) == [("p0", "user")]
    np.testing.assert_allclose(found.dense, [1], atol=1e-6)


def test_what_is_said_round_a_unit_finds_it_but_covers_nothing() -> None:
    store = FeedingStore()
    store.put(ALICE, page(0, "I moved to Lisbon", "How do you like it?"))
    store.put(ALICE, page(1, "The tram is lovely", segment_id="g"))
    found = resident(store).candidates(ALICE, "lovely tram", None, 5)
    assert list(zip(found.owners, found.parts, strict=True)) == [("p0", "user"), ("p0", "assistant"), ("p1", "user")]
    assert 0 < found.lexical[0] < found.lexical[1] < found.lexical[2]
    assert found.coverage.tolist() == [0, 0, pytest.approx(1)]


def test_speakers_are_the_names_of_those_who_speak() -> None:
    store = FeedingStore()
    messages = (
        Message("user", "hello red", name="Ana"),
        Message("tool", "noise", name="t"),
        Message("assistant", "red"),
    )
    store.put(ALICE, page(0, "", messages=messages))
    found = resident(store).candidates(ALICE, "red noise", None, 5)
    assert found.speakers == ("Ana", None)
    assert found.coverage.max() < 1


def test_the_names_of_a_scope_are_of_those_who_still_say_something_in_it() -> None:
    store = FeedingStore()
    store.put(
        ALICE, page(0, "", messages=(Message("user", "red", name="Ana"), Message("assistant", "blue", name="Bo")))
    )
    store.put(BOB, page(0, "", messages=(Message("user", "red", name="Cy"), Message("tool", "noise", name="t"))))
    index = resident(store)
    assert sorted(index.speakers(ALICE)) == ["Ana", "Bo"]
    store.put(ALICE, page(0, "", messages=(Message("user", "red", name="Dee"), Message("assistant", "", name="Bo"))))
    assert sorted(index.speakers(ALICE)) == ["Dee"]
    assert sorted(index.speakers(BOB)) == ["Cy"]


def test_facts_stand_alone_at_the_time_of_their_event() -> None:
    store = FeedingStore()
    store.put(ALICE, page(0, "red car"))
    store.put(ALICE, fact(0, "Ana has a red car"), {"fact": EAST})
    store.put(ALICE, fact(1, "a red boat", event_time=START))
    index = resident(store)
    found = by_unit(index.candidates(ALICE, "red", EAST, 9))
    assert set(found) == {("p0", "user"), ("f0", "fact"), ("f1", "fact")}
    assert found["f1", "fact"][:5] == ("", None, None, -1, START.timestamp())
    assert found["f0", "fact"][6] == 1
    store.retire(ALICE, "f0")
    assert owners(index.candidates(ALICE, "red", EAST, 9)) == {"p0", "f1"}


def test_nothing_asked_nothing_found() -> None:
    store = FeedingStore()
    store.put(ALICE, page(0, "red"), {"user": EAST})
    index = resident(store)
    assert len(index.candidates(ALICE, "", None, 9)) == 0
    assert len(index.candidates(ALICE, "red", EAST, 0)) == 0
    assert len(index.candidates(BOB, "red", EAST, 9)) == 0


def test_an_extended_page_is_found_by_its_new_words_and_no_longer_by_lost_vectors() -> None:
    store = FeedingStore()
    store.put(ALICE, page(0, "red", open=True), {"user": EAST})
    index = resident(store)
    index.candidates(ALICE, "red", EAST, 9)
    store.put(ALICE, page(0, "red", "green"))
    assert by_unit(index.candidates(ALICE, "green", EAST, 9)) == by_unit(
        resident(store).candidates(ALICE, "green", EAST, 9)
    )
    assert len(index) == 2
    assert len(index.candidates(ALICE, "", EAST, 9)) == 0
    store.save_vectors(ALICE, "p0", {"user": NORTH, "assistant": EAST})
    found = index.candidates(ALICE, "", EAST, 2)
    np.testing.assert_allclose(found.dense, [0, 1], atol=1e-6)


def test_a_half_that_falls_silent_leaves_its_neighbours_joined_and_its_slot_to_the_next() -> None:
    store = FeedingStore()
    for number in range(3):
        store.put(ALICE, page(number, f"user{number}", f"agent{number}"), {"user": EAST, "assistant": NORTH})
    index = resident(store)
    index.candidates(ALICE, "user0", EAST, 9)
    store.put(ALICE, page(1, "", "agent1"), {"assistant": NORTH})
    store.put(ALICE, page(2, "user2", ""), {"user": EAST})
    query = "user1 agent2 agent0 agent1"
    found = by_unit(index.candidates(ALICE, query, WEST, 9))
    assert found == by_unit(resident(store).candidates(ALICE, query, WEST, 9))
    assert ("p1", "user") not in found
    store.put(ALICE, fact(0, "user1"))
    store.put(ALICE, page(3, "user3"), {"user": WEST})
    found = by_unit(index.candidates(ALICE, query, WEST, 9))
    assert found == by_unit(resident(store).candidates(ALICE, query, WEST, 9))
    assert found["f0", "fact"][6] == 99
    assert len(index) == 6


def test_a_page_that_only_moved_is_not_read_word_by_word_again() -> None:
    added: list[str] = []

    class Counting(BM25Index):
        def add_all(self, texts: Mapping[int, str]) -> None:
            added.extend(texts.values())
            super().add_all(texts)

    store = FeedingStore()
    index = ResidentIndex(store, vector_index=FlatIndex, lexical_index=Counting)  # type: ignore[arg-type]
    store.put(ALICE, page(0, "red", "blue"))
    index.candidates(ALICE, "red", None, 9)
    store.put(ALICE, page(0, "red", "green", segment_id="g", tier="archive"))
    found = index.candidates(ALICE, "red", EAST, 9)
    assert added == ["red", "blue", "green"]
    assert found.segments == ("g", "g")
    assert np.isnan(found.dense).all()


def test_a_store_embedded_anew_in_another_dimension_is_followed(caplog: pytest.LogCaptureFixture) -> None:
    store = FeedingStore()
    for number in range(3):
        store.put(ALICE, page(number, "saxophone", session_id=f"s{number}"), {"user": EAST})
    index = resident(store)
    assert len(index.candidates(ALICE, "", EAST, 9)) == 3
    store.save_vectors(ALICE, "p1", {"user": unit_vector(0, 0, 1)})
    assert owners(index.candidates(ALICE, "", unit_vector(0, 0, 1), 9)) == {"p1"}
    # Whoever still asks with the old embedder gets words alone, and a line in the log without what was said.
    with caplog.at_level(logging.WARNING):
        found = index.candidates(ALICE, "saxophone", EAST, 9)
    assert len(found) == 3
    assert np.isnan(found.dense).all()
    assert "2 numbers" in caplog.text
    assert "saxophone" not in caplog.text


def test_deletion_starts_the_scope_again() -> None:
    store = FeedingStore(chunk=2)
    for number in range(7):
        store.put(ALICE, page(number, f"red word{number}"), {"user": EAST})
    index = resident(store)
    index.candidates(ALICE, "red", None, 9)
    store.delete(ALICE, "p3")
    found = index.candidates(ALICE, "red word3", EAST, 9)
    assert "p3" not in owners(found)
    assert by_unit(found) == by_unit(resident(store).candidates(ALICE, "red word3", EAST, 9))
    assert len(index) == 6


def test_deletion_between_two_chunks_starts_the_scope_again() -> None:
    class Deleting(FeedingStore):
        def feed(self, scope: Scope, after: Cursor, *, limit: int = 500) -> Feed:
            if self.reads.get(scope) == 2:
                self.delete(scope, "p0")
            return super().feed(scope, after, limit=limit)

    store = Deleting(chunk=2)
    for number in range(7):
        store.put(ALICE, page(number, f"red{number}"))
    found = resident(store).candidates(ALICE, " ".join(f"red{n}" for n in range(7)), None, 9)
    assert owners(found) == {f"p{n}" for n in range(1, 7)}


def test_only_what_changed_is_read() -> None:
    store = FeedingStore(chunk=100)
    for number in range(250):
        store.put(ALICE, page(number, "red"))
    index = resident(store)
    for _ in range(3):
        index.candidates(ALICE, "red", None, 9)
    assert store.reads[ALICE] == 3
    store.put(ALICE, page(250, "green"))
    assert "p250" in owners(index.candidates(ALICE, "green", None, 9))
    assert store.reads[ALICE] == 4


def test_an_interrupt_while_following_loses_nothing() -> None:
    armed = [True]

    class Interrupted(BM25Index):
        def add_all(self, texts: Mapping[int, str]) -> None:
            if "green" in texts.values() and armed.pop():
                raise KeyboardInterrupt
            super().add_all(texts)

    store = FeedingStore()
    index = ResidentIndex(store, vector_index=FlatIndex, lexical_index=Interrupted)  # type: ignore[arg-type]
    store.put(ALICE, page(0, "red", "green"), {"user": EAST})
    with pytest.raises(KeyboardInterrupt):
        index.candidates(ALICE, "red green", EAST, 9)
    armed.append(False)
    assert by_unit(index.candidates(ALICE, "red green", EAST, 9)) == by_unit(
        resident(store).candidates(ALICE, "red green", EAST, 9)
    )


def test_what_one_user_stores_changes_no_score_of_another() -> None:
    store = FeedingStore()
    store.put(ALICE, page(0, "red car", "blue boat"), {"user": EAST, "assistant": NORTH})
    index = resident(store)
    before = by_unit(index.candidates(ALICE, "red boat", EAST, 9))
    for number in range(50):
        store.put(BOB, page(number, "red red boat", "car"), {"user": EAST, "assistant": EAST})
    index.candidates(BOB, "red boat", EAST, 9)
    assert by_unit(index.candidates(ALICE, "red boat", EAST, 9)) == before


def test_least_recently_used_scopes_leave_and_the_one_in_use_stays() -> None:
    store, scopes = FeedingStore(), [Scope(f"user{n}") for n in range(6)]
    for scope in scopes:
        for number in range(10):
            store.put(scope, page(number, "red"))
    index = resident(store, capacity_units=30)
    for scope in scopes[:3]:
        index.candidates(scope, "red", None, 9)
    index.candidates(scopes[0], "red", None, 9)
    index.candidates(scopes[3], "red", None, 9)
    assert list(index.scopes) == [scopes[2], scopes[0], scopes[3]]
    assert len(index) == 30
    for number in range(10, 60):
        store.put(scopes[4], page(number, "red"))
    assert len(index.candidates(scopes[4], "red", None, 9)) >= 9
    assert list(index.scopes) == [scopes[4]]
    assert len(index) == 60
    index.candidates(scopes[1], "red", None, 9)
    assert list(index.scopes) == [scopes[1]]
    index.forget(scopes[1])
    index.forget(scopes[5])
    assert len(index) == len(index.scopes) == 0
    assert len(index.candidates(scopes[1], "red", None, 9)) >= 9


words = st.lists(st.sampled_from(("red", "green", "blue", "car", "boat")), max_size=3).map(" ".join)
vectors = st.none() | st.sampled_from((EAST, NORTH, WEST))
steps = st.lists(
    st.one_of(
        st.tuples(st.just("page"), st.integers(0, 4), words, words, vectors),
        st.tuples(st.just("ask")),
        st.tuples(st.just("page"), st.integers(0, 4), words, words, vectors),
        st.tuples(st.just("vectors"), st.integers(0, 4), vectors, vectors),
        st.tuples(st.just("fact"), st.integers(0, 2), words, vectors),
        st.tuples(st.just("retire"), st.integers(0, 2)),
        st.tuples(st.just("delete"), st.integers(0, 4)),
    ),
    min_size=4,
    max_size=30,
)


def _halves(user: object, assistant: object) -> dict:
    return {half: v for half, v in (("user", user), ("assistant", assistant)) if v is not None}


def _take(store: FeedingStore, known: set[str], step: tuple) -> None:
    match step:
        case ("page", number, user, assistant, vector):
            session = f"s{number % 2}"
            store.put(ALICE, page(number, user, assistant, session_id=session), _halves(vector, None))
            known.add(f"p{number}")
        case ("vectors", number, user, assistant) if f"p{number}" in known:
            store.save_vectors(ALICE, f"p{number}", _halves(user, assistant))
        case ("fact", number, text, vector):
            store.put(ALICE, fact(number, text or "a"), {} if vector is None else {"fact": vector})
            known.add(f"f{number}")
        case ("retire", number) if f"f{number}" in known:
            store.retire(ALICE, f"f{number}")
        case ("delete", number) if f"p{number}" in known:
            store.delete(ALICE, f"p{number}")
            known.discard(f"p{number}")


@given(steps=steps, query=words, chunk=st.integers(1, 5))
def test_after_any_interleaving_it_answers_as_if_loaded_afresh(steps: list[tuple], query: str, chunk: int) -> None:
    store, known = FeedingStore(chunk), set[str]()
    index = resident(store)
    for step in steps:
        if step[0] == "ask":
            index.candidates(ALICE, "red", EAST, 3)
        _take(store, known, step)
    fresh = resident(store)
    assert by_unit(index.candidates(ALICE, query, NORTH, 99)) == by_unit(fresh.candidates(ALICE, query, NORTH, 99))
    assert len(index) == len(fresh)


def test_one_scope_does_not_wait_for_another_to_load() -> None:
    loading, loaded = threading.Event(), threading.Event()

    class Slow(FeedingStore):
        def feed(self, scope: Scope, after: Cursor, *, limit: int = 500) -> Feed:
            if scope == ALICE:
                loading.set()
                assert loaded.wait(30)
            return super().feed(scope, after, limit=limit)

    store = Slow()
    for scope in (ALICE, BOB):
        store.put(scope, page(0, "red"))
    index = resident(store)
    with ThreadPoolExecutor(2) as pool:
        alice = pool.submit(index.candidates, ALICE, "red", None, 9)
        assert loading.wait(30)
        try:
            assert owners(pool.submit(index.candidates, BOB, "red", None, 9).result(timeout=20)) == {"p0"}
        finally:
            loaded.set()
        assert owners(alice.result()) == {"p0"}


def test_eight_threads_write_and_ask_over_more_scopes_than_fit() -> None:
    store, scopes = FeedingStore(chunk=7), [Scope(f"user{n}") for n in range(4)]
    index = resident(store, capacity_units=60)

    def work(lane: int) -> None:
        scope = scopes[lane % 4]
        for number in range(lane, 40, 2 if lane < 4 else 3):
            store.put(scope, page(number, f"red word{number}", "blue"), {"user": EAST, "assistant": NORTH})
            found = index.candidates(scope, f"word{number}", EAST, 9)
            assert f"p{number}" in owners(found)
            if number % 7 == 0:
                index.forget(scope)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    for scope in scopes:
        one, other = index.candidates(scope, "red", NORTH, 99), resident(store).candidates(scope, "red", NORTH, 99)
        assert by_unit(one) == by_unit(other)
    assert len(index) == sum(len(resident_.units) for resident_ in index._residents.values())


def test_opening_loads_no_database_and_comparing_vectors_no_library_but_numpy() -> None:
    code = (
        "import sys, numpy as np; numpy_loads = set(sys.modules); "  # its oldest release loads numpy.ma by itself
        "import memoryos_core.recall.index as i; i.open_index(None); "
        "from memoryos_core.recall.index.vectors import FlatIndex; index = FlatIndex(4); "
        "index.add(np.arange(3), np.eye(3, 4, dtype=np.float32)); index.scores(np.ones(4, np.float32)); "
        "print([m for m in ('faiss', 'numpy.ma', 'sqlalchemy') if m in set(sys.modules) - numpy_loads])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_words_are_added_once_for_each_answer_of_the_feed(monkeypatch: pytest.MonkeyPatch) -> None:
    store, added = FeedingStore(), list[int]()
    for number in range(1_200):
        store.put(ALICE, page(number, f"Word{number}", "Yes"))
    add_all = BM25Index.add_all

    def count(index: BM25Index, texts: Mapping[int, str]) -> None:
        added.append(len(texts))
        add_all(index, texts)

    monkeypatch.setattr(BM25Index, "add_all", count)
    assert owners(resident(store).candidates(ALICE, "word7", None, 1)) == {"p7"}
    assert sum(added) == 2_400
    assert len(added) == 3


def test_a_page_that_lost_a_passage_is_not_found_by_it_and_its_place_is_used_again() -> None:
    store = FeedingStore()
    index = resident(store)
    store.put(ALICE, page(0, "The tram is yellow", "A canary"), {"user": EAST, "assistant": NORTH})
    assert owners(index.candidates(ALICE, "canary", None, 1)) == {"p0"}
    store.put(ALICE, page(0, "The tram is yellow"), {"user": EAST})
    store.put(ALICE, page(1, "The ferry is white"))
    found = index.candidates(ALICE, "canary ferry", EAST, 9)
    assert {(o, p) for o, p in zip(found.owners, found.parts, strict=True)} == {("p0", "user"), ("p1", "user")}
    assert np.isnan(found.dense[found.owners.index("p1")])
