"""The key of a server's database is changed while it is in use."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from contextlib import closing

import pytest

from memoryos_core import Keys
from memoryos_core.errors import StoreError, StoreKeyError
from memoryos_core.stores import open_store
from memoryos_core.stores.sql import scopes
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.store_samples import ALICE, BOB, add, ids, texts
from memoryos_core.values.commands import PageQuery
from memoryos_core.values.dialogue import Scope
from tests.encryption.sealed import key_ids
from tests.encryption.stored import KEY, OTHER, WHO, store_everything

pytestmark = pytest.mark.postgres

PHRASE = "a passphrase, ünd mehr"


def test_rekeying_seals_everything_anew(postgres, postgres_url, name, store):
    store_everything(store)
    add(store, *map(str, range(450)))
    before = [list(store.export(scope)) for scope in (WHO, ALICE)]
    assert key_ids(postgres, name) == {"1"}
    secret = store._database.secret
    store.rekey(PHRASE)
    assert key_ids(postgres, name) == {"2"}
    assert [list(store.export(scope)) for scope in (WHO, ALICE)] == before
    with pytest.raises(StoreKeyError):
        open_store(postgres_url, key=KEY)
    with closing(SqlStore(postgres_url, key=PHRASE)) as again:
        assert [list(again.export(scope)) for scope in (WHO, ALICE)] == before
        assert again._database.secret == secret
        again.rekey(PHRASE)  # there is nothing left to do, and nothing is done
    assert key_ids(postgres, name) == {"2"}


def test_rows_of_both_keys_are_read_and_the_rest_is_done_later(postgres, postgres_url, name, store, monkeypatch):
    add(store, "old")
    monkeypatch.setattr("memoryos_core.stores.sql.keyring.read_scopes", lambda *_, **__: ())
    store.rekey(OTHER)  # as if it died before the first value
    add(store, "new")
    assert key_ids(postgres, name) == {"1", "2"}
    monkeypatch.undo()
    with closing(open_store(postgres_url, key=Keys(OTHER, KEY))) as again:
        assert texts(again.pages(PageQuery(ALICE))) == ["old", "new"]
        again.rekey(OTHER)
        assert key_ids(postgres, name) == {"2"}
        assert texts(again.pages(PageQuery(ALICE))) == ["old", "new"]


def test_a_handle_with_both_keys_goes_on_while_another_rekeys(postgres_url, store):
    with closing(open_store(postgres_url, key=Keys(OTHER, KEY))) as theirs:
        for number in range(20):
            add(theirs, str(number), scope=Scope(f"user {number}"))
        done, wrong, written = threading.Event(), list[StoreError](), list[object]()

        def work() -> None:
            while not done.is_set():
                try:
                    written.extend(add(theirs, "w"))
                    for number in range(20):
                        assert texts(theirs.pages(PageQuery(Scope(f"user {number}")))) == [str(number)]
                except StoreError as error:
                    wrong.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        store.rekey(OTHER)
        done.set()
        thread.join(60)
        assert wrong == []
        assert len(ids(theirs)) == len(ids(store)) == len(written) > 0


def test_a_handle_with_the_old_key_alone_is_told(postgres_url, store):
    with closing(open_store(postgres_url, key=KEY)) as theirs:
        add(theirs, "before")
        store.rekey(OTHER)
        with pytest.raises(StoreKeyError, match="does not open"):
            ids(theirs)
        assert len(ids(store)) == 1


def test_a_killed_rekeying_is_finished_by_the_next(postgres, postgres_url, name, store):
    for scope in (ALICE, BOB):
        add(store, *map(str, range(300)), scope=scope)
    code = """
import sys
from memoryos_core.stores import open_store
store = open_store(sys.argv[1], key=bytes.fromhex(sys.argv[2]))
store.rekey(bytes.fromhex(sys.argv[3]))
"""
    with store._database.writing(BOB) as connection:
        scopes.claim(connection, BOB, 0)  # another writer is at Bob's, so that it gets no further than to Alice's
        child = subprocess.Popen([sys.executable, "-c", code, postgres_url, KEY.hex(), OTHER.hex()])
        deadline = time.monotonic() + 60
        while key_ids(postgres, name) != {"1", "2"}:
            assert time.monotonic() < deadline
            assert child.poll() is None
        child.kill()
        child.wait()
    with closing(open_store(postgres_url, key=OTHER)) as again:
        assert key_ids(postgres, name) == {"1", "2"}
        for finished in ({"1", "2"}, {"2"}):
            assert key_ids(postgres, name) == finished
            for scope in (ALICE, BOB):
                assert texts(again.pages(PageQuery(scope))) == list(map(str, range(300)))
            again.rekey(OTHER)
