"""What the audit log says of each move: counts and ids, never a word of what moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

from sqlalchemy import Connection

from memoryos_core.models import Page, Scope
from memoryos_core.moves import Append, Eviction, Forgetting, PageOut, Promotion, Redescription
from memoryos_core.reports import ForgetReceipt, RestoreReport
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.ledger import record


def appended(database: Database, connection: Connection, append: Append, pages: Sequence[Page]) -> None:
    """Pages were written, or the last one went on."""
    told = {"ended": len(append.ends), "restarts": int(append.restarts), "notes": len(append.notes)}
    ids = [page.id for page in pages]
    counts = {name: count for name, count in told.items() if count}
    record(database, connection, append.scope, "append", append.at, pages=len(pages), ids=ids, **counts)


def paged_out(database: Database, connection: Connection, move: PageOut) -> None:
    """A batch left short-term memory."""
    counts = {"pages": len(move.moves), "segments": len(move.segments)}
    record(database, connection, move.scope, "page_out", move.at, **counts)


def redescribed(database: Database, connection: Connection, redescription: Redescription) -> None:
    """What pages are in was described anew."""
    counts = {"pages": len(redescription.page_ids), "segments": len(redescription.segments)}
    record(database, connection, redescription.scope, "redescribe", None, **counts)


def promoted(database: Database, connection: Connection, promotion: Promotion) -> None:
    """Something was learnt: told on purpose, put in the place of a fact on purpose, or read from pages."""
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


def evicted(database: Database, connection: Connection, eviction: Eviction, segments: int) -> None:
    """So many segments left mid-term memory."""
    if segments:
        how = "archive" if eviction.archive else "evict"
        record(database, connection, eviction.scope, how, eviction.at, segments=segments)


def forgotten(
    database: Database, connection: Connection, forgetting: Forgetting, receipt: ForgetReceipt
) -> ForgetReceipt:
    """Something was erased; the receipt comes back with the digest by which the log names it."""
    if receipt == ForgetReceipt():
        return receipt
    kept = ("at", "audit")
    counts: dict[str, object] = {f.name: getattr(receipt, f.name) for f in fields(receipt) if f.name not in kept}
    whole = {"everything": int(forgetting.everything), "session": int(forgetting.session_id is not None)}
    digest = record(database, connection, forgetting.scope, "forget", forgetting.at, **counts, **whole)
    return replace(receipt, audit=(digest,) if digest else ())


def restored(database: Database, connection: Connection, scope: Scope, report: RestoreReport) -> None:
    """Exported records came back in."""
    counts: dict[str, object] = {f.name: getattr(report, f.name) for f in fields(report) if f.name != "remarks"}
    if any(counts.values()):
        record(database, connection, scope, "restore", None, **counts)
