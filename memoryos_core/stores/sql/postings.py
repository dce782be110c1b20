"""Units and their postings, by which a database ranks words; updated in the transaction that writes their pages.

Only PostgreSQL ranks. There, a writer that was opened without an `Analyse` cannot say what is searched of a page: it
leaves a mark, and the next question analyses the scope again.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from sqlalchemy import BigInteger, Connection, Integer, String, TextClause, bindparam, text
from sqlalchemy.types import TypeEngine

from memoryos_core.ports.capabilities import Analyse
from memoryos_core.stores.sql.tables import units
from memoryos_core.values.dialogue import FACT, Page, Scope
from memoryos_core.values.facts import Fact
from memoryos_core.values.queries import SEQ_SHIFT, Analysed, passage_number

OPTION = "memoryos_analyst"
"""The execution option of a writing connection that holds its `Analyst`."""

UNREAD = 0
"""The number of the unit that says "this scope must be analysed again"; no page or fact has it."""

_ROOM_BITS = 24
"""Each session has room for 2 to this power passages among the places of its scope."""


@dataclass(frozen=True, slots=True)
class Analyst:
    """The analyser of pages and facts, and the key of their word hashes."""

    analyse: Analyse
    secret: Callable[[], bytes]

    def hashes(self, scope: Scope, words: Iterable[str]) -> list[int]:
        """Return the keyed 64-bit hashes of words: they differ between scopes and need the key to be guessed."""
        key = _key(self.secret(), scope.key)
        return [int.from_bytes(_digest(key, word), "big", signed=True) for word in words]


@lru_cache(maxsize=1024)
def _key(secret: bytes, scope_key: str) -> bytes:
    return hashlib.sha256(secret + scope_key.encode()).digest()


def _digest(key: bytes, word: str) -> bytes:
    return hashlib.blake2b(word.encode(errors="surrogatepass"), digest_size=8, key=key).digest()


@dataclass(slots=True)
class _Columns:
    """The rows of one statement, column by column."""

    unit: list[int] = field(default_factory=list[int])
    owner: list[str] = field(default_factory=list[str])
    part: list[str] = field(default_factory=list[str])
    length: list[int] = field(default_factory=list[int])
    session: list[str | None] = field(default_factory=list[str | None])
    speaker: list[str | None] = field(default_factory=list[str | None])
    of_unit: list[int] = field(default_factory=list[int])
    term: list[int] = field(default_factory=list[int])
    count: list[int] = field(default_factory=list[int])

    def take(self, number: int, owner: str, session: str | None, said: Analysed, terms: Sequence[int]) -> None:
        self.unit.append(number)
        self.owner.append(owner)
        self.part.append(said.part)
        self.length.append(len(said.terms))
        self.session.append(session)
        self.speaker.append(said.speaker)
        for term, count in Counter(terms).items():
            self.of_unit.append(number)
            self.term.append(term)
            self.count.append(count)

    def values(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__slots__}


def _arrays(statement: str, **types: TypeEngine[Any]) -> TextClause:
    from sqlalchemy.dialects.postgresql import ARRAY  # noqa: PLC0415 - only PostgreSQL needs it

    return text(statement).bindparams(*(bindparam(name, type_=ARRAY(kind)) for name, kind in types.items()))


@cache
def _put_units() -> TextClause:
    # Places of a session are consecutive; a new session starts at a place given by the seq of its first page.
    # A fact has such a range of its own, so it has no neighbours.
    return _arrays(
        f"""
        WITH given AS (
            SELECT *, row_number() OVER (PARTITION BY session_id ORDER BY unit) - 1 AS step,
                min(unit) OVER (PARTITION BY session_id) AS first
            FROM unnest(:unit, :owner, :part, :length, :session, :speaker)
                AS given (unit, owner_id, part, length, session_id, speaker)
        ), ends AS (
            SELECT g.session_id, (
                SELECT u.place FROM memoryos_units u
                WHERE u.scope = :of AND u.session_id = g.session_id ORDER BY u.place DESC LIMIT 1
            ) AS place FROM given g WHERE g.step = 0 AND g.session_id IS NOT NULL
        ), placed AS (
            INSERT INTO memoryos_units (scope, unit, owner_id, part, length, session_id, place, speaker)
            SELECT :of, g.unit, g.owner_id, g.part, g.length, g.session_id,
                CASE WHEN g.session_id IS NULL THEN g.unit << {_ROOM_BITS}
                ELSE coalesce(e.place + 1, g.first >> {SEQ_SHIFT} << {_ROOM_BITS}) + g.step END,
                g.speaker
            FROM given g LEFT JOIN ends e ON e.session_id = g.session_id
        )
        INSERT INTO memoryos_postings (scope, term, unit, count)
        SELECT :of, term, unit, count FROM unnest(:term, :of_unit, :count) AS posted (term, unit, count)
        """,  # noqa: S608 - a number of our own
        unit=BigInteger(),
        owner=units.c.owner_id.type,
        part=String(),
        length=Integer(),
        session=units.c.session_id.type,
        speaker=units.c.speaker.type,
        term=BigInteger(),
        of_unit=BigInteger(),
        count=Integer(),
    )


@cache
def _drop_units() -> TextClause:
    return _arrays(
        """
        WITH gone AS (
            DELETE FROM memoryos_units WHERE scope = :of AND owner_id = ANY(:owners) RETURNING unit, session_id
        ), posted AS (
            DELETE FROM memoryos_postings WHERE scope = :of AND unit IN (SELECT unit FROM gone)
        )
        SELECT DISTINCT session_id FROM gone WHERE session_id IS NOT NULL
        """,
        owners=units.c.owner_id.type,
    )


@cache
def _close_gaps() -> TextClause:
    # The remaining units move up or down, whichever changes fewer rows: usually the oldest pages are evicted.
    return _arrays(
        """
        WITH held AS (
            SELECT unit, place, session_id, row_number() OVER one - 1 AS step, min(place) OVER every AS first,
                max(place) OVER every - count(*) OVER every + 1 AS last
            FROM memoryos_units WHERE scope = :of AND session_id = ANY(:sessions)
            WINDOW one AS (PARTITION BY session_id ORDER BY unit), every AS (PARTITION BY session_id)
        ), anchors AS (
            SELECT session_id, CASE WHEN count(*) FILTER (WHERE place <> first + step)
                <= count(*) FILTER (WHERE place <> last + step) THEN min(first) ELSE min(last) END AS place
            FROM held GROUP BY session_id
        )
        UPDATE memoryos_units u SET place = a.place + h.step
        FROM held h JOIN anchors a USING (session_id)
        WHERE u.scope = :of AND u.unit = h.unit AND h.place <> a.place + h.step
        """,
        sessions=units.c.session_id.type,
    )


_MARK = text(
    "INSERT INTO memoryos_units (scope, unit, owner_id, part, length) VALUES (:of, :unit, '', '', 0) "
    "ON CONFLICT DO NOTHING"
)
_EMPTY = tuple(
    text(f"DELETE FROM memoryos_{table} WHERE scope = :of")  # noqa: S608 - two names of our own
    for table in ("postings", "units")
)


def ranks(connection: Connection) -> bool:
    """Return True when this database ranks."""
    return connection.dialect.name == "postgresql"


def put_pages(connection: Connection, scope: Scope, pages: Iterable[Page]) -> None:
    """Add new pages, each the last of its session."""
    if ranks(connection):
        _put(connection, scope, list(pages))


def put_facts(connection: Connection, scope: Scope, facts: Iterable[Fact]) -> None:
    """Add facts; only current facts become units. What a unit of rules finds is the page it stands in."""
    if ranks(connection):
        _put(connection, scope, [fact for fact in facts if fact.status == "current"])


def _put(connection: Connection, scope: Scope, items: Sequence[Page | Fact]) -> None:
    analyst: Analyst | None = connection.get_execution_options().get(OPTION)
    if analyst is None:
        if items:
            connection.execute(_MARK, {"of": scope.key, "unit": UNREAD})
        return
    rows = _Columns()
    for item in items:
        session = item.session_id if isinstance(item, Page) else None
        for said in analyst.analyse(item):
            number = -item.seq if said.part == FACT else passage_number(item.seq, said.part)
            rows.take(number, item.id, session, said, analyst.hashes(scope, said.terms))
    if rows.unit:
        connection.execute(_put_units(), {"of": scope.key, **rows.values()})


def drop(connection: Connection, scope: Scope, owner_ids: Iterable[str], *, last: bool = False) -> None:
    """Delete the units of pages and facts. Units in `last` are at the end of their session and leave no gap."""
    owners = list(owner_ids)
    if not owners or not ranks(connection):
        return
    sessions = list(connection.scalars(_drop_units(), {"of": scope.key, "owners": owners}))
    if sessions and not last:
        connection.execute(_close_gaps(), {"of": scope.key, "sessions": sessions})


def clear(connection: Connection, scope: Scope) -> None:
    """Delete all units of a scope, and its mark."""
    for statement in _EMPTY:
        connection.execute(statement, {"of": scope.key})
