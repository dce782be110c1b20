"""The interface of one kind of database, and the errors that replace a driver's errors."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, Dialect
from sqlalchemy.util import LRUCache

from memoryos_core.errors import StoreBusyError, StoreCorruptError, StoreError, StoreUnwritableError
from memoryos_core.stores.sql.sqlite_file import Cipher
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.encryption_keys import Keys

Failure = tuple[type[StoreError], str]
"""Our error for a driver's error, and its text."""

BUSY: Failure = (StoreBusyError, "another process or thread holds the database's lock; try again")
UNWRITABLE: Failure = (
    StoreUnwritableError,
    "the database cannot be opened or written; check that its folder exists, that it may be written to, "
    "and that the disk has room",
)
DISK: Failure = (
    StoreUnwritableError,
    "the disk failed while the database was read or written (an I/O error); what was accepted before is safe: look at "
    "the system's log, and try again once the disk works",
)
CORRUPT: Failure = (
    StoreCorruptError,
    "the file is not a database, or it is damaged; it was left as it is: restore it from a backup or name another",
)

POOL_SIZE = 16
POOL_OVERFLOW = 48
_STATEMENTS_KEPT = 500
_lent: dict[Hashable, tuple[Dialect, LRUCache[Any, Any]]] = {}


def engine_of(
    url: URL,
    *,
    server: Hashable = None,
    options: Mapping[str, Any] | None = None,
    connect: Callable[..., object] | None = None,
    **rest: Any,  # noqa: ANN401 - what SQLAlchemy takes
) -> Engine:
    """Create an engine with these execution options; the engines of one `server` share their compiled statements.

    To compile them anew takes more than half of the time in which a memory is opened, told a turn and asked. They
    belong to a dialect, and a dialect knows its server once it was connected: the first engine that was lends its own.
    Pass no `server` where the dialect is to carry something of one database, or has listeners. `connect` makes the
    connections of this engine; the dialect that is lent never has it, so another engine must have lent one before.
    """
    dialect, statements = _lent.get(server, (None, LRUCache[Any, Any](_STATEMENTS_KEPT)))
    options = {**(options or {}), "compiled_cache": statements}
    engine = create_engine(url, execution_options=options, hide_parameters=True, **rest)
    if connect is not None:
        event.listen(engine, "do_connect", connect)  # the pool asks the dialect that the engine is created with
    if server is None or (connect is not None and dialect is None):
        return engine  # a dialect that makes the connections of one file is never lent
    if dialect is not None:
        return Engine(engine.pool, dialect, url, hide_parameters=True, execution_options=options)

    def lend(_connection: object, _record: object) -> None:
        _lent.setdefault(server, (engine.dialect, statements))

    event.listen(engine, "connect", lend)  # after SQLAlchemy's own listener, which asks the server
    return engine


class Sight(NamedTuple):
    """State of a database file, read from its header; its log may hold newer pages.

    `mark` is its application id, random unless the application has chosen one. The number of pages shrinks only by a
    vacuum, which counts as a change of schema; it is 0 when unknown, or for a file with auto-vacuum.
    """

    mark: int
    schema: int
    pages: int

    def follows(self, before: Sight) -> bool:
        """Return True when this is the same memory, and not an older copy of it."""
        known = (before.schema, before.pages if self.pages else 0)
        return self.mark == before.mark and (self.schema, self.pages) >= known


def nothing(*_: object) -> None:
    """Do nothing: the default for databases that need no such step."""


@dataclass(frozen=True)
class Flavour:
    """The operations that differ between databases: opening, locking and errors."""

    engine: Callable[[URL, float], Engine]
    reads: Mapping[str, Any]
    writes: Mapping[str, Any]
    failure: Callable[[BaseException | None], Failure | None]
    prepare: Callable[[Engine, float], None]
    lock_schema: Callable[[Connection], None]
    scrub: Callable[[Engine, float], None]
    confine: Callable[[Connection, Scope | None], None]
    one_writer: bool
    examine: Callable[[Connection, bool], Mapping[str, Sequence[str]]]
    """Returns what the database says is wrong with it, by law; True asks for all of its file."""
    rekey: Callable[[Engine, Keys, float], None] | None = None
    """Gives an encrypted file another key; None for other databases."""
    peek: Callable[[Path], Sight | None] | None = None
    """Reads the header of a file past its log; None for an unreadable file. Only for databases in a file."""
    copy: Callable[[Engine, Path], None] | None = None
    """Copies the database as it is at one moment into a new file; None for a server."""
    cipher: Callable[[Path], Cipher | None] = nothing
    """Returns the cipher of a file under this database's key; None where files are not encrypted, or by another key."""
