"""Conversations: a session takes a message once where it is asked to, and may end without forgetting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import overload

import pytest

from memoryos_core.errors import ConflictError, StoreError
from memoryos_core.moves import Append, Forgetting, PageQuery
from memoryos_core.noted import Note, NoteWrite
from memoryos_core.ports import Store
from memoryos_core.testing.store_samples import ALICE, BOB, T0, add, new_page


def taking(*ids: str) -> Append:
    """One page, appended by a session that takes these messages once."""
    return Append(ALICE, "s", (new_page("hello"),), T0, takes=ids)


class Torn(Sequence[NoteWrite]):
    """Two notes, of which the second cannot be had."""

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


class ConversationCases:
    """Mixed into the contract."""

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

    def test_what_was_taken_outlives_the_page_but_not_the_user(self, store: Store) -> None:
        (page,) = store.append(taking("m1"))
        store.forget(Forgetting(ALICE, page_ids=(page.id,)))
        assert store.taken(ALICE, "s", ["m1"]) == {"m1"}
        store.forget(Forgetting(ALICE, everything=True))
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

    def test_a_conversation_ends_with_its_note(self, store: Store) -> None:
        page = add(store, "one")[0]
        store.end_session(ALICE, "s", [NoteWrite(("head",), "s", "1")], T0)
        assert store.pages(PageQuery(ALICE)) == (replace(page, ended=True),)
        assert store.notes(ALICE) == (Note(("head",), "s", "1", "", T0, T0),)
        assert store.notes(BOB) == ()
        new = add(store, "two")[0]
        store.end_session(ALICE, "s", [NoteWrite(("head",), "s", None)], T0)
        assert store.pages(PageQuery(ALICE, ids=(new.id,))) == (replace(new, ended=True),)
        assert store.notes(ALICE) == ()

    def test_neither_the_end_nor_its_note_comes_alone(self, store: Store) -> None:
        page = add(store, "one")[0]
        with pytest.raises(StoreError):
            store.end_session(ALICE, "s", Torn(), T0)
        assert store.pages(PageQuery(ALICE)) == (page,)
        assert store.notes(ALICE) == ()

    def test_ending_what_never_began_changes_nothing(self, store: Store) -> None:
        store.end_session(ALICE, "s")
        assert store.scopes() == ()
