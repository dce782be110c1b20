"""Contract cases: marks for retention policies, archiving page by page, vacuum."""

from __future__ import annotations

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
    follow,
    ids,
    learn,
    move_out,
    segment,
    stored_segment,
    texts,
)
from memoryos_core.values.commands import Eviction, Forgetting, PageQuery
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.facts import Fact
from memoryos_core.values.queries import Mark


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
