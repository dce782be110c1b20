"""Contract cases: facts, traits and the profile."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memoryos_core.errors import ConflictError, StoreError
from memoryos_core.ports import Store
from memoryos_core.testing.store_pages import HOSTILE
from memoryos_core.testing.store_samples import (
    ALICE,
    BOB,
    DAY,
    T0,
    add,
    fact,
    field,
    learn,
    move_out,
    profile_of,
    stored_segment,
    supersede,
    trait,
    vector,
)
from memoryos_core.values.commands import FactChange, Forgetting, Learning, Promotion, VectorRow
from memoryos_core.values.facts import Fact


class LongTermCases:
    """Facts, traits and the profile keep their history and their sources."""

    def test_every_field_of_a_fact_is_kept(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        full = Fact(
            id="f1",
            about="assistant",
            text="was named Ada",
            learned_at=T0,
            valid_from=T0 - DAY,
            valid_until=T0 + DAY,
            event_time=T0 - 2 * DAY,
            page_ids=(b.id, a.id),
            trust="document",
            status="retired",
            superseded_by="f9",
            visits=3,
        )
        learn(store, full, fact("f2"), vectors=[VectorRow("f1", "fact", vector(1, 2))])
        assert store.facts(ALICE, current=False) == (full, fact("f2"))
        assert np.array_equal(store.vectors(ALICE, ["f1"])["f1"]["fact"], vector(1, 2))

    def test_facts_are_asked_for_by_id_and_by_status(self, store: Store) -> None:
        learn(store, fact("f1"), fact("f2"), fact("f3"), changes=[FactChange("f2", status="retired")])
        assert [f.id for f in store.facts(ALICE)] == ["f1", "f3"]
        assert [f.id for f in store.facts(ALICE, ids=["f3", "f2", "unknown"])] == ["f3"]
        assert [f.id for f in store.facts(ALICE, ids=["f3", "f2"], current=False)] == ["f2", "f3"]
        assert store.facts(ALICE, ids=[]) == ()

    def test_facts_are_found_by_their_words_however_spaced(self, store: Store) -> None:
        given = [
            fact("f1", text="lives in Porto"),
            fact("f2", text="lives\tin  Porto"),
            fact("f3", text="lives in porto"),
        ]
        learn(store, *given, changes=[FactChange("f1", status="retired")])
        assert [f.id for f in store.facts(ALICE, text=" lives in Porto\n")] == ["f2"]
        assert [f.id for f in store.facts(ALICE, text="lives in Porto", current=False)] == ["f1", "f2"]
        assert store.facts(ALICE, text="livesin Porto") == store.facts(BOB, text="lives in Porto") == ()

    @pytest.mark.parametrize("text", HOSTILE)
    def test_a_fact_of_any_text_is_found_by_its_words(self, store: Store, text: str) -> None:
        learn(store, fact("f1", text=text), fact("f2", text=f"{text} x"))
        assert [f.id for f in store.facts(ALICE, text=text)] == ["f1"]

    def test_facts_are_found_by_what_replaced_them(self, store: Store) -> None:
        learn(store, *map(fact, ("f1", "f2", "f3", "f4")), changes=[supersede("f1", "f3"), supersede("f2", "f4")])
        assert [f.id for f in store.facts(ALICE, replaced_by=["f4", "f3", "gone"], current=False)] == ["f1", "f2"]
        assert store.facts(ALICE, replaced_by=["f1"], current=False) == store.facts(ALICE, replaced_by=["f3"]) == ()
        assert (
            store.facts(ALICE, replaced_by=[], current=False)
            == store.facts(BOB, replaced_by=["f3"], current=False)
            == ()
        )

    def test_facts_are_asked_for_by_what_changed_since_a_version(self, store: Store) -> None:
        learn(store, fact("f1"), fact("f2"))
        before = store.cursor(ALICE).version
        assert store.facts(ALICE, after_version=before, current=False) == ()
        learn(store, fact("f3"), changes=[FactChange("f1", status="superseded", superseded_by="f3")])
        assert [f.id for f in store.facts(ALICE, after_version=before, current=False)] == ["f1", "f3"]
        assert [f.id for f in store.facts(ALICE, after_version=before)] == ["f3"]
        assert store.facts(BOB, after_version=0) == ()

    def test_a_fact_is_superseded_not_overwritten(self, store: Store) -> None:
        learn(store, fact("old", text="lives in Porto"))
        learn(store, fact("new", text="lives in Lisbon"), changes=[supersede("old", "new")])
        old, new = store.facts(ALICE, current=False)
        assert old == replace(
            fact("old", text="lives in Porto"), status="superseded", valid_until=T0 + DAY, superseded_by="new"
        )
        assert new == fact("new", text="lives in Lisbon")
        assert store.facts(ALICE) == (new,)

    def test_a_fact_that_becomes_current_is_replaced_by_nothing(self, store: Store) -> None:
        learn(store, fact("old"), replace(fact("new"), status="quarantined", superseded_by="old"))
        learn(store, changes=[FactChange("new", status="current"), supersede("old", "new")])
        assert store.facts(ALICE) == (fact("new"),)
        assert store.facts(ALICE, replaced_by=["old"], current=False) == ()

    def test_a_fact_that_was_replaced_may_hold_again(self, store: Store) -> None:
        learn(store, fact("old"), fact("new"))
        learn(store, changes=[supersede("old", "new")])
        learn(store, changes=[FactChange("old", status="current")])
        assert store.facts(ALICE) == (fact("old"), fact("new"))

    def test_no_fact_ends_before_it_begins(self, store: Store) -> None:
        learn(store, fact("f1"))
        with pytest.raises(StoreError):
            learn(store, fact("f2"), changes=[FactChange("f1", status="retired", valid_until=T0 - DAY)])
        assert store.facts(ALICE) == (fact("f1"),)

    def test_a_fact_id_in_use_is_refused(self, store: Store) -> None:
        learn(store, fact("f1"))
        with pytest.raises(StoreError):
            learn(store, fact("f2"), fact("f1", text="something else"))
        assert store.facts(ALICE) == (fact("f1"),)

    def test_evidence_is_added_in_order_and_once(self, store: Store) -> None:
        a, b, c = add(store, "a", "b", "c")
        learn(store, fact("f1", b.id))
        learn(store, changes=[FactChange("f1", add_page_ids=(c.id, b.id, "gone", a.id))])
        assert store.facts(ALICE) == (fact("f1", b.id, c.id, a.id),)

    def test_a_change_of_an_unknown_fact_changes_nothing(self, store: Store) -> None:
        (a,) = add(store, "a")
        learn(store, changes=[FactChange("gone", status="retired", add_page_ids=(a.id,))])
        assert store.facts(ALICE, current=False) == ()

    def test_what_cites_only_forgotten_pages_is_not_filed(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        learn(store, fact("old"))
        store.forget(Forgetting(ALICE, (a.id,)))
        learn(
            store,
            fact("lost", a.id),
            fact("kept", a.id, b.id),
            changes=[supersede("old", "lost")],
            traits=[trait("Openness", a.id), trait("Honesty", b.id, a.id)],
            profile=[field("name", "Al", a.id), field("home", "Porto")],
            vectors=[VectorRow("lost", "fact", vector(1)), VectorRow("kept", "fact", vector(2))],
        )
        assert store.facts(ALICE, current=False) == (fact("old"), fact("kept", b.id))
        assert set(store.vectors(ALICE, ["lost", "kept"])) == {"kept"}
        assert profile_of(store) == ({"home": "Porto"}, {"Honesty": "asks a lot"})
        assert store.profile(ALICE).traits[0].page_ids == (b.id,)

    def test_traits_and_fields_replace_the_value_of_their_name(self, store: Store) -> None:
        (a,) = add(store, "a")
        learn(store, traits=[trait("Openness", a.id), trait("Honesty")], profile=[field("name", "Al")])
        first = store.profile(ALICE)
        assert first.traits == (trait("Openness", a.id), trait("Honesty"))
        assert first.fields == (field("name", "Al"),)
        learn(store, traits=[trait("Openness", reason="reads", since=T0 + DAY)], profile=[field("name", "Alice", a.id)])
        assert profile_of(store) == ({"name": "Alice"}, {"Honesty": "asks a lot", "Openness": "reads"})

    def test_the_profile_has_a_version(self, store: Store) -> None:
        assert store.profile(ALICE).version == 0
        assert not store.profile(ALICE)
        learn(store, profile=[field("name", "Al")])
        version = store.profile(ALICE).version
        assert version > 0
        learn(store, fact("f1"))
        assert store.profile(ALICE).version == version
        learn(store, traits=[trait("Openness")])
        assert store.profile(ALICE).version > version
        assert store.profile(ALICE)

    def test_knowledge_is_verbatim(self, store: Store) -> None:
        facts = tuple(fact(f"{text[:40]} {i}", text=text) for i, text in enumerate(HOSTILE))
        fields = tuple(field(f"{text[:40]} {i}", text) for i, text in enumerate(HOSTILE))
        learn(store, *facts, profile=fields, traits=[trait("\ud800\x00", reason="\udfff")])
        assert store.facts(ALICE) == facts
        assert store.profile(ALICE).fields == fields
        assert store.profile(ALICE).traits == (trait("\ud800\x00", reason="\udfff"),)

    def test_what_was_learnt_from_a_page_that_is_gone_is_a_conflict(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        store.page_out(move_out([a, b]))
        store.forget(Forgetting(ALICE, page_ids=(a.id,)))
        late = Promotion(ALICE, Learning(facts=(fact("f1", b.id),)), T0, "g1", (a.id, b.id))
        with pytest.raises(ConflictError):
            store.promote(replace(late, epoch=store.cursor(ALICE).epoch))
        assert store.facts(ALICE) == ()
        store.promote(replace(late, page_ids=(b.id,), epoch=store.cursor(ALICE).epoch))
        assert len(store.facts(ALICE)) == 1

    def test_what_was_learnt_before_something_was_forgotten_is_a_conflict(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        store.page_out(move_out([a, b]))
        learnt = Promotion(ALICE, Learning(facts=(fact("f1", a.id),)), T0, "g1", (a.id,))
        late = replace(learnt, epoch=store.cursor(ALICE).epoch)
        store.forget(Forgetting(ALICE, page_ids=(b.id,)))
        # The page that is cited is still there, but the model may have read the forgotten one beside it.
        with pytest.raises(ConflictError):
            store.promote(late)
        assert store.facts(ALICE) == ()
        assert stored_segment(store).unanalysed == 1
