"""The backlog of the whole store, for monitoring; no verb of a user waits for it."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Table,
    and_,
    case,
    distinct,
    func,
    or_,
    select,
    type_coerce,
)

from memoryos_core.stores.sql.damage import sound
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.scopes import now
from memoryos_core.stores.sql.tables import (
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
from memoryos_core.values.reports import Backlog, Stats

_longest = now() - type_coerce(func.min(scopes.c.due), BigInteger)
# Each query uses a partial index, which has one row per piece of waiting work.
_BACKLOG = select(
    select(func.count()).select_from(scopes).where(is_due).scalar_subquery(),
    select(func.count()).select_from(pages).where(unembedded).scalar_subquery(),
    select(func.count()).select_from(pages).where(to_reread, pages.c.tier != "archive").scalar_subquery(),
    select(_longest).where(is_due, scopes.c.due <= now()).scalar_subquery(),
)


class Measuring:
    """The verb of the Store port about the work that waits."""

    _database: Database

    def backlog(self) -> Backlog:
        """Return the counts of waiting scopes, unembedded pages and pages to reread, and the longest wait."""
        with self._database.reading(None) as connection:
            due, waiting, marked, microseconds = connection.execute(_BACKLOG).one()
        return Backlog(int(due), int(waiting), int(marked), max(0, microseconds or 0) / 1e6)


_p, _s, _f, _a = pages.c, segments.c, facts.c, persona.c
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
    (scopes, {"users": func.count(distinct(scopes.c.user_id))}),
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
