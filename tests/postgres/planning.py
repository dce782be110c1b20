"""What the server would do for each statement that is sent in a transaction which names a scope."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from sqlalchemy import Connection, Engine, event

_PLANNED = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")


@dataclass(frozen=True)
class Planned:
    """A statement and each node of its plan."""

    statement: str
    nodes: tuple[dict[str, Any], ...]


def nodes_of(plan: Any) -> Iterator[dict[str, Any]]:
    """A plan's nodes, whatever lies between them."""
    if isinstance(plan, dict):
        if "Node Type" in plan:
            yield plan
        plan = list(plan.values())
    if isinstance(plan, list):
        for part in plan:
            yield from nodes_of(part)


@contextmanager
def planned() -> Iterator[list[Planned]]:
    """Fills the list while the block runs; statements across scopes are left out."""
    found: list[Planned] = []

    def explain(
        connection: Connection, _cursor: object, statement: str, parameters: Any, _context: object, many: bool
    ) -> None:
        words = statement.split()
        if connection.dialect.name != "postgresql" or words[0] not in _PLANNED or "memoryos_" not in statement:
            return
        driver: Any = connection.connection.dbapi_connection
        (scope,) = driver.execute("SELECT current_setting('memoryos.scope', true)").fetchone()
        for one in (parameters if many else (parameters,)) if scope != "*" else ():
            # With the values in place, as a server plans it that has not seen the statement often.
            explained = psycopg.ClientCursor(driver).execute(f"EXPLAIN (FORMAT JSON) {statement}", one).fetchone()
            found.append(Planned(statement, tuple(nodes_of(explained[0]))))  # type: ignore[index]

    event.listen(Engine, "before_cursor_execute", explain)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", explain)
