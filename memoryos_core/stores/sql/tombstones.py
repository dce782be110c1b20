"""Keyed digests of what was forgotten, written with each erasure (ADR 0035)."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, TypeAlias

from sqlalchemy import Column, Connection, Executable, bindparam, select, update

from memoryos_core.errors import StoreCorruptError
from memoryos_core.stores.sql.columns import to_microseconds
from memoryos_core.stores.sql.damage import sound
from memoryos_core.stores.sql.dialects import ByDialect
from memoryos_core.stores.sql.tables import facts, notes, pages, scopes, tombstones
from memoryos_core.stores.sql.tables import secret as secret_rows
from memoryos_core.values.dialogue import Scope

_n = notes.c
_DIGITS = 32
_IDS_A_STATEMENT = 500
_PUT = ByDialect(lambda insert: insert(tombstones).on_conflict_do_nothing())
_SECRET = select(secret_rows.c.secret)
_EPOCH = select(scopes.c.epoch).where(scopes.c.scope == bindparam("of"))
_NOTE_COLUMNS: tuple[Column[Any], ...] = (_n.namespace, _n.key, _n.created_at)
_NOTES = select(*_NOTE_COLUMNS).where(_n.scope == bindparam("of"))

Item: TypeAlias = tuple[str, ...]
"""A kind, "page", "fact" or "note", and what names the row for ever."""

Digests: TypeAlias = Mapping[str, tuple[datetime, int | None]]
"""When what has a digest was forgotten, with the epoch of the scope where that was everything."""


def items_of(kind: str, ids: Iterable[str]) -> list[Item]:
    """Return pages or facts as items, in order."""
    return [(kind, row_id) for row_id in sorted(ids)]


def note_items(
    connection: Connection,
    scope: Scope,
    *,
    fact_ids: Iterable[str] = (),
    names: Iterable[tuple[str, str]] = (),
    every: bool = False,
) -> list[Item]:
    """Return the notes of some facts, or under some names, or every note. A name that is used again is another item."""
    wanted: list[Executable] = [_NOTES] if every else []
    wanted += [_NOTES.where(_n.namespace == namespace, _n.key == key) for namespace, key in names]
    owners = sorted(fact_ids)
    some = range(0, len(owners), _IDS_A_STATEMENT)
    wanted += [_NOTES.where(_n.fact_id.in_(owners[start : start + _IDS_A_STATEMENT])) for start in some]
    rows = [row for one in wanted for row in sound(connection, "note", _NOTE_COLUMNS, one, {"of": scope.key}, named=1)]
    return [("note", row.namespace, row.key, str(to_microseconds(row.created_at))) for row in rows]


def stored_items(connection: Connection, scope: Scope) -> list[Item]:
    """Return everything of a scope that can be forgotten by itself."""
    found: list[Item] = []
    for kind, table in (("page", pages), ("fact", facts)):
        rows = sound(connection, kind, (table.c.id,), select(table.c.id).where(table.c.scope == scope.key))
        found += items_of(kind, (row.id for row in rows))
    return found + note_items(connection, scope, every=True)


def epoch_of(connection: Connection, scope: Scope) -> int | None:
    """Return the epoch of a scope; None without the scope."""
    found = connection.scalar(_EPOCH, {"of": scope.key})
    return found if isinstance(found, int) else None


def bury(connection: Connection, scope: Scope, items: Sequence[Item], at: datetime | None) -> None:
    """Write down that items are forgotten, in the transaction that erases them."""
    if items:
        secret = secret_of(connection)
        put(
            connection,
            scope,
            {digest_of(secret, scope, item): (at or datetime.now(timezone.utc), None) for item in items},
        )


def bury_all(connection: Connection, scope: Scope, at: datetime | None) -> None:
    """Write down that everything of a scope is forgotten, all that this life of it has had."""
    epoch = epoch_of(connection, scope)
    if epoch is not None:
        digest = digest_of(secret_of(connection), scope, ("everything", str(epoch)))
        put(connection, scope, {digest: (at or datetime.now(timezone.utc), epoch)})


def put(connection: Connection, scope: Scope, digests: Digests) -> None:
    """Write digests of a scope; those that are there stay."""
    rows = [{"scope": scope.key, "digest": d, "at": at, "epoch": epoch} for d, (at, epoch) in digests.items()]
    connection.execute(_PUT[connection.dialect.name], rows)


def secret_of(connection: Connection) -> bytes:
    """Return the secret of the digests. Raises StoreCorruptError when it is missing."""
    found = connection.scalar(_SECRET)
    if not isinstance(found, str):
        raise StoreCorruptError("the secret of what was forgotten is missing; restore the database from a backup")
    return found.encode()


def replace_secret(connection: Connection, secret: bytes) -> None:
    """Take the secret of another copy of this store."""
    connection.execute(update(secret_rows).values(secret=secret.decode()))


def digest_of(secret: bytes, scope: Scope, item: Item) -> str:
    """Return the digest that names an item; without the secret no name can be tested against it."""
    return _hash_parts(secret, f"forgotten {scope.key}", *item)


def alias_of(secret: bytes, name: str) -> str:
    """Return the name of a scope, or of the store, in receipts outside of it."""
    return _hash_parts(secret, f"receipts {name}")


def _hash_parts(secret: bytes, *parts: str) -> str:
    return hmac.digest(secret, "\x00".join(("memoryos", *parts)).encode(), "sha256").hex()[:_DIGITS]
