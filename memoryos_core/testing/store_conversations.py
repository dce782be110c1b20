"""Conversations: a session takes a message once where it is asked to, and may end without forgetting."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memoryos_core.errors import ConflictError
from memoryos_core.ports import Store
from memoryos_core.testing.store_samples import ALICE, BOB, T0, add, move_out, new_page
from memoryos_core.values.commands import Append, Eviction, Forgetting, PageQuery


def taking(*ids: str) -> Append:
    """Build an append of one page whose messages are stored once."""
    return Append(ALICE, "s", (new_page("hello"),), T0, takes=ids)


class ConversationCases:
    """Messages are stored once, and conversations end without forgetting."""

    def test_a_message_is_taken_once(self, store: Store) -> None:
        store.append(taking("m1", "m2"))
        assert store.taken(ALICE, "s", ["m1", "m3", "m2"]) == {"m1", "m2"}
        with pytest.raises(ConflictError):
            store.append(taking("m3", "m1"))
        assert store.taken(ALICE, "s", ["m3"]) == frozenset()
        assert len(store.pages(PageQuery(ALICE))) == 1

    def test_other_sessions_and_scopes_take_for_themselves(self, store: Store) -> None:
        store.append(taking("m1"))
        assert store.taken(ALICE, "t", ["m1"]) == store.taken(BOB, "s", ["m1"]) == frozenset()
        store.append(replace(taking("m1"), scope=BOB))
        store.append(replace(taking("m1"), session_id="t"))
        assert store.stats().pages == 3

    def test_any_number_of_messages_may_be_asked_for(self, store: Store) -> None:
        ids = [f"m{n}" for n in range(1200)]
        store.append(taking(*ids))
        assert store.taken(ALICE, "s", [*ids, "other"]) == set(ids)

    def test_what_was_taken_goes_with_the_page_that_holds_it(self, store: Store) -> None:
        two = (new_page("hello"), new_page("again"))
        first, second = store.append(Append(ALICE, "s", two, T0, takes=("m1", "r1", "m2", "r2")))
        receipt = store.forget(Forgetting(ALICE, page_ids=(first.id,)))
        assert (receipt.pages, receipt.taken) == (1, 2)
        assert store.taken(ALICE, "s", ["m1", "m2"]) == {"m2"}
        assert store.forget(Forgetting(ALICE, page_ids=(second.id,))).taken == 2
        assert store.taken(ALICE, "s", ["m1", "m2"]) == frozenset()
        store.append(taking("m1"))
        store.forget(Forgetting(ALICE, everything=True))
        assert store.taken(ALICE, "s", ["m1"]) == frozenset()

    def test_what_joins_a_page_is_taken_with_it(self, store: Store) -> None:
        (page,) = store.append(taking("m1"))
        more = (new_page("more", extends_last=True), new_page("x"))
        store.append(Append(ALICE, "s", more, T0, takes=("m2", "r2", "m3")))
        assert store.forget(Forgetting(ALICE, page_ids=(page.id,))).taken == 3
        assert store.taken(ALICE, "s", ["m1", "m2", "m3"]) == {"m3"}

    def test_an_evicted_page_takes_its_digest_along(self, store: Store) -> None:
        (page,) = store.append(taking("m1"))
        store.page_out(move_out([page]))
        store.evict(Eviction(ALICE, ("g1",), T0, archive=False))
        assert store.pages(PageQuery(ALICE)) == ()
        assert store.taken(ALICE, "s", ["m1"]) == frozenset()

    def test_an_ended_conversation_is_remembered_and_over(self, store: Store) -> None:
        old, other = add(store, "one")[0], add(store, "two", session="t")[0]
        store.end_session(ALICE, "s")
        assert store.pages(PageQuery(ALICE, ids=(old.id,))) == (replace(old, ended=True),)
        assert store.pages(PageQuery(ALICE, ended=False)) == (other,)
        new = add(store, "three")[0]
        assert store.pages(PageQuery(ALICE, session_id="s", ended=False)) == (new,)

    def test_a_new_conversation_begins_with_a_page_of_its_own(self, store: Store) -> None:
        add(store, "one")
        store.end_session(ALICE, "s")
        fresh = Append(ALICE, "s", (new_page("two"),), T0, after=None, check_after=True)
        (page,) = store.append(fresh)
        assert page.messages == new_page("two").messages
        with pytest.raises(ConflictError):
            store.append(fresh)
        store.end_session(ALICE, "s")
        with pytest.raises(ConflictError):
            store.append(Append(ALICE, "s", (new_page("more", extends_last=True),), T0))

    def test_pages_end_as_others_come_in_their_place(self, store: Store) -> None:
        old, kept = add(store, "one", "two")
        ends = ((old.id, old.tokens),)
        (new,) = store.append(Append(ALICE, "s", (new_page("uno"),), T0, after=kept.id, check_after=True, ends=ends))
        assert store.pages(PageQuery(ALICE, session_id="s", ended=False)) == (kept, new)
        assert store.pages(PageQuery(ALICE, ids=(old.id, kept.id), session_id="s", ended=True)) == (
            replace(old, ended=True),
        )
        assert store.append(Append(ALICE, "s", (), T0, ends=((kept.id, kept.tokens),))) == ()
        assert store.pages(PageQuery(ALICE, ended=False)) == (new,)

    def test_a_page_that_changed_meanwhile_is_not_ended_and_nothing_comes_in_its_place(self, store: Store) -> None:
        page, other = add(store, "one")[0], add(store, "two", session="t")[0]
        stale = ((page.id, page.tokens + 1),), ((other.id, other.tokens),), (("gone", 10),)
        for ends in stale:
            with pytest.raises(ConflictError):
                store.append(Append(ALICE, "s", (new_page("uno"),), T0, ends=ends))
        store.end_session(ALICE, "s")
        with pytest.raises(ConflictError):
            store.append(Append(ALICE, "s", (new_page("uno"),), T0, ends=((page.id, page.tokens),)))
        assert store.pages(PageQuery(ALICE)) == (replace(page, ended=True), other)

    def test_a_session_begins_anew_with_its_pages(self, store: Store) -> None:
        old, other = add(store, "one")[0], add(store, "two", session="t")[0]
        over, begun = replace(new_page("three"), ended=True, id="p3"), new_page("four")
        first, second = store.append(Append(ALICE, "s", (over, begun), T0, restarts=True))
        assert (first.id, first.ended, second.ended) == ("p3", True, False)
        assert store.pages(PageQuery(ALICE)) == (replace(old, ended=True), other, first, second)
        assert store.pages(PageQuery(ALICE, session_id="s", ended=False)) == (second,)
        assert store.append(Append(ALICE, "s", (), T0, restarts=True)) == ()
        assert store.pages(PageQuery(ALICE, ended=False)) == (other,)

    def test_ending_what_never_began_changes_nothing(self, store: Store) -> None:
        store.end_session(ALICE, "s")
        assert store.scopes() == ()
