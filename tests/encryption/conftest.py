"""A file, and a database of a server, that are to be encrypted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memoryos_core.stores.sql.store import SqlStore
from tests.encryption.stored import KEY


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def url(path: Path) -> str:
    return f"sqlite:///{path}"


@pytest.fixture
def name(postgres_url: str) -> str:
    return postgres_url.split("?")[0].rsplit("/", 1)[1]


@pytest.fixture
def store(postgres_url: str) -> Iterator[SqlStore]:
    with closing(SqlStore(postgres_url, key=KEY)) as store:
        yield store
