"""The window that is kept between reads shows what the store holds, whoever changed it and however."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memoryos_core import AsyncMemoryOS, Message, RetentionPolicy, UserMemory
from memoryos_core.config import ShortTermConfig
from memoryos_core.errors import ConflictError
from memoryos_core.ports import Store
from memoryos_core.stores import open_store
from memoryos_core.testing.fakes import FixedClock
from memoryos_core.tiers import short_term
from memoryos_core.tiers.short_term import ShortTerm
from memoryos_core.values.commands import Append, Forgetting, PageQuery
from memoryos_core.values.dialogue import Page, Scope
from tests.tiers.window_changes import BUDGET, CHANGES, fill, opened

NOW = datetime(2024, 5, 1, tzinfo=timezone.utc)
ADA, BOB = Scope("ada"), Scope("bob")
CONFIG = ShortTermConfig(capacity_pages=3, capacity_tokens=1000, batch_pages=2, active_sessions=2)


class CountedReads:
    """A store that counts the pages it reads, and does something before it returns the next ones."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.pages_read = 0
        self.then: Callable[[], object] | None = None

    def pages(self, query: PageQuery) -> tuple[Page, ...]:
        found = self._store.pages(query)
        self.pages_read += len(found)
        if self.then is not None and query.limit != 1:
            then, self.then = self.then, None
            then()
        return found

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


@pytest.fixture
def store() -> Iterator[CountedReads]:
    with closing(open_store("sqlite://")) as opened:
        yield CountedReads(opened)


@pytest.fixture
def tier(store: CountedReads) -> ShortTerm:
    return tier_of(store)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/m.db" if request.param == "sqlite" else request.getfixturevalue("postgres_url")


def tier_of(store: object) -> ShortTerm:
    return ShortTerm(store, CONFIG, lambda text, /: len(text.split()), FixedClock(NOW))  # type: ignore[arg-type]


def turn(text: str) -> list[Message]:
    return [Message("user", text), Message("assistant", "yes")]


def said(pages: tuple[Page, ...]) -> list[str]:
    return [m.text for page in pages for m in page.messages if m.role == "user"]


def shown(user: UserMemory) -> list[str]:
    return [m.text for m in user.messages(budget_tokens=BUDGET)]


# ------------------------------------------------------------------------------------------ what changes a window


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_shows_at_once(url: str, name: str) -> None:
    with opened(url) as memory:
        user = memory.user("ada", session_id="s")
        fill(user)
        before = shown(user)
        CHANGES[name](memory)
        after = shown(user)
        assert (after == before) == (name in {"elsewhere", "consolidate", "restore"})
        with opened(url) as fresh:
            assert after == shown(fresh.user("ada", session_id="s"))


def test_what_another_process_changes_shows_at_once(url: str) -> None:
    with opened(url) as memory, in_another_process(url) as change:
        user = memory.user("ada", session_id="s")
        for name in CHANGES:
            fill(user)
            shown(user)
            change(name)
            with opened(url) as fresh:
                assert shown(user) == shown(fresh.user("ada", session_id="s")), name


@contextmanager
def in_another_process(url: str) -> Iterator[Callable[[str], None]]:
    command = [sys.executable, "-m", "tests.tiers.window_changes", url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        talks_in, talks_out = child.stdin, child.stdout

        def change(name: str) -> None:
            print(name, file=talks_in, flush=True)
            assert talks_out.readline() == f"{name}\n"

        yield change


async def test_coroutines_see_the_same_window(url: str) -> None:
    with opened(url) as memory:
        user = memory.user("ada", session_id="s")
        fill(user)
        again = AsyncMemoryOS.of(memory).user("ada", session_id="s")
        for name in ("remove", "extend", "end"):
            assert await again.messages(budget_tokens=BUDGET) == user.messages(budget_tokens=BUDGET)
            CHANGES[name](memory)
        assert await again.messages(budget_tokens=BUDGET) == ()


def test_a_write_that_is_rolled_back_shows_nowhere(store: CountedReads, tier: ShortTerm) -> None:
    pages = [tier.add_turn(ADA, "s", turn(f"number {n}")) for n in range(3)]
    before = tier.window(ADA, "s", 100)
    ends = tuple((page.id, page.tokens) for page in (*pages[:2], replace(pages[2], tokens=99)))
    with pytest.raises(ConflictError):
        store.append(Append(ADA, "s", (), NOW, ends=ends))  # type: ignore[operator]
    assert tier.window(ADA, "s", 100) == before


def test_a_database_that_is_set_back_shows_what_it_holds(tmp_path: Path) -> None:
    path, copy = tmp_path / "m.db", tmp_path / "copy.db"
    with closing(open_store(f"sqlite:///{path}")) as store:
        tier = tier_of(store)
        tier.add_turn(ADA, "s", turn("first"))
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        tier.add_turn(ADA, "s", turn("lost"))
        assert said(tier.window(ADA, "s", 100)) == ["first", "lost"]
        with closing(sqlite3.connect(copy)) as source, closing(sqlite3.connect(path)) as target:
            source.backup(target)
        tier_of(store).add_turn(ADA, "s", turn("instead"))
        assert said(tier.window(ADA, "s", 100)) == ["first", "instead"]


# ------------------------------------------------------------------------------------------------- what is read when


def test_a_window_is_read_once_until_the_conversation_changes(store: CountedReads, tier: ShortTerm) -> None:
    for number in range(50):
        tier.add_turn(ADA, "s", turn(f"number {number}"))
    store.pages_read = 0
    windows = [tier.window(ADA, "s", 1_000) for _ in range(4)]
    assert [len(window) for window in windows] == [50] * 4
    assert store.pages_read == 50 + 4  # whose newest page shows that the session goes on
    assert said(tier.window(ADA, "s", 6)) == ["number 48", "number 49"]
    assert store.pages_read == 50 + 5
    tier.add_turn(ADA, "s", turn("one more"))
    store.pages_read = 0
    assert said(tier.window(ADA, "s", 6))[-1] == "one more"
    assert store.pages_read == 1 + 32
    assert len(tier.window(ADA, "s", 1_000)) == 51
    assert store.pages_read == 2 + 51, "a larger window goes on where a smaller one ended"
    assert tier.window(ADA, "s", 1_000) == tier_of(store).window(ADA, "s", 1_000)


@pytest.mark.parametrize("budget", [1, 3, 30, 96, 97, 300])
def test_what_is_kept_of_another_budget_is_no_other_window(store: CountedReads, tier: ShortTerm, budget: int) -> None:
    for number in range(120):
        tier.add_turn(ADA, "s", [Message("user" if number % 3 else "assistant", f"number {number}")])
    for first in (1, 50, 1_000):
        tier.window(ADA, "s", first)
        assert tier.window(ADA, "s", budget) == tier_of(store).window(ADA, "s", budget)


# -------------------------------------------------------------------------------------------------- what is not kept


def test_what_is_forgotten_is_kept_in_no_window(store: CountedReads, tier: ShortTerm) -> None:
    page = tier.add_turn(ADA, "s", turn("a secret"))
    for scope in (ADA, BOB):
        for session in "st":
            tier.add_turn(scope, session, turn("nothing"))
            tier.window(scope, session, 100)
    store.forget(Forgetting(ADA, (page.id,)))  # type: ignore[operator]
    assert said(tier.window(ADA, "s", 100)) == ["nothing"]
    tier.forget(ADA)
    assert kept(tier) == [(BOB, "s"), (BOB, "t")]
    tier.forget()
    assert kept(tier) == []


@pytest.mark.parametrize("how", ["forget", "retain", "close"])
def test_a_memory_drops_what_it_kept(tmp_path: Path, how: str) -> None:
    with opened(f"sqlite:///{tmp_path}/m.db") as memory:
        users = [memory.user(name, session_id="s") for name in ("ada", "bob")]
        for user in users:
            fill(user)
            shown(user)
        tier = memory._engine.short_term
        assert kept(tier) == [(ADA, "s"), (BOB, "s")]
        if how == "close":
            memory.close()
        elif how == "retain":
            users[0].governance.retain([RetentionPolicy("gone", older_than=timedelta(seconds=1), action="purge")])
        else:
            users[0].forget(pages=users[0].pages()[:1])
        assert kept(tier) == ([] if how == "close" else [(BOB, "s")])


def test_what_is_erased_while_it_is_read_is_not_kept(store: CountedReads, tier: ShortTerm) -> None:
    page = tier.add_turn(ADA, "s", turn("a secret"))

    def erase() -> None:
        store.forget(Forgetting(ADA, (page.id,)))  # type: ignore[operator]
        tier.forget(ADA)

    store.then = erase
    assert said(tier.window(ADA, "s", 100)) == ["a secret"], "it was there when it was read"
    assert kept(tier) == []
    assert tier.window(ADA, "s", 100) == ()


def test_few_windows_are_kept_those_used_last(tier: ShortTerm) -> None:
    scopes = [Scope(f"user{number}") for number in range(40)]
    for scope in scopes:
        tier.window(scope, "s", 100)
        tier.window(scopes[0], "s", 100)
    assert len(kept(tier)) == 32
    assert {key[0] for key in kept(tier)} == {scopes[0], *scopes[-31:]}


def test_the_windows_that_are_kept_take_a_bounded_room(monkeypatch: pytest.MonkeyPatch, tier: ShortTerm) -> None:
    monkeypatch.setattr(short_term, "_BYTES_KEPT", 100_000)
    for session, length in (("a", 30_000), ("b", 30_000), ("c", 60_000), ("d", 200_000)):
        tier.add_turn(ADA, session, [Message("user", "x" * length)])
    for session, there in (("a", "a"), ("b", "ab"), ("a", "ba"), ("c", "ac"), ("d", "")):
        tier.window(ADA, session, 100)
        assert [key[1] for key in kept(tier)] == list(there)


def kept(tier: ShortTerm) -> list[tuple[Scope, str]]:
    return list(tier._windows._kept)
