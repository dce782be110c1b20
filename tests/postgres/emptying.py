"""A database emptied of all users' rows, and a store that stays open from case to case: cheaper than new ones."""

from __future__ import annotations

from collections.abc import Callable

import psycopg

from memoryos_core.ports import Store
from memoryos_core.stores.sharding import ShardedStore
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.stores.sql.tables import metadata
from tests.postgres.breaking import raw

# The secret is made with the tables, and the keys when a store is first opened with one: an open store knows both.
_KEPT = ("memoryos_secret", "memoryos_keys")
_TABLES = [table.name for table in reversed(metadata.sorted_tables) if table.name not in _KEPT]
_EMPTY = ";".join(
    ("BEGIN", "SELECT set_config('memoryos.scope', '*', true)", *(f"DELETE FROM {t}" for t in _TABLES), "COMMIT")
)
# To the database that was emptied last: to connect takes ten times as long.
_open: dict[str, psycopg.Connection[object]] = {}


def emptied(url: str) -> str:
    """The same database without a row of any user."""
    try:
        _connection(url).execute(_EMPTY)
    except psycopg.OperationalError:  # its server stopped meanwhile
        _open.pop(url).close()
        _connection(url).execute(_EMPTY)
    return url


def _connection(url: str) -> psycopg.Connection[object]:
    if url not in _open:
        while len(_open) > 1:  # two, for a memory over two databases
            _open.pop(next(iter(_open))).close()
        _open[url] = raw(url)
    return _open[url]


class Standing:
    """One store for case after case, with its connections and statements; one that a case closed is opened anew."""

    def __init__(self, reopen: Callable[[], Store]) -> None:
        self.reopen = reopen
        self._store: Store | None = None

    def __call__(self) -> Store:
        """The open store."""
        if self._store is None or _closed(self._store):
            self._store = self.reopen()
        return self._store

    def close(self) -> None:
        """Close what is open."""
        if self._store is not None:
            self._store.close()


def _closed(store: Store) -> bool:
    parts = store._shards if isinstance(store, ShardedStore) else [store]
    return any(part._database._closed for part in parts if isinstance(part, SqlStore))
