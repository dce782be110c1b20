"""Contract cases: vectors, and the change feed that caches follow.

Contract cases: scopes never mix, and what is counted is what is there.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from memoryos_core.errors import EmbedderMismatchError
from memoryos_core.ports import Store
from memoryos_core.testing.store_samples import (
    ALICE,
    BOB,
    T0,
    Mirror,
    add,
    embed,
    everything,
    fact,
    field,
    follow,
    ids,
    learn,
    move_out,
    new_page,
    segment,
    stored_segment,
    texts,
    trait,
    vector,
)
from memoryos_core.values.commands import (
    Append,
    Cursor,
    EmbedderStamp,
    Eviction,
    FactChange,
    Forgetting,
    PageQuery,
    VectorRow,
    Visit,
)
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.reports import Stats


class FeedCases:
    """A cache that reads the feed knows what the store knows."""

    def test_vectors_are_float32_by_owner_and_part(self, store: Store) -> None:
        (a,) = add(store, "a")
        numbers = np.array([1e-38, -0.1, np.pi, 3e38], dtype=np.float64)
        store.save_vectors(ALICE, [VectorRow(a.id, "user", numbers.astype(np.float32))])
        found = store.vectors(ALICE, [a.id, "unknown"])
        assert list(found) == [a.id]
        assert found[a.id]["user"].dtype == np.float32
        assert np.array_equal(found[a.id]["user"], numbers.astype(np.float32))
        assert texts(store.pages(PageQuery(ALICE, embedded=True))) == ["a"]

    def test_saving_replaces_every_part_of_an_owner(self, store: Store) -> None:
        (a,) = add(store, "a")
        embed(store, a)
        store.save_vectors(ALICE, [VectorRow(a.id, "user", vector(5, 5, 5))])
        found = store.vectors(ALICE, [a.id])[a.id]
        assert {part: row.tolist() for part, row in found.items()} == {"user": [5, 5, 5]}

    def test_vectors_of_vanished_owners_are_ignored(self, store: Store) -> None:
        (a,) = add(store, "a")
        rows = [
            VectorRow(a.id, "user", vector(1)),
            VectorRow("gone", "user", vector(1)),
            VectorRow("f", "fact", vector(1)),
        ]
        store.save_vectors(ALICE, rows)
        store.save_vectors(BOB, rows)
        assert set(store.vectors(ALICE, [a.id, "gone", "f"])) == {a.id}
        assert store.vectors(BOB, [a.id]) == {}

    def test_nothing_to_feed_before_the_first_page(self, store: Store) -> None:
        feed = store.feed(ALICE, Cursor())
        assert (feed.pages, feed.facts, feed.retired_fact_ids, feed.more) == ((), (), (), False)
        assert store.cursor(ALICE) == feed.cursor == Cursor()

    def test_a_bulk_append_comes_in_bounded_chunks_and_whole(self, store: Store) -> None:
        add(store, *map(str, range(100)))
        after, seen = Cursor(), list[str]()
        while True:
            feed = store.feed(ALICE, after, limit=7)
            assert len(feed.pages) <= 7
            seen += texts(feed.pages)
            after = feed.cursor
            if not feed.more:
                break
        assert seen == [str(i) for i in range(100)]
        assert after == store.cursor(ALICE)
        assert store.feed(ALICE, after).pages == ()

    def test_every_cursor_is_a_place_to_go_on_from(self, store: Store) -> None:
        pages = add(store, *map(str, range(12)))
        store.page_out(move_out(pages[:6]))
        embed(store, *pages[3:9])
        learn(store, fact("f1"), fact("f2", pages[0].id))
        for limit in (1, 2, 5, 50):
            after, seen, facts = Cursor(), list[str](), list[str]()
            while (feed := store.feed(ALICE, after, limit=limit)).more or feed.pages or feed.facts:
                seen += [p.id for p in feed.pages]
                facts += [f.id for f in feed.facts]
                after = feed.cursor
            assert sorted(seen) == sorted(p.id for p in pages)
            assert facts == ["f1", "f2"]

    def test_what_changes_is_fed_again(self, store: Store) -> None:
        a, b, c = add(store, "a", "b", "c")
        after = store.feed(ALICE, Cursor()).cursor

        def read_changes() -> list[str]:
            nonlocal after
            feed = store.feed(ALICE, after)
            after = feed.cursor
            return sorted(texts(feed.pages))

        embed(store, b)
        assert read_changes() == ["b"]
        store.page_out(move_out([a, b]))
        assert read_changes() == ["a", "b"]
        store.append(Append(ALICE, "s", (new_page("more", extends_last=True),), T0))
        assert read_changes() == ["c"]
        store.evict(Eviction(ALICE, ("g1",), T0))
        assert read_changes() == ["a", "b"]
        assert read_changes() == []
        assert c.id in ids(store)

    def test_vectors_come_with_their_owners(self, store: Store) -> None:
        a, _ = add(store, "a", "b")
        embed(store, a, of=vector(3, 4))
        learn(store, fact("f1"), vectors=[VectorRow("f1", "fact", vector(7))])
        feed = store.feed(ALICE, Cursor())
        assert {owner: sorted(parts) for owner, parts in feed.vectors.items()} == {
            a.id: ["assistant", "user"],
            "f1": ["fact"],
        }
        assert feed.vectors[a.id]["user"].tolist() == [3, 4]

    def test_facts_that_are_current_no_more_are_named(self, store: Store) -> None:
        (a,) = add(store, "a")
        learn(store, fact("f1", a.id), fact("f2"), fact("f3"))
        first = store.feed(ALICE, Cursor())
        assert [f.page_ids for f in first.facts] == [(a.id,), (), ()]
        changes = [FactChange("f1", status="superseded", superseded_by="f4"), FactChange("f2", status="evicted")]
        learn(store, fact("f4"), changes=changes)
        second = store.feed(ALICE, first.cursor)
        assert [f.id for f in second.facts] == ["f4"]
        assert sorted(second.retired_fact_ids) == ["f1", "f2"]

    def test_a_deletion_starts_another_epoch(self, store: Store) -> None:
        pages = add(store, *map(str, range(10)))
        mirror: Mirror = {}
        after = follow(store, mirror, Cursor())
        store.forget(Forgetting(ALICE, (pages[3].id,)))
        assert store.cursor(ALICE).epoch != after.epoch
        assert len(store.feed(ALICE, after, limit=100).pages) == 9
        after = follow(store, mirror, after)
        assert mirror == {p.id: p for p in store.pages(PageQuery(ALICE))}
        assert after == store.cursor(ALICE)

    def test_a_scope_that_begins_again_is_not_taken_for_the_old_one(self, store: Store) -> None:
        add(store, "a", "b")
        mirror: Mirror = {}
        after = follow(store, mirror, Cursor())
        store.forget(Forgetting(ALICE, everything=True))
        add(store, "c", "d")
        assert store.cursor(ALICE).epoch != after.epoch
        follow(store, mirror, after)
        assert texts(tuple(mirror.values())) == ["c", "d"]

    def test_vectors_of_another_embedder_than_the_stores_are_refused(self, store: Store) -> None:
        (a,) = add(store, "a")
        store.save_vectors(ALICE, [VectorRow(a.id, "user", vector(1, 0), embedder="early")])
        store.stamp_embedder(EmbedderStamp("first", 2))
        with pytest.raises(EmbedderMismatchError):
            store.save_vectors(ALICE, [VectorRow(a.id, "user", vector(1, 0), embedder="second")])
        assert store.vectors(ALICE, [a.id]) == {}
        store.save_vectors(ALICE, [VectorRow(a.id, "user", vector(1, 0), embedder="first")])
        assert set(store.vectors(ALICE, [a.id])) == {a.id}

    def test_another_embedder_drops_all_vectors_and_keeps_all_pages(self, store: Store) -> None:
        (a,) = add(store, "a")
        (b,) = add(store, "b", scope=BOB)
        assert store.embedder() is None
        store.stamp_embedder(EmbedderStamp("first", 2))
        store.page_out(move_out([a]))
        embed(store, a)
        embed(store, b, scope=BOB)
        learn(store, fact("f1"), vectors=[VectorRow("f1", "fact", vector(1, 1))])
        after = store.cursor(ALICE)
        store.stamp_embedder(EmbedderStamp("first", 2))
        assert set(store.vectors(ALICE, [a.id, "f1"])) == {a.id, "f1"}
        read = stored_segment(store)
        store.stamp_embedder(EmbedderStamp("second", 3))
        assert store.embedder() == EmbedderStamp("second", 3)
        assert store.vectors(ALICE, [a.id, "f1"]) == store.vectors(BOB, [b.id]) == {}
        assert texts(store.pages(PageQuery(ALICE, embedded=False))) == ["a"]
        assert stored_segment(store).centroid.size == 0
        assert stored_segment(store).rev > read.rev
        assert store.cursor(ALICE).epoch != after.epoch
        store.stamp_embedder(None)
        assert store.embedder() is None


AWKWARD = (
    *("u1", "u10", "u1 ", "U1", "", " ", "..", "../u1", "u1/../u1", "/etc/passwd", "u%", "u_", "%", "_", "*"),
    *("'", '"', "' OR '1'='1", "u1'; --", "null", "None", "\x00", "u1\x00", "\ud83d", "é", "e\u0301", "u" * 10_000),
)


class PartitionCases:
    """One user's memory is no part of another's."""

    def test_awkward_names_are_just_names(self, store: Store) -> None:
        scopes = [Scope(user) for user in AWKWARD] + [Scope("u1", other) for other in AWKWARD]
        for i, scope in enumerate(scopes):
            add(store, f"page {i}", scope=scope, session=scope.assistant_id)
        for i, scope in enumerate(scopes):
            assert texts(store.pages(PageQuery(scope))) == [f"page {i}"]
        assert set(store.scopes()) == set(scopes)
        store.forget(Forgetting(Scope("u%"), everything=True))
        store.forget(Forgetting(Scope("u_"), everything=True))
        assert set(store.scopes()) == set(scopes) - {Scope("u%"), Scope("u_")}

    def test_awkward_session_names_are_just_names(self, store: Store) -> None:
        for i, session in enumerate(AWKWARD):
            add(store, f"page {i}", session=session)
        for i, session in enumerate(AWKWARD):
            assert texts(store.pages(PageQuery(ALICE, session_id=session))) == [f"page {i}"]
        assert [p.session_id for p in store.pending(ALICE)] == list(AWKWARD)
        store.forget(Forgetting(ALICE, session_id="%"))
        assert len(ids(store)) == len(AWKWARD) - 1

    def test_the_same_ids_in_two_scopes_are_two_things(self, store: Store) -> None:
        for scope in (ALICE, BOB):
            pages = add(store, f"{scope.user_id}'s", scope=scope)
            home = segment("g1", summary=scope.user_id)
            store.page_out(move_out(pages, into=home, scope=scope))
            learn(store, fact("f1", text=scope.user_id), profile=[field("name", scope.user_id)], scope=scope)
        assert [stored_segment(store, scope=scope).summary for scope in (ALICE, BOB)] == ["alice", "bob"]
        store.visit(Visit(ALICE, ("g1",), T0, ("f1",)))
        store.evict(Eviction(ALICE, ("g1",), T0, archive=False))
        store.forget(Forgetting(ALICE, fact_ids=("f1",)))
        assert stored_segment(store, scope=BOB).n_visit == 0
        assert texts(store.pages(PageQuery(BOB))) == ["bob's"]
        assert store.facts(BOB) == (fact("f1", text="bob"),)

    def test_nothing_of_one_scope_is_found_through_another(self, store: Store) -> None:
        (a,) = add(store, "alice's secret")
        store.page_out(move_out([a]))
        embed(store, a, of=vector(1, 0))
        learn(store, fact("f1", a.id), traits=[trait("Openness", a.id)])
        add(store, "bob's")
        before = everything(store), store.cursor(ALICE)
        assert store.pages(PageQuery(BOB, ids=(a.id,))) == store.pages(PageQuery(BOB, segment_id="g1")) == ()
        assert store.segments(BOB, ids=["g1"]) == ()
        assert store.chains(BOB, ["c1"]) == ()
        assert store.facts(BOB, ids=["f1"]) == ()
        assert store.vectors(BOB, [a.id]) == {}
        assert store.feed(BOB, Cursor()).pages == ()
        embed(store, a, scope=BOB, of=vector(9, 9))
        store.forget(Forgetting(BOB, (a.id,), ("f1",), "s"))
        learn(store, fact("f2", a.id), scope=BOB)
        assert store.facts(BOB) == ()
        assert (everything(store), store.cursor(ALICE)) == before
        assert store.vectors(ALICE, [a.id])[a.id]["user"].tolist() == [1, 0]

    def test_pending_scopes_are_those_with_work(self, store: Store) -> None:
        names = ("short", "unembedded", "marked", "archived", "done")
        scopes = {name: Scope(name) for name in names}
        for name, scope in scopes.items():
            pages = add(store, "a", scope=scope)
            if name != "short":
                store.page_out(move_out(pages, scope=scope, reread=name in ("marked", "archived")))
            if name != "unembedded":
                embed(store, *pages, scope=scope)
        store.evict(Eviction(scopes["archived"], ("g1",), T0))
        assert set(store.scopes()) == set(scopes.values())
        assert store.scopes(pending_only=True) == tuple(
            sorted((scopes[name] for name in ("short", "unembedded", "marked")), key=lambda scope: scope.user_id)
        )

    def test_stats_count_what_is_there(self, store: Store) -> None:
        assert store.stats() == store.stats(ALICE) == Stats()
        a, b, c, d = add(store, "a", "b", "c", "d")
        store.append(Append(ALICE, "t", (new_page("e"),), T0))
        store.page_out(move_out([a], reread=True))
        store.page_out(move_out([b, c], into=segment("g2"), chain="c2", reread=True))
        store.evict(Eviction(ALICE, ("g1",), T0))
        for _ in range(2):
            learn(store, traits=[trait("Openness", d.id)], profile=[field("name", "Al"), field("home", "Porto")])
        learn(store, fact("f1", a.id), fact("f2"))
        add(store, "x", scope=BOB)
        add(store, "y", scope=Scope("alice", "another assistant"))
        expected = Stats(
            users=1,
            sessions=2,
            pages_short_term=2,
            pages_mid_term=2,
            pages_archived=1,
            pages_to_reread=2,
            segments=1,
            segments_archived=1,
            facts_user=2,
            traits=1,
            profile_fields=2,
        )
        assert store.stats(ALICE) == expected
        whole = store.stats()
        assert (whole.users, whole.sessions, whole.pages, whole.facts_user) == (2, 4, 7, 2)

    def test_scopes_come_in_order(self, store: Store) -> None:
        for user, assistant in itertools.product(("b", "a"), ("z", "y")):
            add(store, "hi", scope=Scope(user, assistant))
        assert store.scopes() == tuple(Scope(u, a) for u, a in (("a", "y"), ("a", "z"), ("b", "y"), ("b", "z")))
