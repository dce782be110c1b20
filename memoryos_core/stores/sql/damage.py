"""Damaged rows: each is left out, logged once, and counted; the other rows are still read."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache, partial
from typing import Any, TypeAlias, get_args

import numpy as np
from sqlalchemy import Boolean, Column, Connection, Executable, Integer
from sqlalchemy.exc import OperationalError

from memoryos_core.ports.forks import Lock
from memoryos_core.stores.sql.columns import Floats, Instant, Messages, Words, read_leniently
from memoryos_core.stores.sql.sealing import current_scope
from memoryos_core.stores.sql.vector_column import Embedding
from memoryos_core.values.dialogue import FACT, Scope, Tier
from memoryos_core.values.facts import TRUSTS, About, FactStatus
from memoryos_core.values.queries import PARTS, SEQ_SHIFT

logger = logging.getLogger(__name__)

Columns: TypeAlias = tuple[Column[Any], ...]
_TALLY = "memoryos_damage"
_UNDECODABLE = "decode to UTF-8"
WORDS: Mapping[str, frozenset[str]] = {
    "tier": frozenset(get_args(Tier)),
    "trust": frozenset(TRUSTS),
    "status": frozenset(get_args(FactStatus)),
    "about": frozenset(get_args(About)),
    "part": PARTS | {FACT},
}
"""The values of columns that hold one of a few words, by the name of the column."""
# Indexes number the passages of a page, in 64 bits.
_MOST = 2 ** (62 - SEQ_SHIFT)
_TYPES: tuple[tuple[Any, type], ...] = (
    *((Messages, tuple), (Words, tuple), (Instant, datetime), (Floats, np.ndarray), (Embedding, np.ndarray)),
    *((Boolean, bool), (Integer, int)),
)


class Tally:
    """The damaged rows that this process has met in one database, each once. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._met: set[tuple[str, str, str]] = set()

    def note(self, scope_key: str, kind: str, row_id: str) -> None:
        """Count a row, and warn when it is met for the first time."""
        with self._lock:
            new = (scope_key, kind, row_id) not in self._met
            self._met.add((scope_key, kind, row_id))
        if new:
            logger.warning(
                "a damaged %s was left out (id %s, scope %s): restore it from a backup, or forget it",
                *(kind, row_id, scope_key),
            )

    def ids(self, scope_key: str, kind: str) -> frozenset[str]:
        """Return which rows of a kind were met in one scope."""
        with self._lock:
            return frozenset(row_id for key, of, row_id in self._met if (key, of) == (scope_key, kind))

    def kinds(self, scope_key: str) -> dict[str, tuple[str, ...]]:
        """Return the ids of the rows that were met in one scope, sorted, under each kind."""
        with self._lock:
            met = sorted((kind, row_id) for key, kind, row_id in self._met if key == scope_key)
        return {kind: tuple(row_id for of, row_id in met if of == kind) for kind, _ in met}

    def clear(self, scope_key: str) -> None:
        """Forget the rows of one scope, before all of it is read again."""
        with self._lock:
            self._met = {row for row in self._met if row[0] != scope_key}

    def count(self, scope: Scope | None) -> int:
        """Return how many rows were met, in one scope or in all."""
        with self._lock:
            return sum(scope is None or key == scope.key for key, _, _ in self._met)


def watch(database_carry: Callable[[str, object], None]) -> Tally:
    """Make the tally of a database and have its dialect carry it."""
    tally = Tally()
    database_carry(_TALLY, tally)
    return tally


def sound(
    connection: Connection,
    kind: str,
    columns: Columns,
    statement: Executable,
    values: Mapping[str, object] | None = None,
    *,
    named: int = 0,
) -> list[Any]:
    """Return the rows of a statement whose first columns, `columns`, hold valid values.

    `named` is the place of the column that names a row: its id.
    """
    return _split(connection, kind, columns, statement, values, named)[0]


def sound_up_to(
    connection: Connection,
    kind: str,
    columns: Columns,
    asked: Callable[[int], tuple[Executable, Mapping[str, object] | None]],
    limit: int,
    *,
    named: int = 0,
) -> list[Any]:
    """Return the requested number of sound rows, if there are enough; `asked` builds the statement for a limit."""
    left_out = 0
    while True:
        rows, damaged = _split(connection, kind, columns, *asked(limit + left_out), named)
        if damaged <= left_out:
            return rows[:limit]
        left_out = damaged


def leave_out(connection: Connection, kind: str, row_id: object) -> None:
    """Count a row that is left out, and name it."""
    tally: Tally = getattr(connection.dialect, _TALLY)
    tally.note(current_scope(), kind, str(row_id) if isinstance(row_id, str | int) else "unreadable")


def left_out(connection: Connection, kind: str) -> frozenset[str]:
    """Return the ids of the rows of this scope that were left out so far."""
    tally: Tally = getattr(connection.dialect, _TALLY)
    return tally.ids(current_scope(), kind)


def _split(
    connection: Connection,
    kind: str,
    columns: Columns,
    statement: Executable,
    values: Mapping[str, object] | None,
    named: int,
) -> tuple[list[Any], int]:
    found = read_leniently(partial(_fetch_rows, connection, statement, values))
    types, words, numbers = _row_shape(columns)
    rows: list[Any] = []
    for row in found:
        if (
            all(map(isinstance, row, types))
            and all(row[place] in allowed for place, allowed in words)
            and all(-_MOST < (row[place] or 0) < _MOST for place in numbers)
        ):
            rows.append(row)
        else:
            leave_out(connection, kind, row[named])
    return rows, len(found) - len(rows)


def _fetch_rows(connection: Connection, statement: Executable, values: Mapping[str, object] | None) -> Sequence[Any]:
    try:
        return connection.execute(statement, values).all()
    except OperationalError as error:
        if _UNDECODABLE not in str(error.orig):
            raise
    with _bytes_kept(connection):
        return connection.execute(statement, values).all()


@contextmanager
def _bytes_kept(connection: Connection) -> Generator[None, None, None]:
    """Make SQLite's driver return invalid UTF-8 as bytes; otherwise it fails for all rows."""
    driver: Any = connection.connection.dbapi_connection
    before, driver.text_factory = driver.text_factory, _text
    try:
        yield
    finally:
        driver.text_factory = before


def _text(written: bytes) -> str | bytes:
    try:
        return written.decode()
    except UnicodeDecodeError:
        return written


@lru_cache(maxsize=64)
def _row_shape(columns: Columns) -> tuple[tuple[Any, ...], tuple[tuple[int, frozenset[str]], ...], tuple[int, ...]]:
    """Return the types that the values of a row have, and the places of those that are one of a few words, or count."""
    types = tuple(_type_of(column) for column in columns)
    words = tuple((place, WORDS[column.name]) for place, column in enumerate(columns) if column.name in WORDS)
    numbers = tuple(place for place, column in enumerate(columns) if isinstance(column.type, Integer))
    return types, words, numbers


def _type_of(column: Column[Any]) -> Any:  # noqa: ANN401 - what isinstance takes
    of_values = next((python for kind, python in _TYPES if isinstance(column.type, kind)), str)
    return (of_values, type(None)) if column.nullable else of_values
