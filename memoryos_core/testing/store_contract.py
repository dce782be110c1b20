"""Contract of every store. Inherit `CoreStoreContract`, or `StoreContract` for all capabilities, and give it fixtures.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def reopen(self, tmp_path):            # opens the same database again, whenever it is called
            return lambda: MyStore(tmp_path / "memory")

        @pytest.fixture
        def store(self, reopen):
            with closing(reopen()) as store:
                yield store

The cases come from one file a subject; add a case there when a bug slips through.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from memoryos_core.ports import Store
from memoryos_core.testing.store_capabilities import IndexCases, LeaseCases
from memoryos_core.testing.store_exchange import ExchangeCases, RetentionCases
from memoryos_core.testing.store_feed import FeedCases, PartitionCases
from memoryos_core.testing.store_long_term import LongTermCases
from memoryos_core.testing.store_mid_term import MidTermCases
from memoryos_core.testing.store_notes import NoteCases
from memoryos_core.testing.store_pages import ConversationCases, PageCases
from memoryos_core.testing.store_samples import (
    ALICE,
    BOB,
    DAY,
    T0,
    add,
    embed,
    everything,
    fact,
    field,
    ids,
    learn,
    move_out,
    profile_of,
    segment,
    stored_segment,
    supersede,
    texts,
    trait,
    vector,
)
from memoryos_core.testing.store_sharing import DurabilityCases, SharingCases
from memoryos_core.values.commands import Eviction, FactChange, Forgetting, PageQuery, VectorRow
from memoryos_core.values.dialogue import Chain
from memoryos_core.values.facts import Profile
from memoryos_core.values.reports import ForgetReceipt


class ForgettingCases:
    """Forgetting erases the right rows, keeps the others, and counts them in its receipt."""

    def test_a_page_goes_with_what_only_it_supports(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        embed(store, a, b)
        learn(
            store,
            fact("f1", a.id),
            fact("f2", a.id, b.id),
            fact("f3"),
            traits=[trait("Openness", a.id), trait("Honesty", b.id)],
            profile=[field("name", "Al", a.id), field("home", "Porto", b.id, a.id)],
            vectors=[VectorRow("f1", "fact", vector(1)), VectorRow("f2", "fact", vector(1))],
        )
        version = store.profile(ALICE).version
        receipt = store.forget(Forgetting(ALICE, (a.id, "unknown")))
        assert receipt == ForgetReceipt(pages_short_term=1, facts=1, traits=1, profile_fields=1, vectors=3)
        assert ids(store) == [b.id]
        assert store.facts(ALICE, current=False) == (fact("f2", b.id), fact("f3"))
        assert set(store.vectors(ALICE, [a.id, b.id, "f1", "f2"])) == {b.id, "f2"}
        assert profile_of(store) == ({"home": "Porto"}, {"Honesty": "asks a lot"})
        assert store.profile(ALICE).version > version

    def test_the_receipt_names_the_tiers(self, store: Store) -> None:
        a, b, c, d = add(store, "a", "b", "c", "d")
        store.page_out(move_out([a]))
        store.evict(Eviction(ALICE, ("g1",), T0))
        store.page_out(move_out([b, c], into=segment("g2"), chain="c2"))
        receipt = store.forget(Forgetting(ALICE, (a.id, b.id, c.id, d.id)))
        assert receipt == ForgetReceipt(pages_short_term=1, pages_mid_term=2, pages_archived=1, segments=2, chains=2)
        assert store.segments(ALICE) == store.segments(ALICE, archived=True) == ()
        assert store.chains(ALICE, ["c1", "c2"]) == ()

    def test_descriptions_keep_no_word_of_a_forgotten_page(self, store: Store) -> None:
        a, b, c = add(store, "a", "b", "c")
        embed(store, a, of=vector(0, -1))
        embed(store, b, of=vector(3, 0))
        embed(store, c, of=vector(0, 9))
        store.page_out(move_out([a, b, c]))
        store.evict(Eviction(ALICE, (), T0))
        read = stored_segment(store)
        receipt = store.forget(Forgetting(ALICE, (a.id,)))
        assert receipt == ForgetReceipt(pages_mid_term=1, vectors=2)
        after = stored_segment(store)
        assert (after.summary, after.keywords, after.page_count) == ("", (), 2)
        assert after.centroid.tolist() == pytest.approx([0.5, 0.5])
        assert after.rev > read.rev
        assert store.chains(ALICE, ["c1"]) == (Chain("c1", ""),)
        assert texts(store.pages(PageQuery(ALICE, reread=True))) == ["b", "c"]

    def test_archived_pages_are_not_read_again(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        store.page_out(move_out([a, b]))
        store.evict(Eviction(ALICE, ("g1",), T0))
        store.forget(Forgetting(ALICE, (a.id,)))
        assert stored_segment(store).summary == ""
        assert store.pages(PageQuery(ALICE, reread=True)) == ()

    def test_a_centroid_without_vectors_is_zero(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        store.page_out(move_out([a, b]))
        store.forget(Forgetting(ALICE, (a.id,)))
        assert stored_segment(store).centroid.tolist() == [0, 0]

    def test_a_centroid_whose_pages_wait_for_vectors_is_to_be_computed_again(self, store: Store) -> None:
        a, b, c = add(store, "a", "b", "c")
        embed(store, a, b)
        store.page_out(move_out([a, b, c]))
        store.forget(Forgetting(ALICE, (a.id,)))
        assert stored_segment(store).centroid.size == 0

    def test_other_segments_and_chains_are_left_alone(self, store: Store) -> None:
        a, b, c = add(store, "a", "b", "c")
        store.page_out(move_out([a]))
        store.page_out(move_out([b], into=segment("g2"), chain="c1"))
        store.page_out(move_out([c], into=segment("g3"), chain="c3"))
        untouched = (stored_segment(store, "g2"), stored_segment(store, "g3"))
        assert store.forget(Forgetting(ALICE, (a.id,))).segments == 1
        assert (stored_segment(store, "g2"), stored_segment(store, "g3")) == untouched
        assert store.chains(ALICE, ["c1", "c3"]) == (Chain("c1", ""), Chain("c3", "talk of tea"))
        assert texts(store.pages(PageQuery(ALICE, reread=True))) == ["b"]

    def test_a_session_goes_and_what_was_told_outright_stays(self, store: Store) -> None:
        a, b = add(store, "a", "b", session="one")
        (c,) = add(store, "c", session="two")
        learn(store, fact("told"), fact("read", a.id, b.id), profile=[field("name", "Al")])
        receipt = store.forget(Forgetting(ALICE, session_id="one"))
        assert receipt == ForgetReceipt(pages_short_term=2, facts=1)
        assert ids(store) == [c.id]
        assert store.facts(ALICE) == (fact("told"),)
        assert profile_of(store) == ({"name": "Al"}, {})

    def test_a_session_of_the_same_name_of_somebody_else_is_left_alone(self, store: Store) -> None:
        add(store, "a", session="mine")
        (theirs,) = add(store, "b", scope=BOB, session="one")
        before = store.cursor(ALICE)
        assert store.forget(Forgetting(ALICE, session_id="one")) == ForgetReceipt()
        assert store.cursor(ALICE) == before, "nothing was forgotten, so what caches hold is good"
        add(store, "c", session="one")
        assert store.forget(Forgetting(ALICE, session_id="one")) == ForgetReceipt(pages_short_term=1)
        assert ids(store, BOB) == [theirs.id]

    def test_facts_are_forgotten_by_id(self, store: Store) -> None:
        (a,) = add(store, "a")
        learn(store, fact("f1", a.id), fact("f2"), vectors=[VectorRow("f1", "fact", vector(1))])
        assert store.forget(Forgetting(ALICE, fact_ids=("f1", "unknown"))) == ForgetReceipt(facts=1, vectors=1)
        assert store.facts(ALICE, current=False) == (fact("f2"),)
        assert ids(store) == [a.id]
        # The citation went too: the page can be forgotten without a trace of the fact.
        assert store.forget(Forgetting(ALICE, (a.id,))) == ForgetReceipt(pages_short_term=1)

    def test_what_a_forgotten_fact_replaced_stays_replaced(self, store: Store) -> None:
        (a,) = add(store, "a")
        learn(store, fact("old"), fact("gone"))
        learn(store, fact("new", a.id), changes=[supersede("old", "new"), FactChange("gone", status="retired")])
        store.forget(Forgetting(ALICE, (a.id,)))
        assert store.facts(ALICE) == ()
        assert store.facts(ALICE, current=False) == (
            replace(fact("old"), status="superseded", valid_until=T0 + DAY),
            replace(fact("gone"), status="retired"),
        )
        learn(store, fact("again"))
        assert store.facts(ALICE) == (fact("again"),)

    def test_a_line_of_facts_closes_over_a_gap(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        learn(store, fact("f1"))
        learn(store, fact("f2", a.id), changes=[supersede("f1", "f2")])
        learn(store, fact("f3", b.id), changes=[supersede("f2", "f3")])
        store.forget(Forgetting(ALICE, (a.id,)))
        assert [(f.id, f.status, f.superseded_by) for f in store.facts(ALICE, current=False)] == [
            ("f1", "superseded", "f3"),
            ("f3", "current", None),
        ]
        store.forget(Forgetting(ALICE, (b.id,)))
        assert store.facts(ALICE) == ()
        assert [(f.id, f.status, f.superseded_by) for f in store.facts(ALICE, current=False)] == [
            ("f1", "superseded", None)
        ]

    def test_facts_that_go_together_bring_nothing_back(self, store: Store) -> None:
        (a,) = add(store, "a")
        learn(store, fact("f1", a.id))
        learn(store, fact("f2", a.id), changes=[supersede("f1", "f2")])
        assert store.forget(Forgetting(ALICE, (a.id,))).facts == 2
        assert store.facts(ALICE, current=False) == ()

    def test_the_value_before_a_forgotten_one_stays_history(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        learn(store, profile=[field("home", "Porto", a.id)], traits=[trait("Openness", a.id, reason="then")])
        learn(store, profile=[field("home", "Lisbon", b.id)], traits=[trait("Openness", b.id, reason="now")])
        receipt = store.forget(Forgetting(ALICE, (b.id,)))
        assert (receipt.profile_fields, receipt.traits) == (1, 1)
        assert profile_of(store) == ({}, {})
        learn(store, profile=[field("home", "Porto", a.id)])
        assert profile_of(store) == ({"home": "Porto"}, {})
        store.forget(Forgetting(ALICE, (a.id,)))
        assert profile_of(store) == ({}, {})

    def test_forgetting_nothing_changes_nothing(self, store: Store) -> None:
        add(store, "a")
        cursor = store.cursor(ALICE)
        assert store.forget(Forgetting(ALICE, ("unknown",), ("unknown",), "unknown")) == ForgetReceipt()
        assert store.forget(Forgetting(BOB, everything=True)) == ForgetReceipt()
        assert store.cursor(ALICE) == cursor

    def test_a_dry_run_tells_the_receipt_and_changes_nothing(self, store: Store) -> None:
        a, b, c = add(store, "a", "b", "c")
        store.page_out(move_out([a, b]))
        embed(store, a, c)
        learn(store, fact("f1", a.id), fact("f2"), traits=[trait("Openness", a.id)], profile=[field("n", "v", c.id)])
        before, cursor = everything(store), store.cursor(ALICE)
        for what in (
            Forgetting(ALICE, (a.id, c.id), ("f2",)),
            Forgetting(ALICE, session_id="s1"),
            Forgetting(ALICE, everything=True),
            Forgetting(BOB, everything=True),
        ):
            planned = store.forget(replace(what, dry_run=True))
            assert planned.audit == ()
            assert everything(store) == before
            assert store.cursor(ALICE) == cursor
        planned = store.forget(Forgetting(ALICE, (a.id, c.id), ("f2",), dry_run=True))
        assert (planned.pages, planned.facts) == (2, 2)
        assert store.forget(Forgetting(ALICE, (a.id, c.id), ("f2",))) == planned
        assert everything(store) != before

    def test_everything_is_everything_of_this_scope(self, store: Store) -> None:
        for scope in (ALICE, BOB):
            a, b, c = add(store, "a", "b", "c", scope=scope)
            store.page_out(move_out([a], scope=scope))
            store.page_out(move_out([b], into=segment("g2"), chain="c2", scope=scope))
            store.evict(Eviction(scope, ("g2",), T0))
            embed(store, c, scope=scope)
            learn(store, fact("f1", a.id), traits=[trait("Openness", a.id)], profile=[field("n", "v")], scope=scope)
        kept = everything(store, BOB)
        receipt = store.forget(Forgetting(ALICE, everything=True))
        assert receipt == ForgetReceipt(1, 1, 1, segments=2, chains=2, facts=1, traits=1, profile_fields=1, vectors=2)
        assert everything(store) == ((), (), (), (), Profile())
        assert store.vectors(ALICE, [c.id]) == {}
        assert store.scopes() == (BOB,)
        assert everything(store, BOB) == kept


__all__ = [
    "CoreStoreContract",
    "DurabilityCases",
    "ExchangeCases",
    "IndexCases",
    "LeaseCases",
    "NoteCases",
    "RetentionCases",
    "StoreContract",
    "VolatileStoreContract",
]


class CoreStoreContract(
    PageCases, ConversationCases, MidTermCases, LongTermCases, FeedCases, ForgettingCases, PartitionCases, SharingCases
):
    """The promises of `memoryos_core.ports.Store`, the core; needs the `store` fixture alone.

    A store that offers capabilities inherits their cases, too: `NoteCases`, `ExchangeCases`, `LeaseCases`,
    `RetentionCases`, `IndexCases`; one that outlives its handle, `DurabilityCases`.
    """


class VolatileStoreContract(CoreStoreContract, NoteCases, ExchangeCases, LeaseCases, RetentionCases, IndexCases):
    """The core and all capabilities, for a store that ends with its handle."""


class StoreContract(VolatileStoreContract, DurabilityCases):
    """The promises of a store with all capabilities that outlives its handle."""
