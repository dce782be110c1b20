"""The audit log and the grants: each act adds a link to its scope's chain, in the transaction of the act.

A link's digest covers its scope, its number, its time, who did what, and the digest before it: SHA-256, and HMAC with a
secret of the key where the store has one, so that write access to the database is not enough to forge a link.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime, timezone
from functools import partial
from typing import Any, cast

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Integer,
    Text,
    bindparam,
    delete,
    func,
    or_,
    select,
    type_coerce,
)
from sqlalchemy.dialects.sqlite import Insert

from memoryos_core.errors import StoreCorruptError
from memoryos_core.stores.sql.columns import Instant, to_microseconds
from memoryos_core.stores.sql.damage import Plain, sound, sound_up_to
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.dialects import ByDialect
from memoryos_core.stores.sql.scopes import claim
from memoryos_core.stores.sql.tables import audit, grants
from memoryos_core.values.audit import ACTING, TEAM, AccessRole, AuditEntry, AuditHead, AuditReport, Grant
from memoryos_core.values.commands import Append, Eviction, Forgetting, PageOut, Promotion, Redescription
from memoryos_core.values.dialogue import Page, Recall, Scope
from memoryos_core.values.reports import ForgetReceipt, RestoreReport

_BEFORE_THE_FIRST = "0" * 64
_ROWS_A_READ = 1000
_NAMED_IDS = 16
_RECALLED_IDS = 100
_CHANGED = "an entry of the audit log was altered; call governance.verify() to find it"
_a, _g = audit.c, grants.c
# The chain continues after a damaged digest: `verify` reports it.
_HEAD_COLUMNS: tuple[Column[Any], ...] = (_a.seq,)
_HEAD = Plain(
    select(_a.seq, type_coerce(_a.digest, Text).label("digest"))
    .where(_a.scope == bindparam("of"))
    .order_by(_a.seq.desc())
    .limit(bindparam("most", type_=Integer))
)
# A denial does not hold the scope's lock, so it may take the number first.
_LINK = ByDialect(lambda upsert: Plain(upsert(audit).on_conflict_do_nothing().returning(_a.seq)))
_COLUMNS = (_a.seq, _a.at, _a.actor, _a.action, _a.detail, _a.previous, _a.digest)
_NAMES = tuple(column.name for column in _COLUMNS)
_AFTER = (
    select(*_COLUMNS)
    .where(_a.scope == bindparam("of"), _a.seq > bindparam("after"))
    .order_by(_a.seq)
    .limit(bindparam("most", type_=Integer))
)
_SINCE = _AFTER.where(_a.at >= bindparam("since"))
_LOOKED_AT = 10_000
_newest = select(func.max(_a.seq)).where(_a.scope == bindparam("of")).scalar_subquery()
_NEWEST = (
    select(*_COLUMNS)
    .where(_a.scope == bindparam("of"), _a.seq > _newest - _LOOKED_AT)
    .order_by(_a.seq.desc())
    .limit(bindparam("most", type_=Integer))
)
# Raw values, to be checked: a changed column may hold an invalid timestamp. Starts below the first entry.
_FROM = (
    select(_a.seq, type_coerce(_a.at, BigInteger).label("at"), *_COLUMNS[2:])
    .where(_a.scope == bindparam("of"), _a.seq >= bindparam("start"))
    .order_by(_a.seq)
    .limit(_ROWS_A_READ)
)
_LEAST_SEQ = -(2**63)
_NEXT_CHAIN = select(_a.scope).where(_a.scope > bindparam("of")).order_by(_a.scope).limit(1)
_LASTS = or_(_g.until.is_(None), _g.until > bindparam("now", type_=Instant()))
# Whether the actor belongs to one of the teams is asked in the team's scope: no statement reads two.
_ROLES = select(_g.actor, _g.role).where(
    _g.scope == bindparam("of"), or_(_g.actor == bindparam("who"), _g.actor.startswith(TEAM)), _LASTS
)
_REVOKE = delete(grants).where(_g.scope == bindparam("of"), _g.actor == bindparam("who"))
_GRANT_COLUMNS: tuple[Column[Any], ...] = (_g.actor, _g.role, _g.granted_at, _g.until)
_GRANTS = select(*_GRANT_COLUMNS).where(_g.scope == bindparam("of")).order_by(_g.actor)


def _put(grant: Insert) -> Insert:
    changed = {name: grant.excluded[name] for name in ("role", "granted_at", "until")}
    return grant.on_conflict_do_update(index_elements=[_g.scope, _g.actor], set_=changed)


_GRANT = ByDialect(lambda upsert: _put(upsert(grants)))


def record(
    database: Database,
    connection: Connection,
    scope: Scope,
    action: str,
    at: datetime | None,
    **detail: object,
) -> str:
    """Write an act of the current actor into the scope's chain; return the digest, "" without a log.

    `at` None is the present by this machine's clock.
    `detail` holds counts (0 is left out), fixed words, and lists of ids (long lists are left out, tuples are not).
    """
    if not database.audited:
        return ""
    acting, moment = ACTING.get(), datetime.now(timezone.utc) if at is None else at
    kept = {name: value for name, value in detail.items() if value and not _is_long(value)}
    said = json.dumps(kept, sort_keys=True)
    row: dict[str, object] = {"scope": scope.key, "at": moment, "actor": acting.actor if acting else None}
    row |= {"action": action, "detail": said}
    while True:
        asked = partial(_head_of, scope.key)
        head = next(iter(sound_up_to(connection, "audit entry", _HEAD_COLUMNS, asked, 1)), None)
        row |= {"seq": head.seq + 1 if head else 1, "previous": _digest_of(head)}
        digest = _digest(database.secret, scope.key, {**row, "at": to_microseconds(moment)})
        if _LINK[connection.dialect.name].rows(connection, {**row, "digest": digest}):
            return digest


def _head_of(key: str, most: int) -> tuple[Plain, dict[str, object]]:
    return _HEAD, {"of": key, "most": most}


def _digest_of(head: Any) -> str:  # noqa: ANN401 - a row
    return head.digest if head and isinstance(head.digest, str) else _BEFORE_THE_FIRST


def _is_long(value: object) -> bool:
    return isinstance(value, list) and len(cast("list[str]", value)) > _NAMED_IDS


def _digest(secret: bytes, key: str, row: Mapping[str, Any]) -> str:
    """Hash a row in one canonical form, the same on every database; `at` is in microseconds."""
    parts = (key, row["seq"], row["at"], row["actor"], row["action"], row["detail"], row["previous"])
    said = b"memoryos audit " + json.dumps(parts, default=repr).encode()  # a column may hold bytes by now
    return (hmac.new(secret, said, "sha256") if secret else hashlib.sha256(said)).hexdigest()


def _rows(connection: Connection, key: str) -> Iterator[Mapping[str, Any]]:
    """Every link of a chain, in order, read a thousand at a time."""
    start = _LEAST_SEQ
    while rows := connection.execute(_FROM, {"of": key, "start": start}).all():
        yield from map(_row_to_dict, rows)
        start = rows[-1].seq + 1


def check(
    connection: Connection, secret: bytes, key: str, head: str | None = None, noted: Mapping[int, str] | None = None
) -> AuditReport:
    """Follow a chain to its end, or to its first altered or missing link; `noted` are digests of entries by number."""
    seq, previous, seen, known = 0, _BEFORE_THE_FIRST, head is None, noted or {}
    for row in _rows(connection, key):
        if row["seq"] != seq + 1:
            why = f"entry {seq + 1} is missing or one was inserted here"
        elif not hmac.compare_digest(str(row["digest"]).encode(), _digest(secret, key, row).encode()):
            why = f"entry {seq + 1} was changed, or another key signed it"
        elif row["previous"] != previous:
            why = f"entry {seq + 1} does not follow the one before it"
        elif known.get(seq + 1, row["digest"]) != row["digest"]:
            why = f"entry {seq + 1} is another one than was noted elsewhere: the log was written anew"
        else:
            seq, previous = seq + 1, row["digest"]
            seen = seen or previous == head
            continue
        return AuditReport(scope=key, entries=seq, head=previous, broken=seq + 1, why=why)
    if not seen or max(known, default=0) > seq:
        told = "the given head is not in the chain" if not seen else f"entry {max(known)} was noted elsewhere"
        return AuditReport(scope=key, entries=seq, head=previous, broken=seq + 1, why=f"{told}: its end was cut off")
    return AuditReport(key, seq, previous)


class Ledger:
    """The verbs of the store about grants and the audit log."""

    _database: Database

    def roles(self, scope: Scope, actor: str, at: datetime) -> dict[str, AccessRole]:
        """Return the roles that hold at a moment: the actor's own, by its name, and those of all teams, by theirs."""
        with self._database.reading(scope) as connection:
            rows = connection.execute(_ROLES, {"of": scope.key, "who": actor, "now": at}).all()
        return {name: role for name, role in rows}  # noqa: C416 - rows, not pairs

    def grant(self, scope: Scope, actor: str, role: AccessRole, at: datetime, *, until: datetime | None = None) -> None:
        """Give an actor a role; the scope begins to exist."""
        with self._database.writing(scope) as connection:
            claim(connection, scope, 0)
            row = {"scope": scope.key, "actor": actor, "role": role, "granted_at": at, "until": until}
            connection.execute(_GRANT[connection.dialect.name], row)
            ends = until.isoformat() if until else None
            record(self._database, connection, scope, "grant", at, actor=actor, role=role, until=ends)

    def revoke(self, scope: Scope, actor: str, at: datetime) -> bool:
        """Take an actor's role away; return True when it had one."""
        with self._database.writing(scope) as connection:
            had = connection.execute(_REVOKE, {"of": scope.key, "who": actor}).rowcount > 0
            if had:
                record(self._database, connection, scope, "revoke", at, actor=actor)
            return had

    def grants(self, scope: Scope) -> tuple[Grant, ...]:
        """Every actor with a role in the scope, by name."""
        with self._database.reading(scope) as connection:
            rows = sound(connection, "grant", _GRANT_COLUMNS, _GRANTS, {"of": scope.key})
            return tuple(sorted((Grant(*row) for row in rows), key=lambda grant: grant.actor))

    def deny(self, scope: Scope, verb: str, at: datetime) -> None:
        """Note that the acting actor was refused a verb."""
        with self._database.writing(scope) as connection:
            record(self._database, connection, scope, "denied", at, verb=verb)

    def log_read(self, scope: Scope, verb: str, items: int, at: datetime) -> None:
        """Note that the acting actor is about to be given so many things by a verb."""
        if self._database.audited:
            with self._database.writing(scope) as connection:
                record(self._database, connection, scope, "read", at, verb=verb, items=items)

    def record_recall(self, scope: Scope, recall: Recall, at: datetime) -> None:
        """Note that the acting actor recalled something: ids and counts, never the question."""
        ids = list(dict.fromkeys(hit.id for hit in recall.hits))
        counts = {"hits": len(ids), "tokens": recall.tokens, "budget_tokens": recall.budget_tokens}
        with self._database.writing(scope) as connection:
            record(self._database, connection, scope, "recall", at, **counts, ids=tuple(ids[:_RECALLED_IDS]))

    def newest_audit(
        self,
        scope: Scope,
        actions: Sequence[str] = (),
        *,
        actor: str | None = None,
        naming: str | None = None,
        since: datetime | None = None,
        limit: int = 500,
    ) -> tuple[AuditEntry, ...]:
        """The newest entries first, among the newest ten thousand."""
        wanted = _NEWEST.where(_a.action.in_(actions)) if actions else _NEWEST
        wanted = wanted if actor is None else wanted.where(_a.actor == actor)
        wanted = wanted if since is None else wanted.where(_a.at >= since)
        if naming is not None:  # ids stand in the detail as JSON writes them
            wanted = wanted.where(type_coerce(_a.detail, Text).contains(json.dumps(naming), autoescape=True))
        with self._database.reading(scope) as connection:
            return tuple(map(_entry, connection.execute(wanted, {"of": scope.key, "most": limit})))

    def audit(
        self, scope: Scope, *, after: int = 0, since: datetime | None = None, limit: int = 500
    ) -> tuple[AuditEntry, ...]:
        """Entries of the scope's chain, oldest first."""
        values = {"of": scope.key, "after": after, "most": limit}
        with self._database.reading(scope) as connection:
            wanted = (
                connection.execute(_AFTER, values)
                if since is None
                else connection.execute(_SINCE, {**values, "since": since})
            )
            return tuple(map(_entry, wanted))

    def verify_audit(
        self, scope: Scope, head: str | None = None, noted: Mapping[int, str] | None = None
    ) -> AuditReport:
        """Check the scope's chain."""
        with self._database.reading(scope) as connection:
            return check(connection, self._database.secret, scope.key, head, noted)

    def verify_audits(self, noted: Mapping[str, Mapping[int, str]] | None = None) -> Iterator[AuditReport]:
        """Check every chain, each in its own read transaction, and that those of `noted` are there."""
        known, key = dict(noted or {}), ""
        while True:
            with self._database.reading(None) as connection:
                found = connection.scalar(_NEXT_CHAIN, {"of": key})
                if found is None:
                    break
                report = check(connection, self._database.secret, found, noted=known.pop(found, None))
            key = report.scope
            yield report
        for key in sorted(known):
            with self._database.reading(None) as connection:
                yield check(connection, self._database.secret, key, noted=known[key])

    def audit_heads(self) -> Iterator[AuditHead]:
        """Return the last entry of every chain, without a check."""
        key = ""
        while True:
            with self._database.reading(None) as connection:
                found = connection.scalar(_NEXT_CHAIN, {"of": key})
                if found is None:
                    return
                (last,) = _HEAD.rows(connection, {"of": found, "most": 1})
            key = found
            yield AuditHead(key, last.seq, str(last.digest))


def _row_to_dict(row: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(_NAMES, row, strict=True))


def _entry(row: Sequence[Any]) -> AuditEntry:
    named = _row_to_dict(row)
    try:
        return AuditEntry(**{**named, "detail": json.loads(named["detail"])})
    except (TypeError, ValueError):
        raise StoreCorruptError(_CHANGED) from None


def record_append(database: Database, connection: Connection, append: Append, pages: Sequence[Page]) -> None:
    """Record that pages were written, or that the last one was extended."""
    told = {"ended": len(append.ends), "restarts": int(append.restarts), "notes": len(append.notes)}
    ids = [page.id for page in pages]
    counts = {name: count for name, count in told.items() if count}
    record(database, connection, append.scope, "append", append.at, pages=len(pages), ids=ids, **counts)


def paged_out(database: Database, connection: Connection, move: PageOut) -> None:
    """Record that a batch left short-term memory."""
    counts = {"pages": len(move.moves), "segments": len(move.segments), "facts": len(move.learning.facts)}
    counts["regrouped"] = len(move.regrouping.moves)
    record(database, connection, move.scope, "page_out", move.at, **counts)


def record_redescription(database: Database, connection: Connection, redescription: Redescription) -> None:
    """Record that the segments or chains of pages were described anew."""
    counts = {"pages": len(redescription.page_ids), "segments": len(redescription.segments)}
    record(database, connection, redescription.scope, "redescribe", None, **counts)


def record_promotion(database: Database, connection: Connection, promotion: Promotion) -> None:
    """Record what was learnt: remembered or corrected by a caller, or read from pages."""
    learning = promotion.learning
    counts = {
        "facts": len(learning.facts),
        "changes": len(learning.changes),
        "traits": len(learning.traits),
        "profile_fields": len(learning.profile),
        "notes": len(learning.notes),
        "quarantined": sum(fact.status == "quarantined" for fact in learning.facts),
        "pages": len(promotion.page_ids),
    }
    told = not promotion.page_ids and promotion.segment_id is None
    action = ("correct" if promotion.current else "remember") if told else "promote"
    action = "release" if promotion.quarantined else action
    ids = [*(fact.id for fact in learning.facts), *promotion.current, *promotion.quarantined] if told else []
    record(database, connection, promotion.scope, action, promotion.at, **counts, ids=ids)


def record_eviction(database: Database, connection: Connection, eviction: Eviction, segments: int) -> None:
    """Record that this number of segments left mid-term memory."""
    if segments:
        how = "archive" if eviction.archive else "evict"
        record(database, connection, eviction.scope, how, eviction.at, segments=segments)


def forgotten(
    database: Database, connection: Connection, forgetting: Forgetting, receipt: ForgetReceipt
) -> ForgetReceipt:
    """Record an erasure; return the receipt with the digest of its audit entry."""
    if receipt == ForgetReceipt():
        return receipt
    kept = ("at", "audit")
    counts: dict[str, object] = {f.name: getattr(receipt, f.name) for f in fields(receipt) if f.name not in kept}
    whole = {"everything": int(forgetting.everything), "session": int(forgetting.session_id is not None)}
    digest = record(database, connection, forgetting.scope, "forget", forgetting.at, **counts, **whole)
    return replace(receipt, audit=(digest,) if digest else ())


def record_restore(database: Database, connection: Connection, scope: Scope, report: RestoreReport) -> None:
    """Record that exported records were restored."""
    counts: dict[str, object] = {f.name: getattr(report, f.name) for f in fields(report) if f.name != "remarks"}
    if any(counts.values()):
        record(database, connection, scope, "restore", None, **counts)
