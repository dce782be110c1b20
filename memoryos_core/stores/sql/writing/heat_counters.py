"""Counters of heat: written by visits, and read without loading whole segments."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, case, select, update

from memoryos_core.stores.sql.columns import Instant
from memoryos_core.stores.sql.damage import sound
from memoryos_core.stores.sql.scopes import advance
from memoryos_core.stores.sql.tables import facts, segments
from memoryos_core.stores.sql.writing.pages import batches
from memoryos_core.values.commands import Visit
from memoryos_core.values.dialogue import HeatCounters, Scope

_s = segments.c
_at = bindparam("at", type_=Instant())
_VISIT = (
    update(segments)
    .where(_s.scope == bindparam("of"), _s.id == bindparam("segment"))
    .values(
        n_visit=_s.n_visit + 1,
        last_access=case((_s.last_access > _at, _s.last_access), else_=_at),
    )
)
_VISIT_FACT = (
    update(facts)
    .where(facts.c.scope == bindparam("of"), facts.c.id == bindparam("fact"))
    .values(visits=facts.c.visits + 1)
)
_COUNTERS = (_s.id, _s.n_visit, _s.l_interaction, _s.last_access)


def visit(connection: Connection, visit: Visit) -> None:
    """Count a visit. No rev changes, since caches do not hold these counters."""
    if advance(connection, visit.scope, 0) is None:
        return
    key = visit.scope.key
    if visit.segment_ids:
        connection.execute(
            _VISIT, [{"of": key, "segment": i, "at": visit.at} for i in dict.fromkeys(visit.segment_ids)]
        )
    if visit.fact_ids:
        connection.execute(_VISIT_FACT, [{"of": key, "fact": i} for i in dict.fromkeys(visit.fact_ids)])


def counters(connection: Connection, scope: Scope, ids: Sequence[str]) -> dict[str, HeatCounters]:
    """The counters of segments by id, archived ones too; unknown ids are left out."""
    found: dict[str, HeatCounters] = {}
    for some in batches(ids):
        wanted = select(*_COUNTERS).where(_s.scope == scope.key, _s.id.in_(some))
        for row in sound(connection, "segment", _COUNTERS, wanted):
            found[row.id] = HeatCounters(row.n_visit, row.l_interaction, row.last_access)
    return found
