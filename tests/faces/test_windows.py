"""The working window by a budget of tokens: for hosts that have a budget of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryos_core import InvalidInputError, MemoryConfig, MemoryOS, Message, ShortTermConfig, UserMemory, WorkerConfig

SMALL = MemoryConfig(worker=WorkerConfig(mode="manual"), short_term=ShortTermConfig(capacity_pages=2))


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryOS]:
    folder = tmp_path_factory.mktemp("windows")
    with MemoryOS(f"sqlite:///{folder}/m.db", embedder=None, config=SMALL, token_counter=len) as memory:
        yield memory


@pytest.fixture(scope="module")
def long(memory: MemoryOS) -> UserMemory:
    """200 turns of ten tokens each: more than one read of the store brings."""
    ada = memory.user("ada", session_id="long")
    for n in range(200):
        ada.add(f"q{n:04}", f"a{n:04}")
    return ada


def test_without_a_budget_the_configured_window_is_shown(long: UserMemory) -> None:
    assert [m.text for m in long.messages()] == ["q0198", "a0198", "q0199", "a0199"]


@given(budget=st.integers(1, 2500))
def test_as_many_whole_turns_as_the_budget_holds(long: UserMemory, budget: int) -> None:
    turns = min(200, max(1, budget // 10))
    expected = [text for n in range(200 - turns, 200) for text in (f"q{n:04}", f"a{n:04}")]
    assert [m.text for m in long.messages(budget_tokens=budget)] == expected


def test_an_empty_session_and_one_longer_turn(memory: MemoryOS) -> None:
    eve = memory.user("eve", session_id="s")
    assert eve.messages(budget_tokens=5) == ()
    eve.add("a long question indeed", "and its answer")
    assert len(eve.messages(budget_tokens=1)) == 2


@pytest.mark.parametrize("budget", [None, 1000])
def test_a_system_message_stays_where_a_greeting_follows_it(memory: MemoryOS, budget: int | None) -> None:
    zoe = memory.user(f"zoe {budget}", session_id="s")
    zoe.add_messages([Message("system", "French only."), Message("assistant", "Bonjour!")])
    assert [m.text for m in zoe.messages(budget_tokens=budget)] == ["French only.", "Bonjour!"]
    zoe.add("hello", "salut")
    assert [m.text for m in zoe.messages(budget_tokens=budget)] == ["French only.", "hello", "salut"]
    zoe.add_messages([Message("system", "Now German."), Message("assistant", "Gern!"), Message("user", "hi")])
    expected = (
        ["Now German.", "hi"] if budget is None else ["French only.", "hello", "salut", "Now German.", "Gern!", "hi"]
    )
    assert [m.text for m in zoe.messages(budget_tokens=budget)] == expected


def test_a_greeting_alone_is_left_out_before_what_the_user_says(memory: MemoryOS) -> None:
    zoe = memory.user("yan", session_id="s")
    zoe.add_messages([Message("assistant", "How can I help?")])
    zoe.add("hello", "salut")
    assert [m.text for m in zoe.messages()] == ["hello", "salut"]


def test_a_system_message_stays_within_the_budget_where_the_turn_before_it_does_not(memory: MemoryOS) -> None:
    zoe = memory.user("xia", session_id="s")
    zoe.add("word " * 500, "long")
    zoe.add_messages([Message("system", "Now German."), Message("assistant", "Gern!")])
    zoe.add("hello", "hallo")
    assert [m.text for m in zoe.messages(budget_tokens=100)] == ["Now German.", "hello", "hallo"]
    assert [m.text for m in zoe.messages(budget_tokens=1)] == ["hello", "hallo"]


def test_an_ended_session_begins_anew_for_every_window(memory: MemoryOS) -> None:
    bea = memory.user("bea", session_id="s")
    bea.add("before", "then")
    bea.end_session()
    bea.add("after", "now")
    assert [m.text for m in bea.messages(budget_tokens=1000)] == ["after", "now"]


def test_half_a_tool_exchange_is_not_shown(memory: MemoryOS) -> None:
    bob = memory.user("bob", session_id="s")
    bob.add_messages([Message("user", "sum"), Message("assistant", "", calls=("c1",)), Message("user", "never mind")])
    bob.add_messages([Message("assistant", "Fine.")])
    assert [m.text for m in bob.messages(budget_tokens=1000)] == ["sum", "never mind", "Fine."]


@pytest.mark.parametrize("wrong", [0, -1, True, "10", 1.5])
def test_a_budget_that_is_none_is_refused(memory: MemoryOS, wrong: object) -> None:
    with pytest.raises(InvalidInputError, match="budget_tokens"):
        memory.user("ada").messages(budget_tokens=wrong)  # type: ignore[arg-type]


def test_pages_of_this_session_ended_or_not(memory: MemoryOS) -> None:
    one, other = memory.user("cleo", session_id="one"), memory.user("cleo", session_id="other")
    first = one.add("before", "then")
    one.end_session()
    elsewhere = other.add("elsewhere", "there")
    second = one.add("after", "now")
    assert [p.id for p in one.pages(session=True)] == [first.id, second.id]
    assert [p.id for p in one.pages()] == [first.id, elsewhere.id, second.id]
    assert [p.id for p in one.pages([second.id, elsewhere.id], session=True)] == [second.id]


def test_a_memory_says_where_it_is_and_whether_it_is_closed(tmp_path: Path) -> None:
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None) as memory:
        assert memory.address == f"sqlite:///{(tmp_path / 'm.db').resolve()}"
        assert not memory.closed
    assert memory.closed
    with MemoryOS("sqlite://", embedder=None) as one, MemoryOS("sqlite://", embedder=None) as other:
        assert one.address.startswith("in-process:")
        assert one.address != other.address
