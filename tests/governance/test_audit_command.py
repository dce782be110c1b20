"""`memoryos audit`: says whether the log is whole, by its exit status too, and what is in it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memoryos_core import MemoryConfig, MemoryOS, UserMemory, WorkerConfig
from memoryos_core.ops.cli import main

NOON = datetime(2026, 5, 1, 12, tzinfo=timezone.utc)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/m.db"


@pytest.fixture
def alice(url: str) -> Iterator[UserMemory]:
    days = iter(range(1000))
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS(url, embedder=None, config=config, clock=lambda: NOON + timedelta(days=next(days))) as memory:
        alice = memory.user("alice")
        for _ in range(3):
            alice.add("I planted xyzzy", "Nice!")
        memory.user("bob").add("Hello", "Hi")
        yield alice


def tamper(url: str, statement: str) -> None:
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection, connection:
        connection.execute(statement)


def test_whole_chains_are_ok(alice: UserMemory, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "verify", url]) == 0
    assert capsys.readouterr().out == "ok: 4 entries in 2 chains\n"
    head = alice.governance.verify().head
    assert main(["audit", "verify", url, "--user", "alice", "--head", head]) == 0
    assert capsys.readouterr().out == f"ok: 3 entries, head {head}\n"


def test_a_broken_chain_is_named(alice: UserMemory, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    tamper(url, f"UPDATE memoryos_audit SET actor = 'x' WHERE seq = 2 AND scope = '{alice.scope.key}'")
    assert main(["audit", "verify", url]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith(f"broken: scope {alice.scope.key}: entry 2 was changed")
    assert said[1].startswith("broken: ")
    assert main(["audit", "verify", url, "--user", "alice"]) == 1
    assert main(["audit", "verify", url, "--user", "bob"]) == 0


def test_a_user_of_whom_nothing_is_logged_is_not_ok(
    alice: UserMemory, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for wrong in (("alicia",), ("alice", "--assistant", "other")):
        assert main(["audit", "verify", url, "--user", *wrong]) == 1
        assert capsys.readouterr().out == "none: no entry of this user\n"
    tamper(url, f"DELETE FROM memoryos_audit WHERE scope = '{alice.scope.key}'")
    assert main(["audit", "verify", url, "--user", "alice"]) == 1


@pytest.mark.parametrize("forged", [2**63 - 1, "'many'"])
def test_a_last_number_that_was_forged_stops_nobody_and_is_said(
    alice: UserMemory, url: str, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, forged: object
) -> None:
    tamper(url, f"UPDATE memoryos_audit SET seq = {forged} WHERE seq = 3 AND scope = '{alice.scope.key}'")
    alice.add("One more", "Yes?")  # is entry 3 from now on
    assert "a damaged audit entry was left out" in caplog.text
    assert main(["audit", "verify", url, "--user", "alice"]) == 1
    assert "entry 4 is missing" in capsys.readouterr().out


def test_an_end_cut_off_is_seen_with_the_head(alice: UserMemory, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    head = alice.governance.verify().head
    tamper(url, f"DELETE FROM memoryos_audit WHERE seq = 3 AND scope = '{alice.scope.key}'")
    assert main(["audit", "verify", url, "--user", "alice"]) == 0
    assert main(["audit", "verify", url, "--user", "alice", "--head", head]) == 1
    assert "cut off" in capsys.readouterr().out
    assert main(["audit", "verify", url, "--head", head]) == 2
    assert "--user" in capsys.readouterr().err


def test_entries_are_shown_a_line_each(
    alice: UserMemory, url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryos_core.ops.cli.access._ENTRIES_A_READ", 2)
    assert main(["audit", "show", url, "--user", "alice"]) == 0
    out = capsys.readouterr().out
    shown = [json.loads(line) for line in out.splitlines()]
    known = alice.governance.audit()
    assert [(e["seq"], e["at"], e["actor"], e["action"]) for e in shown] == [
        (e.seq, e.at.isoformat(), None, "append") for e in known
    ]
    assert [(e["detail"], e["digest"]) for e in shown] == [(e.detail, e.digest) for e in known]
    assert "xyzzy" not in out
    assert main(["audit", "show", url, "--user", "alice", "--since", known[1].at.isoformat()]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_what_cannot_be_read_is_said(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["audit", "show", url])
    with pytest.raises(SystemExit):
        main(["audit", "show", url, "--user", "alice", "--since", "yesterday"])
    assert "invalid time 'yesterday': write it like 2026-05-01T12:00+00:00" in capsys.readouterr().err


def test_roles_are_given_and_taken_on_the_command_line_and_the_log_says_who_read(
    alice: UserMemory, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ask = ["recall", url, "What did I plant?", "--user", "alice", "--embedder", "none", "--actor", "bot-7"]
    assert main(ask) == 2
    assert main(["grant", url, "--user", "alice", "--to", "team:physio", "--role", "reader"]) == 0
    assert main(["team", url, "physio", "--add", "bot-7", "--until", "2999-01-01"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("bot-7  reader  since ")
    assert main(ask) == 0
    assert "xyzzy" in capsys.readouterr().out
    assert main(["grants", url, "--user", "alice"]) == 0
    assert capsys.readouterr().out.startswith("team:physio  reader  since ")
    assert main(["team", url, "physio", "--remove", "bot-7"]) == 0
    assert main(["team", url, "physio", "--remove", "bot-7"]) == 1
    assert main(ask) == 2
    assert main(["revoke", url, "--user", "alice", "--from", "team:physio"]) == 0
    assert main(["revoke", url, "--user", "alice", "--from", "team:physio"]) == 1
    assert main(["team", url, "physio", "--until", "2999-01-01"]) == 2
    log = [(entry.actor, entry.action) for entry in alice.governance.audit()[3:]]
    grants = [(None, "grant"), ("bot-7", "read"), ("bot-7", "denied"), (None, "revoke")]
    assert log == [("bot-7", "denied"), *grants]


def test_an_actor_without_the_role_admin_grants_nothing(
    alice: UserMemory, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    alice.governance.grant("bot-7", "curator")
    give = ["grant", url, "--user", "alice", "--to", "bot-7", "--role", "admin", "--actor", "bot-7"]
    assert main(give) == 2
    assert "AccessError" in capsys.readouterr().err
    assert [grant.role for grant in alice.governance.grants()] == ["curator"]
