"""A file that is damaged or not ours: said by name, and not a byte of it changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from memoryos_core import MemoryOS, StoreCorruptError, StoreKeyError, StoreUnwritableError
from tests.faults.opening import small, talk, url


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with twelve pages of Ada's, in all tiers, closed."""
    path = tmp_path / "m.db"
    with MemoryOS(url(path), embedder=None, config=small()) as memory:
        talk(memory.user("ada"), 12)
        memory.user("ada").consolidate()
    return path


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_everything(path: Path) -> None:
    """Damage far inside a file is met when it is read, not when it is opened."""
    with MemoryOS(url(path), embedder=None, config=small()) as memory:
        memory.user("ada").transcript()
        memory.user("ada").facts()
        memory.user("ada").recall("tree")


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "something else": lambda b: b"This is a diary, not a database. " * 500,
    "an image": lambda b: b"\x89PNG\r\n\x1a\n" + bytes(10_000),
    "a damaged header": lambda b: b"SQLite farmat 3\x00" + b[16:],
    "the schema overwritten": lambda b: b[:100] + b"\xff" * 3_996 + b[4_096:],
    "every page but the first overwritten": lambda b: b[:4_096] + b"\xa5" * (len(b) - 4_096),
    "cut in the middle": lambda b: b[: len(b) // 2],
    "cut after the first page": lambda b: b[:4_096],
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_file_is_named_so_and_left_alone(path: Path, name: str) -> None:
    path.write_bytes(DAMAGE[name](path.read_bytes()))
    before = digest(path)
    with pytest.raises(StoreCorruptError, match="was left"):
        read_everything(path)
    assert digest(path) == before


def test_random_bytes_may_be_an_encrypted_file_and_are_left_alone(path: Path) -> None:
    path.write_bytes(hashlib.shake_128(b"seed").digest(20_000))
    before = digest(path)
    with pytest.raises(StoreKeyError, match="encrypted, or no database; nothing was changed"):
        read_everything(path)
    assert digest(path) == before


def test_a_foreign_database_keeps_its_tables(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    engine = create_engine(url(path))
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE pages (id INTEGER)")
        connection.exec_driver_sql("INSERT INTO pages VALUES (7)")
    with MemoryOS(url(path), embedder=None, config=small()) as memory:
        talk(memory.user("ada"), 4)
        memory.flush()
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT id FROM pages").scalar() == 7
    engine.dispose()


def test_no_folder_and_a_folder_in_place_of_a_file_are_said(tmp_path: Path) -> None:
    for wrong in (tmp_path / "not" / "there" / "m.db", tmp_path):
        with pytest.raises(StoreUnwritableError, match="folder"):
            MemoryOS(url(wrong), embedder=None)
    assert list(tmp_path.iterdir()) == []
