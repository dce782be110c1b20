"""Contract cases: moves into segments, descriptions, visits and eviction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memoryos_core.errors import ConflictError, InvalidInputError
from memoryos_core.ports import Store
from memoryos_core.testing.store_samples import (
    ALICE,
    BOB,
    DAY,
    T0,
    add,
    embed,
    everything,
    fact,
    ids,
    learn,
    move_out,
    segment,
    stored_segment,
    texts,
    vector,
)
from memoryos_core.values.commands import (
    Eviction,
    Forgetting,
    Learning,
    Move,
    PageOut,
    PageQuery,
    Promotion,
    Redescription,
    Regroup,
    Regrouping,
    VectorRow,
    Visit,
)
from memoryos_core.values.dialogue import Chain, HeatCounters


class MidTermCases:
    """Moves, descriptions, visits and eviction of segments."""

    def test_paging_out_moves_pages_into_a_new_segment(self, store: Store) -> None:
        pages = add(store, "a", "b", "c")
        store.page_out(move_out(pages[:2]))
        (found,) = store.segments(ALICE)
        assert (found.id, found.summary, found.keywords) == ("g1", "about tea", ("tea", "cup"))
        assert np.array_equal(found.centroid, vector(1, 0))
        assert found.centroid.dtype == np.float32
        assert (found.n_visit, found.l_interaction, found.page_count, found.unanalysed) == (0, 2, 2, 2)
        assert (found.last_access, found.archived) == (T0, False)
        assert found.rev > 0
        assert store.chains(ALICE, ["c1", "unknown"]) == (Chain("c1", "talk of tea"),)
        moved = store.pages(PageQuery(ALICE, tiers=("mid_term",)))
        assert [(p.segment_id, p.chain_id, p.reread) for p in moved] == [("g1", "c1", False)] * 2
        assert texts(store.pages(PageQuery(ALICE, tiers=("short_term",)))) == ["c"]

    def test_a_segment_has_the_dates_of_its_pages_or_none(self, store: Store) -> None:
        pages = add(store, "a", "b", "c")
        store.page_out(move_out(pages))
        (found,) = store.segments(ALICE)
        times = sorted(page.timestamp for page in pages)
        assert (found.since, found.until) in ((times[0], times[-1]), (None, None))

    def test_joining_adds_interaction_and_never_turns_back_access(self, store: Store) -> None:
        a, b, c = add(store, "a", "b", "c")
        store.page_out(move_out([a], into=segment(last_access=T0 + DAY)))
        store.visit(Visit(ALICE, ("g1",), T0))
        before = stored_segment(store)
        store.page_out(move_out([b, c], into=replace(before, summary="new", keywords=("x",), last_access=T0)))
        after = stored_segment(store)
        assert (after.summary, after.keywords, after.l_interaction, after.page_count) == ("new", ("x",), 3, 3)
        assert (after.last_access, after.n_visit) == (T0 + DAY, 1)
        assert after.rev > before.rev

    def test_a_page_moves_once(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        store.page_out(move_out([a]))
        before = stored_segment(store)
        with pytest.raises(ConflictError):
            store.page_out(move_out([b, a], into=segment("g2")))
        assert store.segments(ALICE) == (before,)
        assert texts(store.pages(PageQuery(ALICE, tiers=("short_term",)))) == ["b"]

    def test_a_page_that_is_not_there_does_not_move(self, store: Store) -> None:
        (a,) = add(store, "a")
        with pytest.raises(ConflictError):
            store.page_out(move_out([a, replace(a, id="unknown")]))
        assert store.segments(ALICE) == ()
        assert store.chains(ALICE, ["c1"]) == ()

    def test_a_segment_that_changed_meanwhile_is_a_conflict(self, store: Store) -> None:
        a, b, c = add(store, "a", "b", "c")
        store.page_out(move_out([a]))
        read = stored_segment(store)
        store.page_out(move_out([b], into=read))
        with pytest.raises(ConflictError):
            store.page_out(move_out([c], into=read))
        with pytest.raises(ConflictError):
            store.redescribe(Redescription(ALICE, (), (read,), ()))
        assert stored_segment(store).page_count == 2

    def test_a_segment_that_is_gone_takes_no_pages(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        store.page_out(move_out([a]))
        read = stored_segment(store)
        store.evict(Eviction(ALICE, ("g1",), T0, archive=False))
        with pytest.raises(ConflictError):
            store.page_out(move_out([b], into=read))
        with pytest.raises(ConflictError):
            store.redescribe(Redescription(ALICE, (), (read,), ()))
        assert store.segments(ALICE) == ()

    def test_a_new_segment_does_not_overwrite_one_that_is_there(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        store.page_out(move_out([a]))
        with pytest.raises(ConflictError):
            store.page_out(move_out([b], into=segment(rev=0, summary="another")))
        assert stored_segment(store).summary == "about tea"

    def test_an_archived_segment_takes_no_pages(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        store.page_out(move_out([a]))
        store.evict(Eviction(ALICE, ("g1",), T0))
        with pytest.raises(ConflictError):
            store.page_out(move_out([b], into=stored_segment(store)))

    def test_a_batch_must_make_sense(self, store: Store) -> None:
        (a,) = add(store, "a")
        twice = (Move(a.id, "g1", "c1"), Move(a.id, "g1", "c1"))
        with pytest.raises(InvalidInputError):
            store.page_out(PageOut(ALICE, twice, (segment(),), (), T0))
        with pytest.raises(InvalidInputError):
            store.page_out(PageOut(ALICE, twice[:1], (), (), T0))

    def test_one_batch_may_fill_many_segments(self, store: Store) -> None:
        pages = add(store, "a", "b", "c")
        moves = tuple(Move(p.id, f"g{i % 2}", f"c{i}") for i, p in enumerate(pages))
        store.page_out(PageOut(ALICE, moves, (segment("g1"), segment("g0")), (Chain("c1", "said"),), T0))
        assert [(s.id, s.page_count) for s in store.segments(ALICE)] == [("g1", 1), ("g0", 2)]
        assert [s.id for s in store.segments(ALICE, ids=["g0", "unknown"])] == ["g0"]
        assert store.segments(ALICE, ids=[]) == ()
        # A chain without a summary is stored too.
        assert store.chains(ALICE, ["c2", "c1"]) == (Chain("c2", ""), Chain("c1", "said"))

    def test_a_chain_is_described_again(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        store.page_out(move_out([a]))
        move = replace(move_out([b], into=stored_segment(store)), chains=(Chain("c1", "longer talk"),))
        store.page_out(move)
        assert store.chains(ALICE, ["c1"]) == (Chain("c1", "longer talk"),)

    def test_redescribing_moves_nothing(self, store: Store) -> None:
        pages = add(store, "a", "b", "c")
        store.page_out(move_out(pages, reread=True))
        read = stored_segment(store)
        fresh = replace(read, summary="better", keywords=("y",), centroid=vector(0, 1))
        store.redescribe(Redescription(ALICE, (pages[0].id, pages[1].id), (fresh,), (Chain("c1", "clearer"),)))
        after = stored_segment(store)
        assert (after.summary, after.keywords, after.centroid.tolist()) == ("better", ("y",), [0, 1])
        assert (after.l_interaction, after.page_count) == (read.l_interaction, read.page_count)
        assert store.chains(ALICE, ["c1"]) == (Chain("c1", "clearer"),)
        assert texts(store.pages(PageQuery(ALICE, reread=True))) == ["c"]

    def test_redescribing_what_is_gone_is_a_conflict(self, store: Store) -> None:
        (a,) = add(store, "a")
        store.page_out(move_out([a], reread=True))
        with pytest.raises(ConflictError):
            store.redescribe(Redescription(ALICE, (a.id, "gone"), (replace(stored_segment(store), summary="x"),), ()))
        told = replace(stored_segment(store), summary="what was forgotten")
        with pytest.raises(ConflictError):
            store.redescribe(Redescription(ALICE, (a.id,), (told,), (), read=(a.id, "gone")))
        assert stored_segment(store).summary == "about tea"

    def test_counters_of_a_new_segment_are_the_stores_own(self, store: Store) -> None:
        (a,) = add(store, "a")
        store.page_out(move_out([a], into=replace(segment(), n_visit=5, l_interaction=7)))
        assert (stored_segment(store).n_visit, stored_segment(store).l_interaction) == (0, 1)

    def test_visits_are_counted(self, store: Store) -> None:
        pages = add(store, "a")
        store.page_out(move_out(pages))
        learn(store, fact("f1"))
        read, cursor = stored_segment(store), store.cursor(ALICE)
        store.visit(Visit(ALICE, ("g1", "unknown"), T0 + DAY, ("f1", "unknown")))
        store.visit(Visit(ALICE, ("g1",), T0))
        assert stored_segment(store) == replace(read, n_visit=2, last_access=T0 + DAY)
        assert store.facts(ALICE)[0].visits == 1
        # A visit changes no rev: caches stay valid, and a pending move succeeds.
        assert store.cursor(ALICE) == cursor

    def test_a_forgetting_since_the_batch_was_read_is_a_conflict(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        epoch = store.cursor(ALICE).epoch
        store.forget(Forgetting(ALICE, page_ids=(a.id,)))
        with pytest.raises(ConflictError):
            store.page_out(replace(move_out([b]), epoch=epoch))
        store.page_out(replace(move_out([b]), epoch=store.cursor(ALICE).epoch))

    def test_pages_are_read_into_long_term_memory_once_unless_again_on_purpose(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        store.page_out(move_out([a, b]))
        first = Promotion(ALICE, Learning(facts=(fact("f1"),)), T0, "g1", (a.id,), cooled=1)
        store.promote(first)
        twice = Promotion(ALICE, Learning(facts=(fact("f2"),)), T0, "g1", (a.id, b.id), cooled=2)
        with pytest.raises(ConflictError):
            store.promote(twice)
        assert [f.id for f in store.facts(ALICE)] == ["f1"]
        store.promote(replace(twice, again=True))
        assert [f.id for f in store.facts(ALICE)] == ["f1", "f2"]

    def test_a_page_that_grew_does_not_take_the_vectors_of_what_it_was(self, store: Store) -> None:
        (page,) = add(store, "a")
        store.save_vectors(ALICE, [VectorRow(page.id, "user", vector(1, 0), tokens=page.tokens + 1)])
        assert store.vectors(ALICE, [page.id]) == {}
        store.save_vectors(ALICE, [VectorRow(page.id, "user", vector(1, 0), tokens=page.tokens)])
        assert page.id in store.vectors(ALICE, [page.id])

    def test_heat_counters_are_those_of_the_segments(self, store: Store) -> None:
        a, b, c = add(store, "a", "b", "c")
        store.page_out(move_out([a, b]))
        store.page_out(move_out([c], into=segment("g2")))
        store.visit(Visit(ALICE, ("g1",), T0 + DAY))
        store.evict(Eviction(ALICE, ("g2",), T0))
        every = {s.id: s for s in (*store.segments(ALICE), *store.segments(ALICE, archived=True))}
        counters = store.heat_counters(ALICE, ["g1", "g2", "unknown"])
        assert counters.keys() == every.keys() == {"g1", "g2"}
        for i, counted in counters.items():
            segment_ = every[i]
            assert counted == HeatCounters(segment_.n_visit, segment_.l_interaction, segment_.last_access)
        assert store.heat_counters(BOB, ["g1"]) == {}
        assert store.heat_counters(ALICE, []) == {}

    def test_archiving_keeps_everything_readable(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        store.page_out(move_out([a]))
        store.page_out(move_out([b], into=segment("g2"), chain="c2"))
        embed(store, a)
        store.evict(Eviction(ALICE, ("g1", "unknown"), T0))
        assert [s.id for s in store.segments(ALICE)] == ["g2"]
        (archived,) = store.segments(ALICE, archived=True)
        assert (archived.id, archived.archived, archived.page_count) == ("g1", True, 1)
        assert texts(store.pages(PageQuery(ALICE, tiers=("archive",)))) == ["a"]
        assert set(store.vectors(ALICE, [a.id])) == {a.id}

    def test_deleting_takes_pages_and_leaves_facts(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        store.page_out(move_out([a]))
        embed(store, a, b)
        learn(store, fact("f1", a.id, b.id), fact("f2", a.id))
        epoch = store.cursor(ALICE).epoch
        store.evict(Eviction(ALICE, ("g1",), T0, archive=False))
        assert ids(store) == [b.id]
        assert store.segments(ALICE) == store.segments(ALICE, archived=True) == ()
        assert store.chains(ALICE, ["c1"]) == ()
        assert set(store.vectors(ALICE, [a.id, b.id])) == {b.id}
        assert [(f.id, f.page_ids) for f in store.facts(ALICE)] == [("f1", (b.id,)), ("f2", ())]
        assert store.cursor(ALICE).epoch != epoch

    def test_regrouping_moves_pages_shares_heat_and_dissolves_segments(self, store: Store) -> None:
        a, b, c, d = add(store, "a", "b", "c", "d")
        store.page_out(move_out([a, b]))
        store.page_out(move_out([c], into=segment("g2"), chain="c2"))
        store.visit(Visit(ALICE, ("g1", "g2"), T0))
        learn(store, fact("f1", a.id))
        tea, talk = store.segments(ALICE)
        cursor = store.cursor(ALICE)
        moves = (Regroup(b.id, "g1", "g3"), Regroup(c.id, "g2", "g3"))
        regrouping = Regrouping(moves, {"g1": (0, -1), "g3": (1, 2)}, (talk,))
        fresh = replace(segment("g3", summary="both"), last_access=T0 + DAY)
        move = replace(move_out([d], into=replace(tea, summary="less")), regrouping=regrouping)
        store.page_out(replace(move, segments=(*move.segments, fresh)))
        less, both = store.segments(ALICE)
        assert (less.id, less.summary, less.n_visit, less.l_interaction, less.page_count) == ("g1", "less", 1, 2, 2)
        assert (both.id, both.summary, both.n_visit, both.l_interaction, both.page_count) == ("g3", "both", 1, 2, 2)
        assert (both.last_access, both.unanalysed) == (T0 + DAY, 2)
        homes = [(p.segment_id, p.chain_id, p.tier) for p in store.pages(PageQuery(ALICE))]
        assert homes == [(s, c, "mid_term") for s, c in (("g1", "c1"), ("g3", "c1"), ("g3", "c2"), ("g1", "c1"))]
        assert store.facts(ALICE)[0].page_ids == (a.id,)
        changed = store.feed(ALICE, cursor)
        assert {p.id for p in changed.pages} == {b.id, c.id, d.id}, "caches learn of the new homes"
        assert store.cursor(ALICE).epoch == cursor.epoch

    def test_regrouping_what_changed_since_it_was_read_is_a_conflict(self, store: Store) -> None:
        a, b, c, d = add(store, "a", "b", "c", "d")
        store.page_out(move_out([a, b]))
        store.page_out(move_out([c], into=segment("g2")))
        tea, talk = store.segments(ALICE)
        before = everything(store)
        wrong = (
            Regrouping((Regroup(b.id, "g2", "g1"),)),  # it is in another segment
            Regrouping((Regroup(c.id, "g2", "g1"),), dissolved=(replace(talk, rev=talk.rev + 1),)),
            Regrouping(dissolved=(talk,)),  # it has a page left
            Regrouping((Regroup("gone", "g2", "g1"),)),
        )
        for regrouping in wrong:
            with pytest.raises(ConflictError):
                store.page_out(replace(move_out([d], into=tea), regrouping=regrouping))
            assert everything(store) == before
        for moves in (Regroup(d.id, "g2", "g1"), Regroup(c.id, "g2", "g9")):
            with pytest.raises(InvalidInputError):
                store.page_out(replace(move_out([d], into=tea), regrouping=Regrouping((moves,))))
        store.evict(Eviction(ALICE, ("g2",), T0))
        regrouping = Regrouping((Regroup(c.id, "g2", "g1"),), dissolved=(talk,))
        with pytest.raises(ConflictError):
            store.page_out(replace(move_out([d], into=tea), regrouping=regrouping))

    def test_heat_that_is_shared_never_falls_below_nothing(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        store.page_out(move_out([a]))
        regrouping = Regrouping(heat={"g1": (-5, -5)})
        store.page_out(replace(move_out([b], into=stored_segment(store)), regrouping=regrouping))
        assert (stored_segment(store).n_visit, stored_segment(store).l_interaction) == (0, 0)

    def test_reading_marks_pages_and_cools_the_segment(self, store: Store) -> None:
        pages = add(store, "a", "b", "c")
        store.page_out(move_out(pages))
        store.promote(Promotion(ALICE, Learning(), T0, "g1", (pages[0].id, pages[1].id), cooled=2))
        found = stored_segment(store)
        assert (found.l_interaction, found.unanalysed, found.page_count) == (1, 1, 3)
        assert texts(store.pages(PageQuery(ALICE, analysed=False))) == ["c"]
        store.promote(Promotion(ALICE, Learning(), T0, "g1", (pages[2].id,), cooled=99, reread=True))
        assert stored_segment(store).l_interaction == 0
        assert texts(store.pages(PageQuery(ALICE, reread=True))) == ["c"]
