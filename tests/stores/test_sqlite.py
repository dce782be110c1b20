"""What this library promises of a SQLite file in particular."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from memoryos_core.ports.forks import forks_wait
from memoryos_core.stores import open_store
from memoryos_core.stores.sql import scopes
from memoryos_core.stores.sql.columns import Words
from memoryos_core.stores.sql.damage import Plain
from memoryos_core.stores.sql.files import one_at_a_time
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.store_exchange import fill
from memoryos_core.testing.store_samples import (
    ALICE,
    BOB,
    T0,
    add,
    embed,
    fact,
    ids,
    learn,
    move_out,
    segment,
    texts,
    vector,
)
from memoryos_core.values.commands import Cursor, Forgetting, NoteWrite, PageQuery, VectorRow


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqlStore]:
    with closing(SqlStore(f"sqlite:///{path}", busy_timeout_seconds=7.5)) as store:
        yield store


def test_connections_are_set_up_for_durability(store):
    expected = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1, "busy_timeout": 7500}
    with store._database.reading(None) as one, store._database.writing(None) as another:
        for connection in (one, another):
            pragmas = {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in expected}
            assert pragmas == expected


def test_a_writer_holds_the_lock_from_its_first_moment(store, path):
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other:
        with store._database.writing(None), pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        other.execute("BEGIN IMMEDIATE")


def test_scrubbing_leaves_the_busy_timeout_as_it_was(store):
    (a,) = add(store, "a")
    store.forget(Forgetting(ALICE, (a.id,)))
    with store._database.reading(None) as connection:
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar_one() == 7500


def test_a_reader_sees_one_moment_and_holds_nobody_up(store):
    add(store, "before")
    with store._database.reading(None) as connection:
        count = sa.text("SELECT count(*) FROM memoryos_pages")
        assert connection.scalar(count) == 1
        add(store, "meanwhile")
        assert connection.scalar(count) == 1
    assert len(ids(store)) == 2


def test_one_after_another_uses_the_same_connection(store):
    """The other ones would read the pages of the file again, since a write empties their caches."""
    with store._database.reading(None), store._database.reading(None):
        pass  # two connections are open from here on
    used: list[object] = []
    sa.event.listen(store._database._engine, "checkout", lambda driver, *_: used.append(driver))
    for number in range(4):
        add(store, str(number))
        store.pages(PageQuery(ALICE))
    assert len(used) == 8
    assert len({id(driver) for driver in used}) == 1


def test_what_is_forgotten_is_not_left_in_the_files(store, path):
    secret, kept = "xyzzy-plugh-9771", "the rest stays here"
    pages = add(store, f"say {secret}", kept, *(f"more {secret} {i}" for i in range(50)))
    store.page_out(move_out(pages[:2]))
    learn(store, fact("f1", pages[0].id, text=f"said {secret}"))
    store.forget(Forgetting(ALICE, tuple(page.id for page in pages if page.id != pages[1].id)))
    files = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    assert any(kept.encode() in content for content in files.values())
    assert [name for name, content in files.items() if secret.encode() in content] == []


def test_everything_of_a_scope_leaves_the_files_with_its_name(store, path):
    fill(store)
    add(store, "bob's", scope=BOB)
    store.forget(Forgetting(ALICE, everything=True))
    with closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        # What stays of it are digests: the log of what was done, and receipts for backups (ADR 0035).
        kept = {"memoryos_audit", "memoryos_tombstones"}
        for table in set(tables) - {"memoryos_version", "memoryos_embedder", "memoryos_keys", "memoryos_secret"} - kept:
            rows = connection.execute(f"SELECT scope FROM {table}").fetchall()
            assert {scope for (scope,) in rows} <= {BOB.key}
    assert all(b"alice" not in file.read_bytes() for file in path.parent.iterdir())


def test_every_table_begins_its_key_with_the_scope(store, path):
    with closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        first = {
            table: next(row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[5] == 1)
            for table in tables
        }
    assert set(first.values()) == {"scope", "id", "version_num"}
    unscoped = {table for table, column in first.items() if column != "scope"}
    assert unscoped == {"memoryos_embedder", "memoryos_keys", "memoryos_secret", "memoryos_version"}


def test_no_question_reads_a_whole_table(store):
    """Cost must not grow with the number of users: every statement goes by an index that begins with the scope."""
    fill(store)
    asked: list[tuple[str, object]] = []
    sa.event.listen(
        store._database._engine,
        "before_cursor_execute",
        lambda _c, _u, statement, parameters, _x, _m: asked.append((statement, parameters)),
    )
    (a,) = add(store, "a")
    add(store, "b", "c")
    store.page_out(move_out([a], into=segment("g9"), chain="c9"))
    embed(store, a)
    learn(store, fact("f1 again", a.id), vectors=[VectorRow("f1 again", "fact", vector(1))])
    for narrow in (
        *({}, {"session_id": "s"}, {"tiers": ("short_term",)}, {"embedded": False}, {"reread": True}),
        *({"ids": (a.id,)}, {"segment_id": "g9"}, {"session_id": "s", "newest_first": True, "limit": 1}),
        {"since": T0, "after_seq": 1},
    ):
        store.pages(PageQuery(ALICE, **narrow))
    store.pending(ALICE)
    store.segments(ALICE)
    store.chains(ALICE, ["c1"])
    store.facts(ALICE)
    store.profile(ALICE)
    store.write_notes(ALICE, [NoteWrite(("n",), "k", "1", "t"), NoteWrite((), "gone", None)], T0)
    store.notes(ALICE, ("n",), key="k")
    store.save_note_vectors(ALICE, store.notes(ALICE, ("n",), vectors=True), embedder="mine")
    store.note_namespaces(ALICE)
    store.vectors(ALICE, [a.id])
    store.feed(ALICE, Cursor())
    store.stats(ALICE)
    list(store.export(ALICE))
    store.forget(Forgetting(ALICE, (a.id,)))
    store.forget(Forgetting(ALICE, session_id="s"))
    plans: list[tuple[str, str]] = []
    with store._database.reading(None) as connection:
        for statement, parameters in list(asked):
            if statement.startswith("PRAGMA"):
                continue
            one = parameters[0] if isinstance(parameters, list) else parameters
            for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", one):
                plans.append((row[3], statement))
    assert len(plans) > 60
    scans = [plan for plan in plans if plan[0].startswith("SCAN memoryos_")]
    one_row = {"SCAN memoryos_embedder", "SCAN memoryos_secret"}
    assert [plan for plan in scans if plan[0] not in one_row] == []
    searched = " ".join(plan for plan, _ in plans)
    for index in ("short_term", "unembedded", "reread", "session", "segment", "rev", "seq"):
        assert f"memoryos_pages_{index} " in searched, index


def test_what_is_asked_of_a_few_segments_looks_through_no_others(store):
    fill(store)
    asked: list[tuple[str, tuple[object, ...]]] = []
    sa.event.listen(
        store._database._engine,
        "before_cursor_execute",
        lambda _c, _u, statement, parameters, _x, _m: asked.append((statement, tuple(parameters))),
    )
    store.segments(ALICE, ids=["g1"])
    for flags in ({}, {"analysed": False, "limit": 3}, {"newest_first": True}):
        store.pages(PageQuery(ALICE, segment_id="g1", **flags))
    of_pages = [(statement, given) for statement, given in asked if "FROM memoryos_pages" in statement]
    assert len(of_pages) == 4
    with store._database.reading(None) as connection:
        for statement, given in of_pages:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", given).all()
            assert "memoryos_pages_segment (scope=? AND segment_id=?" in plan[0][3], statement


def test_stats_of_the_whole_store_may(store):
    fill(store)
    assert store.stats().pages == 9


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "sqlite:///file::memory:?uri=true"])
def test_memory_urls_live_in_one_connection(url, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with closing(open_store(url)) as one, closing(open_store(url)) as two:
        add(one, "mine")
        assert texts(one.pages(PageQuery(ALICE))) == ["mine"]
        assert ids(two) == []
    assert list(tmp_path.iterdir()) == []


def test_a_relative_path_is_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with closing(open_store("sqlite:///my memory.db")) as store:
        add(store, "a")
    assert (tmp_path / "my memory.db").is_file()


def test_closing_folds_the_log_into_the_file(store, path):
    add(store, "a")
    store.close()
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_forked_child_uses_connections_of_its_own(store):
    add(store, "parent")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            add(store, "child")
            status = 0 if texts(store.pages(PageQuery(ALICE))) == ["parent", "child"] else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    add(store, "parent again")
    assert texts(store.pages(PageQuery(ALICE))) == ["parent", "child", "parent again"]


FORKS = 20 if "MEMORYOS_SOAK" in os.environ else 8


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_child_forked_while_another_thread_writes_can_write(store):
    done = threading.Event()
    kept: list[object] = []

    def keep_writing() -> None:
        while not done.wait(0.001):
            kept.extend(add(store, "parent"))

    writer = threading.Thread(target=keep_writing)
    writer.start()
    try:
        assert all(forked(lambda: add(store, "child")) == 0 for _ in range(FORKS))
    finally:
        done.set()
        writer.join(20)
    kept.extend(add(store, "parent again"))
    assert len(texts(store.pages(PageQuery(ALICE)))) == len(kept) + FORKS


def forked(work: Callable[[], object]) -> int:
    """How a child ended: with zero once it has done this work."""
    child = os.fork()
    if child == 0:
        signal.alarm(15)  # a child that hangs is a failure, not a test that never ends
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_fork_does_not_wait_for_ever_for_a_writer(store, monkeypatch):
    monkeypatch.setattr("memoryos_core.ports.forks._MOST_SECONDS", 0.05)
    begun, done = threading.Event(), threading.Event()

    def hang() -> None:
        with store._database.writing(None):
            begun.set()
            done.wait(60)

    writer = threading.Thread(target=hang)
    writer.start()
    try:
        assert begun.wait(20)
        assert forked(lambda: None) == 0
        assert not done.is_set()
    finally:
        done.set()
        writer.join(20)
    add(store, "later")


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_fork_lets_a_writer_open_its_connection_first(store, monkeypatch):
    database, inside, asked = store._database, threading.Event(), threading.Event()
    opened = threading.Event()

    class Forking(set[int]):
        def add(self, thread: int) -> None:
            super().add(thread)
            asked.set()

    def write() -> None:
        with forks_wait(), database._line:
            inside.set()
            assert asked.wait(20)
            one_at_a_time(sqlite3)(":memory:").close()
            opened.set()

    monkeypatch.setattr("memoryos_core.ports.forks._MOST_SECONDS", 20)
    monkeypatch.setattr("memoryos_core.ports.forks._forking", Forking())
    writer = threading.Thread(target=write)
    writer.start()
    assert inside.wait(20)

    def add_after_it() -> None:
        assert opened.is_set()
        add(store, "child")

    assert forked(add_after_it) == 0
    writer.join(20)


@pytest.mark.parametrize("verb", [lambda store: store.stats(ALICE), lambda store: add(store, "a")])
def test_an_interrupt_while_a_connection_closes_is_told_as_one(store, monkeypatch, verb):
    """SQLAlchemy asserts meanwhile that its transaction is over, which it is not."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("sqlalchemy.engine.base.RootTransaction._close_impl", interrupted)
        patch.setattr("sqlalchemy.engine.base.RootTransaction._do_commit", interrupted)
        with pytest.raises(KeyboardInterrupt):
            verb(store)
    add(store, "later")


@pytest.mark.parametrize("place", ["engine.base.Connection.close", "pool.base._ConnectionFairy._checkin"])
def test_an_interrupt_after_a_plain_reading_leaves_no_transaction(store, monkeypatch, place):
    """SQLAlchemy knows of no transaction then: the statement has begun it on the driver."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(f"sqlalchemy.{place}", interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.pages(PageQuery(ALICE))
    add(store, "later")
    store.stats(ALICE)  # a statement that SQLAlchemy runs, and a plain one, in one transaction
    with store._database.reading(ALICE) as connection:
        assert scopes.cursor(connection, ALICE).version
        assert connection.scalar(sa.text("SELECT count(*) FROM memoryos_pages")) == 1
        assert scopes.cursor(connection, ALICE).version


def test_plain_statements_write_what_sqlalchemy_would(tmp_path):
    table = sa.Table(
        "t", sa.MetaData(), sa.Column("id", sa.Integer), sa.Column("words", Words), sa.Column("yes", sa.Boolean)
    )
    rows = [{"id": 1, "words": ("a", "b"), "yes": True}, {"id": 2, "words": (), "yes": False}]
    ticked = Plain(sa.update(table).values(yes=True).where(table.c.id == sa.bindparam("of")).returning(table.c.words))
    engine = sa.create_engine(f"sqlite:///{tmp_path}/t.db")
    with engine.connect() as connection, connection.begin():
        table.create(connection)
        connection.execute(table.insert(), rows)
        Plain(table.insert()).write(connection, rows)
        first, second = (connection.execute(sa.select(table).limit(2).offset(offset)).all() for offset in (0, 2))
        assert first == second
        Plain(table.insert()).write(connection, [])
        assert [row.words for row in ticked.rows(connection, {"of": 2})] == [(), ()]
        assert len(Plain(sa.select(table.c.id).where(table.c.yes == sa.true())).rows(connection)) == 4
        with pytest.raises(KeyError):
            ticked.rows(connection, {})
    engine.dispose()


def test_a_database_that_is_opened_later_compiles_nothing_that_an_earlier_one_has(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[str] = []
    compile_it = sa.sql.compiler.SQLCompiler.__init__

    def noted(self: sa.sql.compiler.SQLCompiler, *arguments: object, **named: object) -> None:
        compile_it(self, *arguments, **named)  # type: ignore[arg-type]
        compiled.append(self.string)

    def live(store: SqlStore) -> None:
        page = add(store, "Ann sails")[0]
        embed(store, page)
        store.page_out(move_out([page], into=segment("s"), chain="c"))
        assert ids(store) == [page.id]

    with closing(open_store("sqlite://")) as first:
        live(first)
    with closing(open_store(f"sqlite:///{path}")) as second:
        live(second)
        with closing(sqlite3.connect(path)) as raw:
            raw.execute("UPDATE memoryos_pages SET tier = 'nowhere'")
            raw.commit()
        assert ids(second) == []
        assert second.stats(ALICE).damaged == 1
    monkeypatch.setattr(sa.sql.compiler.SQLCompiler, "__init__", noted)
    with closing(open_store("sqlite://")) as third:
        live(third)
        assert compiled == []
        monkeypatch.undo()
        assert third.stats(ALICE).damaged == 0, "what is counted is each database's own"
