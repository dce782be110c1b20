"""Leases: the worker of a scope, and the time since it waits for one, by the database's clock.

While a scope is held its `due` is the end of the lease. So a holder that dies leaves it due; and work that is written
meanwhile is told apart from that: it makes `due` a moment of the past (`scopes.due_now`), which `release` leaves there.
Ends of leases are odd microseconds and moments are even (clock.py): no work can be mistaken for the end of a lease.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Update, and_, bindparam, case, null, or_, select, update

from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.scopes import now
from memoryos_core.stores.sql.tables import is_due, scopes
from memoryos_core.values.dialogue import Scope

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
_CLAIM = _HOLD.where(_s.scope.in_(bindparam("keys", expanding=True)))
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
            connection.execute(_CLAIM, {"keys": keys, "holder": holder, "microseconds": _microseconds(seconds)})
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
