"""How much work waits in the whole store: asked by whoever watches it, never on the way of a caller."""

from __future__ import annotations

from sqlalchemy import BigInteger, func, select, type_coerce

from memoryos_core.reports import Backlog
from memoryos_core.stores.sql.clock import now
from memoryos_core.stores.sql.database import Database
from memoryos_core.stores.sql.schema import is_due, pages, scopes, to_reread, unembedded

_longest = now() - type_coerce(func.min(scopes.c.due), BigInteger)
# Each is answered from a partial index, which holds no more rows than there is work.
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
        """How many scopes wait for a worker, pages for their vectors or a second reading, and how long already."""
        with self._database.reading(None) as connection:
            due, waiting, marked, microseconds = connection.execute(_BACKLOG).one()
        return Backlog(int(due), int(waiting), int(marked), max(0, microseconds or 0) / 1e6)
