"""Grants and the audit log on a server that many share: one chain, whoever writes and whoever is killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timezone
from functools import partial

import pytest
from sqlalchemy import select, text

from memoryos_core import AccessError, MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.stores.sql.tables import audit
from memoryos_core.values.audit import ACTING, Acting
from memoryos_core.values.dialogue import Scope
from tests.governance.writing import writer
from tests.postgres.breaking import WAITING

pytestmark = pytest.mark.postgres

CONFIG = MemoryConfig(worker=WorkerConfig(mode="manual"))
NOON = datetime(2026, 5, 1, 12, tzinfo=timezone.utc)
ALICE, BOB = Scope("alice"), Scope("bob")


@pytest.fixture
def memory(postgres_url: str) -> Iterator[MemoryOS]:
    with MemoryOS(postgres_url, embedder=None, config=CONFIG) as memory:
        yield memory


@pytest.fixture
def store(postgres_url: str) -> Iterator[SqlStore]:
    store = SqlStore(postgres_url)
    yield store
    store.close()


def at_once(*calls: Callable[[], None]) -> list[BaseException]:
    errors: list[BaseException] = []

    def run(call: Callable[[], None]) -> None:
        try:
            call()
        except BaseException as error:  # noqa: BLE001 - told to the test
            errors.append(error)

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def test_a_role_is_granted_asked_for_and_taken_away(memory: MemoryOS) -> None:
    alice, bot = memory.user("alice"), memory.user("alice", actor="bot")
    alice.governance.grant("bot", "reader")
    alice.add("I planted tomatoes", "Nice!")
    assert bot.search("tomatoes")
    with pytest.raises(AccessError):
        bot.add("Hello")
    assert alice.governance.revoke("bot")
    with pytest.raises(AccessError):
        bot.search("tomatoes")
    acts = [(e.actor, e.action) for e in alice.governance.audit()]
    assert acts == [
        (None, "grant"),
        (None, "append"),
        ("bot", "read"),
        ("bot", "denied"),
        (None, "revoke"),
        ("bot", "denied"),
    ]
    receipt = alice.forget(everything=True)
    assert receipt.audit == (alice.governance.verify().head,)


def test_writers_and_the_denied_at_once_make_one_chain(memory: MemoryOS) -> None:
    """A denial takes no lock of the scope: it and a write may want the same number."""
    bots = [memory.user("alice", actor=f"bot-{n}") for n in range(4)]
    users = [memory.user("alice", session_id=f"s{n}") for n in range(4)]

    def write(n: int) -> None:
        for i in range(10):
            users[n].add(f"Hello {i}", "Hi")

    def ask(n: int) -> None:
        for _ in range(10):
            with pytest.raises(AccessError):
                bots[n].recall("Hello")

    calls = [partial(work, n) for work in (write, ask) for n in range(4)]
    assert at_once(*calls) == []
    report = memory.user("alice").governance.verify()
    assert (report.ok, report.entries) == (True, 80)
    denied = [e for e in memory.user("alice").governance.audit() if e.action == "denied"]
    assert len(denied) == 40


def test_an_entry_that_somebody_else_numbered_first_is_numbered_anew(store: SqlStore) -> None:
    """While a denial is being written, a writer waits for its number and takes the next one."""
    store.grant(ALICE, "bot", "reader", NOON)
    with store._database.writing(ALICE) as connection:
        connection.execute(
            audit.insert().values(
                scope=ALICE.key, seq=2, at=NOON, action="denied", detail="{}", previous="x" * 64, digest="y" * 64
            )
        )
        other = threading.Thread(target=store.grant, args=(ALICE, "bot", "writer", NOON))
        other.start()
        with closing(store._database._engine.raw_connection()) as watch, closing(watch.cursor()) as cursor:
            deadline = time.monotonic() + 120
            while not cursor.execute(WAITING).fetchone()[0]:
                assert time.monotonic() < deadline
    other.join()
    entries = store.audit(ALICE)
    assert [e.seq for e in entries] == [1, 2, 3]
    assert entries[2].previous == "y" * 64


def test_what_is_changed_by_hand_is_found(store: SqlStore) -> None:
    for role in ("reader", "writer", "curator", "admin"):
        store.grant(ALICE, "bot", role, NOON)
        store.grant(BOB, "bot", role, NOON)
    with store._database.writing(None) as connection:
        change = text("UPDATE memoryos_audit SET actor = 'mallory' WHERE seq = 3 AND scope = :s")
        connection.execute(change, {"s": ALICE.key})
        connection.execute(text("DELETE FROM memoryos_audit WHERE seq = 2 AND scope = :s"), {"s": BOB.key})
    assert (store.verify_audit(ALICE).broken, store.verify_audit(BOB).broken) == (3, 2)
    assert {report.broken for report in store.verify_audits()} == {2, 3}


def test_the_server_shows_a_transaction_no_other_chain_and_no_other_grant(store: SqlStore) -> None:
    for scope in (ALICE, BOB):
        store.grant(scope, "bot", "reader", NOON)
    with store._database.reading(ALICE) as connection:
        assert {row.scope for row in connection.execute(select(audit.c.scope))} == {ALICE.key}
        assert connection.scalar(text("SELECT count(*) FROM memoryos_grants")) == 1


def test_any_name_of_an_actor_comes_back_and_is_signed(store: SqlStore) -> None:
    token = ACTING.set(Acting("bot \ud83d \x1a \x00 ü"))
    try:
        store.deny(ALICE, "recall", NOON)
    finally:
        ACTING.reset(token)
    assert store.audit(ALICE)[0].actor == "bot \ud83d \x1a \x00 ü"
    assert store.verify_audit(ALICE).ok


def test_processes_at_once_one_of_them_killed_leave_one_chain(memory: MemoryOS, postgres_url: str) -> None:
    lasting, killed = writer(postgres_url, "a", 20), writer(postgres_url, "b", 100_000)
    with lasting, killed:
        assert killed.stdout is not None
        for _ in range(5):
            assert killed.stdout.readline()
        os.kill(killed.pid, signal.SIGKILL)
        assert len((lasting.communicate(timeout=120)[0] or "").split()) == 20
    user = memory.user("alice")
    # What the killed one had sent is carried out or undone by the server: a write of ours waits for it.
    user.add("Hello", "Hi")
    report = user.governance.verify()
    assert report.ok
    assert report.entries == user.stats().pages
