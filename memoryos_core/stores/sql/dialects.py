"""Everything that differs between SQLite and PostgreSQL, by name of the dialect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL

from memoryos_core.stores.sql.dialect import Flavour
from memoryos_core.stores.sql.postgres import POSTGRESQL
from memoryos_core.stores.sql.sqlcipher import refuse_unknown, sqlcipher
from memoryos_core.stores.sql.sqlite import SQLITE
from memoryos_core.values.encryption_keys import Keys

INSERT: dict[str, Callable[[Table], sqlite.Insert]] = {
    "sqlite": sqlite.insert,
    "postgresql": cast("Any", postgresql.insert),  # another class with the same two methods
}
"""The INSERT that knows ON CONFLICT."""

FLAVOURS = {"sqlite": SQLITE, "postgresql": POSTGRESQL}


def flavour_of(url: URL, keys: Keys | None) -> Flavour:
    """Return the database that a URL names. Raises StoreKeyError for a file that needs a key, or needs none.

    Raises StoreUnwritableError for a file with several names.
    """
    name = url.get_backend_name()
    if name != "sqlite":
        return FLAVOURS[name]
    refuse_unknown(url, key=keys is not None)
    return SQLITE if keys is None else sqlcipher(keys)
