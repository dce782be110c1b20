"""The row of a scope: its user, the counters that order its changes, and the lease of its worker.

Taking numbers locks the scope. A transaction that creates work for a worker marks it in the statement that takes the
numbers. Times are those of the database's clock: the clocks of hosts that share a database may differ by hours.

While a scope is held its `due` is the end of the lease. So a holder that dies leaves it due; and work that is written
meanwhile is told apart from that: it makes `due` a moment of the past (`due_now`), which `release` leaves there. Ends
of leases are odd microseconds and moments are even: no work can be mistaken for the end of a lease.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Row,
    Update,
    and_,
    bindparam,
    case,
    delete,
    null,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.sqlite import Insert
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import ReturningInsert
from sqlalchemy.sql.functions import FunctionElement

from memoryos_core.errors import ConflictError, StoreCorruptError
from memoryos_core.stores.sql.columns import read_leniently
from memoryos_core.stores.sql.damage import Plain
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.dialects import ByDialect
from memoryos_core.stores.sql.tables import chunks, is_due, scopes
from memoryos_core.values.commands import Cursor
from memoryos_core.values.dialogue import Scope


class now(FunctionElement[int]):  # noqa: N801 - reads like SQL's own
    """Start of the statement, in even microseconds: odd values were not written by a clock alone."""

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
    False: ByDialect(lambda insert: Plain(_claim(insert(scopes), work=False))),
    True: ByDialect(lambda insert: Plain(_claim(insert(scopes), work=True))),
}
_ONE = update(scopes).where(scopes.c.scope == bindparam("of"))
_COUNT: Update = _ONE.values(version=scopes.c.version + bindparam("steps"), epoch=scopes.c.epoch + bindparam("epochs"))
_ADVANCE = {
    work: Plain(statement.returning(scopes.c.version, scopes.c.last_seq, scopes.c.lease_holder))
    for work, statement in ((False, _COUNT), (True, _COUNT.values(due=due_now)))
}
_INVALID = "the database holds invalid counters for a scope; restore the database from a backup"
_ERASE_CHUNKS = delete(chunks).where(chunks.c.scope == bindparam("of"))
_CURSOR = Plain(select(scopes.c.epoch, scopes.c.version).where(scopes.c.scope == bindparam("of")))


def _run(connection: Connection, statement: Plain, values: dict[str, object], holder: str | None) -> Row[Any] | None:
    """Return the current counters; raise StoreCorruptError for invalid ones, before any change is numbered."""
    # An unreadable holder counts as another process.
    row: Row[Any] | None = next(iter(read_leniently(lambda: statement.rows(connection, values))), None)
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


_s = scopes.c
_until = now() + bindparam("microseconds", type_=BigInteger)
_after = now() + bindparam("pause", type_=BigInteger)
_mine = _s.lease_holder == bindparam("holder")
_free = or_(_s.lease_until.is_(None), _s.lease_until <= now())
_untouched = _s.due == _s.lease_until
_one = _s.scope == bindparam("of")

_DUE = (
    select(_s.scope, _s.user_id, _s.assistant_id)
    .where(is_due, _s.due <= now(), _free)
    .order_by(_s.due)
    .limit(bindparam("limit"))
)
# SQLite has one writer at a time, which has already waited, so it needs neither clause.
_WAITING, _WAITING_LOCKED = _DUE.with_for_update(skip_locked=True), _DUE.with_for_update()
_HOLD = (
    update(scopes)
    .values(lease_holder=bindparam("holder"), lease_until=_until, due=_until)
    .returning(_s.user_id, _s.assistant_id)
)
_CLAIM_DUE = _HOLD.where(_s.scope.in_(bindparam("keys", expanding=True)))
# A holder that extends its lease may have read before this work was written: the scope stays due.
_LEASE = _HOLD.where(_one, or_(_free, _mine)).values(due=case((and_(_mine, ~_untouched), _s.due), else_=_until))
_RENEW = (
    update(scopes)
    .where(_one, _mine)
    .values(lease_until=_until, due=case((_untouched, _until), else_=_s.due))
    .returning(_s.user_id)
)
_HOLDER = select(_s.lease_holder).where(_one, ~_free)


def _release(due: ColumnElement[Any]) -> Update:
    gone = {"lease_holder": None, "lease_until": None, "due": case((_untouched, due), else_=_s.due)}
    return update(scopes).where(_one, _mine).values(gone)


_RELEASE, _RELEASE_FOR_NOW = _release(null()), _release(_after)


def _microseconds(seconds: float) -> int:
    return int(seconds * 1e6) | 1


class Leasing:
    """The verbs of `ports.capabilities.LeaseStore` on a SQL database."""

    _database: Database

    def claim(self, holder: str, seconds: float, *, limit: int = 1, wait: bool = False) -> tuple[Scope, ...]:
        """Lease scopes that are due and that nobody holds, the longest due first; two never get the same.

        A scope that another process is writing to is skipped; with `wait`, it is waited for when no other is due.
        """
        with self._database.writing(None) as connection:
            waiting = connection.execute(_WAITING, {"limit": limit}).all()
            # A scope may have become due while the statement waited: look once more.
            while wait and not waiting and connection.execute(_DUE, {"limit": 1}).first() is not None:
                waiting = connection.execute(_WAITING_LOCKED, {"limit": limit}).all()
            if not waiting:
                return ()
            keys = [row.scope for row in waiting]
            connection.execute(_CLAIM_DUE, {"keys": keys, "holder": holder, "microseconds": _microseconds(seconds)})
        return tuple(Scope(row.user_id, row.assistant_id) for row in waiting)

    def lease(self, scope: Scope, holder: str, seconds: float) -> bool:
        """Take or extend the lease of one scope, due or not; False while another holds it, or without the scope."""
        with self._database.writing(scope) as connection:
            values = {"of": scope.key, "holder": holder, "microseconds": _microseconds(seconds)}
            return connection.execute(_LEASE, values).first() is not None

    def renew(self, scope: Scope, holder: str, seconds: float) -> bool:
        """Extend the holder's lease, expired or not; False when another process has taken it."""
        with self._database.writing(scope) as connection:
            values = {"of": scope.key, "holder": holder, "microseconds": _microseconds(seconds)}
            return connection.execute(_RENEW, values).first() is not None

    def release(self, scope: Scope, holder: str, *, again_after: float | None = None) -> None:
        """End the lease. The scope is due no more, or after some seconds; at once if work was written meanwhile.

        Does nothing when another process holds the lease.
        """
        with self._database.writing(scope) as connection:
            values: dict[str, object] = {"of": scope.key, "holder": holder}
            if again_after is None:
                connection.execute(_RELEASE, values)
            else:
                connection.execute(_RELEASE_FOR_NOW, {**values, "pause": int(again_after * 1e6)})

    def holder(self, scope: Scope) -> str | None:
        """Return the current holder of the scope; None without one."""
        with self._database.reading(scope) as connection:
            found: str | None = connection.scalar(_HOLDER, {"of": scope.key})
            return found
