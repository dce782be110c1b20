"""A memory over two servers: the same contract, each user in one of them, and a server that dies takes only its own."""

from __future__ import annotations

import inspect
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memoryos_core import AuditKey, MemoryConfig, MemoryOS, ShippedHeads, WorkerConfig
from memoryos_core.errors import InvalidInputError, StoreUnreachableError, UnsupportedError
from memoryos_core.ops.cli import main
from memoryos_core.ports import Store
from memoryos_core.ports.capabilities import (
    AuditStore,
    BacklogStore,
    CheckStore,
    ExportStore,
    IndexStore,
    LeaseStore,
    NoteStore,
    RetentionStore,
    SearchStore,
)
from memoryos_core.recall.index import analyse_item
from memoryos_core.stores import address_of, open_shards
from memoryos_core.stores.sharding import OF_ONE_SCOPE, ShardedStore, place_of
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.fakes import KeywordEmbedder
from memoryos_core.testing.postgres import LocalPostgres
from memoryos_core.testing.store_contract import StoreContract
from memoryos_core.values.dialogue import Scope
from tests.postgres.breaking import raw
from tests.postgres.emptying import Standing, emptied

pytestmark = pytest.mark.postgres

QUIET = MemoryConfig(worker=WorkerConfig(mode="manual"))
USERS = tuple(f"user {n}" for n in range(12))
FIRST, SECOND = ([u for u in USERS if place_of(Scope(u), 2) == number] for number in (0, 1))


@pytest.fixture(scope="module")
def second() -> Iterator[LocalPostgres]:
    """A server of this file's own, which its tests may stop."""
    with LocalPostgres(durable=True) as server:
        yield server


@pytest.fixture(scope="module")
def pair(postgres: LocalPostgres, second: LocalPostgres) -> tuple[str, str]:
    urls = postgres.database(), second.database()
    open_shards(" ".join(urls)).close()
    return urls


@pytest.fixture
def urls(pair: tuple[str, str], second: LocalPostgres) -> str:
    second.start()
    return " ".join(map(emptied, pair))


@pytest.fixture(scope="module")
def standing(pair: tuple[str, str]) -> Iterator[Standing]:
    with closing(Standing(lambda: open_shards(" ".join(pair), analyse=analyse_item))) as standing:
        yield standing


class TestSharded(StoreContract):
    @pytest.fixture
    def reopen(self, standing: Standing) -> Callable[[], Store]:
        return standing.reopen

    @pytest.fixture
    def store(self, urls: str, standing: Standing) -> Store:
        return standing()


def test_every_verb_of_a_store_is_there() -> None:
    public = {name for name in dir(SqlStore) if not name.startswith("_")}
    assert public - {"sample_scopes"} <= {name for name in dir(ShardedStore) if not name.startswith("_")}
    assert set(OF_ONE_SCOPE) <= public
    for name in public - {"sample_scopes", *OF_ONE_SCOPE}:
        if callable(verb := getattr(SqlStore, name)):
            assert (
                inspect.signature(verb).parameters.keys()
                == inspect.signature(getattr(ShardedStore, name)).parameters.keys()
            ), name


def test_it_has_every_capability(urls: str) -> None:
    with closing(open_shards(urls)) as store:
        for kind in (LeaseStore, AuditStore, NoteStore, ExportStore, RetentionStore, CheckStore, BacklogStore):
            assert isinstance(store, kind)
        assert isinstance(store, SearchStore)
        assert isinstance(store, IndexStore)
    with closing(open_shards(urls.split()[0])) as store:
        assert isinstance(store, SqlStore)


def pages_of(url: str) -> int:
    with raw(url) as connection:
        connection.execute("SET memoryos.scope = '*'")
        return len(connection.execute("SELECT id FROM memoryos_pages").fetchall())


def test_each_user_lives_in_one_database_with_every_assistant(urls: str) -> None:
    with MemoryOS(urls, embedder=KeywordEmbedder(), config=QUIET) as memory:
        for name in USERS:
            for assistant in ("assistant", "coach"):
                user = memory.user(name, assistant_id=assistant)
                user.add(f"I planted pear trees, says {name}.", "How nice.")
                user.consolidate()
                assert name in user.recall("Who planted pear trees?").text
        memory.team("physio").add("bot")
        memory.user("user 3").governance.grant("team:physio", "reader")
        assert memory.user("user 3", actor="bot").recall("pear trees").text
        assert memory.users() == sorted(USERS)
        assert (memory.stats().users, memory.stats().pages) == (12, 24)
        assert memory.check(deep=True, progress=False).findings == ()
        assert memory.verify_audit(progress=False).chains == 25
        assert memory.forget_user("user 3").pages_short_term == 2
        counts = [pages_of(url) for url in urls.split()]
        assert sum(counts) == 22
        assert {2 * len(FIRST), 2 * len(SECOND)} == {
            counts[0] + 2 * ("user 3" in FIRST),
            counts[1] + 2 * ("user 3" in SECOND),
        }
        memory.run_worker(once=True)
        assert memory.backlog().scopes == 0


def test_a_server_that_dies_takes_only_its_own_users(urls: str, second: LocalPostgres) -> None:
    with MemoryOS(urls, embedder=KeywordEmbedder(), config=QUIET) as memory:
        for name in USERS:
            memory.user(name).add(f"I planted pear trees, says {name}.", "How nice.")
            memory.user(name).consolidate()
        second.stop()
        for name in FIRST:
            memory.user(name).add("And quinces.", "Well done.")
            assert "quinces" in memory.user(name).recall("quinces").text
            memory.user(name).consolidate()
        for name in SECOND:
            with pytest.raises(StoreUnreachableError):
                memory.user(name).add("And quinces.", "Well done.")
            with pytest.raises(StoreUnreachableError):
                memory.user(name).recall("quinces")
        for of_all in (memory.users, memory.stats, memory.backlog):
            with pytest.raises(StoreUnreachableError):
                of_all()
        second.start()
        for name in SECOND:
            memory.user(name).add("And quinces.", "Well done.")
        assert memory.stats().pages == 24
        assert memory.check(deep=True, progress=False).findings == ()


def test_databases_in_another_order_or_number_are_refused(urls: str, new_database: Callable[[], str]) -> None:
    one, two = urls.split()
    with MemoryOS(urls, embedder=None, config=QUIET) as memory:
        for name in USERS:
            memory.user(name).add("I planted pear trees.", "How nice.")
    for wrong in (f"{two} {one}", f"{one} {two} {new_database()}"):
        with pytest.raises(InvalidInputError, match="the same order"):
            MemoryOS(wrong, embedder=None)
    with MemoryOS(urls, embedder=None, config=QUIET) as memory:
        assert memory.users() == sorted(USERS)


def test_files_may_be_shards_too_and_the_command_line_takes_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urls = " ".join(f"sqlite:///{tmp_path}/part {n}.db" for n in range(3))
    with MemoryOS(urls, embedder=None, config=QUIET) as memory:
        for name in USERS:
            memory.user(name).add("I planted pear trees.", "How nice.")
        assert memory.stats().users == 12
        assert memory.address == address_of(urls)
        with pytest.raises(UnsupportedError, match="each database by itself"):
            memory.backup(tmp_path / "copy.db")
        with pytest.raises(UnsupportedError, match="each database by itself"):
            memory.rekey("another")
        records = list(memory.user("user 1").export())
    assert len(list(tmp_path.glob("part *.db"))) == 3
    assert main(["stats", urls]) == 0
    assert "12" in capsys.readouterr().out
    with MemoryOS("sqlite://", embedder=None, config=QUIET) as other:
        other.restore(records)
        assert other.stats().pages == 1


def test_shipped_heads_of_several_databases_find_a_chain_that_is_gone(tmp_path: Path) -> None:
    urls = " ".join(f"sqlite:///{tmp_path}/part {n}.db" for n in range(3))
    key, sink = AuditKey(b"k" * 32), tmp_path / "heads.jsonl"
    with MemoryOS(urls, embedder=None, config=QUIET) as memory:
        for name in USERS:
            memory.user(name).add("I planted pear trees.", "How nice.")
        assert memory.ship_audit(sink, key=key) == len(USERS)
        heads = ShippedHeads.read(sink, key.public)
        summary = memory.verify_audit(shipped=heads, progress=False)
        assert (summary.ok, summary.chains) == (True, len(USERS))
        gone = memory.user(USERS[-1]).scope.key
    for path in tmp_path.glob("part *.db"):
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("DELETE FROM memoryos_audit WHERE scope = ?", (gone,))
    with MemoryOS(urls, embedder=None, config=QUIET) as memory:
        summary = memory.verify_audit(shipped=heads, progress=False)
        assert [(report.scope, report.why) for report in summary.broken] == [
            (gone, "entry 1 was noted elsewhere: its end was cut off")
        ]
