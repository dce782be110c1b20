"""The Store port on a SQL database: each verb is one transaction around the statements of its own file."""

from __future__ import annotations

from memoryos_core.models import Page, Scope
from memoryos_core.moves import Append, PageQuery, Pending
from memoryos_core.stores.sql import pages
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.opening import bring_up_to_date


class SqlStore:
    """Opens, and if need be creates, the schema at a SQLAlchemy URL. Thread-safe; many processes may share a file."""

    def __init__(self, url: str, *, busy_timeout_seconds: float = 30.0) -> None:
        self._database = Database(url, busy_timeout_seconds)
        try:
            bring_up_to_date(self._database)
        except BaseException:
            self._database.close()
            raise

    def append(self, append: Append) -> tuple[Page, ...]:
        """Put new pages in short-term memory, durably; returns them as stored, in order."""
        with self._database.writing() as connection:
            return pages.append(connection, append)

    def pages(self, query: PageQuery) -> tuple[Page, ...]:
        """Read pages."""
        with self._database.reading() as connection:
            return pages.read(connection, query)

    def pending(self, scope: Scope) -> tuple[Pending, ...]:
        """What short-term memory holds, session by session, oldest first."""
        with self._database.reading() as connection:
            return pages.pending(connection, scope)

    def close(self) -> None:
        """Release connections."""
        self._database.close()
