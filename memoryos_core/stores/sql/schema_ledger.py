"""Tables of who may do what with a scope, and of what was done in it."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, PrimaryKeyConstraint, String, Table

from memoryos_core.stores.sql.columns import Instant, Verbatim
from memoryos_core.stores.sql.schema import in_column, in_scope, metadata

grants = Table(
    "memoryos_grants",
    metadata,
    in_column(),
    Column("actor", Verbatim, nullable=False),
    Column("role", String(16), nullable=False),
    Column("granted_at", Instant, nullable=False),
    PrimaryKeyConstraint("scope", "actor"),
    in_scope(),
)

# Not tied to the scope's row: that everything was forgotten is known after it was. No content, only acts and counts.
audit = Table(
    "memoryos_audit",
    metadata,
    in_column(),
    Column("seq", BigInteger, nullable=False),
    Column("at", Instant, nullable=False),
    Column("actor", Verbatim),
    Column("action", String(32), nullable=False),
    Column("detail", Verbatim, nullable=False),
    Column("previous", String(64), nullable=False),
    Column("digest", String(64), nullable=False),
    PrimaryKeyConstraint("scope", "seq"),
)
