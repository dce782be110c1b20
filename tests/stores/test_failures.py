"""What goes wrong with a database is told in our own words, which never quote what is remembered."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from memoryos_core.errors import (
    ClosedError,
    InvalidInputError,
    MissingExtraError,
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreUnwritableError,
)
from memoryos_core.stores import open_store
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.store_samples import (
    ALICE,
    T0,
    add,
    fact,
    ids,
    learn,
    move_out,
    segment,
    stored_segment,
    texts,
)
from memoryos_core.values.commands import Cursor, Eviction, Forgetting, Learning, PageQuery, Promotion, Redescription
from memoryos_core.values.dialogue import Page

SECRET = "the combination is 4-8-15-16-23-42"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def url(path: Path) -> str:
    return f"sqlite:///{path}"


def everything_said(error: BaseException) -> str:
    """The error as a log would show it, its chain of causes included."""
    return "".join(traceback.format_exception(error))


@contextmanager
def locked_by_another_process(path: Path) -> Iterator[None]:
    code = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()
"""
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == "locked\n"
        yield
    finally:
        child.communicate("")


def test_a_lock_held_by_another_process_is_busy(path, url):
    with closing(open_store(url, busy_timeout_seconds=0.2)) as store:
        add(store, "before")
        with locked_by_another_process(path):
            with pytest.raises(StoreBusyError) as refused:
                add(store, SECRET)
            # Readers do not wait for a writer.
            assert texts(store.pages(PageQuery(ALICE))) == ["before"]
        assert SECRET not in everything_said(refused.value)
        add(store, "after")
        assert texts(store.pages(PageQuery(ALICE))) == ["before", "after"]


def test_opening_a_new_file_that_is_locked_is_busy_and_leaves_it(path, url):
    sqlite3.connect(path).close()
    with locked_by_another_process(path), pytest.raises(StoreBusyError):
        open_store(url, busy_timeout_seconds=0.2)
    with closing(open_store(url)) as store:
        assert store.scopes() == ()


def test_a_thread_that_never_ends_its_turn_is_busy(url):
    with closing(SqlStore(url, busy_timeout_seconds=0.2)) as store:
        inside, leave = threading.Event(), threading.Event()

        def hold() -> None:
            with store._database.writing(None):
                inside.set()
                leave.wait(30)

        thread = threading.Thread(target=hold)
        thread.start()
        inside.wait(30)
        with pytest.raises(StoreBusyError):
            add(store, "a")
        leave.set()
        thread.join()
        assert texts(add(store, "b")) == ["b"]


def test_a_read_only_file_can_be_read(path, url):
    with closing(open_store(url)) as store:
        add(store, "kept")
    with closing(open_store(f"sqlite:///file:{path}?mode=ro&uri=true")) as store:
        assert texts(store.pages(PageQuery(ALICE))) == ["kept"]
        for write in (lambda: add(store, SECRET), lambda: learn(store, fact("f1", text=SECRET))):
            with pytest.raises(StoreUnwritableError) as refused:
                write()
            assert SECRET not in everything_said(refused.value)
        assert texts(store.pages(PageQuery(ALICE))) == ["kept"]


def test_a_new_file_that_cannot_be_made_is_unwritable(tmp_path):
    with pytest.raises(StoreUnwritableError, match="folder"):
        open_store(f"sqlite:///{tmp_path / 'no such folder' / 'memory.db'}")
    with pytest.raises(StoreUnwritableError):
        open_store(f"sqlite:///file:{tmp_path / 'none.db'}?mode=ro&uri=true")


def test_a_full_disk_loses_only_what_was_refused(path, url):
    with closing(open_store(url)) as store:
        add(store, "kept")
    with closing(SqlStore(url)) as store:
        # The pragma belongs to a connection, so the pool must hand out this one: SQLite itself then says SQLITE_FULL.
        with store._database.writing(None) as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages + 2}")
        with pytest.raises(StoreUnwritableError, match="room") as refused:
            add(store, SECRET * 10_000)
        assert SECRET not in everything_said(refused.value)
        assert texts(store.pages(PageQuery(ALICE))) == ["kept"]
        with store._database.writing(None) as connection:
            connection.exec_driver_sql("PRAGMA max_page_count=1000000")
        add(store, "room again")
        assert texts(store.pages(PageQuery(ALICE))) == ["kept", "room again"]


@pytest.mark.parametrize(
    "content", [b"this is no database, but a letter. " * 400, b"SQLite format 3\x00" + b"\xff" * 8176]
)
def test_a_file_that_is_no_database_is_left_alone(path, url, content):
    path.write_bytes(content)
    with pytest.raises(StoreCorruptError, match="left as it is"):
        open_store(url)
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_a_damaged_database_is_corrupt_and_left_alone(path, url):
    with closing(open_store(url)) as store:
        add(store, *map(str, range(500)))
    whole = path.read_bytes()
    # The first page holds the schema; everything after it is gone.
    damaged = whole[:4096] + b"\x5a" * (len(whole) - 4096)
    path.write_bytes(damaged)
    with pytest.raises(StoreCorruptError), closing(open_store(url)) as store:
        ids(store)
    assert path.read_bytes() == damaged


def test_a_schema_of_the_future_is_left_alone(path, url):
    with closing(open_store(url)) as store:
        add(store, "kept")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE memoryos_version SET version_num = '9999'")
    before = path.read_bytes()
    with pytest.raises(StoreCorruptError, match="upgrade memoryos"):
        open_store(url)
    assert path.read_bytes() == before


def test_any_other_refusal_is_a_store_error_without_values(url):
    with closing(open_store(url)) as store:
        learn(store, fact("f1", text=SECRET))
        with pytest.raises(StoreError) as refused:
            learn(store, fact("f1", text=SECRET))
        assert type(refused.value) is StoreError
        assert "IntegrityError" in str(refused.value)
        assert SECRET not in everything_said(refused.value)
        assert len(store.facts(ALICE)) == 1


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ("", InvalidInputError),
        ("memory.db", InvalidInputError),
        ("mysql://root:hunter2@localhost/db", InvalidInputError),
        ("nonsense+driver://x:hunter2@y", InvalidInputError),
        ("sqlite+nonsense:///memory.db", InvalidInputError),
    ],
)
def test_a_wrong_url_says_what_a_right_one_is(wrong, error):
    with pytest.raises(error) as refused:
        open_store(wrong)
    assert "hunter2" not in everything_said(refused.value).replace(f"open_store({wrong!r})", "")


def test_a_missing_driver_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"memoryos-tiered\[postgres\]"):
        open_store("postgresql://localhost/db")


def test_a_store_that_failed_to_open_leaves_no_connection(path, url):
    path.write_bytes(b"no database at all " * 100)
    with pytest.raises(StoreCorruptError):
        open_store(url)
    open_files = [str(link.resolve()) for link in Path("/proc/self/fd").iterdir() if link.exists()]
    assert str(path) not in open_files


def test_a_stream_that_outlives_its_store_says_so(url):
    store = open_store(url)
    add(store, *map(str, range(600)))
    stream = store.export(ALICE)
    next(stream)
    store.close()
    with pytest.raises(ClosedError):
        list(stream)


def test_a_refused_forgetting_forgets_nothing(path, url):
    with closing(open_store(url, busy_timeout_seconds=0.2)) as store:
        (a,) = add(store, "a")
        cursor = store.cursor(ALICE)
        with locked_by_another_process(path), pytest.raises(StoreBusyError):
            store.forget(Forgetting(ALICE, (a.id,)))
        assert ids(store) == [a.id]
        assert store.cursor(ALICE) == cursor
        assert store.feed(ALICE, Cursor()).pages == (a,)


ACTS: dict[str, Callable[[SqlStore, Page, Page], object]] = {
    "append": lambda store, a, b: add(store, "c"),
    "page_out": lambda store, a, b: store.page_out(move_out([b], into=segment("g2"))),
    "redescribe": lambda store, a, b: store.redescribe(
        Redescription(ALICE, (a.id,), (replace(stored_segment(store), summary="new"),), ())
    ),
    "promote": lambda store, a, b: store.promote(
        Promotion(ALICE, Learning(facts=(fact("f1", a.id),)), T0, "g1", (a.id,), cooled=1)
    ),
    "evict": lambda store, a, b: store.evict(Eviction(ALICE, ("g1",), T0)),
    "forget": lambda store, a, b: store.forget(Forgetting(ALICE, page_ids=(b.id,))),
}


@pytest.mark.parametrize("act", ACTS)
def test_an_act_that_the_audit_log_does_not_take_is_not_done(tmp_path: Path, act: str) -> None:
    path = tmp_path / "m.db"
    with closing(SqlStore(f"sqlite:///{path}")) as store:
        a, b = add(store, "a", "b")
        store.page_out(move_out([a]))
        before = list(store.export(ALICE)), store.cursor(ALICE), store.segments(ALICE), store.audit(ALICE)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(
                "CREATE TRIGGER refuse BEFORE INSERT ON memoryos_audit BEGIN SELECT RAISE(ABORT, 'refused'); END"
            )
        with pytest.raises(StoreError):
            ACTS[act](store, a, b)
        after = list(store.export(ALICE)), store.cursor(ALICE), store.segments(ALICE), store.audit(ALICE)
        assert repr(after) == repr(before)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("DROP TRIGGER refuse")
        ACTS[act](store, a, b)
        assert len(store.audit(ALICE)) == len(before[-1]) + 1
