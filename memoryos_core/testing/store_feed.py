"""Contract cases: vectors, and the change feed that caches follow."""

from __future__ import annotations

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
    fact,
    follow,
    ids,
    learn,
    move_out,
    new_page,
    stored_segment,
    texts,
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
)


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
