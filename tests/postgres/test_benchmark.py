"""The benchmark of stores runs with a durable PostgreSQL beside SQLite."""

from __future__ import annotations

import pytest

from benchmarks.stores import main

pytestmark = pytest.mark.postgres


def test_postgres_stands_beside_sqlite(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--pages", "12", "--users", "--stores", "sqlite", "postgres", "--questions", "3"])
    _, _, sqlite, postgres = capsys.readouterr().out.strip().splitlines()
    assert [row.split("|")[2].strip() for row in (sqlite, postgres)] == ["sqlite", "postgres"]
    assert float(postgres.split("|")[-2]) > 0
