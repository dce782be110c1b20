"""The present by the database's own clock: hosts that share a database may disagree by hours, and it has one time."""

from __future__ import annotations

from sqlalchemy import BigInteger
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class now(FunctionElement[int]):  # noqa: N801 - reads like SQL's own
    """When the statement began, in even microseconds: what is odd was not written by a clock alone (see leasing)."""

    inherit_cache = True
    type = BigInteger()


@compiles(now, "sqlite")
def _on_sqlite(_element: now, _compiler: SQLCompiler, **_: object) -> str:
    return "(CAST((julianday('now') - 2440587.5) * 43200000000.0 AS INTEGER) * 2)"


@compiles(now, "postgresql")
def _on_postgresql(_element: now, _compiler: SQLCompiler, **_: object) -> str:
    # Not clock_timestamp(): an index answers only for what stays the same throughout a statement.
    return "(CAST(extract(epoch FROM statement_timestamp()) * 500000 AS bigint) * 2)"
