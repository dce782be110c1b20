"""Stores of memories: one implementation for SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memoryos_core.ports.capabilities import Analyse
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.encryption_keys import KeyChoice, Keys
from memoryos_core.values.reports import SalvageReport

if TYPE_CHECKING:
    from memoryos_core.stores.sql.store import SqlStore

__all__ = ["address_of", "holds_memory", "open_store", "salvage"]


def open_store(
    url: str,
    *,
    busy_timeout_seconds: float = 30.0,
    audit: bool = True,
    analyse: Analyse | None = None,
    key: KeyChoice = None,
) -> SqlStore:
    """Open a store by SQLAlchemy URL and bring its schema up to date.

    "sqlite:///memory.db" is a file, "sqlite://" lives in this process only, "postgresql+psycopg://…" is a server.
    Without `audit`, no audit log is written. `analyse` returns the searchable units of a page or a fact where the
    database finds candidates itself (PostgreSQL): give every writer the same function.
    With a `key` (see `Keys`) the data is encrypted: a SQLite file whole, on a server the values (ADR 0015).

    Raises:
        InvalidInputError: the URL cannot be read, or names another kind of database.
        MissingExtraError: the database's driver is not installed.
        StoreKeyError: the key is not that of the store, is missing, or was given for one that has none.
        StoreCorruptError: the file is no database, or a newer version of this library wrote it.
        StoreError: the database cannot be reached, or stays locked for longer than `busy_timeout_seconds`.
    """
    from memoryos_core.stores.sql.store import SqlStore

    key = Keys.of(key)  # hidden from a traceback's locals

    return SqlStore(url, busy_timeout_seconds=busy_timeout_seconds, audit=audit, analyse=analyse, key=key)


def holds_memory(url: str, *, key: KeyChoice = None) -> bool:
    """Return True when a memory of any version is at the URL; never create one.

    Raises what `open_store` raises.
    """
    from memoryos_core.stores.sql.opening import holds_memory

    key = Keys.of(key)  # hidden from a traceback's locals
    return holds_memory(url, key)


def salvage(
    url: str,
    new: Path,
    *,
    key: KeyChoice = None,
    users: Sequence[Scope] = (),
    progress: Callable[[int, int], None] = lambda _page, _pages: None,
) -> SalvageReport:
    """Take all rows that can be read out of a damaged SQLite file, into a new file under the same key.

    Nothing may have the file open. `users` name those whose own row is lost; `progress` is told each page of how many.
    Raises InvalidInputError, StoreKeyError or StoreError; then nothing is at the new path.
    """
    from memoryos_core.stores.sql.salvaging import salvage

    key = Keys.of(key)  # hidden from a traceback's locals
    return salvage(url, new, key, users, progress)


def address_of(url: str) -> str | None:
    """Return a name of the store for other processes of this machine, without its password; None for one in RAM.

    Raises InvalidInputError when the URL cannot be read.
    """
    from memoryos_core.stores.sql.address import address_of

    return address_of(url)
