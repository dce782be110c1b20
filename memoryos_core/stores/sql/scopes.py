"""The row of a scope: its user and the counters that order its changes. Taking numbers locks the scope.

A transaction that creates work for a worker marks it in the statement that takes the numbers (leases.py).

The time by the database's clock: the clocks of hosts that share a database may differ by hours.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, Connection, Executable, Row, Update, bindparam, case, delete, or_, select, update
from sqlalchemy.dialects.sqlite import Insert
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import ReturningInsert
from sqlalchemy.sql.functions import FunctionElement

from memoryos_core.errors import ConflictError, StoreCorruptError
from memoryos_core.stores.sql.columns import read_leniently
from memoryos_core.stores.sql.damage import Plain
from memoryos_core.stores.sql.dialects import ByDialect
from memoryos_core.stores.sql.tables import chunks, scopes
from memoryos_core.values.commands import Cursor
from memoryos_core.values.dialogue import Scope


class now(FunctionElement[int]):  # noqa: N801 - reads like SQL's own
    """Start of the statement, in even microseconds: odd values were not written by a clock alone (see leases.py)."""

    inherit_cache = True
    type = BigInteger()


@compiles(now, "sqlite")
def _on_sqlite(_element: now, _compiler: SQLCompiler, **_: object) -> str:
    return "(CAST((julianday('now') - 2440587.5) * 43200000000.0 AS INTEGER) * 2)"


@compiles(now, "postgresql")
def _on_postgresql(_element: now, _compiler: SQLCompiler, **_: object) -> str:
    # Not clock_timestamp(): an index can only be used for a value that is constant in a statement.
    return "(CAST(extract(epoch FROM statement_timestamp()) * 500000 AS bigint) * 2)"


_MOST = 2**61  # indexes use twice a seq, in 64 bits


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers that a transaction may give to its changes: revs `first` to `last`, and page seqs after `seq`."""

    first: int
    last: int
    seq: int


due_now = case(
    (or_(scopes.c.due.is_(None), scopes.c.due > now(), scopes.c.due == scopes.c.lease_until), now()),
    else_=scopes.c.due,
)
"""There is work: due since the first of it was written, and not at the end of a lease or a pause."""


def _claim(insert: Insert, *, work: bool) -> ReturningInsert[Any, Any, Any]:
    counters = {
        "version": scopes.c.version + insert.excluded.version,
        "last_seq": scopes.c.last_seq + insert.excluded.last_seq,
    }
    return (
        (insert.values(due=now()) if work else insert)
        .on_conflict_do_update(index_elements=[scopes.c.scope], set_=counters | ({"due": due_now} if work else {}))
        .returning(scopes.c.version, scopes.c.last_seq, scopes.c.lease_holder)
    )


_CLAIM = {
    False: ByDialect(lambda insert: _claim(insert(scopes), work=False)),
    True: ByDialect(lambda insert: _claim(insert(scopes), work=True)),
}
_ONE = update(scopes).where(scopes.c.scope == bindparam("of"))
_COUNT: Update = _ONE.values(version=scopes.c.version + bindparam("steps"), epoch=scopes.c.epoch + bindparam("epochs"))
_ADVANCE = {
    work: statement.returning(scopes.c.version, scopes.c.last_seq, scopes.c.lease_holder)
    for work, statement in ((False, _COUNT), (True, _COUNT.values(due=due_now)))
}
_INVALID = "the database holds invalid counters for a scope; restore the database from a backup"
_ERASE_CHUNKS = delete(chunks).where(chunks.c.scope == bindparam("of"))
_CURSOR = Plain(select(scopes.c.epoch, scopes.c.version).where(scopes.c.scope == bindparam("of")))


def _run(
    connection: Connection, statement: Executable, values: dict[str, object], holder: str | None
) -> Row[Any] | None:
    """Return the current counters; raise StoreCorruptError for invalid ones, before any change is numbered."""
    # An unreadable holder counts as another process.
    row = read_leniently(lambda: connection.execute(statement, values).one_or_none())
    if row is None:
        return None
    if not all(isinstance(count, int) and -_MOST < count < _MOST for count in (row.version, row.last_seq)):
        raise StoreCorruptError(_INVALID)
    if holder not in (None, row.lease_holder):
        # A worker that lost its lease (a hung model, a sleeping machine) decided on rows that may have changed since.
        raise ConflictError("another process has taken over this scope; read again once it is free")
    return row


def claim(
    connection: Connection,
    scope: Scope,
    steps: int,
    new_pages: int = 0,
    *,
    work: bool = False,
    holder: str | None = None,
) -> Numbers:
    """Take the next `steps` revs and `new_pages` seqs of a scope, which begins to exist.

    `work`: there is something for a worker to do. Raises ConflictError when `holder` does not have the lease.
    """
    values: dict[str, object] = {
        "scope": scope.key,
        "user_id": scope.user_id,
        "assistant_id": scope.assistant_id,
        "version": steps,
        # Random, so that a cache can tell a scope that was erased and created again.
        "epoch": secrets.randbits(48),
        "last_seq": new_pages,
        "profile_version": 0,
    }
    row = _run(connection, _CLAIM[work][connection.dialect.name], values, holder)
    assert row is not None  # noqa: S101 - it was written just now
    return Numbers(row.version - steps + 1, row.version, row.last_seq - new_pages)


def advance(
    connection: Connection,
    scope: Scope,
    steps: int,
    *,
    new_epoch: bool = False,
    work: bool = False,
    holder: str | None = None,
) -> Numbers | None:
    """Take the next `steps` revs of a scope that exists; None when it does not. See `claim`.

    With a `new_epoch`, rows will be erased: prune the chunks of the index, which hold their words.
    """
    row = _run(connection, _ADVANCE[work], {"of": scope.key, "steps": steps, "epochs": int(new_epoch)}, holder)
    return None if row is None else Numbers(row.version - steps + 1, row.version, row.last_seq)


def erase_chunks(connection: Connection, scope: Scope) -> None:
    """Erase the chunks of a scope's index; they are made again from the rows."""
    connection.execute(_ERASE_CHUNKS, {"of": scope.key})


def cursor(connection: Connection, scope: Scope) -> Cursor:
    """Return the present position of the scope's change feed."""
    row = next(iter(_CURSOR.rows(connection, {"of": scope.key})), None)
    if row is None:
        return Cursor()
    if isinstance(row.epoch, (str, bytes)) or isinstance(row.version, (str, bytes)):
        raise StoreCorruptError(_INVALID)
    return Cursor(row.epoch, row.version)
