"""Contract cases: chunks of the kept index are written where they fit, and go with whatever is erased (ADR 0032)."""

from __future__ import annotations

import zlib
from dataclasses import replace

import numpy as np
import pytest

from memoryos_core.ports.capabilities import FullStore, IndexStore, capability
from memoryos_core.testing.store_samples import ALICE, BOB, T0, add, embed, fact, learn, move_out, vector
from memoryos_core.values.commands import EmbedderStamp, Eviction, Forgetting, VectorRow
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.queries import IndexChunk, VectorBlock


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
