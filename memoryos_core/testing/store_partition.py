"""Contract cases: scopes never mix, and what is counted is what is there."""

from __future__ import annotations

import itertools

from memoryos_core.ports import Store
from memoryos_core.testing.store_samples import (
    ALICE,
    BOB,
    T0,
    add,
    embed,
    everything,
    fact,
    field,
    ids,
    learn,
    move_out,
    new_page,
    segment,
    stored_segment,
    texts,
    trait,
    vector,
)
from memoryos_core.values.commands import Append, Cursor, Eviction, Forgetting, PageQuery, Visit
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.reports import Stats

AWKWARD = (
    *("u1", "u10", "u1 ", "U1", "", " ", "..", "../u1", "u1/../u1", "/etc/passwd", "u%", "u_", "%", "_", "*"),
    *("'", '"', "' OR '1'='1", "u1'; --", "null", "None", "\x00", "u1\x00", "\ud83d", "é", "e\u0301", "u" * 10_000),
)


class PartitionCases:
    """One user's memory is no part of another's."""

    def test_awkward_names_are_just_names(self, store: Store) -> None:
        scopes = [Scope(user) for user in AWKWARD] + [Scope("u1", other) for other in AWKWARD]
        for i, scope in enumerate(scopes):
            add(store, f"page {i}", scope=scope, session=scope.assistant_id)
        for i, scope in enumerate(scopes):
            assert texts(store.pages(PageQuery(scope))) == [f"page {i}"]
        assert set(store.scopes()) == set(scopes)
        store.forget(Forgetting(Scope("u%"), everything=True))
        store.forget(Forgetting(Scope("u_"), everything=True))
        assert set(store.scopes()) == set(scopes) - {Scope("u%"), Scope("u_")}

    def test_awkward_session_names_are_just_names(self, store: Store) -> None:
        for i, session in enumerate(AWKWARD):
            add(store, f"page {i}", session=session)
        for i, session in enumerate(AWKWARD):
            assert texts(store.pages(PageQuery(ALICE, session_id=session))) == [f"page {i}"]
        assert [p.session_id for p in store.pending(ALICE)] == list(AWKWARD)
        store.forget(Forgetting(ALICE, session_id="%"))
        assert len(ids(store)) == len(AWKWARD) - 1

    def test_the_same_ids_in_two_scopes_are_two_things(self, store: Store) -> None:
        for scope in (ALICE, BOB):
            pages = add(store, f"{scope.user_id}'s", scope=scope)
            home = segment("g1", summary=scope.user_id)
            store.page_out(move_out(pages, into=home, scope=scope))
            learn(store, fact("f1", text=scope.user_id), profile=[field("name", scope.user_id)], scope=scope)
        assert [stored_segment(store, scope=scope).summary for scope in (ALICE, BOB)] == ["alice", "bob"]
        store.visit(Visit(ALICE, ("g1",), T0, ("f1",)))
        store.evict(Eviction(ALICE, ("g1",), T0, archive=False))
        store.forget(Forgetting(ALICE, fact_ids=("f1",)))
        assert stored_segment(store, scope=BOB).n_visit == 0
        assert texts(store.pages(PageQuery(BOB))) == ["bob's"]
        assert store.facts(BOB) == (fact("f1", text="bob"),)

    def test_nothing_of_one_scope_is_found_through_another(self, store: Store) -> None:
        (a,) = add(store, "alice's secret")
        store.page_out(move_out([a]))
        embed(store, a, of=vector(1, 0))
        learn(store, fact("f1", a.id), traits=[trait("Openness", a.id)])
        add(store, "bob's")
        before = everything(store), store.cursor(ALICE)
        assert store.pages(PageQuery(BOB, ids=(a.id,))) == store.pages(PageQuery(BOB, segment_id="g1")) == ()
        assert store.segments(BOB, ids=["g1"]) == ()
        assert store.chains(BOB, ["c1"]) == ()
        assert store.facts(BOB, ids=["f1"]) == ()
        assert store.vectors(BOB, [a.id]) == {}
        assert store.feed(BOB, Cursor()).pages == ()
        embed(store, a, scope=BOB, of=vector(9, 9))
        store.forget(Forgetting(BOB, (a.id,), ("f1",), "s"))
        learn(store, fact("f2", a.id), scope=BOB)
        assert store.facts(BOB) == ()
        assert (everything(store), store.cursor(ALICE)) == before
        assert store.vectors(ALICE, [a.id])[a.id]["user"].tolist() == [1, 0]

    def test_pending_scopes_are_those_with_work(self, store: Store) -> None:
        names = ("short", "unembedded", "marked", "archived", "done")
        scopes = {name: Scope(name) for name in names}
        for name, scope in scopes.items():
            pages = add(store, "a", scope=scope)
            if name != "short":
                store.page_out(move_out(pages, scope=scope, reread=name in ("marked", "archived")))
            if name != "unembedded":
                embed(store, *pages, scope=scope)
        store.evict(Eviction(scopes["archived"], ("g1",), T0))
        assert set(store.scopes()) == set(scopes.values())
        assert store.scopes(pending_only=True) == tuple(
            sorted((scopes[name] for name in ("short", "unembedded", "marked")), key=lambda scope: scope.user_id)
        )

    def test_stats_count_what_is_there(self, store: Store) -> None:
        assert store.stats() == store.stats(ALICE) == Stats()
        a, b, c, d = add(store, "a", "b", "c", "d")
        store.append(Append(ALICE, "t", (new_page("e"),), T0))
        store.page_out(move_out([a], reread=True))
        store.page_out(move_out([b, c], into=segment("g2"), chain="c2", reread=True))
        store.evict(Eviction(ALICE, ("g1",), T0))
        for _ in range(2):
            learn(store, traits=[trait("Openness", d.id)], profile=[field("name", "Al"), field("home", "Porto")])
        learn(store, fact("f1", a.id), fact("f2"))
        add(store, "x", scope=BOB)
        add(store, "y", scope=Scope("alice", "another assistant"))
        expected = Stats(
            users=1,
            sessions=2,
            pages_short_term=2,
            pages_mid_term=2,
            pages_archived=1,
            pages_to_reread=2,
            segments=1,
            segments_archived=1,
            facts_user=2,
            traits=1,
            profile_fields=2,
        )
        assert store.stats(ALICE) == expected
        whole = store.stats()
        assert (whole.users, whole.sessions, whole.pages, whole.facts_user) == (2, 4, 7, 2)

    def test_scopes_come_in_order(self, store: Store) -> None:
        for user, assistant in itertools.product(("b", "a"), ("z", "y")):
            add(store, "hi", scope=Scope(user, assistant))
        assert store.scopes() == tuple(Scope(u, a) for u, a in (("a", "y"), ("a", "z"), ("b", "y"), ("b", "z")))
