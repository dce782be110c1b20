"""What one kind of database must say of itself, and our errors that a driver's may become."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine
from sqlalchemy.engine import URL

from memoryos_core.errors import StoreBusyError, StoreCorruptError, StoreError, StoreUnwritableError
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.encryption_keys import Keys

Failure = tuple[type[StoreError], str]
"""Which of our errors a driver's error is, and what to tell the caller."""

BUSY: Failure = (StoreBusyError, "another process or thread holds the database's lock; try again")
UNWRITABLE: Failure = (
    StoreUnwritableError,
    "the database cannot be opened or written; check that its folder exists, that it may be written to, "
    "and that the disk has room",
)
CORRUPT: Failure = (
    StoreCorruptError,
    "the file is not a database, or it is damaged; it was left as it is: restore it from a backup or name another",
)

POOL_SIZE = 16
POOL_OVERFLOW = 48


class Sight(NamedTuple):
    """State of a database file, read from its header; its log may hold newer pages.

    `mark` is its application id, random unless the application has chosen one. Its pages become fewer only by a vacuum,
    which counts as a change of schema; they are 0 when they are not known, or in a file that shrinks by itself.
    """

    mark: int
    schema: int
    pages: int

    def follows(self, before: Sight) -> bool:
        """Return True when this is the same memory, and not an older copy of it."""
        known = (before.schema, before.pages if self.pages else 0)
        return self.mark == before.mark and (self.schema, self.pages) >= known


@dataclass(frozen=True)
class Flavour:
    """How one database is opened, locked and understood."""

    engine: Callable[[URL, float], Engine]
    reads: Mapping[str, Any]
    writes: Mapping[str, Any]
    failure: Callable[[BaseException | None], Failure | None]
    prepare: Callable[[Engine, float], None]
    lock_schema: Callable[[Connection], None]
    scrub: Callable[[Engine, float], None]
    confine: Callable[[Connection, Scope | None], None]
    one_writer: bool
    rekey: Callable[[Engine, Keys, float], None] | None = None
    """Gives a whole file another key; None where there is no such thing."""
    peek: Callable[[Path], Sight | None] | None = None
    """Looks into a file past its log; None for one that cannot be read. No such thing where there is no file."""


def nothing(*_: object) -> None:
    """Do nothing: the default for databases that need no such step."""
