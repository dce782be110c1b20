"""Heads of audit logs, shipped where the database's owner cannot reach: what he does to a log afterwards is found."""

from __future__ import annotations

import json
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

import pytest

from memoryos_core import AuditKey, ShippedHeads
from memoryos_core.api import audit_heads
from memoryos_core.errors import InvalidInputError, StoreUnwritableError
from memoryos_core.ops.cli import main
from memoryos_core.ports.capabilities import AuditStore, capability
from memoryos_core.stores.sql.audit import _digest
from tests.governance.test_backup import opened

SECRET = bytes(range(32))
KEY = AuditKey(SECRET)


def filled(path: Path) -> None:
    with opened(path) as memory:
        for name in ("ann", "bob"):
            for number in range(5):
                memory.user(name).add(f"Line {number}", "Noted.")
        memory.user("bob").forget(everything=True)


def heads(sink: Path) -> ShippedHeads:
    return ShippedHeads.read(sink, KEY.public)


def run(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def scope_of(path: Path, name: str) -> str:
    with opened(path) as memory:
        return memory.user(name).scope.key


def write_anew(path: Path, scope: str, start: int) -> None:
    """Forge what an owner of the database can: other entries from one on, with digests that fit."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.row_factory = sqlite3.Row
        rows = connection.execute("SELECT * FROM memoryos_audit WHERE scope = ? ORDER BY seq", (scope,)).fetchall()
        previous = "0" * 64
        for row in map(dict, rows):
            if row["seq"] >= start:
                row |= {"previous": previous, "actor": "mallory"}
                row["digest"] = _digest(b"", scope, row)
                connection.execute(
                    "UPDATE memoryos_audit SET actor = :actor, previous = :previous, digest = :digest "
                    "WHERE scope = :scope AND seq = :seq",
                    row,
                )
            previous = row["digest"]


FORGERIES: dict[str, tuple[Callable[[Path], None], str]] = {
    "cut tail": (lambda p: run(p, "DELETE FROM memoryos_audit WHERE seq > 3"), "its end was cut off"),
    "deleted chain": (
        lambda p: run(p, f"DELETE FROM memoryos_audit WHERE scope = '{scope_of(p, 'ann')}'"),
        "its end was cut off",
    ),
    "recomputed": (lambda p: write_anew(p, scope_of(p, "ann"), 2), "the log was written anew"),
    "recomputed last": (lambda p: write_anew(p, scope_of(p, "ann"), 5), "the log was written anew"),
    "all deleted": (lambda p: run(p, "DELETE FROM memoryos_audit"), "its end was cut off"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_what_is_done_to_a_log_is_found_by_its_shipped_head(tmp_path: Path, name: str) -> None:
    path, sink = tmp_path / "m.db", tmp_path / "heads.jsonl"
    filled(path)
    with opened(path) as memory:
        assert memory.ship_audit(sink, key=KEY) == 2
        assert memory.verify_audit(shipped=heads(sink), progress=False).ok
    forge, why = FORGERIES[name]
    forge(path)
    with opened(path) as memory:
        assert memory.verify_audit(progress=False).ok, "without heads it is not found"
        found = memory.verify_audit(shipped=heads(sink), progress=False)
        assert not found.ok
        assert why in found.broken[0].why
        one = memory.user("ann").governance.verify(shipped=heads(sink))
        assert why in one.why


def test_a_log_that_has_grown_since_is_whole_and_only_new_heads_are_appended(tmp_path: Path) -> None:
    path, sink = tmp_path / "m.db", tmp_path / "heads.jsonl"
    filled(path)
    with opened(path) as memory:
        assert memory.ship_audit(sink, key=KEY) == 2
        assert memory.ship_audit(sink, key=KEY) == 0
        memory.user("ann").add("More", "Noted.")
        assert memory.ship_audit(sink, key=KEY) == 1
        assert memory.verify_audit(shipped=heads(sink), progress=False).ok
        assert memory.user("ann").governance.verify(shipped=heads(sink)).ok
        assert memory.user("nobody").governance.verify(shipped=heads(sink)).ok
    text = sink.read_text()
    assert len(text.splitlines()) == 3
    assert not [word for word in ("ann", "Line", SECRET.hex()) if word in text]
    assert SECRET.hex() not in repr(KEY)


def test_a_line_that_was_changed_or_signed_by_another_is_told(tmp_path: Path) -> None:
    path, sink = tmp_path / "m.db", tmp_path / "heads.jsonl"
    filled(path)
    with opened(path) as memory:
        memory.ship_audit(sink, key=KEY)
        first, second = sink.read_text().splitlines()
        forged = json.dumps({**json.loads(first), "entries": 1})
        log = capability(memory._open().parts.store, AuditStore)
        other = AuditKey(bytes(32)).sign(next(iter(log.audit_heads())), datetime.now(timezone.utc))
        for lines in ([forged, second], [first, other], [first, second[:-9]], ["{" * 5000]):
            found = memory.verify_audit(shipped=ShippedHeads.read(lines, KEY.public), progress=False)
            assert "of the shipped heads is not signed with this key" in found.broken[0].why
        assert memory.verify_audit(shipped=ShippedHeads.read([f"May 1 host memoryos: {first}", ""], KEY.public)).ok


def test_a_function_and_a_syslog_get_each_head(tmp_path: Path) -> None:
    path, taken = tmp_path / "m.db", list[str]()
    filled(path)
    with opened(path) as memory, closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(5)
        assert memory.ship_audit(taken.append, key=KEY) == 2
        assert memory.ship_audit(f"syslog://127.0.0.1:{server.getsockname()[1]}", key=KEY) == 2
        logged = [server.recv(65536).rstrip(b"\x00").decode() for _ in range(2)]
        for lines in (taken, logged):
            shipped = ShippedHeads.read(lines, KEY.public)
            assert (len(shipped.noted), shipped.broken) == (2, [])
            assert memory.verify_audit(shipped=shipped, progress=False).ok


def test_a_syslog_that_takes_nothing_is_told_and_counts_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, local = tmp_path / "m.db", tmp_path / "log"
    filled(path)
    monkeypatch.setattr(audit_heads, "_LOCAL_SYSLOG", str(local))
    monkeypatch.setenv("MEMORYOS_AUDIT_KEY", f"hex:{SECRET.hex()}")
    assert main(["audit", "ship", f"sqlite:///{path}", "syslog"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("memoryos: StoreUnwritableError: the syslog took no head (")
    assert said.err.count("\n") == 1
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as server:
        server.bind(str(local))
        assert main(["audit", "ship", f"sqlite:///{path}", "syslog"]) == 0
        assert "shipped 2 heads" in capsys.readouterr().err
        lines = [server.recv(65536).rstrip(b"\x00").decode() for _ in range(2)]
    assert len(ShippedHeads.read(lines, KEY.public).noted) == 2


def test_wrong_sinks_and_keys_are_refused(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db") as memory:
        memory.user("ann").add("Hello", "Hi")
        for sink in (None, "", 7, "syslog://host:no"):
            with pytest.raises(InvalidInputError):
                memory.ship_audit(sink, key=KEY)  # type: ignore[arg-type]
        with pytest.raises(InvalidInputError, match="AuditKey"):
            memory.ship_audit(tmp_path / "h", key=SECRET)  # type: ignore[arg-type]
        with pytest.raises(StoreUnwritableError):
            memory.ship_audit(tmp_path / "no folder" / "h", key=KEY)
    for key in (b"short", "a passphrase", None):
        with pytest.raises(InvalidInputError, match="32 random bytes"):
            AuditKey(key)  # type: ignore[arg-type]
    for public in ("", "00", "zz", None):
        with pytest.raises(InvalidInputError, match="64 hexadecimal digits"):
            ShippedHeads.read([], public)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="could not be read"):
        ShippedHeads.read(tmp_path / "none", KEY.public)


def test_the_commands_ship_and_verify(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, sink = tmp_path / "m.db", tmp_path / "heads.jsonl"
    filled(path)
    url = f"sqlite:///{path}"
    assert main(["audit", "ship", url, str(sink)]) == 2
    monkeypatch.setenv("MEMORYOS_AUDIT_KEY", f"hex:{SECRET.hex()}")
    assert main(["audit", "ship", url, str(sink), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"heads": 2, "public": KEY.public}
    check = ["audit", "verify", url, "--heads", str(sink), "--public", KEY.public]
    assert main(check) == 0
    assert main([*check, "--user", "ann"]) == 0
    assert main(["audit", "verify", url, "--heads", str(sink)]) == 2
    run(path, "DELETE FROM memoryos_audit WHERE seq > 3")
    capsys.readouterr()
    assert main(check) == 1
    assert "cut off" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "\n", "May 1 host sshd: hello\n"])
def test_a_file_without_a_head_proves_nothing_and_is_filled_by_the_next_shipment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    path, sink = tmp_path / "m.db", tmp_path / "heads.jsonl"
    filled(path)
    sink.write_text(text)
    assert main(["audit", "verify", f"sqlite:///{path}", "--heads", str(sink), "--public", KEY.public]) == 2
    assert "no shipped head" in capsys.readouterr().err
    with pytest.raises(InvalidInputError, match="no shipped head"):
        ShippedHeads.read(text.splitlines(), KEY.public)
    with opened(path) as memory:
        assert memory.ship_audit(sink, key=KEY) == 2
        assert memory.verify_audit(shipped=heads(sink), progress=False).ok
