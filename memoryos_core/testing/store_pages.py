"""Contract cases: short-term memory, and every question about pages.

Conversations: a session takes a message once where it is asked to, and may end without forgetting.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core.errors import ConflictError, InvalidInputError, StoreError
from memoryos_core.ports import Store
from memoryos_core.testing.store_samples import (
    ALICE,
    BOB,
    DAY,
    T0,
    add,
    embed,
    everything,
    ids,
    move_out,
    new_page,
    texts,
)
from memoryos_core.values.commands import Append, Eviction, Forgetting, NewPage, PageQuery
from memoryos_core.values.dialogue import Message, Page
from memoryos_core.values.facts import Profile

HOSTILE = (
    "",
    " \n\t ",
    "nul \x00 and more \x00\x00",
    "\x1a0000 the store's own mark \x1a",
    "half \ud83d a pair, and \udc00\ud800 the wrong way round",
    "\ud83d\ude00 two halves are not one 😀",
    "emoji 👩‍👩‍👧‍👦 and 𝔘nicode ﷽",
    "'; DROP TABLE pages; -- %s :x $1 ? \\ \" \\u0000",
    "x" * 1_000_000,
)


class PageCases:
    """Append and read."""

    def test_what_is_appended_is_read_back(self, store: Store) -> None:
        appended = add(store, "tea?", "coffee?")
        assert store.pages(PageQuery(ALICE)) == appended
        assert [(p.tier, p.session_id, p.tokens, p.open, p.analysed) for p in appended] == [
            ("short_term", "s", 10, False, False)
        ] * 2

    def test_seqs_rise_and_pages_come_oldest_first(self, store: Store) -> None:
        first, second = add(store, "one", "two")
        (third,) = add(store, "three", session="another")
        assert first.seq < second.seq < third.seq
        assert texts(store.pages(PageQuery(ALICE))) == ["one", "two", "three"]

    def test_newest_first_and_limit(self, store: Store) -> None:
        add(store, "one", "two", "three")
        assert texts(store.pages(PageQuery(ALICE, newest_first=True, limit=2))) == ["three", "two"]
        assert texts(store.pages(PageQuery(ALICE, limit=2))) == ["one", "two"]
        assert store.pages(PageQuery(ALICE, limit=0)) == ()

    @pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
    def test_text_is_verbatim(self, store: Store, text: str) -> None:
        message = Message("user", text, name=text[:50], payload=text)
        store.append(Append(ALICE, text[:50], (NewPage((message,), 1, open=True),), T0))
        (page,) = store.pages(PageQuery(ALICE, session_id=text[:50]))
        assert page.messages == (message,)
        assert page.session_id == text[:50]

    def test_every_field_of_a_message_is_kept(self, store: Store) -> None:
        zone = timezone(timedelta(hours=5, minutes=45))
        call = Message("assistant", "", calls=("c1", "c2"), payload='{"host": 1}', timestamp=T0.astimezone(zone))
        answer = Message("tool", "42", name="calc", id="m2", answers="c1")
        store.append(Append(ALICE, "s", (NewPage((call, answer), 3, open=True),), T0))
        (page,) = store.pages(PageQuery(ALICE))
        assert page.messages == (call, answer)
        assert page.messages[0].timestamp is not None
        assert page.messages[0].timestamp.utcoffset() == zone.utcoffset(None)
        assert page.open

    def test_a_page_is_as_old_as_its_first_message(self, store: Store) -> None:
        said = datetime(1969, 7, 20, 20, 17, 40, 123456, tzinfo=timezone(timedelta(hours=-5)))
        dated = NewPage(
            (Message("user", "hi", timestamp=said), Message("assistant", "yo", timestamp=T0)), 1, open=False
        )
        (old,) = store.append(Append(ALICE, "s", (dated,), T0))
        (now,) = add(store, "no date", at=T0 + DAY)
        assert (
            [p.timestamp for p in store.pages(PageQuery(ALICE))] == [old.timestamp, now.timestamp] == [said, T0 + DAY]
        )

    def test_a_naive_time_is_refused_and_nothing_is_written(self, store: Store) -> None:
        with pytest.raises(InvalidInputError):
            add(store, "when?", at=T0.replace(tzinfo=None))
        assert ids(store) == []

    def test_nothing_to_append_is_nothing(self, store: Store) -> None:
        assert store.append(Append(ALICE, "s", (), T0)) == ()
        assert store.pages(PageQuery(ALICE)) == ()

    def test_extending_adds_to_the_last_page(self, store: Store) -> None:
        add(store, "one")
        (last,) = store.append(Append(ALICE, "s", (new_page("two", open_=True),), T0))
        embed(store, last)
        more = new_page("more", extends_last=True, tokens=7)
        grown, new = store.append(Append(ALICE, "s", (more, new_page("three")), T0, after=last.id, check_after=True))
        expected = replace(last, messages=last.messages + more.messages, tokens=17, open=False)
        assert grown == expected
        assert store.pages(PageQuery(ALICE))[1:] == (expected, new)
        assert store.vectors(ALICE, [last.id]) == {}
        assert last.id in {p.id for p in store.pages(PageQuery(ALICE, embedded=False))}

    def test_extending_a_page_that_has_grown_is_a_conflict_where_its_size_is_named(self, store: Store) -> None:
        (last,) = add(store, "one")
        more = Append(ALICE, "s", (new_page("more", extends_last=True, tokens=7),), T0, after_tokens=last.tokens)
        (grown,) = store.append(more)
        with pytest.raises(ConflictError):
            store.append(more)
        assert store.pages(PageQuery(ALICE)) == (grown,)
        (new,) = store.append(replace(more, pages=(new_page("new"),)))
        assert store.pages(PageQuery(ALICE)) == (grown, new)

    def test_a_page_that_grows_is_trusted_no_more_than_what_joined_it(self, store: Store) -> None:
        first = replace(new_page("one"), trust="user", labels=("a", "b"))
        (page,) = store.append(Append(ALICE, "s", (first,), T0))
        more = replace(new_page("more", extends_last=True), trust="tool", labels=("b", "c"))
        (grown,) = store.append(Append(ALICE, "s", (more,), T0 + DAY))
        assert (grown.id, grown.seq, grown.timestamp) == (page.id, page.seq, page.timestamp)
        assert (grown.trust, grown.labels) == ("tool", ("a", "b", "c"))

    def test_a_store_that_tells_when_a_page_was_written_tells_when_it_last_grew(self, store: Store) -> None:
        dated = NewPage((Message("user", "said long ago", timestamp=T0 - DAY),), 1, open=True)
        store.append(Append(ALICE, "s", (dated,), T0))
        (grown,) = store.append(Append(ALICE, "s", (new_page("more", extends_last=True),), T0 + DAY))
        (read,), (waiting,) = store.pages(PageQuery(ALICE)), store.pending(ALICE)
        assert {grown.written_at, read.written_at, waiting.written_at} in ({T0 + DAY}, {None})

    def test_only_a_short_term_page_can_be_extended(self, store: Store) -> None:
        pages = add(store, "one")
        store.page_out(move_out(pages))
        with pytest.raises(ConflictError):
            store.append(Append(ALICE, "s", (new_page("more", extends_last=True),), T0))
        with pytest.raises(ConflictError):
            store.append(Append(ALICE, "empty", (new_page("more", extends_last=True),), T0))
        assert len(store.pages(PageQuery(ALICE))[0].messages) == 2

    def test_only_the_first_page_can_extend(self, store: Store) -> None:
        with pytest.raises(InvalidInputError):
            store.append(Append(ALICE, "s", (new_page("one"), new_page("two", extends_last=True)), T0))

    def test_appending_after_another_page_than_the_last_is_a_conflict(self, store: Store) -> None:
        first, second = add(store, "one", "two")
        for stale in (None, first.id, "unknown"):
            with pytest.raises(ConflictError):
                store.append(Append(ALICE, "s", (new_page("three"),), T0, after=stale, check_after=True))
        assert ids(store) == [first.id, second.id]
        store.append(Append(ALICE, "s", (new_page("three"),), T0, after=second.id, check_after=True))
        store.append(Append(ALICE, "other", (new_page("first"),), T0, after=None, check_after=True))
        assert texts(store.pages(PageQuery(ALICE))) == ["one", "two", "three", "first"]

    def test_an_id_in_use_is_refused_and_overwrites_nothing(self, store: Store) -> None:
        (page,) = add(store, "one")
        with pytest.raises(StoreError):
            store.append(Append(ALICE, "t", (replace(new_page("two"), id=page.id),), T0))
        assert store.pages(PageQuery(ALICE)) == (page,)

    def test_each_field_of_a_query_narrows(self, store: Store) -> None:
        a, b = add(store, "a", "b")
        (c,) = add(store, "c", session="t", at=T0 + DAY)
        (d,) = store.append(Append(ALICE, "t", (new_page("d", open_=True),), T0 + 2 * DAY))
        store.page_out(move_out([a], reread=True))
        embed(store, b)

        def find_texts(query: PageQuery) -> list[str]:
            return texts(store.pages(query))

        assert find_texts(PageQuery(ALICE, ids=(c.id, a.id, "unknown"))) == ["a", "c"]
        assert find_texts(PageQuery(ALICE, ids=())) == []
        assert find_texts(PageQuery(ALICE, session_id="t")) == ["c", "d"]
        assert find_texts(PageQuery(ALICE, tiers=("short_term",))) == ["b", "c", "d"]
        assert find_texts(PageQuery(ALICE, tiers=("mid_term", "archive"))) == ["a"]
        assert find_texts(PageQuery(ALICE, segment_id="g1")) == ["a"]
        assert find_texts(PageQuery(ALICE, before_seq=b.seq)) == ["a"]
        assert find_texts(PageQuery(ALICE, after_seq=b.seq)) == ["c", "d"]
        assert find_texts(PageQuery(ALICE, embedded=True)) == ["b"]
        assert find_texts(PageQuery(ALICE, embedded=False, open=False)) == ["a", "c"]
        assert find_texts(PageQuery(ALICE, open=True)) == ["d"]
        assert find_texts(PageQuery(ALICE, reread=True)) == ["a"]
        assert find_texts(PageQuery(ALICE, reread=False)) == ["b", "c", "d"]
        assert find_texts(PageQuery(ALICE, analysed=False, session_id="t", ids=(a.id, d.id))) == ["d"]
        assert find_texts(PageQuery(ALICE, analysed=True)) == []

    def test_since_is_included_and_until_is_not(self, store: Store) -> None:
        for day in range(4):
            add(store, str(day), at=T0 + day * DAY)
        assert texts(store.pages(PageQuery(ALICE, since=T0 + DAY, until=T0 + 3 * DAY))) == ["1", "2"]

    def test_any_number_of_ids_may_be_asked_for(self, store: Store) -> None:
        pages = add(store, *map(str, range(1200)))
        wanted = PageQuery(ALICE, ids=tuple(p.id for p in reversed(pages)), newest_first=True, limit=700)
        assert texts(store.pages(wanted)) == [str(i) for i in range(1199, 499, -1)]

    def test_pending_is_short_term_memory_in_sequence(self, store: Store) -> None:
        late = add(store, "a", session="late")
        first = add(store, "b", "c", "d", session="early")
        store.page_out(move_out(late))
        again = add(store, "e", session="late")
        expected = [(p.id, p.session_id, p.seq, 10) for p in (*first, *again)]
        assert [(p.page_id, p.session_id, p.seq, p.tokens) for p in store.pending(ALICE)] == expected

    def test_sessions_with_a_page_after_a_seq_are_told_in_whichever_tier_it_is(self, store: Store) -> None:
        (first,) = add(store, "a", session="one")
        gone = add(store, "b", session="two")
        store.page_out(move_out(gone))
        (last,) = add(store, "c", session="three")
        assert store.sessions(ALICE, after_seq=0, limit=9) == {"one", "two", "three"}
        assert store.sessions(ALICE, after_seq=first.seq, limit=9) == {"two", "three"}
        assert len(store.sessions(ALICE, after_seq=0, limit=2)) == 2
        assert store.sessions(ALICE, after_seq=last.seq, limit=9) == frozenset()

    def test_an_unknown_scope_holds_nothing(self, store: Store) -> None:
        assert store.pages(PageQuery(ALICE)) == ()
        assert store.pending(ALICE) == ()
        assert store.segments(ALICE) == ()
        assert store.facts(ALICE) == ()
        assert not store.profile(ALICE)
        assert store.vectors(ALICE, ["x"]) == {}
        assert everything(store) == ((), (), (), (), Profile())

    def test_equal_pages_keep_their_own_ids(self, store: Store) -> None:
        pages: tuple[Page, ...] = add(store, "same", "same")
        assert pages[0].id != pages[1].id
        assert len(ids(store)) == 2


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
