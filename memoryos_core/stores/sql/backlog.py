"""Counts: the backlog of the whole store, for monitoring, and the pages and facts of a scope in parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Integer,
    Select,
    Table,
    and_,
    bindparam,
    case,
    distinct,
    extract,
    func,
    or_,
    select,
    type_coerce,
)

from memoryos_core.stores.sql.columns import moment_of
from memoryos_core.stores.sql.damage import WORDS, sound
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.scopes import now
from memoryos_core.stores.sql.tables import (
    citations,
    facts,
    in_short_term,
    is_due,
    pages,
    persona,
    scopes,
    segments,
    to_reread,
    unembedded,
)
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.queries import FactList
from memoryos_core.values.reports import Backlog, FactCount, MonthCount, SessionSpan, Stats

# What failed is due again within minutes, a session that waits to have been silent for long enough within hours.
_SOON = 3_600_000_000
_longest = now() - type_coerce(func.min(scopes.c.due), BigInteger)
# Each query uses a partial index, which has one row per piece of waiting work.
_BACKLOG = select(
    select(func.count()).select_from(scopes).where(is_due, scopes.c.due <= now() + _SOON).scalar_subquery(),
    select(func.count()).select_from(pages).where(unembedded).scalar_subquery(),
    select(func.count()).select_from(pages).where(to_reread, pages.c.tier != "archive").scalar_subquery(),
    select(_longest).where(is_due, scopes.c.due <= now()).scalar_subquery(),
)


class Measuring:
    """The verbs of the Store port about the work that waits, and about pages and facts in parts."""

    _database: Database

    def sample_scopes(self, most: int) -> tuple[Scope, ...]:
        """Return up to so many scopes, whichever come first."""
        with self._database.reading(None) as connection:
            return tuple(Scope(user_id, assistant_id) for user_id, assistant_id in connection.execute(_ALL.limit(most)))

    def months(self, scope: Scope, segment_ids: Sequence[str] | None = None) -> tuple[MonthCount, ...]:
        """Count the pages of each month and tier, or of each month and named segment."""
        statements = _TIER_MONTHS if segment_ids is None else _SEGMENT_MONTHS
        values: dict[str, object] = {"of": scope.key}
        if segment_ids is not None:
            values["segments"] = list(segment_ids)
        with self._database.reading(scope) as connection:
            rows = connection.execute(statements[connection.dialect.name], values).mappings().all()
        kind = "tier" if segment_ids is None else "segment_id"
        return tuple(
            MonthCount(
                int(row["year"]), int(row["month"]), row["pages"], moment_of(row["until"]), **{kind: row["kind"]}
            )
            for row in rows
            if row["year"] is not None and _are_times(row["until"])  # a damaged time is of no month
        )

    def session_spans(
        self, scope: Scope, ids: Sequence[str] | None = None, *, limit: int, offset: int = 0
    ) -> tuple[SessionSpan, ...]:
        """Return sessions with the number and the dates of their pages, the one with the newest page first."""
        wanted = _SPANS if ids is None else _SPANS.where(_p.session_id.in_(ids))
        with self._database.reading(scope) as connection:
            rows = connection.execute(wanted, {"of": scope.key, "most": limit, "skip": offset}).all()
        return tuple(
            SessionSpan(name, pages, moment_of(since), moment_of(until))
            for name, pages, since, until in rows
            if _are_times(since, until)
        )

    def page_ids(
        self, scope: Scope, *, session_id: str | None = None, segment_id: str | None = None, limit: int, offset: int = 0
    ) -> tuple[str, ...]:
        """Return ids of pages of a session or a segment, oldest first."""
        wanted = _IDS if session_id is None else _IDS.where(_p.session_id == session_id)
        wanted = wanted if segment_id is None else wanted.where(_p.segment_id == segment_id)
        with self._database.reading(scope) as connection:
            return tuple(connection.scalars(wanted, {"of": scope.key, "most": limit, "skip": offset}))

    def fact_counts(self, scope: Scope) -> tuple[FactCount, ...]:
        """Count the facts of each status about each side."""
        with self._database.reading(scope) as connection:
            rows = connection.execute(_FACT_COUNTS, {"of": scope.key}).all()
        known = WORDS["status"], WORDS["about"]
        return tuple(FactCount(*row) for row in rows if row[0] in known[0] and row[1] in known[1])

    def fact_ids(self, wanted: FactList) -> tuple[str, ...]:
        """Return ids of facts, newest first."""
        rows = _FACT_IDS.where(_f.status.in_(wanted.statuses))
        rows = rows if wanted.about is None else rows.where(_f.about == wanted.about)
        values: dict[str, object] = {"of": wanted.scope.key, "most": wanted.limit, "skip": wanted.offset}
        with self._database.reading(wanted.scope) as connection:
            if wanted.page_ids is not None:
                rows = rows.where(_f.id.in_(_CITING.where(_c.page_id.in_(wanted.page_ids))))
            return tuple(connection.scalars(rows, values))

    def backlog(self) -> Backlog:
        """Return the counts of waiting scopes, unembedded pages and pages to reread, and the longest wait."""
        with self._database.reading(None) as connection:
            due, waiting, marked, microseconds = connection.execute(_BACKLOG).one()
        return Backlog(int(due), int(waiting), int(marked), max(0, microseconds or 0) / 1e6)


_p, _s, _f, _a, _c = pages.c, segments.c, facts.c, persona.c, citations.c
# The years 1 to 9999, in microseconds.
_FIRST, _END = -62_135_596_800_000_000, 253_402_300_800_000_000
_written = type_coerce(_p.timestamp, BigInteger)
_MOMENTS: dict[str, ColumnElement[Any]] = {
    "sqlite": func.datetime(_written / 1_000_000, "unixepoch"),
    "postgresql": func.timezone("UTC", func.to_timestamp(_written / 1_000_000.0)),
}


def _are_times(*values: object) -> bool:
    return all(isinstance(value, int) and _FIRST <= value < _END for value in values)


def _by_month(moment: ColumnElement[Any], group: ColumnElement[Any], *which: ColumnElement[bool]) -> Select[Any]:
    parts = extract("year", moment).label("year"), extract("month", moment).label("month")
    sums = func.count().label("pages"), func.max(_written).label("until")
    counted = cast("Select[Any]", select(*parts, group.label("kind"), *sums)).where(_p.scope == bindparam("of"), *which)
    return counted.group_by("year", "month", "kind").order_by("year", "month", "kind")


_named = _p.segment_id.in_(bindparam("segments", expanding=True))
_TIER_MONTHS = {name: _by_month(moment, _p.tier) for name, moment in _MOMENTS.items()}
_SEGMENT_MONTHS = {name: _by_month(moment, _p.segment_id, _named) for name, moment in _MOMENTS.items()}
_first, _last = func.min(_written), func.max(_written)
_SPANS = (
    select(_p.session_id, func.count(), _first, _last)
    .where(_p.scope == bindparam("of"))
    .group_by(_p.session_id)
    .order_by(_last.desc(), _p.session_id.desc())
    .limit(bindparam("most", type_=Integer))
    .offset(bindparam("skip", type_=Integer))
)
_IDS = (
    select(_p.id)
    .where(_p.scope == bindparam("of"))
    .order_by(_p.seq)
    .limit(bindparam("most", type_=Integer))
    .offset(bindparam("skip", type_=Integer))
)
_FACT_COUNTS = (
    select(_f.status, _f.about, func.count())
    .where(_f.scope == bindparam("of"))
    .group_by(_f.status, _f.about)
    .order_by(_f.status, _f.about)
)
_CITING = select(_c.item_id).where(_c.scope == bindparam("of"), _c.kind == "fact")
_FACT_IDS = (
    select(_f.id)
    .where(_f.scope == bindparam("of"))
    .order_by(_f.seq.desc())
    .limit(bindparam("most", type_=Integer))
    .offset(bindparam("skip", type_=Integer))
)
_ALL = select(scopes.c.user_id, scopes.c.assistant_id).order_by(scopes.c.user_id, scopes.c.assistant_id)
# Three separate queries, each with its own partial index.
_PENDING = _ALL.where(
    or_(
        scopes.c.scope.in_(select(_p.scope).where(in_short_term)),
        scopes.c.scope.in_(select(_p.scope).where(unembedded)),
        scopes.c.scope.in_(select(_p.scope).where(to_reread, _p.tier != "archive")),
    )
)


def _how_many(*conditions: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((and_(*conditions), 1), else_=0))


_COUNTS: tuple[tuple[Table, dict[str, ColumnElement[int]]], ...] = (
    (scopes, {"users": func.count(distinct(func.nullif(scopes.c.user_id, "")))}),
    (
        pages,
        {
            "sessions": func.count(distinct(_p.scope.concat(_p.session_id))),
            "pages_short_term": _how_many(_p.tier == "short_term"),
            "pages_mid_term": _how_many(_p.tier == "mid_term"),
            "pages_archived": _how_many(_p.tier == "archive"),
            "pages_to_reread": _how_many(_p.reread, _p.tier != "archive"),
        },
    ),
    (segments, {"segments": _how_many(~_s.archived), "segments_archived": _how_many(_s.archived)}),
    (
        facts,
        {
            "facts_user": _how_many(_f.status == "current", _f.about == "user"),
            "facts_assistant": _how_many(_f.status == "current", _f.about == "assistant"),
            "facts_quarantined": _how_many(_f.status == "quarantined"),
        },
    ),
    (
        persona,
        {
            "traits": _how_many(_a.kind == "trait", _a.valid_until.is_(None)),
            "profile_fields": _how_many(_a.kind == "profile", _a.valid_until.is_(None)),
        },
    ),
)


def read_scopes(connection: Connection, *, pending_only: bool) -> tuple[Scope, ...]:
    """Every scope, or those with short-term, unembedded or marked pages."""
    rows = sound(connection, "scope", (scopes.c.user_id, scopes.c.assistant_id), _PENDING if pending_only else _ALL)
    return tuple(Scope(user_id, assistant_id) for user_id, assistant_id in rows)


def stats(connection: Connection, scope: Scope | None) -> Stats:
    """Counts for one scope, or for the store."""
    counted: dict[str, int] = {}
    for table, columns in _COUNTS:
        wanted = select(*(column.label(name) for name, column in columns.items())).select_from(table)
        found = connection.execute(wanted if scope is None else wanted.where(table.c.scope == scope.key))
        counted.update((name, int(value or 0)) for name, value in found.mappings().one().items())
    return Stats(**counted)
