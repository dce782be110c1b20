"""Contract cases: notes, what an application keeps under names of its own."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import cast

import numpy as np
import pytest

from memoryos_core.errors import InvalidInputError, StoreError
from memoryos_core.ports import Store
from memoryos_core.testing.store_fact_notes import FactNoteCases, keep, keys, put
from memoryos_core.testing.store_pages import HOSTILE
from memoryos_core.testing.store_samples import ALICE, BOB, DAY, T0, add, ids, vector
from memoryos_core.values.commands import Cursor, EmbedderStamp, Forgetting, Record
from memoryos_core.values.dialogue import Scope, Vector
from memoryos_core.values.notes import Note
from memoryos_core.values.reports import ForgetReceipt, RestoreReport

LABELS = (
    *("u", "u1", "u10", "U1", "u%", "u_", "%", "_", "*", ".", "..", "u.v", "u,v", 'u",', '","', "\\", '\\"', "[", "'"),
    *("é", "e\u0301", "ü", "漢字", "😀", "\x1a", "\t", " ", "null", "' OR '1'='1", "u" * 512),
)


class NoteCases(FactNoteCases):
    """A note is found under the name it was written with."""

    def test_a_note_is_kept_as_it_is_and_knows_since_when(self, store: Store) -> None:
        keep(store, put("k", '{"a": 1}', "prefs", "ui", text="dark mode"))
        keep(store, put("k", '{"a": 2}', "prefs", "ui"), at=T0 + DAY)
        assert store.notes(ALICE) == (Note(("prefs", "ui"), "k", '{"a": 2}', "", T0, T0 + DAY),)

    def test_notes_are_verbatim(self, store: Store) -> None:
        keep(store, *(put(str(i), text, text=text) for i, text in enumerate(HOSTILE)))
        assert [(n.value, n.text) for n in store.notes(ALICE)] == [(text, text) for text in HOSTILE]

    def test_one_is_found_by_its_whole_name(self, store: Store) -> None:
        keep(store, put("k", "1", "a"), put("k", "2", "a", "b"), put("K", "3", "a"), put("k", "4"))
        assert [n.value for n in store.notes(ALICE, ("a",), key="k")] == ["1"]
        assert [n.value for n in store.notes(ALICE, (), key="k")] == ["4"]
        assert store.notes(ALICE, ("b",), key="k") == store.notes(ALICE, ("A",), key="k") == ()

    def test_a_prefix_is_one_of_whole_labels(self, store: Store) -> None:
        for label in LABELS:
            keep(store, put("k", label, label), put("k", label, label, "below"), put("k", label, "above", label))
        for label in LABELS:
            assert {(n.namespace, n.value) for n in store.notes(ALICE, (label,))} == {
                ((label,), label),
                ((label, "below"), label),
            }
        assert len(store.notes(ALICE, ("above",))) == len(LABELS)
        assert len(store.notes(ALICE)) == 3 * len(LABELS)
        assert store.notes(ALICE, ("u", "1")) == store.notes(ALICE, ("u1", "bel")) == ()

    def test_keys_are_just_keys(self, store: Store) -> None:
        keep(store, *(put(label, label, "all") for label in LABELS))
        for label in LABELS:
            assert [n.value for n in store.notes(ALICE, ("all",), key=label)] == [label]
        keep(store, put("u%", None, "all"), put("u_", None, "all"))
        assert set(keys(store.notes(ALICE))) == set(LABELS) - {"u%", "u_"}

    def test_the_last_updated_comes_first_and_a_write_keeps_its_order(self, store: Store) -> None:
        keep(store, put("a"), put("b"), put("c"))
        keep(store, put("d"), at=T0 - DAY)
        keep(store, put("b"), at=T0 + DAY)
        assert keys(store.notes(ALICE)) == ["b", "a", "c", "d"]

    def test_the_last_change_of_a_name_wins(self, store: Store) -> None:
        keep(store, put("a", "old"), put("gone"))
        keep(store, put("a", "1"), put("b", "2"), put("a", None), put("a", "3"), put("gone", "4"), put("gone", None))
        assert [(n.key, n.value) for n in store.notes(ALICE)] == [("b", "2"), ("a", "3")]

    def test_a_note_taken_away_begins_anew(self, store: Store) -> None:
        keep(store, put("a"))
        keep(store, put("a", None), put("unknown", None))
        assert store.notes(ALICE) == ()
        keep(store, put("a"), at=T0 + DAY)
        assert store.notes(ALICE)[0].created_at == T0 + DAY

    def test_a_write_that_fails_changes_nothing(self, store: Store) -> None:
        keep(store, put("a", "old"))
        with pytest.raises(StoreError):
            keep(store, put("a", "new"), put("b"), put(cast("str", object()), None))
        assert [(n.key, n.value) for n in store.notes(ALICE)] == [("a", "old")]

    def test_namespaces_are_those_with_notes(self, store: Store) -> None:
        assert store.note_namespaces(ALICE) == ()
        keep(store, put("1", "1", "b"), put("2", "1", "b"), put("1", "1", "a", "z"), put("1"), put("1", "1", "a\x1a"))
        keep(store, put("1", None, "b"), put("1", "1", "b"), put("x", "1", "c"), put("x", None, "c"))
        assert store.note_namespaces(ALICE) == ((), ("a", "z"), ("a\x1a",), ("b",))

    def test_reading_and_taking_away_begin_no_scope(self, store: Store) -> None:
        store.notes(ALICE, ("a",), key="k", vectors=True)
        store.note_namespaces(ALICE)
        store.save_note_vectors(ALICE, [Note((), "k", "1", "t", T0, T0, vector(1))], embedder="mine")
        keep(store, put("k", None))
        keep(store)
        assert store.scopes() == ()
        keep(store, put("k"))
        assert store.scopes() == (ALICE,)

    def test_notes_belong_to_one_scope(self, store: Store) -> None:
        other = Scope("alice", "other")
        for scope in (ALICE, BOB, other):
            keep(store, put("k", scope.key, "a"), scope=scope)
        keep(store, put("k", None, "a"), scope=BOB)
        keep(store, put("k", "new", "a"), scope=other)
        assert [n.value for n in store.notes(ALICE)] == [ALICE.key]
        assert (store.notes(BOB), store.note_namespaces(BOB)) == ((), ())
        store.forget(Forgetting(other, everything=True))
        assert [n.value for n in store.notes(ALICE, ("a",), key="k")] == [ALICE.key]

    def test_notes_are_no_pages(self, store: Store) -> None:
        add(store, "a")
        after, stats = store.cursor(ALICE), store.stats(ALICE)
        keep(store, put("k", text="tea"))
        feed = store.feed(ALICE, after)
        assert (feed.pages, feed.facts, feed.retired_fact_ids, feed.more) == ((), (), (), False)
        assert [page.id for page in store.feed(ALICE, Cursor()).pages] == ids(store)
        assert store.stats(ALICE) == stats
        keep(store, put("k"), scope=BOB)
        assert store.scopes(pending_only=True) == (ALICE,)

    def test_vectors_are_of_the_stores_embedder_or_absent(self, store: Store) -> None:
        store.stamp_embedder(EmbedderStamp("mine", 2))
        keep(store, put("a", text="t", vector=vector(1, 2)), put("c"), embedder="mine")
        keep(store, put("b", text="t", vector=vector(3, 4)), embedder="theirs")
        a, c, b = store.notes(ALICE, vectors=True)
        assert a.vector is not None
        assert np.array_equal(a.vector, vector(1, 2))
        assert (b.vector, c.vector) == (None, None)
        assert [n.vector for n in store.notes(ALICE)] == [None] * 3

    def test_another_embedder_drops_the_vectors_and_its_own_may_be_filed(self, store: Store) -> None:
        store.stamp_embedder(EmbedderStamp("mine", 2))
        keep(store, *(put(k, text=k, vector=vector(1, 2)) for k in "abcd"), embedder="mine")
        store.stamp_embedder(EmbedderStamp("theirs", 3))
        notes = store.notes(ALICE, vectors=True)
        assert [n.vector for n in notes] == [None] * 4
        embedded = [Note(n.namespace, n.key, n.value, n.text, T0, T0, vector(1, 2, 3)) for n in notes]
        keep(store, put("a", "2", text="new words"), put("b", "2", text="b"), put("c", None), at=T0 + DAY)
        store.save_note_vectors(ALICE, embedded, embedder="mine")
        assert [n.vector for n in store.notes(ALICE, vectors=True)] == [None] * 3
        store.save_note_vectors(ALICE, embedded, embedder="theirs")
        found = {n.key: n for n in store.notes(ALICE, vectors=True)}
        assert {key for key, n in found.items() if n.vector is not None} == {"b", "d"}
        assert found["d"].updated_at == T0
        assert np.array_equal(cast("Vector", found["b"].vector), vector(1, 2, 3))

    def test_forgetting_everything_forgets_notes_and_nothing_less_does(self, store: Store) -> None:
        (page,) = add(store, "a")
        keep(store, put("k"), put("l", "1", "n", text="t", vector=vector(1)))
        store.forget(Forgetting(ALICE, (page.id,), ("f",), "s"))
        assert ids(store) == []
        assert len(store.notes(ALICE)) == 2
        assert store.forget(Forgetting(ALICE, everything=True)) == ForgetReceipt(notes=2)
        assert (store.notes(ALICE), store.note_namespaces(ALICE), store.scopes()) == ((), (), ())

    def test_notes_are_exported_and_come_back(self, store: Store) -> None:
        add(store, "a")
        keep(store, *(put(f"{i}", text, "n", text=text) for i, text in enumerate(HOSTILE)), put("k", "1", *LABELS))
        keep(store, put("1", "new", "n"), at=T0 + DAY)
        records = list(store.export(ALICE))
        report = store.restore(BOB, records)
        assert report == RestoreReport(pages=1, notes=len(HOSTILE) + 1)
        assert list(store.export(BOB)) == records
        assert store.notes(BOB) == store.notes(ALICE)
        assert store.restore(BOB, records + records) == RestoreReport(skipped=2 * len(records))

    def test_records_of_notes_are_json(self, store: Store) -> None:
        keep(store, put("k", '{"a": "\u00e9"}', *LABELS, text="half \ud83d"), put("k"))
        records = list(store.export(ALICE))
        lines = [json.dumps(record) for record in records]
        store.restore(BOB, [cast("Record", tuple(json.loads(line))) for line in lines])
        assert list(store.export(BOB)) == records

    def test_what_is_there_is_not_overwritten_by_what_is_restored(self, store: Store) -> None:
        keep(store, put("k", "old", "n"), put("l", "old", "n"))
        records = list(store.export(ALICE))
        keep(store, put("k", "new", "n"), scope=BOB)
        assert store.restore(BOB, records) == RestoreReport(notes=1, skipped=1)
        assert {n.key: n.value for n in store.notes(BOB)} == {"k": "new", "l": "old"}

    def test_many_notes_are_exported_in_chunks(self, store: Store) -> None:
        keep(store, *(put(f"{i}") for i in range(1100)))
        stream = store.export(ALICE)
        first = next(stream)
        keep(store, put("meanwhile"), put("0", "new"), scope=ALICE)
        exported = [str(record["key"]) for _, record in (first, *stream)]
        assert set(exported) == {*map(str, range(1100)), "meanwhile"}
        assert store.restore(BOB, store.export(ALICE)).notes == 1101

    @pytest.mark.parametrize(
        "record",
        [
            {"key": "k", "value": "SECRET"},
            {"key": "k", "value": {"SECRET": 1}, "created_at": T0.isoformat(), "updated_at": T0.isoformat()},
            {"namespace": "SECRET", "key": "k", "value": "1", "created_at": T0.isoformat()},
            {"namespace": ["a", 1], "key": "k", "value": "1", "created_at": T0.isoformat()},
        ],
    )
    def test_a_record_of_a_note_of_another_shape_is_refused(self, store: Store, record: dict[str, object]) -> None:
        with pytest.raises(InvalidInputError) as refused:
            store.restore(ALICE, [("note", record)])
        assert "SECRET" not in str(refused.value)
        assert store.notes(ALICE) == ()

    def test_threads_write_notes_beside_each_other(self, store: Store) -> None:
        def write(thread: int) -> None:
            for i in range(10):
                keep(store, put(f"{thread} {i}", f"{i}", "own"), put("shared", f"{thread} {i}"), put("gone", None))

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(8)))
        assert len(store.notes(ALICE, ("own",))) == 80
        (shared,) = store.notes(ALICE, (), key="shared")
        assert shared.value.endswith(" 9")
