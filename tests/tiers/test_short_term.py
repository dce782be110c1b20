"""Short-term memory over a real store: pages go in whole, in order, and out by age."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone

import pytest

from memoryos_core.config import ShortTermConfig
from memoryos_core.errors import ConflictError, InvalidInputError
from memoryos_core.ports import Store
from memoryos_core.rules.paging.batches import Outgoing
from memoryos_core.stores import open_store
from memoryos_core.testing.fakes import FixedClock
from memoryos_core.testing.store_samples import move_out
from memoryos_core.tiers.short_term import ShortTerm
from memoryos_core.values.commands import Append, PageQuery
from memoryos_core.values.dialogue import Message, Page, Scope

NOW = datetime(2024, 5, 1, tzinfo=timezone.utc)
ADA = Scope("ada")
CONFIG = ShortTermConfig(capacity_pages=3, capacity_tokens=1000, batch_pages=2, active_sessions=2)


def words(text: str, /) -> int:
    return len(text.split())


@pytest.fixture
def store() -> Iterator[Store]:
    opened = open_store("sqlite://")
    yield opened
    opened.close()


@pytest.fixture
def tier(store: Store) -> ShortTerm:
    return ShortTerm(store, CONFIG, words, FixedClock(NOW))


def turn(text: str) -> list[Message]:
    return [Message("user", text), Message("assistant", f"re: {text}")]


def said(pages: tuple[Page, ...]) -> list[str]:
    return [m.text for page in pages for m in page.messages if m.role == "user"]


def kept(store: Store, session_id: str = "s") -> tuple[Page, ...]:
    return store.pages(PageQuery(ADA, session_id=session_id))


def test_a_turn_is_one_page_with_ids_times_and_tokens(tier: ShortTerm) -> None:
    page = tier.add_turn(ADA, "s", turn("hello there"))
    assert [m.text for m in page.messages] == ["hello there", "re: hello there"]
    assert page.timestamp == NOW
    assert all(m.id and m.timestamp == NOW for m in page.messages)
    assert (page.tokens, page.open, page.tier) == (5, False, "short_term")


def test_given_ids_and_times_are_kept(tier: ShortTerm) -> None:
    when = NOW - timedelta(days=9)
    page = tier.add_turn(ADA, "s", [Message("user", "hi", timestamp=when, id="mine")])
    assert (page.messages[0].id, page.messages[0].timestamp, page.timestamp) == ("mine", when, when)


def test_a_turn_without_an_answer_is_whole_and_still_takes_it(tier: ShortTerm) -> None:
    assert not tier.add_turn(ADA, "s", [Message("user", "anyone?")]).open
    (page,) = tier.add_messages(ADA, "s", [Message("assistant", "Yes.")])
    assert not page.open
    assert [m.text for m in page.messages] == ["anyone?", "Yes."]


def test_messages_are_paired_however_they_are_cut(store: Store, tier: ShortTerm) -> None:
    stream = [message for i in range(4) for message in turn(f"turn {i}")]
    tier.add_messages(ADA, "whole", stream)
    for message in stream:
        tier.add_messages(ADA, "cut", [message])
    whole, cut = (kept(store, name) for name in ("whole", "cut"))
    assert [[m.text for m in p.messages] for p in whole] == [[m.text for m in p.messages] for p in cut]
    assert len(whole) == 4


@pytest.mark.parametrize("blank", ["", " \n\t"])
def test_blank_messages_are_refused_and_nothing_is_kept(tier: ShortTerm, blank: str) -> None:
    with pytest.raises(InvalidInputError, match="nothing to remember"):
        tier.add_turn(ADA, "s", [Message("user", blank), Message("assistant", blank)])
    with pytest.raises(InvalidInputError, match="nothing to remember"):
        tier.add_messages(ADA, "s", [Message("user", "kept?"), Message("user", blank)])
    assert tier.window(ADA, "s") == ()


@pytest.mark.parametrize(
    "message",
    [
        Message("assistant", "", calls=("c1",)),
        Message("tool", "", answers="c1"),
        Message("user", "", payload='{"image": 1}'),
    ],
)
def test_a_message_without_text_may_carry_something_else(tier: ShortTerm, message: Message) -> None:
    assert tier.add_messages(ADA, "s", [message])[0].messages[0].text == ""


def test_the_window_is_the_newest_whole_pages_oldest_first(tier: ShortTerm) -> None:
    for i in range(5):
        tier.add_turn(ADA, "s", turn(f"turn {i}"))
    tier.add_turn(ADA, "other", turn("elsewhere"))
    assert said(tier.window(ADA, "s")) == ["turn 2", "turn 3", "turn 4"]


def test_due_is_a_full_batch_of_the_oldest_beyond_capacity(tier: ShortTerm) -> None:
    pages = [tier.add_turn(ADA, "s", turn(f"turn {i}")) for i in range(4)]
    assert tier.due(ADA) == ()
    tier.add_turn(ADA, "s", turn("turn 4"))
    assert tier.due(ADA) == (Outgoing("s", (pages[0].id, pages[1].id)),)
    assert tier.due(Scope("bob")) == ()


@pytest.mark.parametrize("moved", [False, True])
def test_an_answer_joins_its_question_unless_the_session_was_left_for_others(store: Store, *, moved: bool) -> None:
    """The same pages whether a worker has taken the question out of short-term memory meanwhile or has not."""
    tier = ShortTerm(store, CONFIG, words, FixedClock(NOW))
    for session in ("left", "kept"):
        tier.add_messages(ADA, session, [Message("user", f"question in {session}")])
    tier.add_messages(ADA, "other", [Message("user", "elsewhere")])
    if moved:
        (due,) = tier.due(ADA)
        store.page_out(move_out(store.pages(PageQuery(ADA, ids=due.page_ids)), scope=ADA))
    tier.add_messages(ADA, "kept", [Message("assistant", "answer")])
    tier.add_messages(ADA, "left", [Message("assistant", "answer")])
    texts = [[m.text for m in p.messages] for p in store.pages(PageQuery(ADA))]
    assert texts == [["question in left"], ["question in kept", "answer"], ["elsewhere"], ["answer"]]


class Contended:
    """A store in which somebody else appends just before the first `times` appends that look at the last page."""

    def __init__(self, store: Store, times: int) -> None:
        self._store = store
        self.times = times

    def append(self, append: Append) -> tuple[Page, ...]:
        if append.check_after and self.times:
            self.times -= 1
            rival = ShortTerm(self._store, CONFIG, words, FixedClock(NOW))
            rival.add_turn(append.scope, append.session_id, turn(f"rival {self.times}"))
        return self._store.append(append)

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


class Asking(Contended):
    """A store in which somebody else's question joins the last page just before the first `times` appends."""

    def append(self, append: Append) -> tuple[Page, ...]:
        if append.check_after and self.times:
            self.times -= 1
            rival = ShortTerm(self._store, CONFIG, words, FixedClock(NOW))
            rival.add_messages(append.scope, append.session_id, [Message("user", f"rival {self.times}")])
        return self._store.append(append)


@pytest.mark.parametrize("times", [1, 3, 15])
def test_a_reply_finds_its_question_among_those_of_others_and_is_stored_in_any_case(store: Store, times: int) -> None:
    ShortTerm(store, CONFIG, words, FixedClock(NOW)).add_messages(ADA, "s", [Message("user", "mine", id="q")])
    asking = Asking(store, times)
    tier = ShortTerm(asking, CONFIG, words, FixedClock(NOW))  # type: ignore[arg-type]
    tier.add_messages(ADA, "s", [Message("assistant", "answer")], reply_to="q")
    live = [m.text for p in store.pages(PageQuery(ADA, session_id="s", ended=False)) for m in p.messages]
    assert sorted(live) == sorted(["mine", "answer", *(f"rival {n}" for n in range(asking.times, times))])
    assert times > 10 or live[live.index("mine") + 1] == "answer"


def test_another_writer_of_the_session_makes_us_pair_again(store: Store) -> None:
    tier = ShortTerm(Contended(store, 3), CONFIG, words, FixedClock(NOW))  # type: ignore[arg-type]
    tier.add_messages(ADA, "s", turn("mine"))
    assert said(kept(store)) == ["rival 2", "rival 1", "rival 0", "mine"]


def test_a_session_that_never_rests_is_a_conflict_in_the_end(store: Store) -> None:
    contended = Contended(store, 999)
    tier = ShortTerm(contended, CONFIG, words, FixedClock(NOW))  # type: ignore[arg-type]
    with pytest.raises(ConflictError):
        tier.add_messages(ADA, "s", turn("mine"))
    assert contended.times == 999 - 20
    assert "mine" not in said(kept(store))


def test_two_handles_of_one_session_write_at_once_and_lose_nothing(tmp_path) -> None:
    stores = [open_store(f"sqlite:///{tmp_path}/m.db") for _ in range(2)]
    start = threading.Barrier(2)

    def write(store: Store, who: str) -> None:
        tier = ShortTerm(store, CONFIG, words, FixedClock(NOW))
        start.wait()
        for i in range(15):
            tier.add_messages(ADA, "s", turn(f"{who} {i}"))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, stores, "ab"))
    pages = kept(stores[0])
    for store in stores:
        store.close()
    found = said(pages)
    assert sorted(found) == sorted(f"{who} {i}" for who in "ab" for i in range(15))
    for who in "ab":
        assert [text for text in found if text.startswith(who)] == [f"{who} {i}" for i in range(15)]
    assert all([m.role for m in p.messages] == ["user", "assistant"] for p in pages)
