"""Receipts of what was forgotten, for copies that were made before: written out, and applied to a copy (ADR 0035)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeAlias

from sqlalchemy import Column, bindparam, select

from memoryos_core.errors import InvalidInputError
from memoryos_core.stores.sql import audit as acts
from memoryos_core.stores.sql.backlog import read_scopes
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.tables import tombstones
from memoryos_core.stores.sql.tombstones import (
    Digests,
    alias_of,
    digest_of,
    epoch_of,
    put,
    replace_secret,
    secret_of,
    stored_items,
)
from memoryos_core.stores.sql.writing import forgetting as leaving
from memoryos_core.stores.sql.writing import notes as note_rows
from memoryos_core.values.commands import Forgetting
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.notes import NoteWrite
from memoryos_core.values.reports import ForgetReceipt

# A scope's epoch is a random number of 48 bits that each erasure counts up by one. So a copy is of the same life of the
# scope when its epoch is this little below that of the erasure; for another life that is as likely as 1 in 2^24.
_ERASURES = 1 << 24
_ROWS_A_READ = 1000
_t = tombstones.c
_NEXT_SCOPE = select(_t.scope).where(_t.scope > bindparam("of")).order_by(_t.scope).limit(1)
_COLUMNS: tuple[Column[Any], ...] = (_t.digest, _t.at, _t.epoch)
_AFTER = (
    select(*_COLUMNS)
    .where(_t.scope == bindparam("of"), _t.digest > bindparam("after"))
    .order_by(_t.digest)
    .limit(_ROWS_A_READ)
)

Receipt: TypeAlias = Mapping[str, object]
"""A head that names the store, or the digest of something forgotten with its scope's alias: what JSON can hold."""


def export_forgotten(database: Database, *, secret: bool = False) -> Iterator[Receipt]:
    """Yield a head and a receipt for all that was forgotten; with `secret`, the head holds the key of the digests."""
    with database.reading(None) as connection:
        key = secret_of(connection)
    yield {"kind": "receipts", "store": alias_of(key, "store"), **({"secret": key.decode()} if secret else {})}
    scope: str | None = ""
    while True:
        with database.reading(None) as connection:
            scope = connection.scalar(_NEXT_SCOPE, {"of": scope})
        if scope is None:
            return
        named, after = alias_of(key, scope), ""
        while True:
            with database.reading(None) as connection:
                rows = connection.execute(_AFTER, {"of": scope, "after": after}).all()
            for digest, at, epoch in rows:
                yield {"kind": "forgotten", "scope": named, "digest": digest, "at": at.isoformat(), "epoch": epoch}
            if len(rows) < _ROWS_A_READ:
                break
            after = rows[-1].digest


def forget_again(database: Database, receipts: Iterable[Receipt]) -> ForgetReceipt:
    """Forget what receipts of this store name, a transaction for each scope; return what went.

    Raises InvalidInputError, before anything is forgotten, for receipts of another store and for other records.
    """
    found, heads = _parse(receipts)
    with database.writing(None) as connection:
        key = secret_of(connection)
        given = {str(head["secret"]).encode() for head in heads if head.get("secret")}
        fitting = {one for one in given if all(head.get("store") == alias_of(one, "store") for head in heads)}
        if fitting:
            key = fitting.pop()
            replace_secret(connection, key)
        elif any(head.get("store") != alias_of(key, "store") for head in heads):
            raise InvalidInputError(
                "these receipts are of another store, or this copy was made before stores kept receipts: take them "
                "from the store itself, with its secret"
            )
        scopes = read_scopes(connection, pending_only=False)
    total = ForgetReceipt()
    for scope in scopes:
        digests = found.get(alias_of(key, scope.key))
        if digests:
            total += _forget_in(database, scope, digests, key)
    if total != ForgetReceipt():
        database.scrub()
    return total


def _parse(receipts: Iterable[Receipt]) -> tuple[dict[str, dict[str, tuple[datetime, int | None]]], list[Receipt]]:
    found: dict[str, dict[str, tuple[datetime, int | None]]] = defaultdict(dict)
    heads: list[Receipt] = []
    for number, receipt in enumerate(receipts, 1):
        wrong = InvalidInputError(
            f"record {number} is no receipt of what was forgotten: use what `memoryos forgotten` wrote"
        )
        kind, epoch = receipt.get("kind"), receipt.get("epoch")
        if kind == "receipts":
            heads.append(receipt)
            continue
        try:
            at = datetime.fromisoformat(str(receipt.get("at")))
        except ValueError:
            raise wrong from None
        if kind != "forgotten" or not heads or not isinstance(epoch, (int, type(None))) or at.tzinfo is None:
            raise wrong
        found[str(receipt.get("scope"))][str(receipt.get("digest"))] = (at, epoch)
    return found, heads


def _forget_in(database: Database, scope: Scope, digests: Digests, key: bytes) -> ForgetReceipt:
    at = max(at for at, _ in digests.values())
    with database.writing(scope) as connection:
        epoch, gone = epoch_of(connection, scope), stored_items(connection, scope)
        gone = [item for item in gone if digest_of(key, scope, item) in digests]
        if any(over is not None and 0 <= over - (epoch or 0) < _ERASURES for _, over in digests.values()):
            wanted = Forgetting(scope, everything=True, at=at)
        else:
            pages, facts = (tuple(item[1] for item in gone if item[0] == kind) for kind in ("page", "fact"))
            wanted = Forgetting(scope, pages, facts, at=at)
        notes = () if wanted.everything else tuple(item for item in gone if item[0] == "note")
        receipt = leaving.forget(connection, wanted) if wanted != Forgetting(scope, at=at) else ForgetReceipt()
        left = {(note.namespace, note.key) for note in note_rows.read_notes(connection, scope, (), None, vectors=False)}
        names = [(note_rows.decode(item[1]), item[2]) for item in notes]
        changes = [NoteWrite(name, key_, None) for name, key_ in names if name is not None and (name, key_) in left]
        if changes:
            note_rows.write(connection, scope, changes, at, None)
            receipt += ForgetReceipt(notes=len(changes))
        put(connection, scope, digests)
        return acts.forgotten(
            database, connection, wanted, replace(receipt, at=at) if receipt != ForgetReceipt() else receipt
        )
