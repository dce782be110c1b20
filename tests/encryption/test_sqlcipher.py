"""What this library promises of a SQLite file with a key."""

from __future__ import annotations

import gc
import os
import sqlite3
import sys
import traceback
from contextlib import closing

import pytest
import sqlcipher3.dbapi2 as sqlcipher
from sqlalchemy.sql.compiler import SQLCompiler

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.errors import (
    MissingExtraError,
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreKeyError,
    StoreUnwritableError,
)
from memoryos_core.stores import open_store
from memoryos_core.stores.sql.sqlcipher import _Cipher
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.store_samples import ALICE, add, fact, learn, texts
from memoryos_core.values.commands import PageQuery
from tests.encryption.stored import KEY, NAMED, OTHER, SAID, WHO, found_in, read_everything, store_everything

EVERYTHING = SAID | NAMED
PHRASE = 'it\'s a "long" passphrase, ünd mehr'


def test_a_plain_file_shows_every_word_that_is_looked_for(url, path):
    """What makes the test below one that can fail."""
    with closing(open_store(url)) as store:
        store_everything(store)
        assert found_in(path.parent, EVERYTHING) == set(EVERYTHING)


def test_no_word_is_in_any_file_of_an_encrypted_one(url, path, tmp_path, monkeypatch):
    monkeypatch.setenv("SQLITE_TMPDIR", str(tmp_path))
    with closing(SqlStore(url, key=KEY)) as store:
        store_everything(store)
        with store._database.writing(WHO) as connection:
            # More than its cache holds, so that pages are written before the end; and a sort of it all.
            connection.exec_driver_sql("PRAGMA cache_size=10")
            connection.exec_driver_sql(
                f"CREATE TABLE t AS SELECT '{SAID['message']}' || key x FROM json_each('{list(range(9999))}')"
            )
            connection.exec_driver_sql("CREATE TEMP TABLE u AS SELECT x FROM t ORDER BY x DESC")
            connection.exec_driver_sql("SELECT a.x FROM u a, u b WHERE a.x = b.x ORDER BY 1 LIMIT 1").fetchall()
            assert {file.name for file in tmp_path.iterdir()} == {"memory.db", "memory.db-wal", "memory.db-shm"}
            assert (tmp_path / "memory.db-wal").stat().st_size > 100_000
            assert found_in(tmp_path, EVERYTHING) == set()
        assert found_in(tmp_path, EVERYTHING) == set()
        assert b"CREATE" not in path.read_bytes()
    assert list(tmp_path.iterdir()) == [path]
    assert found_in(tmp_path, EVERYTHING) == set()
    with closing(open_store(url, key=KEY)) as store:
        assert EVERYTHING["fact"] in str(read_everything(store))


def test_no_word_of_a_whole_memory_is_in_any_file(tmp_path):
    with MemoryOS(f"sqlite:///{tmp_path / 'memory.db'}", key=PHRASE, embedder=None) as memory:
        user = memory.user(NAMED["user"], session_id=NAMED["session"])
        for i in range(30):
            user.add(f"my {SAID['message']} number {i} is {SAID['keyword']}", f"about {SAID['chain']}")
        user.remember(f"is {SAID['fact']}")
        assert memory.flush()
        assert user.recall(SAID["message"]).hits
        assert user.segments()
        assert found_in(tmp_path, EVERYTHING) == set()
    assert found_in(tmp_path, EVERYTHING) == set()


@pytest.mark.parametrize("key", [OTHER, "a passphrase"])
def test_a_wrong_key_is_told_and_changes_nothing(url, path, key, capfd):
    with closing(open_store(url, key=KEY)) as store:
        add(store, "kept")
    before = path.read_bytes()
    with pytest.raises(StoreKeyError, match="nothing was changed"):
        open_store(url, key=key)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]
    assert capfd.readouterr() == ("", "")


def test_a_missing_key_is_told_and_changes_nothing(url, path):
    open_store(url, key=KEY).close()
    before = path.read_bytes()
    with pytest.raises(StoreKeyError, match="open it with its key"):
        open_store(url)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_key_for_a_plain_file_is_told_and_changes_nothing(url, path):
    open_store(url).close()
    before = path.read_bytes()
    with pytest.raises(StoreKeyError, match="not encrypted"):
        open_store(url, key=KEY)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_is_no_database_is_told_with_a_key_too(url, path):
    path.write_bytes(b"this is no database, but a letter. " * 400)
    with pytest.raises(StoreKeyError, match="damaged"):
        open_store(url, key=KEY)
    assert path.read_bytes().startswith(b"this is no database")


def test_a_damaged_file_is_corrupt_and_left_alone(url, path):
    with closing(open_store(url, key=KEY)) as store:
        add(store, *map(str, range(500)))
    whole = path.read_bytes()
    sound = len(whole) // 4096 * 2 // 3 * 4096  # the schema, and some of the pages
    damaged = whole[:sound] + os.urandom(len(whole) - sound)
    path.write_bytes(damaged)
    with closing(open_store(url, key=KEY)) as store:
        for _ in range(2):  # the driver tells of it the second time as if there were no memory left
            with pytest.raises(StoreCorruptError):
                list(store.export(ALICE))
    assert path.read_bytes() == damaged


def test_connections_are_set_up_as_those_to_a_plain_file(url):
    expected = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1, "busy_timeout": 7500}
    expected |= {"temp_store": 2}
    store = SqlStore(url, busy_timeout_seconds=7.5, key=PHRASE)
    with closing(store), store._database.reading(None) as one, store._database.writing(None) as another:
        for connection in (one, another):
            pragmas = {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in expected}
            assert pragmas == expected


def test_sqlcipher_itself_opens_the_file_with_the_same_passphrase(url, path):
    """Nobody depends on this library to get at what is his."""
    with closing(open_store(url, key="plain words")) as store:
        add(store, "a")
    with closing(sqlcipher.connect(str(path))) as connection:
        connection.execute("PRAGMA key = 'plain words'")
        assert connection.execute("SELECT count(*) FROM memoryos_pages").fetchone() == (1,)
        assert connection.execute("PRAGMA cipher_integrity_check").fetchall() == []


def test_errors_of_the_other_driver_are_ours_too(url, path):
    secret = SAID["message"]
    with closing(open_store(url, key=KEY)) as store:
        add(store, "kept")
        learn(store, fact("f", text=secret))
        with pytest.raises(StoreError, match="IntegrityError") as refused:
            learn(store, fact("f", text=secret))
        assert secret not in "".join(traceback.format_exception(refused.value))
    with closing(open_store(f"sqlite:///file:{path}?mode=ro&uri=true", key=KEY)) as store:
        assert texts(store.pages(PageQuery(ALICE))) == ["kept"]
        with pytest.raises(StoreUnwritableError):
            add(store, secret)
    store, other = open_store(url, key=KEY, busy_timeout_seconds=0.2), SqlStore(url, key=KEY)
    with closing(store), closing(other), other._database.writing(None), pytest.raises(StoreBusyError):
        add(store, secret)
    with pytest.raises(StoreUnwritableError, match="folder"):
        open_store(f"sqlite:///{path.parent / 'no such folder' / 'memory.db'}", key=KEY)


def test_a_full_disk_loses_only_what_was_refused(url):
    with closing(SqlStore(url, key=KEY)) as store:
        add(store, "kept")
        with store._database.writing(None) as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages + 2}")
        with pytest.raises(StoreUnwritableError, match="room"):
            add(store, "much" * 10_000)
        assert texts(store.pages(PageQuery(ALICE))) == ["kept"]


def test_what_is_copied_out_of_a_plain_file_comes_back_in_an_encrypted_one(tmp_path):
    plain, sealed = (f"sqlite:///{tmp_path / name}" for name in ("plain.db", "sealed.db"))
    with closing(open_store(plain)) as old, closing(open_store(sealed, key=KEY)) as new:
        store_everything(old)
        new.restore(WHO, old.export(WHO))
        assert read_everything(new) == read_everything(old)
    assert sqlite3.connect(tmp_path / "plain.db").execute("SELECT count(*) FROM memoryos_pages").fetchone() == (1,)


def test_without_the_extra_its_name_is_told(url, path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlcipher3", None)
    with pytest.raises(MissingExtraError, match=r"memoryos-tiered\[encryption\]"):
        open_store(url, key=KEY)
    assert list(path.parent.iterdir()) == []


def test_files_share_their_compiled_statements_and_leave_no_key_behind(tmp_path, monkeypatch):
    """The second file compiles none anew, and what they share refers to neither of them."""
    compiled, before = [], SQLCompiler.__init__

    def count(self, *given, **named):
        compiled.append(1)
        before(self, *given, **named)

    def use(name, key):
        # A worker beside the verbs would run statements of its own, or not, as time is left.
        config = MemoryConfig(worker=WorkerConfig(mode="manual"))
        with MemoryOS(f"sqlite:///{tmp_path / name}", embedder=None, key=key, config=config) as memory:
            memory.user("ada").add("I live in Leeds.", "Nice.")
            assert memory.user("ada").recall("Where do I live?")

    use("first.db", KEY)
    monkeypatch.setattr(SQLCompiler, "__init__", count)
    use("second.db", OTHER)
    assert compiled == []
    gc.collect()
    assert [thing for thing in gc.get_objects() if isinstance(thing, _Cipher)] == []
