"""Contract cases: eight threads at once, and what a closed store says.

Contract cases: closing and opening again, and two handles on one database.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TypeAlias

import pytest

from memoryos_core.errors import ClosedError, ConflictError
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
    follow,
    ids,
    learn,
    move_out,
    new_page,
    segment,
    stored_segment,
    texts,
)
from memoryos_core.values.commands import (
    Append,
    Cursor,
    EmbedderStamp,
    Eviction,
    Forgetting,
    Learning,
    PageOut,
    PageQuery,
    Promotion,
    Redescription,
    Visit,
)
from memoryos_core.values.dialogue import Page, Scope

THREADS = 8

VERBS: tuple[Callable[[Store], object], ...] = (
    lambda store: add(store, "a"),
    lambda store: store.pages(PageQuery(ALICE)),
    lambda store: store.pending(ALICE),
    lambda store: store.page_out(PageOut(ALICE, (), (), (), T0)),
    lambda store: store.redescribe(Redescription(ALICE, (), (), ())),
    lambda store: store.segments(ALICE),
    lambda store: store.chains(ALICE, ["c"]),
    lambda store: store.promote(Promotion(ALICE, Learning(), T0)),
    lambda store: store.facts(ALICE),
    lambda store: store.profile(ALICE),
    lambda store: store.evict(Eviction(ALICE, (), T0)),
    lambda store: store.visit(Visit(ALICE, (), T0)),
    lambda store: store.save_vectors(ALICE, []),
    lambda store: store.vectors(ALICE, ["p"]),
    lambda store: store.cursor(ALICE),
    lambda store: store.feed(ALICE, Cursor()),
    lambda store: store.forget(Forgetting(ALICE)),
    lambda store: store.scopes(),
    lambda store: store.stats(),
    lambda store: store.embedder(),
    lambda store: store.stamp_embedder(None),
)


def together(work: Callable[[int], object]) -> list[object]:
    """Run the same work in eight threads that start at one moment."""
    start = threading.Barrier(THREADS)

    def run(number: int) -> object:
        start.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


class SharingCases:
    """All verbs at once, and again after the end."""

    def test_eight_threads_append_without_loss(self, store: Store) -> None:
        scopes = (ALICE, BOB)

        def write(number: int) -> list[Page]:
            scope = scopes[number % 2]
            return [page for i in range(15) for page in add(store, f"{number}.{i}", scope=scope, session=str(number))]

        written = together(write)
        for half, scope in enumerate(scopes):
            pages = store.pages(PageQuery(scope))
            assert len({p.seq for p in pages}) == len(pages) == 60
            for number in range(half, THREADS, 2):
                assert [p for p in pages if p.session_id == str(number)] == written[number]

    def test_one_of_eight_wins_each_place(self, store: Store) -> None:
        def write(number: int) -> int:
            won, last = 0, None
            while won < 5:
                page = new_page(f"{number}.{won}")
                try:
                    store.append(Append(ALICE, "s", (page,), T0, after=last, check_after=True))
                    won += 1
                except ConflictError:
                    pass
                last = next(p.id for p in store.pages(PageQuery(ALICE, newest_first=True, limit=1)))
            return won

        assert together(write) == [5] * THREADS
        assert len(ids(store)) == 5 * THREADS

    def test_one_of_eight_moves_a_page(self, store: Store) -> None:
        pages = add(store, "a", "b")

        def move(number: int) -> bool:
            try:
                store.page_out(move_out(pages, into=segment(f"g{number}"), chain=f"c{number}"))
            except ConflictError:
                return False
            return True

        assert sum(map(bool, together(move))) == 1
        assert len(store.segments(ALICE)) == 1

    def test_a_cache_follows_writers_at_work(self, store: Store) -> None:
        mirror: Mirror = {}
        after = [Cursor()]

        def work(number: int) -> None:
            if number == 0:
                while len(mirror) < 10 * (THREADS - 1):
                    after[0] = follow(store, mirror, after[0])
                return
            for i in range(10):
                (page,) = add(store, f"{number}.{i}", session=str(number))
                embed(store, page)
                store.page_out(move_out([page], into=segment(f"g{page.id}"), chain=page.id))

        together(work)
        follow(store, mirror, after[0])
        assert mirror == {p.id: p for p in store.pages(PageQuery(ALICE))}

    def test_closing_twice_is_closing(self, store: Store) -> None:
        store.close()
        store.close()

    @pytest.mark.parametrize("verb", VERBS)
    def test_a_closed_store_says_so(self, store: Store, verb: Callable[[Store], object]) -> None:
        store.close()
        with pytest.raises(ClosedError):
            verb(store)

    def test_many_scopes_at_once(self, store: Store) -> None:
        def work(number: int) -> object:
            scope = Scope(f"user {number}")
            pages = add(store, "a", "b", scope=scope)
            store.page_out(move_out(pages[:1], scope=scope))
            learn(store, fact("f1", pages[0].id), scope=scope)
            store.visit(Visit(scope, ("g1",), T0, ("f1",)))
            return store.forget(Forgetting(scope, (pages[0].id,))).facts

        assert together(work) == [1] * THREADS
        assert store.stats().pages == THREADS


Reopen: TypeAlias = Callable[[], Store]


class DurabilityCases:
    """Data survives closing and opening again."""

    def test_everything_is_there_after_opening_again(self, store: Store, reopen: Reopen) -> None:
        a, b = add(store, "a", "b")
        store.page_out(move_out([a]))
        store.stamp_embedder(EmbedderStamp("mine", 2))
        embed(store, a, b)
        learn(store, fact("f1", a.id))
        read = (everything(store), stored_segment(store), store.cursor(ALICE), store.stats(), store.scopes())
        store.close()
        with closing(reopen()) as again:
            assert (
                everything(again),
                stored_segment(again),
                again.cursor(ALICE),
                again.stats(),
                again.scopes(),
            ) == read
            assert again.embedder() == EmbedderStamp("mine", 2)
            assert set(again.vectors(ALICE, [a.id, b.id])) == {a.id, b.id}
            assert texts(add(again, "c")) == ["c"]

    def test_two_handles_see_each_other(self, store: Store, reopen: Reopen) -> None:
        with closing(reopen()) as other:
            mirror: Mirror = {}
            after = follow(other, mirror, Cursor())
            (a,) = add(store, "a")
            after = follow(other, mirror, after)
            assert texts(tuple(mirror.values())) == ["a"]
            other.page_out(move_out([a]))
            with pytest.raises(ConflictError):
                store.page_out(move_out([a]))
            store.forget(Forgetting(ALICE, (a.id,)))
            follow(other, mirror, after)
            assert mirror == {}
