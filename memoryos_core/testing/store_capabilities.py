"""Contract cases of two capabilities: leases, and the chunks of the kept index.

Who holds a scope, what is due, and that whoever lost a lease writes nothing; chunks are written where they fit, and go
with whatever is erased (ADR 0032).
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from memoryos_core.errors import ConflictError
from memoryos_core.ports.capabilities import FullStore, IndexStore, capability
from memoryos_core.testing.store_samples import (
    ALICE,
    BOB,
    T0,
    add,
    embed,
    fact,
    learn,
    move_out,
    stored_segment,
    vector,
)
from memoryos_core.values.commands import (
    Cursor,
    EmbedderStamp,
    Eviction,
    Forgetting,
    Learning,
    PageQuery,
    Promotion,
    Redescription,
    VectorRow,
    Visit,
)
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.queries import IndexChunk, IndexOwners, VectorBlock

LONG = 600.0
SHORT = 0.05
_PATIENCE_SECONDS = 60.0


def until(condition: Callable[[], object]) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def settle(store: FullStore, *scopes: Scope) -> None:
    """Release a scope as a worker does when no work is left."""
    for scope in scopes:
        assert store.lease(scope, "settler", LONG)
        store.release(scope, "settler")


class LeaseCases:
    """`claim`, `lease`, `renew`, `release`, `holder`."""

    def test_nothing_is_due_in_an_empty_store(self, store: FullStore) -> None:
        assert store.claim("w", LONG, limit=10) == ()
        assert not store.lease(ALICE, "w", LONG)
        assert store.holder(ALICE) is None
        store.release(ALICE, "w")
        assert store.scopes() == ()

    def test_who_waits_claims_what_is_due_and_is_not_kept_without(self, store: FullStore) -> None:
        assert store.claim("w", LONG, wait=True) == ()
        add(store, "a", scope=BOB)
        add(store, "b", scope=ALICE)
        assert store.claim("w", LONG, wait=True) == (BOB,)
        assert store.claim("v", LONG, limit=10, wait=True) == (ALICE,)
        assert store.claim("v", LONG, wait=True) == ()  # a held scope is not due, even after waiting

    def test_what_waits_longest_is_claimed_first_and_once(self, store: FullStore) -> None:
        add(store, "a", scope=BOB)
        add(store, "b", scope=ALICE)
        add(store, "c", scope=BOB)
        assert store.claim("w", LONG) == (BOB,)
        assert store.claim("v", LONG, limit=10) == (ALICE,)
        assert store.claim("w", LONG, limit=10) == ()
        assert (store.holder(BOB), store.holder(ALICE)) == ("w", "v")

    def test_a_scope_that_was_let_go_is_due_when_something_is_written(self, store: FullStore) -> None:
        add(store, "a")
        settle(store, ALICE)
        assert store.claim("w", LONG) == ()
        add(store, "b")
        assert store.claim("w", LONG) == (ALICE,)

    def test_what_is_written_under_a_lease_stays_due(self, store: FullStore) -> None:
        add(store, "a")
        assert store.claim("w", LONG) == (ALICE,)
        add(store, "b")
        assert store.renew(ALICE, "w", LONG)
        assert store.lease(ALICE, "w", LONG)
        store.release(ALICE, "w", again_after=LONG)
        assert store.claim("v", LONG) == (ALICE,)

    def test_what_is_written_after_a_lease_ran_out_stays_due(self, store: FullStore) -> None:
        add(store, "a")
        assert store.lease(ALICE, "w", SHORT)
        until(lambda: store.holder(ALICE) is None)
        add(store, "b")
        store.release(ALICE, "w")
        assert store.claim("v", LONG) == (ALICE,)

    def test_a_lease_that_runs_out_leaves_its_scope_due(self, store: FullStore) -> None:
        add(store, "a")
        settle(store, ALICE)
        assert store.lease(ALICE, "w", SHORT)
        until(lambda: store.claim("v", LONG) == (ALICE,))
        assert store.holder(ALICE) == "v"
        assert not store.renew(ALICE, "w", LONG)
        store.release(ALICE, "w")
        assert store.holder(ALICE) == "v"

    def test_a_lease_is_one_holders_until_he_lets_go(self, store: FullStore) -> None:
        add(store, "a")
        assert store.lease(ALICE, "w", LONG)
        assert store.lease(ALICE, "w", LONG)
        assert not store.lease(ALICE, "v", LONG)
        assert not store.renew(ALICE, "v", LONG)
        store.release(ALICE, "v")
        assert store.holder(ALICE) == "w"
        store.release(ALICE, "w")
        assert store.holder(ALICE) is None
        assert not store.renew(ALICE, "w", LONG)
        assert store.lease(ALICE, "v", LONG)

    def test_a_lease_that_is_renewed_does_not_run_out(self, store: FullStore) -> None:
        add(store, "a", scope=BOB)
        add(store, "a")
        assert store.lease(ALICE, "w", SHORT)
        assert store.renew(ALICE, "w", LONG)
        assert store.lease(BOB, "w", SHORT)
        until(lambda: store.holder(BOB) is None)
        assert store.holder(ALICE) == "w"

    def test_work_that_is_left_is_due_after_a_pause(self, store: FullStore) -> None:
        add(store, "a")
        assert store.lease(ALICE, "w", LONG)
        store.release(ALICE, "w", again_after=LONG)
        assert store.claim("v", LONG) == ()
        assert store.lease(ALICE, "v", LONG)
        store.release(ALICE, "v", again_after=SHORT)
        until(lambda: store.claim("v", LONG) == (ALICE,))

    def test_what_is_written_ends_a_pause(self, store: FullStore) -> None:
        add(store, "a")
        assert store.lease(ALICE, "w", LONG)
        store.release(ALICE, "w", again_after=LONG)
        add(store, "b")
        assert store.claim("v", LONG) == (ALICE,)

    def test_what_makes_work_makes_due_and_what_does_not_does_not(self, store: FullStore) -> None:
        pages = add(store, "a", "b", "c")
        add(store, "a", scope=BOB)
        settle(store, ALICE, BOB)
        store.page_out(move_out(pages[:2]))
        embed(store, *pages[:2])
        learn(store)
        store.visit(Visit(ALICE, ("g1",), T0))
        assert store.claim("w", LONG, limit=9) == ()
        store.forget(Forgetting(ALICE, page_ids=(pages[0].id,)))
        assert store.claim("w", LONG, limit=9) == (ALICE,)
        store.release(ALICE, "w")
        store.stamp_embedder(EmbedderStamp("another", 3))
        assert set(store.claim("w", LONG, limit=9)) == {ALICE, BOB}

    def test_what_is_restored_is_due(self, store: FullStore) -> None:
        add(store, "a")
        records = list(store.export(ALICE))
        store.forget(Forgetting(ALICE, everything=True))
        store.restore(ALICE, records)
        assert store.claim("w", LONG, limit=9) == (ALICE,)

    def test_no_two_claims_get_the_same(self, store: FullStore) -> None:
        scopes = [Scope(f"user-{n}") for n in range(24)]
        for scope in scopes:
            add(store, "a", scope=scope)

        def take(worker: int) -> list[Scope]:
            mine: list[Scope] = []
            while claimed := store.claim(f"w{worker}", LONG, limit=2):
                mine += claimed
            return mine

        with ThreadPoolExecutor(8) as pool:
            taken = [scope for mine in pool.map(take, range(8)) for scope in mine]
        # SKIP LOCKED may pass over what another claim only looked at; nothing is lost by that.
        taken += take(9)
        assert sorted(s.user_id for s in taken) == sorted(s.user_id for s in scopes)

    def test_moves_of_the_holder_are_done(self, store: FullStore) -> None:
        pages = add(store, "a", "b")
        assert store.lease(ALICE, "w", LONG)
        store.page_out(replace(move_out(pages), holder="w"))
        store.redescribe(Redescription(ALICE, (), (stored_segment(store),), (), holder="w"))
        store.evict(Eviction(ALICE, ("g1",), T0, holder="w"))
        assert {page.tier for page in store.pages(PageQuery(ALICE))} == {"archive"}

    @pytest.mark.parametrize("taken_over", [True, False])
    def test_moves_of_whoever_lost_the_lease_are_refused(self, store: FullStore, taken_over: bool) -> None:  # noqa: FBT001
        pages = add(store, "a", "b")
        store.page_out(move_out(pages[:1]))
        assert store.lease(ALICE, "w", SHORT)
        until(lambda: store.holder(ALICE) is None)
        assert store.lease(ALICE, "v", LONG)
        if not taken_over:
            store.release(ALICE, "v")
        before = list(store.export(ALICE))
        again = replace(move_out(pages[1:], into=stored_segment(store)), holder="w")
        moves: tuple[Callable[[], object], ...] = (
            lambda: store.page_out(again),
            lambda: store.redescribe(Redescription(ALICE, (), (stored_segment(store),), (), holder="w")),
            lambda: store.evict(Eviction(ALICE, ("g1",), T0, holder="w")),
            lambda: store.promote(Promotion(ALICE, Learning(), T0, holder="w")),
        )
        for move in moves:
            with pytest.raises(ConflictError):
                move()
        assert list(store.export(ALICE)) == before
        store.page_out(replace(again, holder=None))  # commands without a holder are not checked: a user's own verbs

    def test_a_lease_that_ran_out_and_that_nobody_took_still_counts(self, store: FullStore) -> None:
        pages = add(store, "a")
        assert store.lease(ALICE, "w", SHORT)
        until(lambda: store.holder(ALICE) is None)
        store.page_out(replace(move_out(pages), holder="w"))


def chunk_of(store: FullStore, number: int = 1, *, scope: Scope = ALICE, content: bytes = b"one\0two") -> IndexChunk:
    """A chunk of all that the scope has now."""
    now = store.cursor(scope)
    return IndexChunk(
        number, "tests", now.epoch, 0, now.version, f"sum {number} {zlib.crc32(content)}", len(content), content
    )


class IndexCases:
    """Chunks and bulk vectors of a store that is an `IndexStore`."""

    @pytest.fixture
    def index_store(self, store: FullStore) -> IndexStore:
        """The store, by its capability."""
        return capability(store, IndexStore)

    def test_a_chunk_reads_back(self, store: FullStore, index_store: IndexStore) -> None:
        add(store, "a")
        add(store, "b", scope=BOB)
        first, second = chunk_of(store), chunk_of(store, 2, content=bytes(range(256)) * 5000)
        assert index_store.index_chunks(ALICE) == ()
        assert index_store.write_index_chunk(ALICE, first, seen=())
        assert index_store.write_index_chunk(ALICE, second, seen=[first.checksum])
        assert index_store.index_chunks(ALICE) == (first, second)
        assert index_store.index_chunks(ALICE, after=1) == (second,)
        heads = (replace(first, content=b""), replace(second, content=b""))
        assert index_store.index_chunks(ALICE, heads=True) == heads
        assert index_store.index_chunks(BOB) == ()
        assert index_store.index_chunks(Scope("nobody")) == ()

    def test_the_owners_are_the_pages_and_facts_that_are_there(self, store: FullStore, index_store: IndexStore) -> None:
        assert index_store.index_owners(ALICE) == IndexOwners(Cursor(), store.embedder(), frozenset(), frozenset())
        one, two = add(store, "a", "b")
        learn(store, fact("f1", one.id))
        add(store, "c", scope=BOB)
        store.forget(Forgetting(ALICE, (two.id,)))
        there = index_store.index_owners(ALICE)
        assert there == IndexOwners(store.cursor(ALICE), store.embedder(), frozenset({one.id}), frozenset({"f1"}))

    def test_a_chunk_takes_the_place_of_those_from_its_number_on(
        self, store: FullStore, index_store: IndexStore
    ) -> None:
        add(store, "a")
        three = [chunk_of(store, number) for number in (1, 2, 3)]
        for place, chunk in enumerate(three):
            assert index_store.write_index_chunk(ALICE, chunk, seen=[c.checksum for c in three[:place]])
        merged = chunk_of(store, 2, content=b"both")
        assert index_store.write_index_chunk(ALICE, merged, seen=[c.checksum for c in three])
        assert index_store.index_chunks(ALICE) == (three[0], merged)

    def test_of_two_that_write_at_once_one_is_refused(self, store: FullStore, index_store: IndexStore) -> None:
        add(store, "a")
        mine, theirs = chunk_of(store, content=b"mine"), chunk_of(store, content=b"theirs")
        assert index_store.write_index_chunk(ALICE, theirs, seen=())
        assert not index_store.write_index_chunk(ALICE, mine, seen=())
        assert not index_store.write_index_chunk(ALICE, mine, seen=["another"])
        assert index_store.index_chunks(ALICE) == (theirs,)

    def test_a_chunk_that_is_not_of_this_state_is_refused(self, store: FullStore, index_store: IndexStore) -> None:
        (page,) = add(store, "a")
        chunk = chunk_of(store)
        for wrong in (replace(chunk, epoch=chunk.epoch + 1), replace(chunk, last=chunk.last + 1)):
            assert not index_store.write_index_chunk(ALICE, wrong, seen=())
        assert not index_store.write_index_chunk(Scope("nobody"), chunk, seen=())
        store.forget(Forgetting(ALICE, (page.id,)))
        assert not index_store.write_index_chunk(ALICE, chunk, seen=()), "what was read before something was forgotten"
        assert index_store.index_chunks(ALICE) == ()

    def test_writing_a_chunk_is_no_change_of_the_scope(self, store: FullStore, index_store: IndexStore) -> None:
        add(store, "a")
        before = (store.cursor(ALICE), tuple(store.export(ALICE)))
        index_store.write_index_chunk(ALICE, chunk_of(store), seen=())
        assert (store.cursor(ALICE), tuple(store.export(ALICE))) == before

    @pytest.mark.parametrize("what", ["page", "session", "fact", "everything", "eviction"])
    def test_the_chunks_go_with_whatever_is_erased(self, store: FullStore, index_store: IndexStore, what: str) -> None:
        page, _, paged = add(store, "a", "b", "c")
        add(store, "b", scope=BOB)
        store.page_out(move_out([paged]))
        learn(store, fact("f1"))
        for scope in (ALICE, BOB):
            assert index_store.write_index_chunk(scope, chunk_of(store, scope=scope), seen=())
        if what == "eviction":
            store.evict(Eviction(ALICE, ("g1",), T0, archive=False))
        else:
            store.forget(
                Forgetting(
                    ALICE,
                    (page.id,) if what == "page" else (),
                    ("f1",) if what == "fact" else (),
                    session_id="s" if what == "session" else None,
                    everything=what == "everything",
                )
            )
        assert index_store.index_chunks(ALICE) == ()
        assert len(index_store.index_chunks(BOB)) == 1

    def test_what_erases_nothing_leaves_the_chunks(self, store: FullStore, index_store: IndexStore) -> None:
        (page,) = add(store, "a")
        index_store.write_index_chunk(ALICE, chunk_of(store), seen=())
        store.forget(Forgetting(ALICE, (page.id,), dry_run=True))
        store.forget(Forgetting(ALICE, ("unknown",)))
        store.page_out(move_out([page]))
        store.evict(Eviction(ALICE, ("g1",), T0))
        assert len(index_store.index_chunks(ALICE)) == 1

    def test_another_embedder_drops_all_chunks(self, store: FullStore, index_store: IndexStore) -> None:
        store.stamp_embedder(EmbedderStamp("one", 2))
        for scope in (ALICE, BOB):
            add(store, "a", scope=scope)
            index_store.write_index_chunk(scope, chunk_of(store, scope=scope), seen=())
        store.stamp_embedder(EmbedderStamp("one", 2))
        assert len(index_store.index_chunks(ALICE)) == 1
        store.stamp_embedder(EmbedderStamp("another", 3))
        assert index_store.index_chunks(ALICE) == index_store.index_chunks(BOB) == ()

    def test_all_vectors_of_a_scope_are_read_in_blocks(self, store: FullStore, index_store: IndexStore) -> None:
        assert not index_store.read_index_vectors(ALICE, lambda _: None), "without an embedder the feed is read"
        store.stamp_embedder(EmbedderStamp("one", 3))
        pages = add(store, *map(str, range(700)))
        add(store, "b", scope=BOB)
        wanted: dict[tuple[str, str], tuple[float, ...]] = {}
        for number, page in enumerate(pages):
            row = vector(number, 0.1, -number)
            embed(store, page, of=row)
            wanted |= {(page.id, "user"): tuple(row), (page.id, "assistant"): tuple(row)}
        learn(store, fact("f1"), vectors=[VectorRow("f1", "fact", vector(1, 2, 3))])
        wanted["f1", "fact"] = (1, 2, 3)
        blocks: list[VectorBlock] = []
        assert index_store.read_index_vectors(ALICE, blocks.append)
        found = {
            (owner, part): tuple(row)
            for block in blocks
            for owner, part, row in zip(block.owners, block.parts, block.vectors, strict=True)
        }
        assert found == wanted
        assert {block.vectors.dtype for block in blocks} == {np.dtype(np.float32)}
        assert index_store.read_index_vectors(Scope("nobody"), lambda _: pytest.fail("nobody has none"))
