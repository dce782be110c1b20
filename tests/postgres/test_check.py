"""`check` asks PostgreSQL the same questions as SQLite; a backup is left to the server's own tools."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memoryos_core import MemoryOS
from memoryos_core.errors import UnsupportedError
from memoryos_core.testing.fakes import KeywordEmbedder
from memoryos_core.testing.postgres import LocalPostgres
from memoryos_core.values.reports import CheckReport
from tests.governance.test_check import SMALL, fill


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
