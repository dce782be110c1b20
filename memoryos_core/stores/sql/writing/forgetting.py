"""Forgetting and eviction, with all derived data."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import Column, Connection, bindparam, delete, func, select, update

from memoryos_core.stores.sql.damage import sound
from memoryos_core.stores.sql.scopes import advance
from memoryos_core.stores.sql.tables import audit, chains, facts, grants, metadata, notes, pages, segments, taken, units
from memoryos_core.stores.sql.tables import persona as persona_rows
from memoryos_core.stores.sql.tables import vectors as vector_rows
from memoryos_core.stores.sql.writing import citations, persona
from memoryos_core.stores.sql.writing.erasing import blank_chains, blank_segments, drop_empty, erase_facts, erase_pages
from memoryos_core.stores.sql.writing.pages import batches, stored_ids
from memoryos_core.stores.sql.writing.retention import close_empty
from memoryos_core.values.commands import Eviction, Forgetting
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.reports import ForgetReceipt

_p, _s = pages.c, segments.c
_ARCHIVE_SEGMENT = (
    update(segments)
    .where(_s.scope == bindparam("of"), _s.id == bindparam("segment"))
    .values(archived=True, rev=bindparam("rev_"))
)
_ARCHIVE_PAGE = (
    update(pages)
    .where(_p.scope == bindparam("of"), _p.id == bindparam("page"))
    .values(tier="archive", rev=bindparam("rev_"))
)


def forget(connection: Connection, forgetting: Forgetting) -> ForgetReceipt:
    """Erase pages, facts or everything; return exact counts."""
    if advance(connection, forgetting.scope, 0) is None:
        return ForgetReceipt()
    receipt = _forgotten(connection, forgetting)
    return receipt if receipt == ForgetReceipt() else replace(receipt, at=forgetting.at)


def _forgotten(connection: Connection, forgetting: Forgetting) -> ForgetReceipt:
    scope = forgetting.scope
    if forgetting.everything:
        return _forget_everything(connection, scope)
    page_ids = stored_ids(connection, scope, forgetting.page_ids)
    if forgetting.session_id is not None:
        session = select(_p.id).where(_p.scope == scope.key, _p.session_id == forgetting.session_id)
        page_ids.update(row.id for row in sound(connection, "page", (_p.id,), session))
    fact_ids = stored_ids(connection, scope, forgetting.fact_ids, table=facts)
    if not page_ids and not fact_ids:
        return ForgetReceipt()
    return _forget(connection, scope, page_ids, fact_ids)


def _forget(connection: Connection, scope: Scope, page_ids: set[str], fact_ids: set[str]) -> ForgetReceipt:
    numbers = advance(connection, scope, 1, new_epoch=True, work=True)
    orphans = citations.drop_pages(connection, scope, sorted(page_ids))
    gone = erase_pages(connection, scope, sorted(page_ids))
    gone_facts, fact_vectors, gone_notes = erase_facts(connection, scope, fact_ids | orphans["fact"])
    gone_persona = persona.drop(connection, scope, orphans["persona"])
    gone_segments = drop_empty(connection, segments, scope, gone.segments)
    gone_chains = drop_empty(connection, chains, scope, gone.chains)
    close_empty(connection, scope, gone.segments - gone_segments)
    blank_segments(connection, scope, gone.segments - gone_segments, numbers.last if numbers else 0)
    blank_chains(connection, scope, gone.chains - gone_chains)
    return ForgetReceipt(
        pages_short_term=gone.tiers["short_term"],
        pages_mid_term=gone.tiers["mid_term"],
        pages_archived=gone.tiers["archive"],
        segments=len(gone_segments),
        chains=len(gone_chains),
        facts=gone_facts,
        traits=gone_persona["trait"],
        profile_fields=gone_persona["profile"],
        vectors=gone.vectors + fact_vectors,
        notes=gone_notes,
        taken=gone.taken,
    )


def _forget_everything(connection: Connection, scope: Scope) -> ForgetReceipt:
    tiers = _count_by(connection, _p.tier, scope)
    kept = _count_by(connection, persona_rows.c.kind, scope)
    gone: dict[str, int] = {}
    for table in reversed(metadata.sorted_tables):
        # The audit log stays after forgetting everything: it holds acts and counts, no remembered text.
        if "scope" in table.c and table is not audit:
            gone[table.name] = connection.execute(delete(table).where(table.c.scope == scope.key)).rowcount
    return ForgetReceipt(
        pages_short_term=tiers.get("short_term", 0),
        pages_mid_term=tiers.get("mid_term", 0),
        pages_archived=tiers.get("archive", 0),
        segments=gone[segments.name],
        chains=gone[chains.name],
        facts=gone[facts.name],
        traits=kept.get("trait", 0),
        profile_fields=kept.get("profile", 0),
        vectors=gone[vector_rows.name],
        notes=gone[notes.name],
        grants=gone[grants.name],
        taken=gone[taken.name],
        units=gone[units.name],
    )


def _count_by(connection: Connection, column: Column[str], scope: Scope) -> dict[str, int]:
    """Return the number of rows in the scope for each value of the column."""
    home = column.table.c.scope
    wanted = select(column, func.count()).where(home == scope.key).group_by(column)
    rows = sound(connection, column.name, (column,), wanted)
    return {row[0]: row[1] for row in rows}


def evict(connection: Connection, eviction: Eviction) -> int:
    """Archive or delete segments with their pages; return their number. Others than mid-term ones are skipped."""
    scope = eviction.scope
    if advance(connection, scope, 0, holder=eviction.holder) is None:
        return 0
    leaving: list[str] = []
    members: list[str] = []
    for some in batches(eviction.segment_ids):
        wanted = select(_s.id).where(_s.scope == scope.key, _s.id.in_(some), ~_s.archived)
        found = [row.id for row in sound(connection, "segment", (_s.id,), wanted.order_by(_s.seq))]
        leaving.extend(found)
        in_them = select(_p.id).where(_p.scope == scope.key, _p.segment_id.in_(found)).order_by(_p.seq)
        members.extend(row.id for row in sound(connection, "page", (_p.id,), in_them))
    if not leaving:
        return 0
    if eviction.archive:
        _archive(connection, scope, leaving, members)
    else:
        advance(connection, scope, 1, new_epoch=True)
        citations.drop_pages(connection, scope, members)
        gone = erase_pages(connection, scope, members)
        drop_empty(connection, segments, scope, leaving)
        drop_empty(connection, chains, scope, gone.chains)
    return len(leaving)


def _archive(connection: Connection, scope: Scope, segment_ids: list[str], page_ids: list[str]) -> None:
    numbers = advance(connection, scope, len(segment_ids) + len(page_ids))
    if numbers is None:
        return
    revs = iter(range(numbers.first, numbers.last + 1))
    connection.execute(_ARCHIVE_SEGMENT, [{"of": scope.key, "segment": i, "rev_": next(revs)} for i in segment_ids])
    if page_ids:
        connection.execute(_ARCHIVE_PAGE, [{"of": scope.key, "page": i, "rev_": next(revs)} for i in page_ids])
