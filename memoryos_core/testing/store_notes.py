"""Contract cases: notes, what an application keeps under names of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from typing import cast, overload

import numpy as np
import pytest

from memoryos_core.errors import ClosedError, ConflictError, InvalidInputError, StoreError
from memoryos_core.ports.capabilities import FullStore
from memoryos_core.testing.store_pages import HOSTILE
from memoryos_core.testing.store_samples import ALICE, BOB, DAY, T0, add, ids, new_page, vector
from memoryos_core.values.commands import (
    Append,
    Cursor,
    EmbedderStamp,
    FactChange,
    Forgetting,
    Learning,
    PageQuery,
    Promotion,
    Record,
)
from memoryos_core.values.dialogue import Scope, Vector
from memoryos_core.values.facts import Fact
from memoryos_core.values.notes import Note, NoteWrite
from memoryos_core.values.reports import ForgetReceipt, RestoreReport

LABELS = (
    *("u", "u1", "u10", "U1", "u%", "u_", "%", "_", "*", ".", "..", "u.v", "u,v", 'u",', '","', "\\", '\\"', "[", "'"),
    *("é", "e\u0301", "ü", "漢字", "😀", "\x1a", "\t", " ", "null", "' OR '1'='1", "u" * 512),
)


def put(key: str, value: str | None = "1", *namespace: str, text: str = "", vector: Vector | None = None) -> NoteWrite:
    """Build a note write."""
    return NoteWrite(namespace, key, value, text, vector)


def of(fact_id: str, key: str) -> NoteWrite:
    """Build a write of a note that belongs to a fact."""
    return NoteWrite(("facts",), key, "1", fact_id=fact_id)


def keep(
    store: FullStore, *changes: NoteWrite, scope: Scope = ALICE, at: datetime = T0, embedder: str | None = None
) -> None:
    """Write notes in one command."""
    store.write_notes(scope, changes, at, embedder=embedder)


def keys(notes: Sequence[Note]) -> list[str]:
    """Return the keys of notes."""
    return [note.key for note in notes]


class Torn(Sequence[NoteWrite]):
    """Two notes; reading the second raises an error."""

    @overload
    def __getitem__(self, index: int) -> NoteWrite: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[NoteWrite]: ...
    def __getitem__(self, index: int | slice) -> NoteWrite | Sequence[NoteWrite]:
        if index == 0:
            return NoteWrite(("head",), "s", "1")
        raise StoreError("torn")

    def __len__(self) -> int:
        return 2


VERBS: tuple[Callable[[FullStore], object], ...] = (
    lambda store: store.write_notes(ALICE, [NoteWrite((), "k", "1")], T0),
    lambda store: store.notes(ALICE),
    lambda store: store.note_namespaces(ALICE),
    lambda store: store.save_note_vectors(ALICE, [], embedder="mine"),
)


class NoteCases:
    """A note is found under the name it was written with."""

    def test_a_note_is_kept_as_it_is_and_knows_since_when(self, store: FullStore) -> None:
        keep(store, put("k", '{"a": 1}', "prefs", "ui", text="dark mode"))
        keep(store, put("k", '{"a": 2}', "prefs", "ui"), at=T0 + DAY)
        assert store.notes(ALICE) == (Note(("prefs", "ui"), "k", '{"a": 2}', "", T0, T0 + DAY),)

    def test_notes_are_verbatim(self, store: FullStore) -> None:
        keep(store, *(put(str(i), text, text=text) for i, text in enumerate(HOSTILE)))
        assert [(n.value, n.text) for n in store.notes(ALICE)] == [(text, text) for text in HOSTILE]

    def test_one_is_found_by_its_whole_name(self, store: FullStore) -> None:
        keep(store, put("k", "1", "a"), put("k", "2", "a", "b"), put("K", "3", "a"), put("k", "4"))
        assert [n.value for n in store.notes(ALICE, ("a",), key="k")] == ["1"]
        assert [n.value for n in store.notes(ALICE, (), key="k")] == ["4"]
        assert store.notes(ALICE, ("b",), key="k") == store.notes(ALICE, ("A",), key="k") == ()

    def test_a_prefix_is_one_of_whole_labels(self, store: FullStore) -> None:
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

    def test_keys_are_just_keys(self, store: FullStore) -> None:
        keep(store, *(put(label, label, "all") for label in LABELS))
        for label in LABELS:
            assert [n.value for n in store.notes(ALICE, ("all",), key=label)] == [label]
        keep(store, put("u%", None, "all"), put("u_", None, "all"))
        assert set(keys(store.notes(ALICE))) == set(LABELS) - {"u%", "u_"}

    def test_the_last_updated_comes_first_and_a_write_keeps_its_order(self, store: FullStore) -> None:
        keep(store, put("a"), put("b"), put("c"))
        keep(store, put("d"), at=T0 - DAY)
        keep(store, put("b"), at=T0 + DAY)
        assert keys(store.notes(ALICE)) == ["b", "a", "c", "d"]

    def test_the_last_change_of_a_name_wins(self, store: FullStore) -> None:
        keep(store, put("a", "old"), put("gone"))
        keep(store, put("a", "1"), put("b", "2"), put("a", None), put("a", "3"), put("gone", "4"), put("gone", None))
        assert [(n.key, n.value) for n in store.notes(ALICE)] == [("b", "2"), ("a", "3")]

    def test_a_note_taken_away_begins_anew(self, store: FullStore) -> None:
        keep(store, put("a"))
        keep(store, put("a", None), put("unknown", None))
        assert store.notes(ALICE) == ()
        keep(store, put("a"), at=T0 + DAY)
        assert store.notes(ALICE)[0].created_at == T0 + DAY

    def test_a_write_that_fails_changes_nothing(self, store: FullStore) -> None:
        keep(store, put("a", "old"))
        with pytest.raises(StoreError):
            keep(store, put("a", "new"), put("b"), put(cast("str", object()), None))
        assert [(n.key, n.value) for n in store.notes(ALICE)] == [("a", "old")]

    def test_namespaces_are_those_with_notes(self, store: FullStore) -> None:
        assert store.note_namespaces(ALICE) == ()
        keep(store, put("1", "1", "b"), put("2", "1", "b"), put("1", "1", "a", "z"), put("1"), put("1", "1", "a\x1a"))
        keep(store, put("1", None, "b"), put("1", "1", "b"), put("x", "1", "c"), put("x", None, "c"))
        assert store.note_namespaces(ALICE) == ((), ("a", "z"), ("a\x1a",), ("b",))

    def test_reading_and_taking_away_begin_no_scope(self, store: FullStore) -> None:
        store.notes(ALICE, ("a",), key="k", vectors=True)
        store.note_namespaces(ALICE)
        store.save_note_vectors(ALICE, [Note((), "k", "1", "t", T0, T0, vector(1))], embedder="mine")
        keep(store, put("k", None))
        keep(store)
        assert store.scopes() == ()
        keep(store, put("k"))
        assert store.scopes() == (ALICE,)

    def test_notes_belong_to_one_scope(self, store: FullStore) -> None:
        other = Scope("alice", "other")
        for scope in (ALICE, BOB, other):
            keep(store, put("k", scope.key, "a"), scope=scope)
        keep(store, put("k", None, "a"), scope=BOB)
        keep(store, put("k", "new", "a"), scope=other)
        assert [n.value for n in store.notes(ALICE)] == [ALICE.key]
        assert (store.notes(BOB), store.note_namespaces(BOB)) == ((), ())
        store.forget(Forgetting(other, everything=True))
        assert [n.value for n in store.notes(ALICE, ("a",), key="k")] == [ALICE.key]

    def test_notes_are_no_pages(self, store: FullStore) -> None:
        add(store, "a")
        after, stats = store.cursor(ALICE), store.stats(ALICE)
        keep(store, put("k", text="tea"))
        feed = store.feed(ALICE, after)
        assert (feed.pages, feed.facts, feed.retired_fact_ids, feed.more) == ((), (), (), False)
        assert [page.id for page in store.feed(ALICE, Cursor()).pages] == ids(store)
        assert store.stats(ALICE) == stats
        keep(store, put("k"), scope=BOB)
        assert store.scopes(pending_only=True) == (ALICE,)

    def test_vectors_are_of_the_stores_embedder_or_absent(self, store: FullStore) -> None:
        store.stamp_embedder(EmbedderStamp("mine", 2))
        keep(store, put("a", text="t", vector=vector(1, 2)), put("c"), embedder="mine")
        keep(store, put("b", text="t", vector=vector(3, 4)), embedder="theirs")
        a, c, b = store.notes(ALICE, vectors=True)
        assert a.vector is not None
        assert np.array_equal(a.vector, vector(1, 2))
        assert (b.vector, c.vector) == (None, None)
        assert [n.vector for n in store.notes(ALICE)] == [None] * 3

    def test_another_embedder_drops_the_vectors_and_its_own_may_be_filed(self, store: FullStore) -> None:
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

    def test_forgetting_everything_forgets_notes_and_nothing_less_does(self, store: FullStore) -> None:
        (page,) = add(store, "a")
        keep(store, put("k"), put("l", "1", "n", text="t", vector=vector(1)))
        store.forget(Forgetting(ALICE, (page.id,), ("f",), "s"))
        assert ids(store) == []
        assert len(store.notes(ALICE)) == 2
        assert store.forget(Forgetting(ALICE, everything=True)) == ForgetReceipt(notes=2)
        assert (store.notes(ALICE), store.note_namespaces(ALICE), store.scopes()) == ((), (), ())

    def test_notes_are_exported_and_come_back(self, store: FullStore) -> None:
        add(store, "a")
        keep(store, *(put(f"{i}", text, "n", text=text) for i, text in enumerate(HOSTILE)), put("k", "1", *LABELS))
        keep(store, put("1", "new", "n"), at=T0 + DAY)
        records = list(store.export(ALICE))
        report = store.restore(BOB, records)
        assert report == RestoreReport(pages=1, notes=len(HOSTILE) + 1)
        assert list(store.export(BOB)) == records
        assert store.notes(BOB) == store.notes(ALICE)
        assert store.restore(BOB, records + records) == RestoreReport(skipped=2 * len(records))

    def test_records_of_notes_are_json(self, store: FullStore) -> None:
        keep(store, put("k", '{"a": "\u00e9"}', *LABELS, text="half \ud83d"), put("k"))
        records = list(store.export(ALICE))
        lines = [json.dumps(record) for record in records]
        store.restore(BOB, [cast("Record", tuple(json.loads(line))) for line in lines])
        assert list(store.export(BOB)) == records

    def test_what_is_there_is_not_overwritten_by_what_is_restored(self, store: FullStore) -> None:
        keep(store, put("k", "old", "n"), put("l", "old", "n"))
        records = list(store.export(ALICE))
        keep(store, put("k", "new", "n"), scope=BOB)
        assert store.restore(BOB, records) == RestoreReport(notes=1, skipped=1)
        assert {n.key: n.value for n in store.notes(BOB)} == {"k": "new", "l": "old"}

    def test_many_notes_are_exported_in_chunks(self, store: FullStore) -> None:
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
    def test_a_record_of_a_note_of_another_shape_is_refused(self, store: FullStore, record: dict[str, object]) -> None:
        with pytest.raises(InvalidInputError) as refused:
            store.restore(ALICE, [("note", record)])
        assert "SECRET" not in str(refused.value)
        assert store.notes(ALICE) == ()

    def test_threads_write_notes_beside_each_other(self, store: FullStore) -> None:
        def write(thread: int) -> None:
            for i in range(10):
                keep(store, put(f"{thread} {i}", f"{i}", "own"), put("shared", f"{thread} {i}"), put("gone", None))

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(8)))
        assert len(store.notes(ALICE, ("own",))) == 80
        (shared,) = store.notes(ALICE, (), key="shared")
        assert shared.value.endswith(" 9")

    def test_a_note_of_a_fact_goes_with_it(self, store: FullStore) -> None:
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

    def test_a_note_of_a_fact_that_is_gone_is_not_kept(self, store: FullStore) -> None:
        store.promote(Promotion(ALICE, Learning((Fact("f", "user", "tea", T0, T0),)), T0))
        keep(store, put("k", "old", "facts"), put("l", "old", "facts"))
        keep(store, of("gone", "k"), of("gone", "new"), of("f", "l"))
        assert [(n.key, n.fact_id) for n in store.notes(ALICE)] == [("l", "f")]
        keep(store, of("f", "l"), scope=BOB)
        assert store.notes(BOB) == ()

    def test_a_note_may_change_to_another_fact_or_none(self, store: FullStore) -> None:
        facts = tuple(Fact(i, "user", "tea", T0, T0) for i in "fgh")
        store.promote(Promotion(ALICE, Learning(facts, notes=(of("f", "a"), of("f", "b"))), T0))
        keep(store, of("g", "a"), put("b", "1", "facts"))
        assert store.forget(Forgetting(ALICE, fact_ids=("f",))).notes == 0
        assert store.forget(Forgetting(ALICE, fact_ids=("g",))).notes == 1
        assert keys(store.notes(ALICE)) == ["b"]

    def test_what_replaces_a_fact_that_is_no_longer_current_is_not_filed(self, store: FullStore) -> None:
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

    def test_notes_are_found_by_their_facts(self, store: FullStore) -> None:
        facts = tuple(Fact(i, "user", "tea", T0, T0) for i in "fgh")
        store.promote(Promotion(ALICE, Learning(facts, notes=(of("g", "b"), of("f", "a"), of("h", "c"))), T0))
        keep(store, put("own"))
        assert keys(store.notes_of(ALICE, ["f", "g", "gone"])) == ["b", "a"]
        assert store.notes_of(ALICE, []) == store.notes_of(BOB, ["f"]) == ()

    def test_notes_of_facts_are_restored_with_them(self, store: FullStore) -> None:
        store.promote(Promotion(ALICE, Learning((Fact("f", "user", "tea", T0, T0),), notes=(of("f", "k"),)), T0))
        records = list(store.export(ALICE))
        assert store.restore(BOB, records[1:]) == RestoreReport(skipped=1)
        assert store.restore(BOB, records) == RestoreReport(facts=1, notes=1)
        assert store.notes(BOB) == store.notes(ALICE)
        assert store.forget(Forgetting(BOB, fact_ids=("f",))).notes == 1

    def test_a_conversation_ends_with_its_note(self, store: FullStore) -> None:
        page = add(store, "one")[0]
        store.end_session(ALICE, "s", [NoteWrite(("head",), "s", "1")], T0)
        assert store.pages(PageQuery(ALICE)) == (replace(page, ended=True),)
        assert store.notes(ALICE) == (Note(("head",), "s", "1", "", T0, T0),)
        assert store.notes(BOB) == ()
        new = add(store, "two")[0]
        store.end_session(ALICE, "s", [NoteWrite(("head",), "s", None)], T0)
        assert store.pages(PageQuery(ALICE, ids=(new.id,))) == (replace(new, ended=True),)
        assert store.notes(ALICE) == ()

    def test_neither_the_end_nor_its_note_comes_alone(self, store: FullStore) -> None:
        page = add(store, "one")[0]
        with pytest.raises(StoreError):
            store.end_session(ALICE, "s", Torn(), T0)
        assert store.pages(PageQuery(ALICE)) == (page,)
        assert store.notes(ALICE) == ()

    def test_a_beginning_whose_note_cannot_be_written_changes_nothing(self, store: FullStore) -> None:
        page = add(store, "one")[0]
        torn = cast("tuple[NoteWrite, ...]", Torn())
        with pytest.raises(StoreError):
            store.append(Append(ALICE, "s", (new_page("two"),), T0, restarts=True, notes=torn))
        assert store.pages(PageQuery(ALICE)) == (page,)
        assert store.notes(ALICE) == ()

    def test_a_session_begins_anew_with_its_pages_and_its_note(self, store: FullStore) -> None:
        old, other = add(store, "one")[0], add(store, "two", session="t")[0]
        over, begun = replace(new_page("three"), ended=True, id="p3"), new_page("four")
        note = NoteWrite(("head",), "s", "1")
        first, second = store.append(Append(ALICE, "s", (over, begun), T0, restarts=True, notes=(note,)))
        assert (first.id, first.ended, second.ended) == ("p3", True, False)
        assert store.pages(PageQuery(ALICE)) == (replace(old, ended=True), other, first, second)
        assert store.pages(PageQuery(ALICE, session_id="s", ended=False)) == (second,)
        assert store.notes(ALICE) == (Note(("head",), "s", "1", "", T0, T0),)
        gone = (NoteWrite(("head",), "s", None),)
        assert store.append(Append(ALICE, "s", (), T0, restarts=True, notes=gone)) == ()
        assert store.pages(PageQuery(ALICE, ended=False)) == (other,)
        assert store.notes(ALICE) == ()

    @pytest.mark.parametrize("verb", VERBS)
    def test_a_closed_store_raises_closed_error(self, store: FullStore, verb: Callable[[FullStore], object]) -> None:
        store.close()
        with pytest.raises(ClosedError):
            verb(store)
