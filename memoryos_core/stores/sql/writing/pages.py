"""Pages: writing to short-term memory, and all queries of pages.

Conversations of a session: messages that are stored once only, and ended conversations.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timezone
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any, TypeAlias

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Integer,
    Table,
    bindparam,
    delete,
    insert,
    literal_column,
    select,
    update,
)

from memoryos_core.errors import ConflictError, InvalidInputError
from memoryos_core.stores.sql import postings as posting
from memoryos_core.stores.sql.damage import Plain, left_out, sound, sound_up_to
from memoryos_core.stores.sql.scopes import claim
from memoryos_core.stores.sql.tables import in_short_term, pages, to_reread, unembedded, vectors
from memoryos_core.stores.sql.tables import taken as taken_rows
from memoryos_core.values.commands import Append, NewPage, PageQuery, Pending
from memoryos_core.values.dialogue import Page, Scope, Tier
from memoryos_core.values.facts import TRUSTS

IDS_A_STATEMENT = 500
"""How many ids one statement names: databases bound their parameters."""

_p = pages.c
PAGE_COLUMNS: tuple[Column[Any], ...] = (
    *(_p.id, _p.session_id, _p.seq, _p.messages, _p.timestamp, _p.tier, _p.tokens, _p.open),
    *(_p.segment_id, _p.chain_id, _p.analysed, _p.reread, _p.ended, _p.trust, _p.labels, _p.written_at),
)
# Parameters of a query. `since` is inclusive, `until` and both seqs are exclusive.
_BOUNDS: dict[str, ColumnElement[bool]] = {
    "session_id": _p.session_id == bindparam("session_id"),
    "segment_id": _p.segment_id == bindparam("segment_id"),
    "since": _p.timestamp >= bindparam("since"),
    "until": _p.timestamp < bindparam("until"),
    "before_seq": _p.seq < bindparam("before_seq"),
    "after_seq": _p.seq > bindparam("after_seq"),
    "ids": _p.id.in_(bindparam("ids", expanding=True)),
}
# embedded, reread, open, analysed, ended: yes and no.
_FLAGS = (
    *((_p.embedded, unembedded), (to_reread, ~_p.reread), (_p.open, ~_p.open), (_p.analysed, ~_p.analysed)),
    (_p.ended, ~_p.ended),
)
_Flags: TypeAlias = tuple[bool | None, ...]

_LAST_ID = (
    select(_p.id)
    .where(_p.scope == bindparam("of"), _p.session_id == bindparam("session"), ~_p.ended)
    .order_by(_p.seq.desc())
    .limit(1)
)
_INSERT = Plain(insert(pages))
_EXTEND = (
    update(pages)
    .where(_p.scope == bindparam("of"), _p.id == bindparam("page"))
    .values(messages=bindparam("messages"), tokens=bindparam("tokens"), open=bindparam("open"))
    .values(trust=bindparam("trust"), labels=bindparam("labels"))
    .values(embedded=False, rev=bindparam("rev"), written_at=bindparam("written_at"))
)
_DROP_VECTORS = delete(vectors).where(vectors.c.scope == bindparam("of"), vectors.c.owner_id == bindparam("page"))
_PENDING_COLUMNS: tuple[Column[Any], ...] = (
    *(_p.id, _p.session_id, _p.seq, _p.tokens, _p.timestamp, _p.ended, _p.written_at),
)
# The reader sorts: with ORDER BY, SQLite would scan all pages of the scope in order.
_PENDING = select(*_PENDING_COLUMNS).where(_p.scope == bindparam("of"), in_short_term)
_SESSIONS = (
    select(_p.session_id)
    .distinct()
    .where(_p.scope == bindparam("of"), _p.seq > bindparam("after"))
    .limit(bindparam("most", type_=Integer))
)


def batches(ids: Iterable[str]) -> Iterator[list[str]]:
    """Split distinct ids into lists that fit one statement each."""
    distinct = list(dict.fromkeys(ids))
    for start in range(0, len(distinct), IDS_A_STATEMENT):
        yield distinct[start : start + IDS_A_STATEMENT]


def page_of(row: Sequence[Any]) -> Page:
    """A page from PAGE_COLUMNS."""
    return Page(*row)


def append(connection: Connection, secret: bytes, append: Append) -> tuple[Page, ...]:
    """Write new pages; the session's last page grows when the first of them extends it.

    `secret` keys the digests of messages that the session takes once.
    """
    if any(new.extends_last for new in append.pages[1:]):
        raise InvalidInputError("only the first page of an append can extend the session's last page")
    if not (append.pages or append.ends or append.restarts):
        return ()
    joins = bool(append.pages) and append.pages[0].extends_last
    # Taking the numbers first locks the scope, so later reads stay valid until the commit.
    numbers = claim(connection, append.scope, len(append.pages), len(append.pages) - joins, work=True)
    if append.check_after and _last_id(connection, append) != append.after:
        raise ConflictError("another page was added to this session meanwhile; read its last page and pair again")
    check_untaken(connection, secret, append)
    end_pages(connection, append)
    if append.restarts:
        end(connection, append.scope, append.session_id)
    joined = (_extend(connection, append, numbers.first),) if joins else ()
    drafts = tuple(
        _new_page(append, new, numbers.seq + place) for place, new in enumerate(append.pages[joins:], start=1)
    )
    revs = range(numbers.first + joins, numbers.last + 1)
    insert_pages(connection, append.scope, list(zip(drafts, revs, strict=True)))
    written = joined + drafts
    take(connection, secret, append, [page.id for page in written])
    return written


def insert_pages(connection: Connection, scope: Scope, drafts: Sequence[tuple[Page, int]]) -> None:
    """Insert pages as they are, each with its rev, not embedded."""
    if drafts:
        _INSERT.write(connection, [_row(scope, page, rev) for page, rev in drafts])
        posting.put_pages(connection, scope, (page for page, _ in drafts))


def _new_page(append: Append, new: NewPage, seq: int) -> Page:
    when = (new.messages[0].timestamp if new.messages else None) or append.at
    if when.tzinfo is None or when.utcoffset() is None:
        raise InvalidInputError(f"{when!r} has no time zone; pass an aware datetime")
    return Page(
        id=new.id or uuid.uuid4().hex,
        session_id=append.session_id,
        seq=seq,
        messages=new.messages,
        timestamp=when.astimezone(timezone.utc),
        tokens=new.tokens,
        open=new.open,
        ended=new.ended,
        trust=new.trust,
        labels=new.labels,
        written_at=append.at,
    )


def _row(scope: Scope, page: Page, rev: int) -> dict[str, object]:
    return {
        "scope": scope.key,
        "id": page.id,
        "session_id": page.session_id,
        "seq": page.seq,
        "messages": page.messages,
        "timestamp": page.timestamp,
        "tier": page.tier,
        "tokens": page.tokens,
        "open": page.open,
        "segment_id": page.segment_id,
        "chain_id": page.chain_id,
        "analysed": page.analysed,
        "reread": page.reread,
        "ended": page.ended,
        "trust": page.trust,
        "labels": page.labels,
        "embedded": False,
        "rev": rev,
        "written_at": page.written_at,
    }


def _last_id(connection: Connection, append: Append) -> str | None:
    found = connection.scalar(_LAST_ID, {"of": append.scope.key, "session": append.session_id})
    if found == append.after:
        return found
    last = _last(connection, append)  # the caller that paired the messages saw no damaged page
    return last.id if last is not None else None


def _last(connection: Connection, append: Append) -> Page | None:
    query = PageQuery(append.scope, session_id=append.session_id, ended=False, newest_first=True, limit=1)
    return next(iter(read_pages(connection, query)), None)


def _extend(connection: Connection, append: Append, rev: int) -> Page:
    key, new = append.scope.key, append.pages[0]
    last = _last(connection, append)
    if last is None:
        raise ConflictError("this session has no page that could be extended; append a page of its own")
    if last.tier != "short_term":
        raise ConflictError("the session's last page has left short-term memory; append a page of its own")
    if append.after_tokens not in (None, last.tokens):
        raise ConflictError("the session's last page has grown meanwhile; read it and pair again")
    page = replace(
        last,
        messages=last.messages + new.messages,
        tokens=last.tokens + new.tokens,
        open=new.open,
        trust=max(last.trust, new.trust, key=TRUSTS.index),
        labels=tuple(dict.fromkeys((*last.labels, *new.labels))),
        written_at=append.at,
    )
    changed = {"messages": page.messages, "tokens": page.tokens, "open": page.open, "rev": rev}
    changed |= {"trust": page.trust, "labels": page.labels, "written_at": page.written_at}
    connection.execute(_EXTEND, {"of": key, "page": page.id, **changed})
    connection.execute(_DROP_VECTORS, {"of": key, "page": page.id})
    posting.drop(connection, append.scope, [page.id], last=True)
    posting.put_pages(connection, append.scope, [page])
    return page


def read_pages(connection: Connection, query: PageQuery) -> tuple[Page, ...]:
    """Return the pages that match a query, in order."""
    names = tuple(name for name in _BOUNDS if getattr(query, name) is not None)
    flags = (query.embedded, query.reread, query.open, query.analysed, query.ended)
    values: dict[str, object] = {name: getattr(query, name) for name in names}
    values["of"] = query.scope.key
    if query.ids is None:
        if query.limit is None:
            statement = _statement(names, query.tiers, flags, query.newest_first)
            return tuple(map(page_of, sound(connection, "page", PAGE_COLUMNS, statement, values)))
        limited = _statement((*names, "limit"), query.tiers, flags, query.newest_first)
        asked = partial(_with_limit, limited, values)
        return tuple(map(page_of, sound_up_to(connection, "page", PAGE_COLUMNS, asked, query.limit)))
    statement = _statement(names, query.tiers, flags, query.newest_first)
    parts = (sound(connection, "page", PAGE_COLUMNS, statement, {**values, "ids": some}) for some in batches(query.ids))
    found = sorted((page_of(row) for part in parts for row in part), key=attrgetter("seq"), reverse=query.newest_first)
    return tuple(found[: query.limit])


def _with_limit(statement: Plain, values: dict[str, object], limit: int) -> tuple[Plain, dict[str, object]]:
    return statement, {**values, "limit": limit}


@lru_cache(maxsize=256)
def _statement(bound: tuple[str, ...], tiers: tuple[Tier, ...], flags: _Flags, newest_first: bool) -> Plain:  # noqa: FBT001 - part of a key
    """Build the statement of a query, once per shape: building costs more than running."""
    wanted = select(*PAGE_COLUMNS).where(_p.scope == bindparam("of"), *_fixed_conditions(tiers, flags))
    wanted = wanted.where(*(_BOUNDS[name] for name in bound if name != "limit"))
    if "ids" in bound:
        # The reader sorts: with ORDER BY, SQLite would scan the whole scope in order.
        return Plain(wanted)
    # A segment has few pages. Ordered by the column itself, SQLite would look for them in the whole scope, in order.
    by = _p.seq + literal_column("0") if "segment_id" in bound else _p.seq
    wanted = wanted.order_by(by.desc() if newest_first else by)
    return Plain(wanted.limit(bindparam("limit", type_=Integer)) if "limit" in bound else wanted)


def _fixed_conditions(tiers: tuple[Tier, ...], flags: _Flags) -> Iterator[ColumnElement[bool]]:
    if tiers == ("short_term",):
        yield in_short_term
    elif tiers:
        yield _p.tier.in_(tiers)
    for (yes, no), wanted in zip(_FLAGS, flags, strict=True):
        if wanted is not None:
            yield yes if wanted else no


def pending(connection: Connection, scope: Scope) -> tuple[Pending, ...]:
    """Return short-term memory, in sequence, without unreadable pages, which cannot be moved."""
    rows = sound(connection, "page", _PENDING_COLUMNS, _PENDING, {"of": scope.key})
    damaged = left_out(connection, "page")
    return tuple(sorted((Pending(*row) for row in rows if row.id not in damaged), key=attrgetter("seq")))


def sessions(connection: Connection, scope: Scope, after_seq: int, limit: int) -> frozenset[str]:
    """Some sessions that have a page after a seq."""
    values = {"of": scope.key, "after": after_seq, "most": limit}
    return frozenset(row.session_id for row in sound(connection, "session", (_p.session_id,), _SESSIONS, values))


def stored_ids(connection: Connection, scope: Scope, ids: Iterable[str], *, table: Table = pages) -> set[str]:
    """Return those of these ids that the scope holds, as pages or in another table."""
    found: set[str] = set()
    for some in batches(ids):
        rows = _ids_in(table).rows(connection, {"of": scope.key, "ids": some})
        found.update(row.id for row in rows)
    return found


@lru_cache(maxsize=8)
def _ids_in(table: Table) -> Plain:
    wanted = select(table.c.id).where(table.c.scope == bindparam("of"))
    return Plain(wanted.where(table.c.id.in_(bindparam("ids", expanding=True))))


_IDS_A_STATEMENT = 500
_DIGITS = 32
_INSERT_TAKEN = insert(taken_rows)
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
        connection.execute(_INSERT_TAKEN, rows)


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
