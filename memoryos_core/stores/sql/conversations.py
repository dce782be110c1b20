"""Conversations of a session: which messages it takes once only, and that one has ended."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, bindparam, insert, select, update

from memoryos_core.errors import ConflictError
from memoryos_core.models import Scope
from memoryos_core.moves import Append
from memoryos_core.stores.sql.schema import pages
from memoryos_core.stores.sql.schema import taken as taken_rows

_IDS_A_STATEMENT = 500
_INSERT = insert(taken_rows)
_KNOWN = select(taken_rows.c.digest).where(
    taken_rows.c.scope == bindparam("of"), taken_rows.c.digest.in_(bindparam("digests", expanding=True))
)
_END = (
    update(pages)
    .where(pages.c.scope == bindparam("of"), pages.c.session_id == bindparam("session"), ~pages.c.ended)
    .values(ended=True)
)


def taken(connection: Connection, scope: Scope, session_id: str, message_ids: Iterable[str]) -> frozenset[str]:
    """Which of these messages the session has taken once already."""
    digests = {_digest(session_id, i): i for i in message_ids}
    asked = list(digests)
    found: set[str] = set()
    for start in range(0, len(asked), _IDS_A_STATEMENT):
        some = asked[start : start + _IDS_A_STATEMENT]
        found.update(connection.scalars(_KNOWN, {"of": scope.key, "digests": some}))
    return frozenset(digests[d] for d in found)


def take(connection: Connection, append: Append) -> None:
    """Note what an append takes once; the caller holds the scope's lock. Raises ConflictError."""
    if not append.takes:
        return
    if taken(connection, append.scope, append.session_id, append.takes):
        raise ConflictError("a message was taken by this session meanwhile; ask which are, and pair the others again")
    digests = dict.fromkeys(_digest(append.session_id, i) for i in append.takes)
    connection.execute(_INSERT, [{"scope": append.scope.key, "digest": d} for d in digests])


def end(connection: Connection, scope: Scope, session_id: str) -> int:
    """Mark the pages of a session as of an ended conversation; says how many."""
    return connection.execute(_END, {"of": scope.key, "session": session_id}).rowcount


def _digest(session_id: str, message_id: str) -> str:
    named: Sequence[str] = (session_id, message_id)
    return hashlib.sha256(json.dumps(named).encode()).hexdigest()[:32]
