"""The key of a SQLite file is changed while it is in use."""

from __future__ import annotations

import threading
from contextlib import closing

import pytest

from memoryos_core import MemoryOS
from memoryos_core.errors import StoreBusyError, StoreError, StoreKeyError, StoreUnwritableError
from memoryos_core.stores import open_store
from memoryos_core.stores.sql.sqlcipher import _Cipher
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.store_samples import ALICE, add, ids, texts
from memoryos_core.values.commands import PageQuery
from tests.encryption.stored import KEY, NAMED, OTHER, SAID, read_everything, store_everything

EVERYTHING = SAID | NAMED
PHRASE = 'it\'s a "long" passphrase, ünd mehr'


@pytest.mark.parametrize(("old", "new"), [(KEY, OTHER), (PHRASE, KEY), (KEY, PHRASE), (PHRASE, "another")])
def test_rekeying_keeps_everything_and_refuses_the_old_key(url, path, old, new):
    with MemoryOS(url, key=old, embedder=None) as memory:
        store_everything(memory._engine.parts.store)
        before = read_everything(memory._engine.parts.store)
        memory.rekey(new)
        # The handle goes on, and in the file itself is no page left that the old key would open.
        assert read_everything(memory._engine.parts.store) == before
        assert (path.parent / "memory.db-wal").stat().st_size == 0
    with pytest.raises(StoreKeyError):
        open_store(url, key=old)
    with closing(open_store(url, key=new)) as store:
        assert read_everything(store) == before
        add(store, "later")


def test_a_file_that_was_put_in_the_place_of_another_is_not_rekeyed(url, path):
    with closing(open_store(url, key=KEY)) as store:
        add(store, "a")
        path.rename(path.with_name("moved.db"))
        path.write_bytes(b"another")
        with pytest.raises(StoreUnwritableError, match="replaced"):
            store.rekey(OTHER)
        assert path.read_bytes() == b"another"


def test_rekeying_a_plain_file_is_refused(url, path):
    with MemoryOS(url, embedder=None) as memory:
        with pytest.raises(StoreKeyError, match="not encrypted"):
            memory.rekey(KEY)
        add(memory._engine.parts.store, "goes on")
    assert path.read_bytes().startswith(b"SQLite format 3")


async def test_the_face_for_coroutines_rekeys_too(url):
    from memoryos_core import AsyncMemoryOS

    async with AsyncMemoryOS(url, key=KEY, embedder=None) as memory:
        await memory.rekey(OTHER)
    open_store(url, key=OTHER).close()


def test_a_handle_with_both_keys_outlives_a_rekeying_by_another(url, path):
    """No process needs to stop: those that hold both keys go on."""
    from memoryos_core import Keys

    with closing(open_store(url, key=KEY)) as mine, closing(open_store(url, key=Keys(OTHER, KEY))) as theirs:
        add(theirs, "before")
        mine.rekey(OTHER)
        # Pages under the old key are neither in the file nor in the log, which another handle keeps from going away.
        assert (path.parent / "memory.db-wal").stat().st_size == 0
        assert texts(theirs.pages(PageQuery(ALICE))) == ["before"]
        add(theirs, "after")
        assert texts(mine.pages(PageQuery(ALICE))) == ["before", "after"]


def test_a_handle_with_the_old_key_alone_is_told(url):
    with closing(open_store(url, key=KEY)) as mine, closing(open_store(url, key=KEY)) as theirs:
        add(theirs, "before")
        mine.rekey(OTHER)
        for attempt in (lambda: ids(theirs), lambda: add(theirs, "lost?"), lambda: ids(theirs)):
            with pytest.raises(StoreKeyError, match="key"):
                attempt()
        assert texts(mine.pages(PageQuery(ALICE))) == ["before"]


def test_threads_read_and_write_while_a_file_is_rekeyed(url):
    with closing(open_store(url, key=KEY)) as store:
        add(store, *map(str, range(200)))
        done = threading.Event()
        wrong: list[StoreError] = []

        def work(act) -> None:
            while not done.is_set():
                try:
                    act()
                except StoreError as error:
                    wrong.append(error)

        threads = [threading.Thread(target=work, args=(act,)) for act in (lambda: ids(store), lambda: add(store, "w"))]
        for thread in threads:
            thread.start()
        for key in (OTHER, PHRASE, KEY):
            store.rekey(key)
        done.set()
        for thread in threads:
            thread.join(60)
        assert wrong == []
        count = len(ids(store))
    with closing(open_store(url, key=KEY)) as store:
        assert len(ids(store)) == count > 200


def test_a_read_while_the_new_key_is_tried_does_not_remember_the_log_that_sqlite_removed(url, path, monkeypatch):
    """The connection that changed the key may have been the last one: SQLite removes its log, and makes a new one."""
    with closing(open_store(url, key=KEY)) as store:
        add(store, "before")
        connect = _Cipher._connect_without_key

        def connect_and_read(cipher, file):
            path.with_name("taken").touch()  # else the new log may have the inode of the old one
            reader = threading.Thread(target=ids, args=(store,))
            reader.start()
            reader.join(60)
            return connect(cipher, file)

        monkeypatch.setattr(_Cipher, "_connect_without_key", connect_and_read)
        store.rekey(OTHER)
        add(store, "after")
        assert texts(store.pages(PageQuery(ALICE))) == ["before", "after"]


def test_a_rekeying_that_does_not_get_the_lock_changes_nothing(url, path):
    """The pragma itself would say "ok", and the connection would write with the new key from then on."""
    with closing(open_store(url, key=KEY, busy_timeout_seconds=0.2)) as store:
        add(store, "before")
        other = SqlStore(url, key=KEY)
        with closing(other), other._database.writing(None), pytest.raises(StoreBusyError):
            store.rekey(OTHER)
        add(store, "after")
    with closing(open_store(url, key=KEY)) as store:
        assert texts(store.pages(PageQuery(ALICE))) == ["before", "after"]
