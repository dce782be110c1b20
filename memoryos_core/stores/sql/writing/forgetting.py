"""Forgetting and eviction, with all derived data.

Deletion of pages and facts with their dependent rows, for forgetting and eviction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Column, Connection, Table, bindparam, delete, func, select, update

from memoryos_core.stores.sql import postings as posting
from memoryos_core.stores.sql.damage import sound
from memoryos_core.stores.sql.scopes import advance
from memoryos_core.stores.sql.tables import (
    audit,
    chains,
    facts,
    grants,
    metadata,
    notes,
    pages,
    segments,
    taken,
    tombstones,
    unembedded,
    units,
)
from memoryos_core.stores.sql.tables import persona as persona_rows
from memoryos_core.stores.sql.tables import vectors as vector_rows
from memoryos_core.stores.sql.tombstones import bury, bury_all, items_of, note_items
from memoryos_core.stores.sql.writing import facts as citations
from memoryos_core.stores.sql.writing import facts as persona
from memoryos_core.stores.sql.writing import vectors
from memoryos_core.stores.sql.writing.chunks import prune_chunks
from memoryos_core.stores.sql.writing.pages import batches, stored_ids
from memoryos_core.stores.sql.writing.retention import close_empty
from memoryos_core.values.commands import Eviction, Forgetting
from memoryos_core.values.dialogue import Scope, Vector
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
        bury_all(connection, scope, forgetting.at)
        return _forget_everything(connection, scope)
    page_ids = stored_ids(connection, scope, forgetting.page_ids)
    if forgetting.session_id is not None:
        session = select(_p.id).where(_p.scope == scope.key, _p.session_id == forgetting.session_id)
        page_ids.update(row.id for row in sound(connection, "page", (_p.id,), session))
    fact_ids = stored_ids(connection, scope, forgetting.fact_ids, table=facts)
    if not page_ids and not fact_ids:
        return ForgetReceipt()
    return _forget(connection, forgetting, page_ids, fact_ids)


def _forget(connection: Connection, forgetting: Forgetting, page_ids: set[str], fact_ids: set[str]) -> ForgetReceipt:
    scope = forgetting.scope
    numbers = advance(connection, scope, 1, new_epoch=True, work=True)
    orphans = citations.drop_pages(connection, scope, sorted(page_ids))
    going = fact_ids | orphans["fact"]
    prune_chunks(connection, scope, page_ids, going)
    buried = items_of("page", page_ids) + items_of("fact", going) + note_items(connection, scope, fact_ids=going)
    bury(connection, scope, buried, forgetting.at)
    gone = erase_pages(connection, scope, sorted(page_ids))
    gone_facts, fact_vectors, gone_notes = erase_facts(connection, scope, going)
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
        # These stay after forgetting everything: they hold acts, counts and digests, no remembered text.
        if "scope" in table.c and table not in (audit, tombstones):
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
        prune_chunks(connection, scope, members, ())
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


_p, _s, _f, _v = pages.c, segments.c, facts.c, vector_rows.c
_LINK: tuple[Column[Any], ...] = (_f.id, _f.superseded_by)
_PLACES: tuple[Column[Any], ...] = (_p.id, _p.tier, _p.segment_id, _p.chain_id)
_ONE_FACT = update(facts).where(_f.scope == bindparam("of"), _f.id == bindparam("fact"))
_RELINK = _ONE_FACT.values(superseded_by=bindparam("heir"))
_BLANK_SEGMENT = (
    update(segments)
    .where(_s.scope == bindparam("of"), _s.id == bindparam("segment"))
    .values(summary="", keywords=(), centroid=bindparam("centroid"), rev=bindparam("rev_"))
)


@dataclass(slots=True)
class Gone:
    """Counts of the rows erased with some pages, and the segments and chains that held those pages."""

    tiers: Counter[str] = field(default_factory=Counter[str])
    vectors: int = 0
    taken: int = 0
    segments: set[str] = field(default_factory=set[str])
    chains: set[str] = field(default_factory=set[str])


def erase_pages(connection: Connection, scope: Scope, page_ids: Sequence[str]) -> Gone:
    """Delete pages with their vectors and message digests. Delete their citations first."""
    gone = Gone(
        vectors=vectors.erase(connection, scope, page_ids),
        taken=_delete(connection, taken, scope, page_ids, column=taken.c.page_id),
    )
    for some in batches(page_ids):
        these = (_p.scope == scope.key, _p.id.in_(some))
        for _, tier, segment, chain in sound(connection, "page", _PLACES, select(*_PLACES).where(*these)):
            gone.tiers[tier] += 1
            gone.segments.update([segment] if segment else ())
            gone.chains.update([chain] if chain else ())
        connection.execute(delete(pages).where(*these))
    posting.drop(connection, scope, page_ids)
    return gone


def erase_facts(connection: Connection, scope: Scope, fact_ids: Iterable[str]) -> tuple[int, int, int]:
    """Delete facts with their notes; return how many facts, vectors and notes went.

    Facts that they had superseded stay superseded: forgetting an address does not bring back the one before it.
    """
    going = set(fact_ids)
    if not going:
        return 0, 0, 0
    successor = _links(connection, scope, _f.id, going)
    for fact_id, replaced_by in _links(connection, scope, _f.superseded_by, going).items():
        if fact_id not in going:
            heir = _heir(replaced_by, successor, going)
            connection.execute(_RELINK, {"of": scope.key, "fact": fact_id, "heir": heir})
    posting.drop(connection, scope, going)
    citations.drop_items(connection, scope, "fact", going)
    gone_vectors = vectors.erase(connection, scope, going)
    gone_notes = _delete(connection, notes, scope, going, column=notes.c.fact_id)
    return _delete(connection, facts, scope, going), gone_vectors, gone_notes


def _links(connection: Connection, scope: Scope, column: Column[str], ids: Iterable[str]) -> dict[str, str]:
    """Return the replacement of each fact for which its id, or its replacement, is one of these."""
    found: dict[str, str] = {}
    for some in batches(ids):
        # Filter replaced facts here: in the query, SQLite would scan all replaced facts.
        wanted = select(*_LINK).where(_f.scope == scope.key, column.in_(some))
        rows = sound(connection, "fact", _LINK, wanted)
        found.update((row.id, row.superseded_by) for row in rows if row.superseded_by is not None)
    return found


def _heir(fact_id: str, successor: dict[str, str], going: set[str]) -> str | None:
    """Return the first replacement in the chain that is not erased."""
    seen: set[str] = set()
    heir: str | None = fact_id
    while heir is not None and heir in going and heir not in seen:
        seen.add(heir)
        heir = successor.get(heir)
    return None if heir in seen else heir


def drop_empty(connection: Connection, table: Table, scope: Scope, ids: Iterable[str]) -> set[str]:
    """Delete those of these segments, or chains, that have no page left; return their ids."""
    column = _p.chain_id if table is chains else _p.segment_id
    empty = set(ids)
    for some in batches(empty):
        wanted = select(column).where(_p.scope == scope.key, column.in_(some)).distinct()
        empty.difference_update(connection.scalars(wanted))
    _delete(connection, table, scope, empty)
    return empty


def blank_segments(connection: Connection, scope: Scope, ids: Iterable[str], rev: int) -> None:
    """Clear the descriptions of segments with forgotten pages, and mark the other pages for rereading."""
    for segment in sorted(ids):
        centroid = _centroid(connection, scope, segment)
        connection.execute(_BLANK_SEGMENT, {"of": scope.key, "segment": segment, "centroid": centroid, "rev_": rev})
    _mark(connection, scope, ids, _p.segment_id.key)


def blank_chains(connection: Connection, scope: Scope, ids: Iterable[str]) -> None:
    """Clear the summaries of chains likewise."""
    for some in batches(ids):
        these = (chains.c.scope == scope.key, chains.c.id.in_(some))
        connection.execute(update(chains).where(*these).values(summary=""))
    _mark(connection, scope, ids, _p.chain_id.key)


def _mark(connection: Connection, scope: Scope, ids: Iterable[str], column: str) -> None:
    for some in batches(ids):
        # Do not mark archived pages: their segment has left mid-term memory.
        these = (_p.scope == scope.key, _p[column].in_(some), _p.tier == "mid_term")
        connection.execute(update(pages).where(*these).values(reread=True))


def _delete(
    connection: Connection, table: Table, scope: Scope, ids: Iterable[str], *, column: Column[str] | None = None
) -> int:
    named = table.c.id if column is None else column
    return sum(
        connection.execute(delete(table).where(table.c.scope == scope.key, named.in_(some))).rowcount
        for some in batches(ids)
    )


def _centroid(connection: Connection, scope: Scope, segment: str) -> Vector:
    """Return the mean direction of the remaining pages; a zero vector of the same length when none has a vector.

    It is empty while some pages wait for their vectors, as after a change of embedder; it is then computed again.
    """
    in_segment = (_p.scope == scope.key, _p.segment_id == segment)
    wanted = (
        select(*vectors.VECTOR_COLUMNS)
        .join(pages, (_p.scope == _v.scope) & (_p.id == _v.owner_id))
        .where(_v.scope == scope.key, *in_segment)
        .order_by(_p.seq, _v.part)
    )
    found = vectors.vectors_of(connection, (wanted, None))
    if not found:
        one = select(_s.centroid).where(_s.scope == scope.key, _s.id == segment)
        return np.zeros_like(connection.execute(one).scalar_one())
    if connection.scalar(select(_p.id).where(*in_segment, unembedded).limit(1)) is not None:
        return np.zeros(0, dtype=np.float32)
    pages_mean = [_unit(np.sum([_unit(part) for part in parts.values()], axis=0)) for parts in found.values()]
    mean: Vector = np.mean(pages_mean, axis=0).astype(np.float32)
    return mean


def _unit(vector: NDArray[np.floating]) -> NDArray[np.float64]:
    wide = np.asarray(vector, dtype=np.float64)
    norm = float(np.linalg.norm(wide))
    return wide / norm if norm > 0 else wide
