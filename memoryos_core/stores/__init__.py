"""Stores of memories: one implementation for SQLite and PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from memoryos_core.errors import InvalidInputError
from memoryos_core.ports import Store
from memoryos_core.ports.capabilities import Analyse, Prune
from memoryos_core.ports.optional_imports import collector_paused
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.encryption_keys import KeyChoice, Keys
from memoryos_core.values.reports import BackupReport, SalvageReport

if TYPE_CHECKING:
    from memoryos_core.stores.sql.store import SqlStore

__all__ = ["address_of", "holds_memory", "open_shards", "open_store", "read_receipts", "restore_backup", "salvage"]


def open_store(
    url: str,
    *,
    busy_timeout_seconds: float = 30.0,
    audit: bool = True,
    analyse: Analyse | None = None,
    prune: Prune | None = None,
    key: KeyChoice = None,
) -> SqlStore:
    """Open a store by SQLAlchemy URL and bring its schema up to date.

    "sqlite:///memory.db" is a file, "sqlite://" lives in this process only, "postgresql+psycopg://…" is a server.
    Without `audit`, no audit log is written. `analyse` returns the searchable units of a page or a fact where the
    database finds candidates itself (PostgreSQL): give every writer the same function. `prune` lets chunks of the kept
    index stay when something is forgotten; without it they are erased.
    With a `key` (see `Keys`) the data is encrypted: a SQLite file whole, on a server the values (ADR 0015).

    Raises:
        InvalidInputError: the URL cannot be read, or names another kind of database.
        MissingExtraError: the database's driver is not installed.
        StoreKeyError: the key is not that of the store, is missing, or was given for one that has none.
        StoreCorruptError: the file is no database, or a newer version of this library wrote it.
        StoreError: the database cannot be reached, or stays locked for longer than `busy_timeout_seconds`.
    """
    with collector_paused():
        from memoryos_core.stores.sql.store import SqlStore

    key = Keys.of(key)  # hidden from a traceback's locals

    waits = busy_timeout_seconds
    return SqlStore(url, busy_timeout_seconds=waits, audit=audit, analyse=analyse, prune=prune, key=key)


def open_shards(
    urls: str | Store,
    *,
    audit: bool = True,
    analyse: Analyse | None = None,
    prune: Prune | None = None,
    key: KeyChoice = None,
) -> Store:
    """Open the store of one URL, or of several with white space between them: then each user lives in one of them.

    A store that is open already is returned as it is. Several URLs must be given in the same order each time, since
    users are found by it. Raises what `open_store` raises, and InvalidInputError for databases that belong elsewhere.
    """
    with collector_paused():
        from memoryos_core.stores.sharding import ShardedStore

    key = Keys.of(key)  # hidden from a traceback's locals
    if not isinstance(urls, str):
        return _check_store(urls, key)
    each = _split(urls)
    with ExitStack() as on_failure:
        opened = (open_store(url, audit=audit, analyse=analyse, prune=prune, key=key) for url in each)
        shards = [on_failure.enter_context(closing(store)) for store in opened]
        store = shards[0] if len(shards) == 1 else cast("Store", ShardedStore(shards))
        on_failure.pop_all()
    return store


def _check_store(store: object, key: Keys | None) -> Store:
    if not isinstance(store, Store):
        raise InvalidInputError(
            f"url must be an SQLAlchemy URL such as 'sqlite:///memory.db', or a Store, not {type(store).__name__}"
        )
    if key is not None:
        raise InvalidInputError("key= cannot be used with an open Store; give the key to open_store(url, key=…)")
    return store


def _split(urls: str) -> list[str]:
    """Split at white space before a scheme: the path of a file may hold blanks."""
    return re.split(r"\s+(?=[a-z0-9+]+://)", urls.strip())


def holds_memory(url: str, *, key: KeyChoice = None) -> bool:
    """Return True when a memory of any version is at the URL, or at one of several; never create one.

    Raises what `open_store` raises.
    """
    from memoryos_core.stores.sql.opening import holds_memory

    key = Keys.of(key)  # hidden from a traceback's locals
    return any([holds_memory(each, key) for each in _split(url)])  # noqa: C419 - each URL is to be read


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


def restore_backup(
    source: Path,
    new: Path,
    *,
    at: datetime | None = None,
    key: KeyChoice = None,
    receipts: Iterable[Mapping[str, object]] = (),
) -> BackupReport:
    """Write a backup, a file or the newest of a folder not after `at`, to a new file, without what was forgotten since.

    Raises InvalidInputError, StoreKeyError or StoreError; then nothing is at the new path.
    """
    from memoryos_core.stores.sql.backups import restore_backup

    key = Keys.of(key)  # hidden from a traceback's locals
    return restore_backup(source, new, at=at, keys=key, receipts=receipts)


def read_receipts(given: str | Path | Iterable[Mapping[str, object]]) -> Sequence[Mapping[str, object]]:
    """Read receipts of what was forgotten from a file of JSON Lines, or check those given. Raises InvalidInputError."""
    from memoryos_core.stores.sql.backups import read_receipts

    if isinstance(given, (str, Path)):
        return read_receipts(Path(given))
    receipts = cast("object", given)
    found = list(cast("Iterable[object]", receipts)) if isinstance(receipts, Iterable) else [receipts]
    if not all(isinstance(receipt, Mapping) for receipt in found):
        raise InvalidInputError(
            "forgotten must be a path or receipts, which are mappings: hand in what forgotten() returned"
        )
    checked = cast("list[Mapping[str, object]]", found)
    if len(checked) > 0 and checked[0].get("kind") != "receipts":
        raise InvalidInputError("forgotten[0] is no head of receipts: hand in all that forgotten() returned")
    return checked


def address_of(url: str) -> str | None:
    """Return a name of the store for other processes of this machine, without its password; None for one in RAM.

    Raises InvalidInputError when the URL cannot be read.
    """
    with collector_paused():
        from memoryos_core.stores.sql.database import address_of

    each = [address_of(one) for one in _split(url)]
    return None if None in each else " ".join(filter(None, each))
