"""Contract cases: closing and opening again, and two handles on one database."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TypeAlias

import pytest

from memoryos_core.errors import ConflictError
from memoryos_core.ports import Store
from memoryos_core.testing.store_samples import (
    ALICE,
    Mirror,
    add,
    embed,
    everything,
    fact,
    follow,
    learn,
    move_out,
    stored_segment,
    texts,
)
from memoryos_core.values.commands import Cursor, EmbedderStamp, Forgetting

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
