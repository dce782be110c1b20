"""The row of a scope: who it is, and the counters that order its changes. Taking numbers locks the scope."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, select, update
from sqlalchemy.dialects.sqlite import Insert
from sqlalchemy.sql.dml import ReturningInsert

from memoryos_core.models import Scope
from memoryos_core.moves import Cursor
from memoryos_core.stores.sql.dialects import INSERT
from memoryos_core.stores.sql.schema import scopes


@dataclass(frozen=True, slots=True)
class Numbers:
    """What a transaction may number its changes with: revs `first` to `last`, and page seqs after `seq`."""

    first: int
    last: int
    seq: int


def _claim(insert: Insert) -> ReturningInsert[Any, Any]:
    return insert.on_conflict_do_update(
        index_elements=[scopes.c.scope],
        set_={
            "version": scopes.c.version + insert.excluded.version,
            "last_seq": scopes.c.last_seq + insert.excluded.last_seq,
        },
    ).returning(scopes.c.version, scopes.c.last_seq)


_CLAIM = {name: _claim(insert(scopes)) for name, insert in INSERT.items()}
_ADVANCE = (
    update(scopes)
    .where(scopes.c.scope == bindparam("of"))
    .values(version=scopes.c.version + bindparam("steps"), epoch=scopes.c.epoch + bindparam("epochs"))
    .returning(scopes.c.version, scopes.c.last_seq)
)
_CURSOR = select(scopes.c.epoch, scopes.c.version).where(scopes.c.scope == bindparam("of"))


def claim(connection: Connection, scope: Scope, steps: int, new_pages: int = 0) -> Numbers:
    """Take the next `steps` revs and `new_pages` seqs of a scope, which begins to exist."""
    row = connection.execute(
        _CLAIM[connection.dialect.name],
        {
            "scope": scope.key,
            "user_id": scope.user_id,
            "assistant_id": scope.assistant_id,
            "version": steps,
            # Random, so that a scope that was erased and begins again is not mistaken for what a cache remembers.
            "epoch": secrets.randbits(48),
            "last_seq": new_pages,
            "profile_version": 0,
        },
    ).one()
    return Numbers(row.version - steps + 1, row.version, row.last_seq - new_pages)


def advance(connection: Connection, scope: Scope, steps: int, *, new_epoch: bool = False) -> Numbers | None:
    """Take the next `steps` revs of a scope that exists; None when it does not."""
    row = connection.execute(_ADVANCE, {"of": scope.key, "steps": steps, "epochs": int(new_epoch)}).one_or_none()
    return None if row is None else Numbers(row.version - steps + 1, row.version, row.last_seq)


def cursor(connection: Connection, scope: Scope) -> Cursor:
    """Where the scope's changes stand."""
    row = connection.execute(_CURSOR, {"of": scope.key}).one_or_none()
    return Cursor() if row is None else Cursor(row.epoch, row.version)
