"""Receipts of what was forgotten, for copies that were made before: written out, and applied to a copy (ADR 0035)."""

from __future__ import annotations

import hmac
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeAlias

from sqlalchemy import Column, Connection, bindparam, select

from memoryos_core.errors import InvalidInputError
from memoryos_core.stores.migrations import REVISIONS
from memoryos_core.stores.sql import audit as acts
from memoryos_core.stores.sql.backlog import read_scopes
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.tables import tombstones
from memoryos_core.stores.sql.tombstones import (
    Digests,
    Item,
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
_FIRST_WITH_RECEIPTS = "0014"
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
"""What JSON can hold: a head that names the store, the digest of something forgotten with its scope's alias, or an end.

The end has the number of receipts since the head, and their seal, for which one needs the store's secret.
"""


def export_forgotten(database: Database, *, secret: bool = False) -> Iterator[Receipt]:
    """Yield a head, a receipt for all that was forgotten, and an end; with `secret`, the head holds the digests' key.

    Who has the file without that key can neither add a receipt, nor change one, nor leave one out.
    """
    with database.reading(None) as connection:
        key = secret_of(connection)
    yield {"kind": "receipts", "store": alias_of(key, "store"), **({"secret": key.decode()} if secret else {})}
    sealed = Seal(key)
    scope: str | None = ""
    while True:
        with database.reading(None) as connection:
            scope = connection.scalar(_NEXT_SCOPE, {"of": scope})
        if scope is None:
            yield {"kind": "end", "receipts": sealed.count, "seal": sealed.value()}
            return
        named, after = alias_of(key, scope), ""
        while True:
            with database.reading(None) as connection:
                rows = connection.execute(_AFTER, {"of": scope, "after": after}).all()
            for digest, at, epoch in rows:
                receipt = {"kind": "forgotten", "scope": named, "digest": digest, "at": at.isoformat(), "epoch": epoch}
                sealed.take(receipt)
                yield receipt
            if len(rows) < _ROWS_A_READ:
                break
            after = rows[-1].digest


def forget_again(database: Database, receipts: Iterable[Receipt], *, made_by: str | None = None) -> ForgetReceipt:
    """Forget what receipts of this store name, a transaction for each scope; return what went.

    `made_by` is the revision of the schema with which this copy was made, where that is known: one from before
    receipts takes the secret that comes with them. Raises InvalidInputError, before anything is forgotten, for
    receipts of another store and for other records.
    """
    found, parts = _parse(receipts)
    heads = [part.head for part in parts]
    with database.writing(None) as connection:
        key = secret_of(connection)
        given = {str(head["secret"]).encode("utf-8", "backslashreplace") for head in heads if head.get("secret")}
        fitting = {one for one in given if all(head.get("store") == alias_of(one, "store") for head in heads)}
        another = fitting - {key}
        scopes = read_scopes(connection, pending_only=False)
        if another:
            key = another.pop()
            _check_adoption(connection, scopes, found, key, made_by)
            replace_secret(connection, key)
        elif any(head.get("store") != alias_of(key, "store") for head in heads):
            raise InvalidInputError(
                "these receipts are of another store, or this copy was made before stores kept receipts: take them "
                "from the store itself, with its secret"
            )
        _check_seals(parts, key)
    total = ForgetReceipt()
    for scope in scopes:
        digests = found.get(alias_of(key, scope.key))
        if digests:
            total += _forget_in(database, scope, digests, key)
    if total != ForgetReceipt():
        database.scrub()
    return total


class Seal:
    """A code that only the store's secret makes of some receipts in their order."""

    def __init__(self, key: bytes) -> None:
        self._mac = hmac.new(key, digestmod="sha256")
        self.count = 0

    def take(self, receipt: Receipt) -> None:
        """Go on with the next receipt."""
        self._mac.update(
            "\x00".join(str(receipt.get(name)) for name in ("scope", "digest", "at", "epoch")).encode(
                "utf-8", "backslashreplace"
            )
        )
        self._mac.update(b"\x01")
        self.count += 1

    def value(self) -> str:
        """Return the seal of what was taken."""
        return self._mac.hexdigest()


@dataclass(slots=True)
class _Part:
    """The receipts of one `export_forgotten`, from head to end."""

    head: Receipt
    receipts: list[Receipt] = field(default_factory=list[Receipt])
    end: Receipt | None = None


def _check_adoption(
    connection: Connection, scopes: Iterable[Scope], found: Mapping[str, Digests], key: bytes, made_by: str | None
) -> None:
    """Raise InvalidInputError unless this copy was made before stores kept receipts, by the store of these receipts.

    Such a copy has a secret that nothing is named by. Ids are random, so a receipt that names something in the copy
    shows that both are one store; without one, it may be of any.
    """
    if made_by is not None and REVISIONS.index(made_by) >= REVISIONS.index(_FIRST_WITH_RECEIPTS):
        raise InvalidInputError("these receipts are of another store than this copy: name the memory it was made of")
    if connection.execute(select(_t.digest).limit(1)).first() is not None:
        raise InvalidInputError("these receipts are of another store than this copy, which has receipts of its own")
    for scope in scopes:
        digests = found.get(alias_of(key, scope.key))
        if digests and any(_match_digests(connection, scope, digests, key)):
            return
    raise InvalidInputError(
        "these receipts name nothing in this copy, so they may be of another store: name the memory that the copy was "
        "made of. If it is the right one, nothing of the copy was forgotten since: restore it with --without-forgotten"
    )


def _match_digests(connection: Connection, scope: Scope, digests: Digests, key: bytes) -> tuple[bool, list[Item]]:
    """Return whether digests name this whole life of a scope, and the items in it that they name."""
    epoch = epoch_of(connection, scope) or 0
    whole = any(over is not None and 0 <= over - epoch < _ERASURES for _, over in digests.values())
    return whole, [item for item in stored_items(connection, scope) if digest_of(key, scope, item) in digests]


def _check_seals(parts: Iterable[_Part], key: bytes) -> None:
    for part in parts:
        sealed = Seal(key)
        for receipt in part.receipts:
            sealed.take(receipt)
        end = part.end or {}
        if not (
            end.get("receipts") == sealed.count
            and hmac.compare_digest(str(end.get("seal")).encode("utf-8", "backslashreplace"), sealed.value().encode())
        ):
            raise InvalidInputError(
                "the receipts of what was forgotten were changed or cut off: take them again from the store with "
                "`memoryos forgotten`"
            )


def _parse(receipts: Iterable[Receipt]) -> tuple[dict[str, dict[str, tuple[datetime, int | None]]], list[_Part]]:
    found: dict[str, dict[str, tuple[datetime, int | None]]] = defaultdict(dict)
    parts: list[_Part] = []
    for number, receipt in enumerate(receipts, 1):
        wrong = InvalidInputError(
            f"record {number} is no receipt of what was forgotten: use what `memoryos forgotten` wrote"
        )
        kind, epoch = receipt.get("kind"), receipt.get("epoch")
        if kind == "receipts":
            parts.append(_Part(receipt))
            continue
        if not parts or parts[-1].end is not None:
            raise wrong
        if kind == "end":
            parts[-1].end = receipt
            continue
        try:
            at = datetime.fromisoformat(str(receipt.get("at")))
        except ValueError:
            raise wrong from None
        if kind != "forgotten" or not isinstance(epoch, (int, type(None))) or at.tzinfo is None:
            raise wrong
        parts[-1].receipts.append(receipt)
        found[str(receipt.get("scope"))][str(receipt.get("digest"))] = (at, epoch)
    return found, parts


def _forget_in(database: Database, scope: Scope, digests: Digests, key: bytes) -> ForgetReceipt:
    at = max(at for at, _ in digests.values())
    with database.writing(scope) as connection:
        whole, gone = _match_digests(connection, scope, digests, key)
        if whole:
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
