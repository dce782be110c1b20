"""A server that ends connections in mid-verb, a network that drops, a failover: nothing accepted is lost or kept twice.

After each, `check --deep` finds nothing, the audit log is whole, and the same open memory goes on.
"""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, event

from memoryos_core import MemoryConfig, MemoryOS, Message, NoteWrite, WorkerConfig
from memoryos_core.errors import MemoryOSError, OutcomeUnknownError, StoreUnreachableError
from memoryos_core.testing.fakes import KeywordEmbedder
from memoryos_core.testing.postgres import LocalPostgres
from tests.faults.verbs import LATER, NOON, SILENT, VERBS, Verb, fill, state
from tests.postgres.breaking import LONG, until
from tests.postgres.network import Cut, Standby, network

pytestmark = pytest.mark.postgres

QUIET = MemoryConfig(worker=WorkerConfig(mode="manual"))
ON_A_SERVER = {name: verb for name, verb in VERBS.items() if name not in ("open", "backup")}
MOMENTS, COMMITS = (12, 4) if "MEMORYOS_SOAK" in os.environ else (2, 1)
"""So many of a verb's statements, chosen by lot, find their connection ended, and so many of its first commits."""


def opened(url: str) -> MemoryOS:
    return MemoryOS(url, embedder=KeywordEmbedder(), config=SILENT, clock=lambda: NOON)


@contextmanager
def copied(server: LocalPostgres, template: str) -> Iterator[MemoryOS]:
    """A memory in a copy of a database, which goes with the block: many copies are many files."""
    url = server.database(template=template)
    with opened(url) as memory:
        yield memory
    server.sql(f"DROP DATABASE {url.split('?')[0].rsplit('/', 1)[1]} WITH (FORCE)")


Filled = tuple[str, dict[str, object]]
"""The name of a database with something in every tier, to be copied, and what it holds."""


def filled_on(server: LocalPostgres) -> Filled:
    url = server.database()
    with opened(url) as memory:
        fill(memory)
        before = state(memory)
    return url.split("?")[0].rsplit("/", 1)[1], before


@pytest.fixture(scope="module")
def filled(postgres: LocalPostgres) -> Filled:
    return filled_on(postgres)


@pytest.fixture(scope="module")
def own() -> Iterator[tuple[LocalPostgres, Filled]]:
    """A server of this file's own, whose tests let it die, with a database to be copied."""
    with LocalPostgres(durable=True) as server:
        yield server, filled_on(server)


class Axe:
    """Ends the connection of the n-th statement, or at the n-th commit, of the transactions that a block begins."""

    def __init__(self, server: LocalPostgres) -> None:
        self._server = server
        self.statements = self.commits = 0
        self.at_statement = self.at_commit = 0
        self.fell = False

    def _end(self, connection: Connection) -> None:
        self.fell = True
        pid = connection.connection.dbapi_connection.info.backend_pid  # type: ignore[union-attr]
        self._server.sql(f"SELECT pg_terminate_backend({pid}, 60000)")

    def _executes(self, connection: Connection, *_: object) -> None:
        self.statements += 1
        if self.statements == self.at_statement:
            self._end(connection)

    def _commits(self, connection: Connection) -> None:
        self.commits += 1
        if self.commits == self.at_commit:
            self._end(connection)

    @contextmanager
    def __call__(self, *, at_statement: int = 0, at_commit: int = 0) -> Iterator[Axe]:
        self.__init__(self._server)  # type: ignore[misc]
        self.at_statement, self.at_commit = at_statement, at_commit
        event.listen(Engine, "before_cursor_execute", self._executes)
        event.listen(Engine, "commit", self._commits)
        try:
            yield self
        finally:
            event.remove(Engine, "before_cursor_execute", self._executes)
            event.remove(Engine, "commit", self._commits)


@pytest.fixture
def axe(postgres: LocalPostgres) -> Axe:
    return Axe(postgres)


def examine(memory: MemoryOS, verb: Verb, before: dict[str, object], *, done: bool) -> None:
    """What was promised is there, what was there is still there, and no law is broken."""
    assert memory.check(deep=True, progress=False).findings == ()
    assert memory.verify_audit(progress=False).ok
    if done:
        assert verb.done(memory, Path())
    elif not verb.steps:
        assert state(memory) == before or verb.done(memory, Path())
    assert state(memory, ("bob",)) == {"bob": before["bob"]}


@pytest.mark.parametrize("name", ON_A_SERVER)
def test_whatever_connection_ends_in_mid_verb_harms_nothing(
    postgres: LocalPostgres, filled: Filled, axe: Axe, name: str
) -> None:
    template, before = filled
    verb = ON_A_SERVER[name]
    with copied(postgres, template) as memory, axe() as whole:
        verb.run(memory, Path())
        statements, commits = whole.statements, whole.commits
    few = random.Random(name).sample(range(1, statements + 1), min(MOMENTS, statements))
    blows = [(n, 0) for n in few] + [(0, n) for n in range(1, min(commits, COMMITS) + 1)]
    for at_statement, at_commit in blows:
        with copied(postgres, template) as memory:
            raised: list[MemoryOSError] = []
            with axe(at_statement=at_statement, at_commit=at_commit):
                try:
                    verb.run(memory, Path())
                except MemoryOSError as error:
                    raised.append(error)
                assert axe.fell or at_commit or name == "reindex"
            if name not in ("consolidate", "recall", "reindex"):
                assert all(isinstance(error, StoreUnreachableError) for error in raised)
            if at_commit and axe.fell and not verb.steps:
                assert [type(error) for error in raised] == [OutcomeUnknownError]
            examine(memory, verb, before, done=not raised)
            memory.user("zoe").add(LATER)  # the same open memory goes on


@pytest.mark.parametrize("name", ["add", "consolidate", "forget pages", "correct"])
def test_a_server_that_starts_again_at_once_in_mid_verb_harms_nothing(
    own: tuple[LocalPostgres, Filled], name: str
) -> None:
    verb, (server, (template, before)) = ON_A_SERVER[name], own
    with copied(server, template) as memory:
        shot = threading.Event()

        def restart(*_: object) -> None:
            if not shot.is_set():
                shot.set()
                server.restart(mode="immediate")

        event.listen(Engine, "before_cursor_execute", restart)
        done = False
        try:
            with suppress(StoreUnreachableError):
                verb.run(memory, Path())
                done = True
        finally:
            event.remove(Engine, "before_cursor_execute", restart)
        assert shot.is_set()
        examine(memory, verb, before, done=done)
        memory.user("zoe").add(LATER)


ON_A_NOTE = NoteWrite(("app",), "ui", "1")
GIVEN = [Message("user", "I sail.", id="m1"), Message("assistant", "Where to?", id="m2")]


@pytest.mark.parametrize(("cut", "there"), [("before", False), ("after", True), ("silent", True), ("lost", False)])
def test_an_outcome_that_nobody_knows_is_resolved_by_asking_again(
    postgres: LocalPostgres, postgres_url: str, cut: Cut, there: bool
) -> None:
    with (
        network(postgres, postgres_url) as line,
        MemoryOS(line.url(answer_timeout=2), embedder=None, config=QUIET) as memory,
    ):
        ann = memory.user("ann", session_id="monday")
        ann.add("I planted pear trees.", "How nice.")
        line.cut = cut
        with pytest.raises(OutcomeUnknownError, match="once=True") as caught:
            ann.add_messages(GIVEN, once=True)
        assert caught.value.outcome_unknown
        assert "sail" not in str(caught.value)
        assert line.cuts == 1
        if cut == "lost":  # the server waits for a client that is gone; an operator or its own timeout ends it
            postgres.sql("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE state LIKE 'idle in%'")
        until(lambda: ("I sail." in [m.text for m in ann.transcript()]) == there)
        for _ in range(2):
            ann.add_messages(GIVEN, once=True)
        assert [m.text for m in ann.transcript()].count("I sail.") == 1
        assert memory.check(deep=True, progress=False).findings == ()


@pytest.mark.parametrize("verb", ["remember", "forget", "notes", "grant", "revoke"])
def test_other_verbs_may_be_repeated_too(postgres: LocalPostgres, postgres_url: str, verb: str) -> None:
    with network(postgres, postgres_url) as line, MemoryOS(line.url(), embedder=None, config=QUIET) as memory:
        ann = memory.user("ann")
        page = ann.add("I planted pear trees.", "How nice.")
        ann.governance.grant("bot", "reader")
        act = {
            "remember": lambda: ann.remember("Likes tea"),
            "forget": lambda: ann.forget(pages=[page]),
            "notes": lambda: ann.notes.write([ON_A_NOTE]),
            "grant": lambda: ann.governance.grant("eve", "reader"),
            "revoke": lambda: ann.governance.revoke("bot"),
        }[verb]
        line.cut = "after"
        with pytest.raises(OutcomeUnknownError):
            act()
        act()
        assert [fact.text for fact in ann.facts()] == (["Likes tea"] if verb == "remember" else [])
        assert len(ann.pages()) == (0 if verb == "forget" else 1)
        assert len(ann.notes.list()) == (1 if verb == "notes" else 0)
        names = {"grant": ["bot", "eve"], "revoke": []}.get(verb, ["bot"])
        assert [grant.actor for grant in ann.governance.grants()] == names
        assert memory.check(deep=True, progress=False).findings == ()
        assert memory.verify_audit(progress=False).ok


def test_a_network_that_drops_all_the_time_costs_only_repetitions(postgres: LocalPostgres, postgres_url: str) -> None:
    chance = random.Random(19)
    given = [[Message(r, f"{r} {n}", id=f"{r} {n}") for r in ("user", "assistant")] for n in range(40)]
    with (
        network(postgres, postgres_url) as line,
        MemoryOS(line.url(answer_timeout=2), embedder=None, config=QUIET) as memory,
    ):
        ann = memory.user("ann", session_id="monday")
        for turn in given:
            line.cut = chance.choice(("before", "after", "after", None))
            while True:
                try:
                    ann.add_messages(turn, once=True)
                    break
                except StoreUnreachableError:
                    continue
        assert line.cuts > 10
        line.cut = None
        assert [m.text for m in ann.transcript()] == [m.text for turn in given for m in turn]
        assert memory.check(deep=True, progress=False).findings == ()


def test_a_failover_loses_nothing_that_was_accepted() -> None:
    """The primary dies at once, the standby is promoted, and the same open memory goes on with it."""
    with LocalPostgres(durable=True) as primary:
        url = primary.database()
        with MemoryOS(url, embedder=None, config=QUIET):
            pass
        standby = Standby(primary)
        try:
            primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
            primary.sql("SELECT pg_reload_conf()")
            until(lambda: primary.sql("SELECT sync_state FROM pg_stat_replication") == "sync")
            name = url.split("?")[0].rsplit("/", 1)[1]
            both = f"host={primary._socket_folder()}&host={standby.sockets}&target_session_attrs=read-write"
            accepted: list[str] = []
            with MemoryOS(f"postgresql+psycopg://app@/{name}?{both}", embedder=None, config=QUIET) as memory:
                ann, unknown = memory.user("ann", session_id="monday"), 0
                for n in range(60):
                    if n == 30:
                        killer = threading.Thread(target=primary.stop)
                        killer.start()
                    given = [Message("user", f"Tree {n}.", id=f"{n}")]
                    promoted = False
                    while True:
                        try:
                            ann.add_messages(given, once=True)
                            break
                        except StoreUnreachableError as error:
                            unknown += isinstance(error, OutcomeUnknownError)
                            if not promoted:
                                killer.join(LONG)
                                standby.promote()
                                promoted = True
                    accepted.append(f"Tree {n}.")
                assert [m.text for m in ann.transcript()] == accepted
                assert memory.check(deep=True, progress=False).findings == ()
                assert memory.verify_audit(progress=False).ok
            assert unknown <= 1
        finally:
            standby.close()
