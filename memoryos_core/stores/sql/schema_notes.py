"""The table of what an application keeps beside what was said (ADR 0007)."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, PrimaryKeyConstraint, Table

from memoryos_core.stores.sql.columns import Floats, Instant, Verbatim
from memoryos_core.stores.sql.schema import in_column, in_scope, metadata, partial_index

# What an application keeps under names of its own. `namespace` is written so that labels before others are text before
# text (see notes.py); `vector` is that of `text`; a note goes with the fact of `fact_id`.
notes = Table(
    "memoryos_notes",
    metadata,
    in_column(),
    Column("namespace", Verbatim, nullable=False),
    Column("key", Verbatim, nullable=False),
    Column("value", Verbatim("notes.value"), nullable=False),
    Column("text", Verbatim("notes.text"), nullable=False),
    Column("vector", Floats),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    Column("rev", BigInteger, nullable=False),
    Column("fact_id", Verbatim),
    PrimaryKeyConstraint("scope", "namespace", "key"),
    in_scope(),
)

Index("memoryos_notes_rev", notes.c.scope, notes.c.rev)
partial_index("memoryos_notes_fact", notes.c.scope, notes.c.fact_id, where=notes.c.fact_id.is_not(None))
