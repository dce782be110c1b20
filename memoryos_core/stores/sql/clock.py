"""The time by the database's clock: the clocks of hosts that share a database may differ by hours."""

from __future__ import annotations

from sqlalchemy import BigInteger
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class now(FunctionElement[int]):  # noqa: N801 - reads like SQL's own
    """Start of the statement, in even microseconds: odd values were not written by a clock alone (see leases.py)."""

    inherit_cache = True
    type = BigInteger()


@compiles(now, "sqlite")
def _on_sqlite(_element: now, _compiler: SQLCompiler, **_: object) -> str:
    return "(CAST((julianday('now') - 2440587.5) * 43200000000.0 AS INTEGER) * 2)"


@compiles(now, "postgresql")
def _on_postgresql(_element: now, _compiler: SQLCompiler, **_: object) -> str:
    # Not clock_timestamp(): an index can only be used for a value that is constant in a statement.
    return "(CAST(extract(epoch FROM statement_timestamp()) * 500000 AS bigint) * 2)"
