"""`memoryos rekey`, and the way from a memory without a key to one with it."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing

import pytest

from memoryos_core import MemoryOS, StoreKeyError
from memoryos_core.ops.cli import main
from memoryos_core.stores import open_store
from memoryos_core.testing.store_samples import add, ids
from tests.encryption.stored import KEY, OTHER

OLD, NEW = f"hex:{KEY.hex()}", "a new passphrase"


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path / 'memory.db'}"


def test_the_command_changes_the_key_and_may_be_run_again(url, monkeypatch, capsys):
    with closing(open_store(url, key=KEY)) as store:
        add(store, "kept")
    monkeypatch.setenv("MEMORYOS_KEY", OLD)
    monkeypatch.setenv("MEMORYOS_NEW_KEY", NEW)
    for more in ([], ["--json"]):
        assert main(["rekey", url, *more]) == 0
    with closing(open_store(url, key=NEW)) as store:
        assert len(ids(store)) == 1
    with pytest.raises(StoreKeyError):
        open_store(url, key=KEY)
    said = "memoryos: everything is encrypted with the new key now\n"
    assert capsys.readouterr() == ('{"rekeyed": true}\n', said)


def test_the_command_refuses_what_it_cannot_do_and_shows_no_key(url, monkeypatch, capsys):
    monkeypatch.setenv("MEMORYOS_KEY", OLD)
    assert main(["rekey", url]) == 2
    assert "MEMORYOS_NEW_KEY" in capsys.readouterr().err
    open_store(url, key=OTHER).close()
    assert main(["rekey", url, "--new-key", NEW]) == 2
    said = capsys.readouterr().err
    assert "StoreKeyError" in said
    assert KEY.hex() not in said
    assert NEW not in said


@pytest.mark.parametrize("how", ["option", "environment", "option over a key of the environment"])
def test_an_empty_key_is_refused_and_makes_no_memory(url, tmp_path, monkeypatch, capsys, how):
    if how != "option":
        monkeypatch.setenv("MEMORYOS_KEY", "" if how == "environment" else OLD)
    given = [] if how == "environment" else ["--key", ""]
    for command in (["add", url, "hello", "--user", "x"], ["demo", url], ["worker", url, "--once"]):
        assert main([*command, *given]) == 2
        assert "the key is empty" in capsys.readouterr().err
    assert not (tmp_path / "memory.db").exists()


def test_a_plain_memory_goes_through_a_pipe_into_an_encrypted_one(url, tmp_path):
    """No file in between holds a word of it."""
    sealed = f"sqlite:///{tmp_path / 'sealed.db'}"
    with MemoryOS(url, embedder=None) as memory:
        memory.user("ann").add("I live in Porto", "noted")
        memory.user("ann").remember("likes tea")
    command = [sys.executable, "-m", "memoryos_core.ops.cli"]
    out = subprocess.run([*command, "export", url], capture_output=True, check=True)
    back = [*command, "restore", sealed]
    subprocess.run(back, input=out.stdout, capture_output=True, check=True, env={"MEMORYOS_KEY": OLD})
    with MemoryOS(sealed, key=KEY, embedder=None) as memory:
        assert [fact.text for fact in memory.user("ann").facts()] == ["likes tea"]
        assert "I live in Porto" in memory.user("ann").recall("Porto").text
