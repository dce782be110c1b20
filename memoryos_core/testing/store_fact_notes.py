"""Contract cases: notes that belong to a fact come and go with it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import pytest

from memoryos_core.errors import ConflictError
from memoryos_core.ports import Store
from memoryos_core.testing.store_samples import ALICE, BOB, T0, add
from memoryos_core.values.commands import FactChange, Forgetting, Learning, Promotion
from memoryos_core.values.dialogue import Scope, Vector
from memoryos_core.values.facts import Fact
from memoryos_core.values.notes import Note, NoteWrite
from memoryos_core.values.reports import ForgetReceipt, RestoreReport


def put(key: str, value: str | None = "1", *namespace: str, text: str = "", vector: Vector | None = None) -> NoteWrite:
    """Build a note write."""
    return NoteWrite(namespace, key, value, text, vector)


def of(fact_id: str, key: str) -> NoteWrite:
    """Build a write of a note that belongs to a fact."""
    return NoteWrite(("facts",), key, "1", fact_id=fact_id)


def keep(
    store: Store, *changes: NoteWrite, scope: Scope = ALICE, at: datetime = T0, embedder: str | None = None
) -> None:
    """Write notes in one command."""
    store.write_notes(scope, changes, at, embedder=embedder)


def keys(notes: Sequence[Note]) -> list[str]:
    """Return the keys of notes."""
    return [note.key for note in notes]


class FactNoteCases:
    """Notes of a fact are erased with it."""

    def test_a_note_of_a_fact_goes_with_it(self, store: Store) -> None:
        (page,) = add(store, "a")
        facts = (Fact("f", "user", "tea", T0, T0), Fact("g", "user", "milk", T0, T0, page_ids=(page.id,)))
        store.promote(Promotion(ALICE, Learning(facts, notes=(of("f", "b"), of("g", "c"))), T0))
        keep(store, of("f", "a"), put("own"))
        assert sorted(keys(store.notes(ALICE))) == ["a", "b", "c", "own"]
        assert store.forget(Forgetting(ALICE, fact_ids=("f",))) == ForgetReceipt(facts=1, notes=2)
        assert sorted(keys(store.notes(ALICE))) == ["c", "own"]
        receipt = store.forget(Forgetting(ALICE, (page.id,)))
        assert (receipt.facts, receipt.notes) == (1, 1)
        assert keys(store.notes(ALICE)) == ["own"]

    def test_a_note_of_a_fact_that_is_gone_is_not_kept(self, store: Store) -> None:
        store.promote(Promotion(ALICE, Learning((Fact("f", "user", "tea", T0, T0),)), T0))
        keep(store, put("k", "old", "facts"), put("l", "old", "facts"))
        keep(store, of("gone", "k"), of("gone", "new"), of("f", "l"))
        assert [(n.key, n.fact_id) for n in store.notes(ALICE)] == [("l", "f")]
        keep(store, of("f", "l"), scope=BOB)
        assert store.notes(BOB) == ()

    def test_a_note_may_change_to_another_fact_or_none(self, store: Store) -> None:
        facts = tuple(Fact(i, "user", "tea", T0, T0) for i in "fgh")
        store.promote(Promotion(ALICE, Learning(facts, notes=(of("f", "a"), of("f", "b"))), T0))
        keep(store, of("g", "a"), put("b", "1", "facts"))
        assert store.forget(Forgetting(ALICE, fact_ids=("f",))).notes == 0
        assert store.forget(Forgetting(ALICE, fact_ids=("g",))).notes == 1
        assert keys(store.notes(ALICE)) == ["b"]

    def test_what_replaces_a_fact_that_is_no_longer_current_is_not_filed(self, store: Store) -> None:
        def replace(new: str) -> None:
            fact, change = Fact(new, "user", new, T0, T0), FactChange("f", "superseded", T0, new)
            learning = Learning((fact,), changes=(change,), notes=(of(new, "k"),))
            store.promote(Promotion(ALICE, learning, T0, current=("f",)))

        store.promote(Promotion(ALICE, Learning((Fact("f", "user", "tea", T0, T0),)), T0))
        replace("g")
        with pytest.raises(ConflictError):
            replace("h")
        assert [f.id for f in store.facts(ALICE)] == ["g"]
        assert [(n.key, n.fact_id) for n in store.notes(ALICE)] == [("k", "g")]

    def test_notes_are_found_by_their_facts(self, store: Store) -> None:
        facts = tuple(Fact(i, "user", "tea", T0, T0) for i in "fgh")
        store.promote(Promotion(ALICE, Learning(facts, notes=(of("g", "b"), of("f", "a"), of("h", "c"))), T0))
        keep(store, put("own"))
        assert keys(store.notes_of(ALICE, ["f", "g", "gone"])) == ["b", "a"]
        assert store.notes_of(ALICE, []) == store.notes_of(BOB, ["f"]) == ()

    def test_notes_of_facts_are_restored_with_them(self, store: Store) -> None:
        store.promote(Promotion(ALICE, Learning((Fact("f", "user", "tea", T0, T0),), notes=(of("f", "k"),)), T0))
        records = list(store.export(ALICE))
        assert store.restore(BOB, records[1:]) == RestoreReport(skipped=1)
        assert store.restore(BOB, records) == RestoreReport(facts=1, notes=1)
        assert store.notes(BOB) == store.notes(ALICE)
        assert store.forget(Forgetting(BOB, fact_ids=("f",))).notes == 1
