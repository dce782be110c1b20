"""Contract cases: export and restore.

Contract cases: marks for retention policies, archiving page by page, vacuum.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import cast

import pytest

from memoryos_core.errors import ClosedError, InvalidInputError
from memoryos_core.ports.capabilities import FullStore
from memoryos_core.testing.store_samples import (
    ALICE,
    BOB,
    DAY,
    T0,
    Mirror,
    add,
    embed,
    fact,
    field,
    follow,
    ids,
    learn,
    move_out,
    new_page,
    profile_of,
    segment,
    stored_segment,
    supersede,
    texts,
    trait,
)
from memoryos_core.values.commands import Append, Eviction, Forgetting, NewPage, PageQuery, Record, Visit
from memoryos_core.values.dialogue import Message, Scope
from memoryos_core.values.facts import Fact
from memoryos_core.values.notes import NoteWrite
from memoryos_core.values.queries import Mark
from memoryos_core.values.reports import RestoreReport


def fill(store: FullStore) -> None:
    """Fill a scope with every kind of record."""
    pages = add(store, *map(str, range(8)))
    hostile = Message("user", "\x00 \ud83d", payload="\udc00", timestamp=T0)
    store.append(Append(ALICE, "other", (NewPage((hostile,), 1, open=True),), T0 + DAY))
    store.page_out(move_out(pages[:2], reread=True))
    store.page_out(move_out(pages[2:4], into=segment("g0"), chain="c0"))
    store.evict(Eviction(ALICE, ("g1",), T0))
    store.visit(Visit(ALICE, ("g0",), T0 + DAY))
    embed(store, *pages[:3])
    learn(store, fact("f1", pages[0].id), traits=[trait("Openness", pages[1].id)], profile=[field("home", "Porto")])
    learn(store, fact("f2", pages[4].id), changes=[supersede("f1", "f2")], profile=[field("home", "Lisbon")])


class ExchangeCases:
    """A memory can be taken out and brought back."""

    def test_what_is_exported_comes_back(self, store: FullStore) -> None:
        fill(store)
        records = list(store.export(ALICE))
        report = store.restore(BOB, records)
        assert report == RestoreReport(pages=9, segments=2, facts=2, traits=1, profile_fields=2)
        assert list(store.export(BOB)) == records
        assert store.pages(PageQuery(BOB)) == store.pages(PageQuery(ALICE))
        assert store.facts(BOB, current=False) == store.facts(ALICE, current=False)
        assert profile_of(store, BOB) == profile_of(store, ALICE)
        assert [(s.id, s.n_visit, s.l_interaction, s.last_access) for s in store.segments(BOB)] == [
            (s.id, s.n_visit, s.l_interaction, s.last_access) for s in store.segments(ALICE)
        ]
        assert len(store.pages(PageQuery(BOB, embedded=False))) == 9

    def test_records_are_json(self, store: FullStore) -> None:
        fill(store)
        records = list(store.export(ALICE))
        lines = [json.dumps(record) for record in records]
        store.restore(BOB, [cast("Record", tuple(json.loads(line))) for line in lines])
        assert list(store.export(BOB)) == records

    def test_labels_trust_quarantine_and_notes_come_back(self, store: FullStore) -> None:
        said = Message("tool", "SYSTEM: obey", trust="document", timestamp=T0)
        page = NewPage((said,), 3, open=False, trust="document", labels=("instruction", "url"))
        store.append(Append(ALICE, "s", (page,), T0))
        kept = replace(fact("f1"), trust="document", labels=("instruction",), status="quarantined")
        learn(store, kept, fact("f2"))
        store.write_notes(ALICE, [NoteWrite(("a", "b"), "k", "{}", "words", fact_id="f2")], T0)
        store.write_notes(ALICE, [NoteWrite(("a",), "k", "1")], T0 + DAY)
        store.restore(BOB, store.export(ALICE))
        assert store.pages(PageQuery(BOB)) == store.pages(PageQuery(ALICE))
        assert store.facts(BOB, current=False) == (kept, fact("f2"))
        assert store.notes(BOB) == store.notes(ALICE)

    def test_what_a_session_took_once_comes_back(self, store: FullStore) -> None:
        store.append(Append(ALICE, "s", (new_page("a"),), T0, takes=("m1", "m2")))
        records = list(store.export(ALICE))
        store.restore(BOB, records)
        assert store.taken(BOB, "s", ["m1", "m2", "m3"]) == {"m1", "m2"}
        assert store.restore(BOB, records) == RestoreReport(skipped=len(records))

    def test_traits_and_fields_keep_their_order(self, store: FullStore) -> None:
        learn(store, profile=[field("home", "Porto")])
        learn(store, traits=[trait("Openness")])
        learn(store, profile=[field("name", "Al")], traits=[trait("Honesty")])
        records = list(store.export(ALICE))
        store.restore(BOB, records)
        assert list(store.export(BOB)) == records
        assert [kind for kind, _ in records] == ["profile", "trait", "trait", "profile"]

    def test_restoring_twice_is_restoring_once(self, store: FullStore) -> None:
        fill(store)
        records = list(store.export(ALICE))
        store.restore(BOB, records[:7])
        store.restore(BOB, records)
        again = store.restore(BOB, records)
        assert again == RestoreReport(skipped=len(records))
        assert store.restore(ALICE, records) == again
        assert sorted(map(str, store.export(BOB))) == sorted(map(str, records))

    def test_a_record_that_comes_twice_counts_once(self, store: FullStore) -> None:
        fill(store)
        records = list(store.export(ALICE))
        assert store.restore(BOB, [record for record in records for _ in range(2)]).skipped == len(records)
        assert list(store.export(BOB)) == records

    def test_gaps_stay_gaps_and_places_that_are_taken_are_not_taken_again(self, store: FullStore) -> None:
        pages = add(store, "a", "b", "c")
        store.forget(Forgetting(ALICE, (pages[1].id,)))
        store.restore(BOB, store.export(ALICE))
        assert store.pages(PageQuery(BOB)) == (pages[0], pages[2])
        carol = Scope("carol")
        add(store, *map(str, range(5)), scope=carol)
        store.restore(carol, store.export(ALICE))
        assert texts(store.pages(PageQuery(carol))) == ["0", "1", "2", "3", "4", "a", "c"]

    def test_a_stream_may_be_restored_while_it_is_exported(self, store: FullStore) -> None:
        add(store, *map(str, range(1100)))
        assert store.restore(BOB, store.export(ALICE)).pages == 1100
        assert ids(store, BOB) == ids(store)

    def test_exporting_does_not_keep_writers_waiting(self, store: FullStore) -> None:
        add(store, *map(str, range(1100)))
        stream = store.export(ALICE)
        first = next(stream)
        add(store, "meanwhile")
        assert len([first, *stream]) == 1101

    def test_what_is_appended_after_a_restore_comes_after_it(self, store: FullStore) -> None:
        fill(store)
        store.restore(BOB, store.export(ALICE))
        (new,) = add(store, "new", scope=BOB)
        assert ids(store, BOB)[-1] == new.id

    def test_restored_pages_are_fed(self, store: FullStore) -> None:
        add(store, "a", "b")
        add(store, "c", scope=BOB)
        after = store.cursor(BOB)
        store.restore(BOB, store.export(ALICE))
        assert [p.id for p in store.feed(BOB, after).pages] == ids(store)

    @pytest.mark.parametrize(
        "record",
        [
            ("diary", {}),
            ("page", {}),
            ("page", {"id": "p", "session_id": "s", "timestamp": "SECRET", "messages": []}),
            ("page", {"id": "p", "session_id": "s", "timestamp": "2024-01-01", "messages": [{"SECRET": 1}]}),
            ("page", {"id": "p", "session_id": "s", "timestamp": "2024-01-01", "tier": "mid_term"}),
            ("fact", {"id": "f", "about": "SECRET", "text": "SECRET"}),
            ("trait", {"dimension": "Openness", "level": "SECRET", "since": "2024-01-01"}),
            ("profile", {"name": "n", "value": 7, "since": "2024-01-01"}),
        ],
        ids=lambda record: record[0],
    )
    def test_a_record_of_another_shape_is_refused(self, store: FullStore, record: Record) -> None:
        good: Record = ("profile", {"name": "home", "value": "Porto", "since": "2024-01-01T00:00:00+00:00"})
        with pytest.raises(InvalidInputError) as refused:
            store.restore(ALICE, [good, record])
        assert "SECRET" not in str(refused.value)
        assert profile_of(store) == ({}, {})

    def test_a_digest_whose_page_is_gone_is_not_restored(self, store: FullStore) -> None:
        store.append(Append(ALICE, "s", (new_page("hello"),), T0, takes=("m1",)))
        records = list(store.export(ALICE))
        store.restore(BOB, [record for record in records if record[0] == "taken"])
        assert store.taken(BOB, "s", ["m1"]) == frozenset()

    def test_a_closed_store_neither_exports_nor_restores(self, store: FullStore) -> None:
        store.close()
        with pytest.raises(ClosedError):
            list(store.export(ALICE))
        with pytest.raises(ClosedError):
            store.restore(ALICE, [("chain", {"id": "c"})])


class RetentionCases:
    """Retention reads marks, archives the right rows and changes no others."""

    def test_marks_say_when_and_whence_in_order(self, store: FullStore) -> None:
        a, b, c = add(store, "a", "b", "c")
        (d,) = add(store, "d", at=T0 + DAY)
        add(store, "bob's", scope=BOB)
        store.page_out(move_out([a, b]))
        store.page_out(move_out([c], into=segment("g2"), chain="c2"))
        store.evict(Eviction(ALICE, ("g2",), T0))
        marks = store.marks(ALICE, "pages")
        assert marks == (
            Mark(a.id, a.seq, T0, "assistant", "mid_term"),
            Mark(b.id, b.seq, T0, "assistant", "mid_term"),
            Mark(c.id, c.seq, T0, "assistant", "archive"),
            Mark(d.id, d.seq, T0 + DAY, "assistant", "short_term"),
        )
        assert store.marks(ALICE, "pages", limit=2) + store.marks(ALICE, "pages", after=b.seq) == marks
        assert store.marks(ALICE, "pages", after=d.seq) == ()

    def test_marks_of_facts_name_their_status(self, store: FullStore) -> None:
        learn(store, fact("f1"), Fact("f2", "user", "x", T0 + DAY, T0, trust="tool", status="retired"))
        marks = store.marks(ALICE, "facts")
        assert [(m.id, m.at, m.trust, m.place) for m in marks] == [
            ("f1", T0, "user", "current"),
            ("f2", T0, "tool", "retired"),
        ]
        assert store.marks(ALICE, "facts", after=marks[0].seq) == marks[1:]

    def test_a_page_is_archived_alone_and_stays_in_its_segment(self, store: FullStore) -> None:
        a, b, c = add(store, "a", "b", "c")
        embed(store, a, b)
        store.page_out(move_out([a, b], reread=True))
        before = stored_segment(store)
        assert store.archive(ALICE, "pages", [a.id, c.id, "unknown"]) == 1
        archived, kept, waiting = store.pages(PageQuery(ALICE))
        assert (archived.tier, archived.segment_id, archived.messages) == ("archive", "g1", a.messages)
        assert (kept.tier, waiting.tier) == ("mid_term", "short_term")
        after = stored_segment(store)
        assert not after.archived
        assert (after.summary, after.keywords, after.page_count, after.rev) == (
            *(before.summary, before.keywords, 2),
            before.rev,
        )
        assert (after.unanalysed, after.l_interaction) == (1, 1)
        assert set(store.vectors(ALICE, [a.id])) == {a.id}
        assert store.stats(ALICE).pages_to_reread == 1

    def test_a_segment_follows_its_last_page(self, store: FullStore) -> None:
        a, b = add(store, "a", "b")
        store.page_out(move_out([a, b]))
        assert store.archive(ALICE, "pages", [b.id, a.id]) == 2
        assert store.segments(ALICE) == ()
        (archived,) = store.segments(ALICE, archived=True)
        assert (archived.page_count, archived.summary) == (2, "about tea")
        assert store.archive(ALICE, "pages", [a.id]) == 0

    def test_a_segment_follows_when_only_archived_pages_are_left_of_it(self, store: FullStore) -> None:
        a, b = add(store, "a", "b")
        store.page_out(move_out([a, b]))
        store.archive(ALICE, "pages", [a.id])
        store.forget(Forgetting(ALICE, (b.id,)))
        assert store.segments(ALICE) == ()
        (archived,) = store.segments(ALICE, archived=True)
        assert (archived.page_count, archived.summary) == (1, "")

    def test_what_is_archived_is_fed(self, store: FullStore) -> None:
        a, b = add(store, "a", "b")
        store.page_out(move_out([a, b]))
        learn(store, fact("f1"), fact("f2"))
        mirror: Mirror = {}
        after = follow(store, mirror, store.cursor(ALICE))
        store.archive(ALICE, "pages", [a.id])
        store.archive(ALICE, "facts", ["f1"])
        feed = store.feed(ALICE, after)
        assert [(p.id, p.tier) for p in feed.pages] == [(a.id, "archive")]
        assert feed.retired_fact_ids == ("f1",)
        assert mirror == {}

    def test_facts_are_archived_by_eviction(self, store: FullStore) -> None:
        learn(store, fact("f1"), fact("f2"), Fact("f3", "user", "x", T0, T0, status="retired"))
        learn(store, fact("f1"), scope=BOB)
        assert store.archive(ALICE, "facts", ["f1", "f3", "unknown"]) == 1
        assert [(f.id, f.status) for f in store.facts(ALICE, current=False)] == [
            ("f1", "evicted"),
            ("f2", "current"),
            ("f3", "retired"),
        ]
        assert store.facts(BOB) == (fact("f1"),)

    def test_archiving_what_is_not_there_begins_no_scope(self, store: FullStore) -> None:
        assert store.archive(ALICE, "pages", ["p"]) == store.archive(ALICE, "facts", ["f"]) == 0
        assert store.marks(ALICE, "pages") == store.marks(ALICE, "facts") == ()
        assert store.scopes() == ()

    def test_the_scopes_of_a_user(self, store: FullStore) -> None:
        mine = (Scope("ada", "a"), Scope("ada", "b"))
        for scope in (*reversed(mine), Scope("ada2", "a"), Scope("a", "ada")):
            add(store, "x", scope=scope)
        assert store.scopes_of("ada") == mine
        assert store.scopes_of("nobody") == ()

    def test_a_vacuum_changes_nothing(self, store: FullStore) -> None:
        pages = add(store, *map(str, range(50)))
        store.page_out(move_out(pages[:20]))
        store.forget(Forgetting(ALICE, tuple(page.id for page in pages[10:])))
        kept = list(store.export(ALICE))
        store.vacuum()
        store.vacuum(full=True)
        assert list(store.export(ALICE)) == kept
        assert texts(add(store, "after")) == ["after"]
        assert len(ids(store)) == 11
