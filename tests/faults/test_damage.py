"""A file that is damaged or not ours: said by name, and not a byte of it changed."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, create_engine
from sqlalchemy.dialects.sqlite import dialect

from memoryos_core import (
    MemoryOS,
    MemoryOSError,
    Message,
    NoteWrite,
    StoreCorruptError,
    StoreKeyError,
    StoreUnwritableError,
    UserMemory,
)
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.stores.sql.tables import metadata
from memoryos_core.testing.store_samples import field, learn
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
    with pytest.raises(StoreKeyError, match="encrypted, or is not a database; nothing was changed"):
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


# One damaged row among sound ones.

KEY = bytes(range(32))
SERVERS = ("plain server", "sealed server")
PLACES = ["file", *(pytest.param(name, marks=pytest.mark.postgres) for name in SERVERS)]
DAMAGED_ROWS: dict[str, tuple[str, str, object]] = {
    "a page's messages": ("pages", "messages", "{"),
    "a page's messages of another shape": ("pages", "messages", '[{"role": "nobody", "text": 7}]'),
    "a page's labels": ("pages", "labels", "7"),
    "a page's trust": ("pages", "trust", "sheep"),
    "a page's moment": ("pages", "timestamp", 2**62),
    "a segment's keywords": ("segments", "keywords", "[1"),
    "a segment's access": ("segments", "last_access", 2**62),
    "a fact's labels": ("facts", "labels", "{}"),
    "a fact's status": ("facts", "trust", "?"),
    "a fact's moment": ("facts", "learned_at", 2**62),
    "a field's moment": ("persona", "since", 2**62),
    "a note's namespace": ("notes", "namespace", "head"),
    "a note's moment": ("notes", "updated_at", 2**62),
}
IN_FILES: dict[str, tuple[str, str, object]] = {
    "bytes for messages": ("pages", "messages", b"\xff\xfe"),
    "a text for a number": ("pages", "tokens", "many"),
    "a vector that was cut": ("vectors", "vector", b"\x00\x01\x02"),
    "a vector of another width": ("vectors", "vector", b"\x00" * 8),
    "bytes for a fact": ("facts", "text", b"\xff"),
    "bytes for a chain": ("chains", "summary", b"\xff"),
}


def damage(url: str, key: bytes | None, table: str, column: str, value: object) -> None:
    """Put a value into the first row of a table, past everything of ours."""
    with closing(SqlStore(url, key=key)) as store, store._database.writing(None) as connection:
        mark = "%s" if connection.dialect.name == "postgresql" else "?"
        first = f"SELECT min({'rev' if table == 'notes' else 'scope'}) FROM memoryos_{table}"
        place = "ctid = (SELECT min(ctid) FROM" if mark == "%s" else "rowid = (SELECT min(rowid) FROM"
        assert connection.exec_driver_sql(first).scalar() is not None
        statement = f"UPDATE memoryos_{table} SET {column} = {mark} WHERE {place} memoryos_{table})"
        connection.exec_driver_sql(statement, (value,))


def fill(url: str, key: bytes | None) -> None:
    with MemoryOS(url, embedder=only_words, config=small(), key=key) as memory:
        ada = memory.user("ada")
        talk(ada, 12)
        ada.add_messages([Message("user", "The tree is an oak.", id="m1")], once=True)
        ada.consolidate()
        for n in range(3):
            ada.remember(f"Likes tree number {n}")
            ada.notes.write([NoteWrite(("head", str(n)), "k", f"{n}")])
        assert ada.facts()
    with closing(SqlStore(url, key=key)) as store:
        learn(store, profile=[field("home", "Porto"), field("name", "Ada")], scope=ada.scope)


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, bytes | None]:
    """A database of each kind, and its key."""
    if request.param == "file":
        return url(tmp_path / "rows.db"), None
    return request.getfixturevalue("postgres_url"), KEY if request.param == "sealed server" else None


@pytest.mark.timeout(60)
def test_a_damaged_page_of_short_term_memory_holds_up_no_other(place: tuple[str, bytes | None]) -> None:
    with MemoryOS(place[0], embedder=only_words, config=small(), key=place[1]) as memory:
        first = talk(memory.user("ada"), 3)[0]
    with closing(SqlStore(place[0], key=place[1])) as store, store._database.writing(None) as connection:
        connection.exec_driver_sql(f"UPDATE memoryos_pages SET messages = '{{' WHERE id = '{first}'")
    with MemoryOS(place[0], embedder=only_words, config=small(), key=place[1]) as memory:
        ada = memory.user("ada")
        later = talk(ada, 3, first=3)
        ada.consolidate()
        moved = [page.id for page in ada.pages() if page.tier == "mid_term"]
        assert len(moved) == 2
        assert not set(moved) & {first, *later}
        talk(ada, 1, first=6)
        ada.consolidate()
        assert [page.id for page in ada.pages() if page.tier == "mid_term"] == [*moved, *later[:2]]
        assert (ada.stats().pages_short_term, ada.stats().damaged) == (3, 1)


def only_words(texts: list[str]) -> list[list[float]]:
    return [[float(len(text) % 7), 1.0, 2.0] for text in texts]


def read_on(url: str, key: bytes | None, caplog: pytest.LogCaptureFixture) -> None:
    """No verb stops at a damaged row: it is counted and named, and the others are there."""
    with MemoryOS(url, embedder=only_words, config=small(), key=key) as memory:
        ada = memory.user("ada")
        ada.pages()
        ada.messages()
        ada.transcript()
        ada.facts(current=False)
        ada.profile()
        ada.segments()
        ada.notes.list(())
        ada.search("tree")
        ada.recall("Which tree?")
        ada.governance.audit()
        records = list(ada.export())
        ada.add_messages([Message("user", "Another tree.", id="m2")], once=True)
        ada.add("And another.", "Noted.")
        ada.consolidate()
        assert len(ada.pages()) >= 12
        assert ada.stats().damaged >= 1
        assert memory.stats().damaged >= 1
        assert "was left out (id " in caplog.text
        assert "oak" not in caplog.text
    with MemoryOS("sqlite://", embedder=only_words, config=small()) as other:
        other.restore(records)
        assert len(other.user("ada").pages()) >= 12


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filled") / "rows.db"
    fill(url(path), None)
    return path


@pytest.mark.parametrize("name", DAMAGED_ROWS | IN_FILES)
def test_a_damaged_row_of_a_file_is_left_out(
    filled: Path, tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    place = url(tmp_path / "rows.db")
    shutil.copy(filled, tmp_path / "rows.db")
    damage(place, None, *(DAMAGED_ROWS | IN_FILES)[name])
    read_on(place, None, caplog)


def test_a_damaged_row_of_an_encrypted_file_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    place = url(tmp_path / "rows.db")
    fill(place, KEY)
    damage(place, KEY, *IN_FILES["bytes for messages"])
    read_on(place, KEY, caplog)


@pytest.mark.postgres
@pytest.mark.parametrize("key", [None, KEY], ids=["plain", "sealed"])
@pytest.mark.parametrize("name", ["a page's messages", "a fact's moment", "a segment's keywords", "a note's namespace"])
def test_a_damaged_row_of_a_server_is_left_out(
    postgres_url: str, name: str, key: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    fill(postgres_url, key)
    damage(postgres_url, key, *DAMAGED_ROWS[name])
    read_on(postgres_url, key, caplog)


# Every column of every table, with values of a wrong kind.

NOT_UTF_8 = "CAST(x'fffe' AS TEXT)"
# For the first and the last row of a table, as SQL.
WRONG_TEXTS = ((NOT_UTF_8, "'?'"), ("x'fffe'", "7"))
WRONG_NUMBERS = (("'?'", str(2**62)), ("0.5", "x'fffe'"))
WRONG_BYTES = (("'?'", "x'010203'"),)
SOAK = "MEMORYOS_SOAK" in os.environ
VERBS: dict[str, Callable[[MemoryOS, UserMemory], object]] = {
    "pages": lambda _, user: user.pages(),
    "recall": lambda _, user: user.recall("Which tree?"),
    "search": lambda _, user: user.search("tree"),
    "export": lambda _, user: list(user.export()),
    "add": lambda _, user: user.add("And another.", "Noted."),
    "add once": lambda _, user: user.add_messages([Message("user", "Another tree.", id="m2")], once=True),
    "remember": lambda _, user: user.remember("Likes new trees"),
    "notes": lambda _, user: user.notes.search(("head",), "1"),
    "grants": lambda _, user: user.governance.grants(),
    "consolidate": lambda _, user: user.consolidate(),
    "forget": lambda _, user: user.forget(pages=user.pages()[2:3], facts=user.facts()[:1], session=True),
    "forget everything": lambda _, user: user.forget(everything=True),
}
STOPPED: dict[str, set[str]] = {
    # Nobody can say whose it is, who made the vectors, or what comes next.
    "scopes": {"*"},
    "embedder": {"recall", "search", "remember", "notes", "consolidate", "forget", "add once"},
}
HASTY = replace(small(), worker=replace(small().worker, lease_seconds=0.1))
TABLES = sorted(table.name.removeprefix("memoryos_") for table in metadata.sorted_tables)
ONLY_SERVERS = {"units", "postings", "keys"}  # empty in a file


@pytest.fixture(scope="module")
def of_everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed file with something in each table."""
    path = tmp_path_factory.mktemp("everything") / "whole.db"
    fill(url(path), None)
    with MemoryOS(url(path), embedder=only_words, config=small()) as memory:
        memory.user("ada").governance.grant("bob", "reader")
    return path


@pytest.mark.parametrize("table", [table for table in TABLES if table not in ONLY_SERVERS])
def test_no_value_of_a_wrong_kind_lets_a_foreign_error_out(of_everything: Path, tmp_path: Path, table: str) -> None:
    failed: list[str] = []
    for place, column in enumerate(metadata.tables[f"memoryos_{table}"].columns):
        for number, values in enumerate(wrong_values(column)):
            if not SOAK and number != place % len(wrong_values(column)):
                continue  # one pair of values for each column, in turn
            path = tmp_path / f"{column.name} {number}.db"
            shutil.copy(of_everything, path)
            if put_anywhere(path, table, column.name, values):
                said = failures(path, STOPPED.get(table, set()))
                failed += [f"{column.name} = {values}: {what}" for what in said]
    assert failed == []


def wrong_values(column: Column[Any]) -> tuple[tuple[str, str], ...]:
    stored = column.type.compile(dialect())
    return WRONG_BYTES if stored == "BLOB" else WRONG_TEXTS if stored.startswith(("TEXT", "VARCHAR")) else WRONG_NUMBERS


def put_anywhere(path: Path, table: str, column: str, values: tuple[str, str]) -> bool:
    """Put values into the first and the last row; False where the database itself refuses both."""
    name, changed = f"memoryos_{table}", 0
    with closing(sqlite3.connect(path)) as connection, connection:
        for which, value in zip(("min", "max"), values, strict=True):
            with suppress(sqlite3.IntegrityError):
                place = f"WHERE rowid = (SELECT {which}(rowid) FROM {name})"
                changed += connection.execute(f"UPDATE {name} SET {column} = {value} {place}").rowcount
    return changed > 0


def failures(path: Path, may_stop: set[str]) -> Iterator[str]:
    """What each verb raises that it must not: anything foreign, and anything at all where going on is possible."""
    try:
        memory = MemoryOS(url(path), embedder=only_words, config=HASTY)
    except MemoryOSError as error:
        if "*" not in may_stop:
            yield f"open: {error!r}"
        return
    with memory:
        for name, verb in VERBS.items():
            try:
                verb(memory, memory.user("ada"))
            except MemoryOSError as error:
                if not {name, "*"} & may_stop:
                    yield f"{name}: {error!r}"
            except Exception as error:  # noqa: BLE001 - any is the failure
                yield f"{name}: {error!r}, which is foreign"
