"""Changing the key of a database: of a whole file at once, or value by value while others read and write."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Connection, Table, Text, bindparam, or_, select, type_coerce, update

from memoryos_core.errors import InvalidInputError, StoreKeyError
from memoryos_core.stores.sql.backlog import read_scopes
from memoryos_core.stores.sql.columns import Sealable
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.keyring import Keyring
from memoryos_core.stores.sql.sealing import Sealer
from memoryos_core.stores.sql.tables import metadata, scopes
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.encryption_keys import KeyChoice, Keys

_ROWS_A_BATCH = 200
_LOCK = select(scopes.c.scope).where(scopes.c.scope == bindparam("of")).with_for_update()


class Keying:
    """Implements `ports.capabilities.RekeyStore` for the SQL store."""

    _database: Database
    _keyring: Keyring

    def rekey(self, new_key: KeyChoice) -> None:
        """Encrypt everything with another key; when interrupted, one of the two keys opens everything.

        On a server, only the new key opens it from the start; if interrupted, run rekey again to finish.
        """
        new = new_key = Keys.of(new_key)  # hidden from a traceback's locals
        if new is None:
            raise InvalidInputError("rekey needs a new key; to decrypt a memory, copy it (docs/encryption.md)")
        if self._database.rekey(new):
            return
        sealer = self._keyring.sealer
        if sealer is None:
            raise StoreKeyError(
                "this database is not sealed; nothing was changed: copy it into one that is (docs/encryption.md)"
            )
        self._keyring.change(new)
        with self._database.reading(None) as connection:
            there = read_scopes(connection, pending_only=False)
        for scope in there:
            for table, columns in sealed_columns().items():
                while self._some(scope, table, columns, sealer) == _ROWS_A_BATCH:
                    pass

    def _some(self, scope: Scope, table: Table, columns: list[Column[Any]], sealer: Sealer) -> int:
        with self._database.writing(scope) as connection:
            connection.execute(_LOCK, {"of": scope.key})  # as every other write does first
            return _reseal(connection, scope, table, columns, sealer.prefix)


def sealed_columns() -> dict[Table, list[Column[Any]]]:
    """Return every column that a sealer seals, by table."""
    found = {t: [c for c in t.c if isinstance(c.type, Sealable) and c.type.place] for t in metadata.sorted_tables}
    return {table: columns for table, columns in found.items() if columns}


def _reseal(connection: Connection, scope: Scope, table: Table, columns: list[Column[Any]], prefix: str) -> int:
    """Read some rows sealed with an older key and write them again, which seals them with the newest."""
    named = list(table.primary_key.columns)
    # NULL matches neither LIKE nor NOT LIKE.
    old = or_(*(type_coerce(column, Text()).not_like(f"{prefix}%") for column in columns))
    wanted = select(*named, *columns).where(table.c.scope == scope.key, old).order_by(*named).limit(_ROWS_A_BATCH)
    rows = connection.execute(wanted).all()
    if rows:
        same = [column == bindparam(f"is_{column.name}") for column in named]
        values: dict[str, Any] = {column.name: bindparam(f"new_{column.name}") for column in columns}
        names = [*(f"is_{column.name}" for column in named), *(f"new_{column.name}" for column in columns)]
        connection.execute(
            update(table).where(*same).values(values), [dict(zip(names, row, strict=True)) for row in rows]
        )
    return len(rows)
