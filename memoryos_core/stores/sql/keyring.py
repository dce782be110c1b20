"""The keys that a server's database is sealed with: random, and kept in it under its owner's key (ADR 0015).

The owner's key seals only these keys: changing it rewrites a few rows in one transaction.

Changing the key of a database: of a whole file at once, or value by value while others read and write.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import (
    Column,
    Connection,
    Table,
    Text,
    bindparam,
    delete,
    insert,
    inspect,
    or_,
    select,
    type_coerce,
    update,
)

from memoryos_core.errors import InvalidInputError, StoreKeyError
from memoryos_core.stores.sql.backlog import read_scopes
from memoryos_core.stores.sql.columns import DIGEST_KEY, Sealable
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.scopes import erase_chunks
from memoryos_core.stores.sql.sealing import NONCE_BYTES, SEALER, Sealer, aes
from memoryos_core.stores.sql.tables import keys as rows_of_keys
from memoryos_core.stores.sql.tables import metadata, scopes
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.encryption_keys import KEY_BYTES, KeyChoice, Keys, Secret

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_ROWS = select(rows_of_keys).order_by(rows_of_keys.c.id)
_SALT_BYTES = 16
_SCRYPT = {"n": 1 << 16, "r": 8, "p": 1, "maxmem": 1 << 27}  # 64 MiB and about 0.2 s a guess

_MISSING = "the values in this database are sealed; nothing was changed: open it with its key"
_PLAIN = (
    "this database holds memories that are not sealed, and a key was given; nothing was changed: open it without a "
    "key, or copy it into an empty database that is opened with one (docs/encryption.md)"
)
_WRONG = (
    "the key does not open this database; nothing was changed: pass the key it was last given, or Keys(new, old) "
    "while it is being changed"
)


class Opened(NamedTuple):
    """The keys of values by id, and the secret of the hashes."""

    values: dict[int, bytes]
    secret: bytes

    def __repr__(self) -> str:
        return "Opened(hidden)"


class Boxes(dict[tuple[Secret, str], "AESGCM"]):
    """Ciphers that decrypt key rows, by key and salt: each passphrase is stretched once."""

    def __repr__(self) -> str:
        return "Boxes(hidden)"


class Keyring:
    """The keys that seal one open database. Does nothing where the file itself is encrypted."""

    def __init__(self, database: Database, keys: Keys | None) -> None:
        self._database = database
        self._keys = keys.asked() if keys is not None and database.ranks else None
        self._boxes = Boxes()
        self.sealer: Sealer | None = None
        if self._keys is not None:
            aes(bytes(KEY_BYTES))  # a missing extra fails here, before any write

    def check(self) -> None:
        """Load the existing keys, since a migration may read sealed values.

        Raises StoreKeyError when the owner's key does not fit, before anything is changed.
        """
        if self._database.ranks:
            with self._database.reading(None) as connection:
                opened = self._open_keys(connection)
            if opened is not None:
                self._use(opened)

    def unlock(self) -> None:
        """Seal values from now on; create the keys in an empty database."""
        if not self._database.ranks or self.sealer is not None:
            return
        with self._database.reading(None) as connection:
            opened = self._open_keys(connection)
        if opened is None and self._keys is not None:
            with self._database.writing(None) as connection:
                self._database.lock_schema(connection)
                opened = self._open_keys(connection)  # another process may have been faster
                if opened is None:
                    opened = Opened({1: secrets.token_bytes(KEY_BYTES)}, secrets.token_bytes(KEY_BYTES))
                    connection.execute(insert(rows_of_keys), _rows_of(opened, self._keys.each()[0]))
        if opened is not None:
            self._use(opened)

    def change(self, new: Keys) -> None:
        """Wrap all keys with a new owner's key and add a key for values; do nothing for the present key."""
        key = new.asked().each()[0]
        either = key if self._keys is None else Keys(*key.values(), *self._keys.values())
        with self._database.writing(None) as connection:
            self._database.lock_schema(connection)
            rows = connection.execute(_ROWS).all()
            opened = _opened_by(either, rows, self._boxes)
            if not all(_fits(key, row, self._boxes) for row in rows):
                opened.values[max(opened.values) + 1] = secrets.token_bytes(KEY_BYTES)
                connection.execute(delete(rows_of_keys))
                connection.execute(insert(rows_of_keys), _rows_of(opened, key))
        self._keys = key
        self._boxes.clear()
        if self.sealer is not None:
            self.sealer.use(opened.values)

    def _use(self, opened: Opened) -> None:
        self.sealer = Sealer(opened.values, self._again)
        self._database.secret = opened.secret
        self._database.carry(SEALER, self.sealer)
        self._database.carry(DIGEST_KEY, opened.secret)

    def _again(self) -> dict[int, bytes]:
        with self._database.reading(None) as connection:
            opened = self._open_keys(connection)
        return {} if opened is None else opened.values

    def _open_keys(self, connection: Connection) -> Opened | None:
        there = inspect(connection)
        rows = connection.execute(_ROWS).all() if there.has_table(rows_of_keys.name) else ()
        if rows and self._keys is None:
            raise StoreKeyError(_MISSING)
        if self._keys is None:
            return None
        if not rows:
            if there.has_table(scopes.name) and connection.scalar(select(scopes.c.scope).limit(1)) is not None:
                raise StoreKeyError(_PLAIN)
            return None
        return _opened_by(self._keys, rows, self._boxes)


def _opened_by(keys: Keys, rows: Sequence[Sequence[Any]], boxes: Boxes) -> Opened:
    """Open the rows or raise StoreKeyError. Keys are no variables of this frame, which a traceback may show."""
    opened = _open(keys, rows, boxes)
    if opened is None:
        raise StoreKeyError(_WRONG)
    return opened


def _open(keys: Keys, rows: Sequence[Sequence[Any]], boxes: Boxes) -> Opened | None:
    values: dict[int, bytes] = {}
    secret = b""
    for row in rows:
        found = next((clear for key in keys.values() if (clear := _unwrap_key(row, key, boxes)) is not None), None)
        if found is None:
            return None
        values[row[0]], secret = found[:KEY_BYTES], found[KEY_BYTES:]
    return Opened(values, secret)


def _fits(key: Keys, row: Sequence[Any], boxes: Boxes) -> bool:
    return _open(key, (row,), boxes) is not None


def _unwrap_key(row: Sequence[Any], key: Secret, boxes: Boxes) -> bytes | None:
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - only encrypted stores need it

    key_id, salt, wrapped = row
    try:
        sealed = base64.b64decode(wrapped, validate=True)
        if (key, salt) not in boxes:
            boxes[key, salt] = aes(_derive_key(key, bytes.fromhex(salt)))
        return boxes[key, salt].decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], _key_label(key_id))
    except (InvalidTag, binascii.Error, ValueError):
        return None


def _rows_of(opened: Opened, key: Keys) -> list[dict[str, object]]:
    """Build the sealed rows of the table, apart from the writer, whose traceback may show its variables."""
    salt = os.urandom(_SALT_BYTES)  # one for all rows: a passphrase is stretched once
    box = aes(_derive_key(key.values()[0], salt))
    rows: list[dict[str, object]] = []
    for key_id, value in opened.values.items():
        nonce = os.urandom(NONCE_BYTES)
        sealed = nonce + box.encrypt(nonce, value + opened.secret, _key_label(key_id))
        rows.append({"id": key_id, "salt": salt.hex(), "wrapped": base64.b64encode(sealed).decode()})
    return rows


def _key_label(key_id: int) -> bytes:
    return f"memoryos key {key_id}".encode()


def _derive_key(key: Secret, salt: bytes) -> bytes:
    """Derive a key: slow scrypt for a passphrase; HKDF for 32 random bytes, to separate their uses."""
    if isinstance(key, str):
        return hashlib.scrypt(key.encode(), salt=salt, dklen=KEY_BYTES, **_SCRYPT)
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415

    return HKDF(SHA256(), KEY_BYTES, salt, b"memoryos keyring").derive(key)


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
            with self._database.writing(scope) as connection:
                connection.execute(_LOCK, {"of": scope.key})
                erase_chunks(connection, scope)  # sealed with the key before; they are made again from the rows
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
