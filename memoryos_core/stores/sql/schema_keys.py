"""The table of what a database's values are sealed with, itself sealed under the keys of its owner (ADR 0015)."""

from __future__ import annotations

from sqlalchemy import Column, Integer, PrimaryKeyConstraint, String, Table

from memoryos_core.stores.sql.columns import Verbatim
from memoryos_core.stores.sql.schema import metadata

keys = Table(
    "memoryos_keys",
    metadata,
    Column("id", Integer, nullable=False, autoincrement=False),
    # What the owner's key is stretched with, in hexadecimal digits.
    Column("salt", String(32), nullable=False),
    Column("wrapped", Verbatim, nullable=False),
    PrimaryKeyConstraint("id"),
)
