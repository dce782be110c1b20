"""Everything that differs between SQLite and PostgreSQL, by name of the dialect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeAlias, TypeVar, cast

from sqlalchemy import Table
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import URL

from memoryos_core.stores.sql.dialect import Flavour
from memoryos_core.stores.sql.postgres import POSTGRESQL, engine
from memoryos_core.stores.sql.sqlcipher import refuse_unknown, sqlcipher
from memoryos_core.stores.sql.sqlite import SQLITE
from memoryos_core.values.encryption_keys import Keys

Insert: TypeAlias = Callable[[Table], sqlite.Insert]
_Statement = TypeVar("_Statement")


class ByDialect(dict[str, _Statement]):
    """A statement with ON CONFLICT, for each database that is asked: importing the other one takes 40 ms."""

    def __init__(self, build: Callable[[Insert], _Statement]) -> None:
        super().__init__()
        self._build = build

    def __missing__(self, dialect: str) -> _Statement:
        """Build the statement for the name of a dialect."""
        return self.setdefault(dialect, self._build(_insert_of(dialect)))


def _insert_of(dialect: str) -> Insert:
    if dialect == "sqlite":
        return sqlite.insert
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - only PostgreSQL needs it

    return cast("Insert", postgresql.insert)  # another class with the same two methods


FLAVOURS = {"sqlite": SQLITE, "postgresql": POSTGRESQL}


def flavour_of(url: URL, keys: Keys | None) -> Flavour:
    """Return the database that a URL names. Raises StoreKeyError for a file that needs a key, or needs none.

    Raises StoreUnwritableError for a file with several names.
    """
    name = url.get_backend_name()
    if name != "sqlite":
        return FLAVOURS[name] if keys is None else replace(FLAVOURS[name], engine=partial(engine, is_sealed=True))
    refuse_unknown(url, key=keys is not None)
    return SQLITE if keys is None else sqlcipher(keys)
