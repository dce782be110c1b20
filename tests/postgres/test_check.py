"""`check` asks PostgreSQL the same as SQLite; a backup is left to the server's own tools, with our receipts."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest

from memoryos_core import MemoryOS
from memoryos_core.errors import UnsupportedError
from memoryos_core.testing.fakes import KeywordEmbedder
from memoryos_core.testing.postgres import LocalPostgres
from memoryos_core.values.reports import CheckReport
from tests.governance.test_check import SMALL, fill
from tests.postgres.network import Standby


def test_the_same_laws_hold_on_postgresql(postgres: LocalPostgres, new_database: Callable[[], str]) -> None:
    url = new_database()
    fill(url)
    with MemoryOS(url, embedder=KeywordEmbedder(), config=SMALL) as memory:
        report = memory.check(deep=True, progress=False)
        assert report == CheckReport(scopes=2, deep=True)
    name = url.split("?")[0].rsplit("/", 1)[1]
    postgres.sql("UPDATE memoryos_pages SET tier = 'attic' WHERE seq = 1", database=name)
    postgres.sql("DELETE FROM memoryos_units", database=name)
    with MemoryOS(url, embedder=KeywordEmbedder(), config=SMALL) as memory:
        laws = {finding.law for finding in memory.check(progress=False).findings}
    assert {"a page is in one of the tiers", "a posting belongs to a unit"} <= laws


def test_a_server_is_backed_up_by_its_own_tools(postgres_url: str, tmp_path: Path) -> None:
    with MemoryOS(postgres_url, embedder=None, config=SMALL) as memory, pytest.raises(UnsupportedError, match="pg_"):
        memory.backup(tmp_path / "copy.db")
    assert not list(tmp_path.iterdir())


def test_what_was_forgotten_after_a_dump_is_forgotten_in_what_it_restores(
    postgres: LocalPostgres, new_database: Callable[[], str], tmp_path: Path
) -> None:
    url = new_database()
    name = url.split("?")[0].rsplit("/", 1)[1]
    dump = str(tmp_path / "dump")

    def tool(tool_name: str, *arguments: str, database: str) -> None:
        uri = postgres.url(database, role="postgres").replace("postgresql+psycopg", "postgresql")
        subprocess.run([postgres._binary(tool_name), *arguments, uri], check=True, capture_output=True)

    with MemoryOS(url, embedder=None, config=SMALL) as memory:
        page = memory.user("ann").add("The word is plugh.", "I see.")
        memory.user("ann").add("The word is xyzzy.", "I see.")
        memory.user("eve").add("I am Eve.", "Hello.")
        tool("pg_dump", "-Fc", "-f", dump, database=name)
        memory.user("ann").forget(pages=[page.id])
        memory.user("eve").forget(everything=True)
        receipts = memory.forgotten()
    postgres.sql(f"CREATE DATABASE {name}_again OWNER app")
    tool("pg_restore", dump, "--dbname", database=f"{name}_again")
    with MemoryOS(postgres.url(f"{name}_again"), embedder=None, config=SMALL) as again:
        assert again.user("ann").stats().pages == 2
        assert again.forget_again(receipts).pages == 2
        assert again.users() == ["ann"]
        assert [p.messages[0].text for p in again.user("ann").pages()] == ["The word is xyzzy."]
        assert again.check(deep=True, progress=False).ok


def test_a_server_is_brought_back_to_any_moment_by_its_archived_log() -> None:
    """A base backup and the log that the server archived (docs/backup.md), with all tiers in work."""
    archive = Path(tempfile.mkdtemp(prefix="memoryos-log-"))
    archive.chmod(0o777)  # the server may run as another user
    try:
        with LocalPostgres(None, "archive_mode=on", f"archive_command=cp %p {archive}/%f") as server:
            url = server.database()
            with MemoryOS(url, embedder=KeywordEmbedder(), config=SMALL) as memory:
                ann = memory.user("ann")
                first = ann.add("The word is plugh.", "I see.")
                copy = Standby(server, archive=archive)
                for number in range(12):
                    ann.add(f"I planted pear tree {number}.", "Nice!")
                ann.consolidate()
                expected = list(ann.export())
                time.sleep(0.05)
                moment = datetime.now(timezone.utc)
                time.sleep(0.05)
                ann.forget(pages=[first.id])
                ann.add("This came later.", "Yes.")
                receipts = memory.forgotten()
            server.sql("SELECT pg_switch_wal()")
            deadline = time.monotonic() + 60
            while server.sql("SELECT last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) "
                             "FROM pg_stat_archiver") != "t":  # fmt: skip
                assert time.monotonic() < deadline
                time.sleep(0.05)
        try:
            copy.roll_forward(moment)
            name = url.split("?")[0].rsplit("/", 1)[1]
            restored = f"postgresql+psycopg://app@/{name}?host={copy.sockets}"
            with MemoryOS(restored, embedder=KeywordEmbedder(), config=SMALL) as again:
                assert list(again.user("ann").export()) == expected
                assert again.check(deep=True, progress=False).findings == ()
                assert again.verify_audit(progress=False).ok
                assert again.forget_again(receipts).pages == 1
                assert not any("plugh" in m.text for p in again.user("ann").pages() for m in p.messages)
                assert again.check(deep=True, progress=False).findings == ()
                again.user("ann").add("It can be written to.", "Yes.")
        finally:
            copy.close()
    finally:
        shutil.rmtree(archive, ignore_errors=True)
