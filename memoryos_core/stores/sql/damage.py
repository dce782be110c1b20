"""Damaged rows: each is left out, logged once, and counted; the other rows are still read.

Statements that run on SQLite's driver itself.
"""

from __future__ import annotations

import logging
from collections import namedtuple
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from typing import Any, TypeAlias, cast, get_args

import numpy as np
from sqlalchemy import Boolean, Column, Connection, Engine, Executable, Integer
from sqlalchemy.engine import Dialect
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


def watch(engine: Engine) -> Tally:
    """Make the tally of a database and have its connections carry it."""
    tally = Tally()
    engine.update_execution_options(**{_TALLY: tally})
    return tally


class Plain:
    """A statement that is compiled once and runs on SQLite's driver itself, on other databases as any statement.

    SQLAlchemy's own execution takes as long as it takes to read some thirty rows. An INSERT has the columns that its
    first call names. On SQLite, a write runs within a writing transaction only.
    """

    def __init__(self, statement: Executable) -> None:
        self._statement = statement

    def rows(self, connection: Connection, values: Mapping[str, object] | None = None) -> Sequence[Any]:
        """Return the rows, each with its values under the names of their columns."""
        plan = self._plan(connection.dialect, values)
        if plan is None:
            return connection.execute(self._statement, values).all()
        text, given = plan.fill(values or {})
        return plan.read(_driver_of(connection, text, given).execute(text, given).fetchall())

    def write(self, connection: Connection, rows: Sequence[Mapping[str, object]]) -> None:
        """Run once for each row of values; none is returned."""
        plan = self._plan(connection.dialect, rows[0]) if rows else None
        if plan is None:
            if rows:
                connection.execute(self._statement, rows)
            return
        given = [plan.fill(row)[1] for row in rows]
        _driver_of(connection, plan.text, given[0]).executemany(plan.text, given)

    def _plan(self, dialect: Dialect, values: Mapping[str, object] | None) -> _Plan | None:
        if dialect.paramstyle != "qmark":
            return None
        # A plan refers to its dialect, so it is kept there.
        plans: dict[Plain, _Plan] = dialect.__dict__.setdefault("memoryos_plans", {})
        plan = plans.get(self)
        if plan is None:
            plan = plans[self] = _plan(self._statement, dialect, list(values or ()))
        return plan


def _driver_of(connection: Connection, text: str, given: Sequence[object]) -> Any:  # noqa: ANN401 - SQLite's or SQLCipher's
    """Return the driver's connection, within a transaction; the listeners of SQLAlchemy's statements are called."""
    # Those of the engine: nobody else has this connection, and to join both takes longer than the look itself.
    for look in cast("Any", connection.engine).dispatch.before_cursor_execute:
        look(connection, None, text, tuple(given), None, False)  # noqa: FBT003 - as SQLAlchemy calls a listener
    driver = cast("Any", connection.connection.dbapi_connection)
    if not driver.in_transaction:
        # Only a reading begins here; SQLAlchemy's own beginning takes longer than the statement.
        driver.execute(connection.get_execution_options().get("memoryos_begin", "BEGIN"))
    return driver


# The driver keeps a statement prepared for as long as it has the same text.
_IDS_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class _Plan:
    """A compiled statement: its text, its parameters in order with their values unless given, what reads its rows."""

    text: str
    names: tuple[str, ...]
    fixed: Mapping[str, Any]
    lists: frozenset[str]
    to_database: Mapping[str, Callable[[Any], Any]]
    from_database: tuple[tuple[int, Callable[[Any], Any]], ...]
    make: Callable[[Iterable[Any]], Any]

    def fill(self, values: Mapping[str, object]) -> tuple[str, list[Any]]:
        """Return the text with its parameters."""
        text, given = self.text, list[Any]()
        for name in self.names:
            value: Any = values[name] if name in values else self.fixed[name]
            write = self.to_database.get(name)
            if name not in self.lists:
                given.append(value if write is None else write(value))
                continue
            several = list(value) if write is None else list(map(write, value))
            several += several[-1:] * (-len(several) % _IDS_AT_ONCE)
            text = text.replace(_list_mark(name), ",".join("?" * len(several)))
            given += several
        return text, given

    def read(self, rows: Sequence[Sequence[Any]]) -> list[Any]:
        """Return the rows with the values that the columns stand for."""
        if not rows:
            return []
        columns: list[Iterable[Any]] = list(zip(*rows, strict=True))
        for place, convert in self.from_database:
            columns[place] = map(convert, columns[place])
        return list(map(self.make, zip(*columns, strict=True)))


def _row_type(names: list[str]) -> Any:  # noqa: ANN401 - a type that is made here
    return cast("Any", namedtuple)("Row", names, rename=True)


def _list_mark(name: str) -> str:
    return f"__[POSTCOMPILE_{name}]"


def _plan(statement: Executable, dialect: Dialect, given: list[str]) -> _Plan:
    """Compile a statement, an INSERT for the columns that are `given` values."""
    asked = cast("Any", statement)
    compiled = asked.compile(dialect=dialect, column_keys=given if asked.is_insert else None)
    columns: list[Any] = list(asked.exported_columns)
    readers = [column.type.dialect_impl(dialect).result_processor(dialect, None) for column in columns]
    binds = {name: bind for bind, name in compiled.bind_names.items()}
    writers = {name: bind.type.dialect_impl(dialect).bind_processor(dialect) for name, bind in binds.items()}
    return _Plan(
        text=str(compiled),
        names=tuple(compiled.positiontup),
        fixed={name: compiled.params[name] for name, bind in binds.items() if not bind.required},
        lists=frozenset(name for name, bind in binds.items() if bind.expanding),
        to_database={name: write for name, write in writers.items() if write is not None},
        from_database=tuple((place, read) for place, read in enumerate(readers) if read is not None),
        make=_row_type([str(column.key) for column in columns])._make,
    )


def sound(
    connection: Connection,
    kind: str,
    columns: Columns,
    statement: Executable | Plain,
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
    asked: Callable[[int], tuple[Executable | Plain, Mapping[str, object] | None]],
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
    tally: Tally = connection.get_execution_options()[_TALLY]
    tally.note(current_scope(), kind, str(row_id) if isinstance(row_id, str | int) else "unreadable")


def left_out(connection: Connection, kind: str) -> frozenset[str]:
    """Return the ids of the rows of this scope that were left out so far."""
    tally: Tally = connection.get_execution_options()[_TALLY]
    return tally.ids(current_scope(), kind)


def _split(
    connection: Connection,
    kind: str,
    columns: Columns,
    statement: Executable | Plain,
    values: Mapping[str, object] | None,
    named: int,
) -> tuple[list[Any], int]:
    found = read_leniently(partial(_fetch_rows, connection, statement, values))
    types, words, numbers = _row_shape(columns)
    if _are_sound(found, types, words, numbers):
        return list(found), 0
    rows: list[Any] = []
    for row in found:
        if all(map(isinstance, row, types)) and _is_in_range(row, words, numbers):
            rows.append(row)
        else:
            leave_out(connection, kind, row[named])
    return rows, len(found) - len(rows)


def _are_sound(
    rows: Sequence[Sequence[Any]],
    types: tuple[Any, ...],
    words: tuple[tuple[int, frozenset[str]], ...],
    numbers: tuple[int, ...],
) -> bool:
    """Return whether no row is damaged; looked at by column, since hardly one ever is."""
    columns = list(zip(*rows, strict=True))
    return (
        all(
            issubclass(kind, wanted)
            for column, wanted in zip(columns, types, strict=False)
            for kind in {*map(type, column)}
        )
        and all(allowed.issuperset(columns[place]) for place, allowed in words if columns)
        and all(-_MOST < (number or 0) < _MOST for place in numbers if columns for number in columns[place])
    )


def _is_in_range(row: Sequence[Any], words: tuple[tuple[int, frozenset[str]], ...], numbers: tuple[int, ...]) -> bool:
    for place, allowed in words:
        if row[place] not in allowed:
            return False
    return all([-_MOST < (row[place] or 0) < _MOST for place in numbers])  # noqa: C419 - a generator takes longer


def _fetch_rows(
    connection: Connection, statement: Executable | Plain, values: Mapping[str, object] | None
) -> Sequence[Any]:
    def fetch() -> Sequence[Any]:
        if isinstance(statement, Plain):
            return statement.rows(connection, values)
        return connection.execute(statement, values).all()

    try:
        return fetch()
    except (OperationalError, connection.dialect.loaded_dbapi.OperationalError) as error:
        if not is_undecodable(error):
            raise
    with _bytes_kept(connection):
        return fetch()


def is_undecodable(error: Exception) -> bool:
    """Return whether SQLite's driver refused a row because a text in it is not UTF-8, and not for any other reason."""
    return _UNDECODABLE in str(error.orig if isinstance(error, OperationalError) else error)


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
