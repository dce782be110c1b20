"""Where memories are kept. One implementation so far, for every database that it knows a dialect of."""

from __future__ import annotations

from memoryos_core.ports import Store

__all__ = ["address_of", "open_store"]


def open_store(url: str, *, busy_timeout_seconds: float = 30.0) -> Store:
    """Open a store by SQLAlchemy URL and bring its schema up to date.

    "sqlite:///memory.db" is a file, "sqlite://" lives in this process only, "postgresql+psycopg://…" is a server.

    Raises:
        InvalidInputError: the URL cannot be read, or names another kind of database.
        MissingExtraError: the database's driver is not installed.
        StoreCorruptError: the file is no database, or a newer version of this library wrote it.
        StoreError: the database cannot be reached, or stays locked for longer than `busy_timeout_seconds`.
    """
    from memoryos_core.stores.sql.store import SqlStore

    return SqlStore(url, busy_timeout_seconds=busy_timeout_seconds)


def address_of(url: str) -> str | None:
    """What names the store of a URL to other processes of this machine, without its password; None for one in RAM.

    Raises InvalidInputError when the URL cannot be read.
    """
    from memoryos_core.stores.sql.address import address_of

    return address_of(url)
