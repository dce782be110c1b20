"""Conversations of a session: messages that are stored once only, and ended conversations."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, bindparam, insert, select, update

from memoryos_core.errors import ConflictError
from memoryos_core.stores.sql.tables import pages
from memoryos_core.stores.sql.tables import taken as taken_rows
from memoryos_core.values.commands import Append
from memoryos_core.values.dialogue import Scope

_IDS_A_STATEMENT = 500
_DIGITS = 32
_INSERT = insert(taken_rows)
_KNOWN = select(taken_rows.c.digest).where(
    taken_rows.c.scope == bindparam("of"), taken_rows.c.digest.in_(bindparam("digests", expanding=True))
)
_END = (
    update(pages)
    .where(pages.c.scope == bindparam("of"), pages.c.session_id == bindparam("session"), ~pages.c.ended)
    .values(ended=True)
)
_END_PAGE = _END.where(pages.c.id == bindparam("page"), pages.c.tokens == bindparam("size"))


def find_taken(
    connection: Connection, secret: bytes, scope: Scope, session_id: str, message_ids: Iterable[str]
) -> frozenset[str]:
    """Return those of these messages that the session has taken once and still holds."""
    digests = {keyed_digest(secret, scope, _message(session_id, i)): i for i in message_ids}
    return frozenset(digests[d] for d in stored_digests(connection, scope, digests))


def stored_digests(connection: Connection, scope: Scope, digests: Iterable[str]) -> set[str]:
    """Return those of these keyed digests that the scope holds."""
    asked = list(digests)
    found: set[str] = set()
    for start in range(0, len(asked), _IDS_A_STATEMENT):
        some = asked[start : start + _IDS_A_STATEMENT]
        found.update(connection.scalars(_KNOWN, {"of": scope.key, "digests": some}))
    return found


def check_untaken(connection: Connection, secret: bytes, append: Append) -> None:
    """Raise ConflictError when a message of an append was taken already; the caller holds the scope's lock."""
    takes = [message_id for message_id in append.takes if message_id is not None]
    if takes and find_taken(connection, secret, append.scope, append.session_id, takes):
        raise ConflictError("a message was stored by this session meanwhile; call taken() and pair the rest again")


def take(connection: Connection, secret: bytes, append: Append, page_ids: Sequence[str]) -> None:
    """Store the digests of the messages that an append takes once, each with the page that holds the message."""
    holders = [i for i, new in zip(page_ids, append.pages, strict=True) for _ in new.messages]
    holder_of: dict[str, str] = {}
    for place, message_id in enumerate(append.takes):
        page_id = holders[place] if place < len(holders) else page_ids[-1]
        if message_id is not None:
            holder_of.setdefault(_message(append.session_id, message_id), page_id)
    add(connection, secret, append.scope, holder_of)


def add(connection: Connection, secret: bytes, scope: Scope, holder_of: Mapping[str, str]) -> None:
    """Insert messages that are not there, each with the id of the page that holds it."""
    rows = [
        {"scope": scope.key, "digest": keyed_digest(secret, scope, message), "page_id": page_id, "message": message}
        for message, page_id in holder_of.items()
    ]
    if rows:
        connection.execute(_INSERT, rows)


def keyed_digest(secret: bytes, scope: Scope, message: str) -> str:
    """Return the digest by which a message is found: without the secret, texts cannot be tested against it."""
    said = f"memoryos taken {scope.key} {message}".encode()
    return hmac.digest(secret, said, "sha256").hex()[:_DIGITS]


def end(connection: Connection, scope: Scope, session_id: str) -> int:
    """Mark the pages of a session as part of an ended conversation; return their number."""
    return connection.execute(_END, {"of": scope.key, "session": session_id}).rowcount


def end_pages(connection: Connection, append: Append) -> None:
    """Mark the pages that an append ends; the caller holds the scope's lock. Raises ConflictError."""
    for page_id, tokens in append.ends:
        named = {"of": append.scope.key, "session": append.session_id, "page": page_id, "size": tokens}
        if connection.execute(_END_PAGE, named).rowcount != 1:
            raise ConflictError("a page to be replaced has changed meanwhile; read the session's pages again")


def _message(session_id: str, message_id: str) -> str:
    named: Sequence[str] = (session_id, message_id)
    return hashlib.sha256(json.dumps(named).encode()).hexdigest()[:_DIGITS]
