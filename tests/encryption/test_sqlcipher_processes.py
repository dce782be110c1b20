"""Processes share a SQLite file by its key."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from memoryos_core.stores import open_store
from memoryos_core.testing.store_samples import ALICE, add, ids, texts
from memoryos_core.values.commands import PageQuery
from tests.encryption.stored import NAMED, SAID

EVERYTHING = SAID | NAMED
PHRASE = 'it\'s a "long" passphrase, ünd mehr'


def test_two_processes_share_a_file_by_its_key(url):
    code = """
import sys
from memoryos_core.stores import open_store
from memoryos_core.testing.store_samples import add
store = open_store(sys.argv[1], key=sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
for i in range(20):
    add(store, f"{sys.argv[3]} {i}")
store.close()
"""
    command = [sys.executable, "-c", code, url, PHRASE]
    children = [
        subprocess.Popen(
            [*command, str(n)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for n in range(3)
    ]
    for child in children:  # they all make the file, at about the same time
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    assert [child.communicate("go\n") for child in children] == [("", "")] * 3
    with closing(open_store(url, key=PHRASE)) as store:
        assert len(ids(store)) == 60


def test_a_file_that_another_process_made_meanwhile_is_shared(url, path, monkeypatch):
    """Two salts for one file would shut one of the two out."""
    link = os.link

    def late(made: Path, name: Path) -> None:
        monkeypatch.undo()
        with closing(open_store(url, key=PHRASE)) as other:
            add(other, "first")
        link(made, name)

    monkeypatch.setattr(os, "link", late)
    with closing(open_store(url, key=PHRASE)) as store:
        assert texts(store.pages(PageQuery(ALICE))) == ["first"]
    assert os.link is link
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_forked_child_uses_connections_of_its_own(url):
    with closing(open_store(url, key=PHRASE)) as store:
        add(store, "parent")
        child = os.fork()
        if child == 0:
            status = 1
            try:
                add(store, "child")
                status = 0
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        add(store, "parent again")
        assert texts(store.pages(PageQuery(ALICE))) == ["parent", "child", "parent again"]


def test_threads_may_open_and_close_a_file_side_by_side(path):
    """With SQLite 3.51.1, which the driver carries, most of such runs came to a standstill."""
    code = """
import sys, threading
from sqlcipher3 import dbapi2
from memoryos_core.stores.sql.files import one_at_a_time
def connect():
    connection = dbapi2.connect(sys.argv[1], check_same_thread=False, factory=one_at_a_time(dbapi2))
    connection.execute("PRAGMA key=\\"x'" + "ab" * 48 + "'\\"")
    return connection
def work():
    for _ in range(2_000):
        connection = connect()
        connection.execute("SELECT * FROM sqlite_master")
        connection.close()
connection = connect()
threads = [threading.Thread(target=work) for _ in range(4)]
connection.execute("PRAGMA journal_mode=WAL")
connection.close()
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
    # In a process of its own: threads that have come to a standstill cannot be ended.
    subprocess.run([sys.executable, "-c", code, path], check=True, timeout=120)
