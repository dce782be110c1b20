"""Tables that a database ranks words by, where it does (PostgreSQL): every number in them belongs to one scope.

A unit is half a page or a fact, by a number of its own. A term is the keyed hash of a word, never the word.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, PrimaryKeyConstraint, String, Table

from memoryos_core.stores.sql.columns import Verbatim
from memoryos_core.stores.sql.schema import in_column, in_scope, metadata

units = Table(
    "memoryos_units",
    metadata,
    in_column(),
    # Twice the page's seq, and one more for the assistant's half; of a fact the negative of its seq.
    Column("unit", BigInteger, nullable=False),
    Column("owner_id", Verbatim, nullable=False),
    Column("part", String(16), nullable=False),
    # In words that count: what BM25 calls the length of a document.
    Column("length", Integer, nullable=False),
    # None for a fact.
    Column("session_id", Verbatim),
    # Halves of a session stand one apart, without gaps, and far from those of any other; a fact stands alone.
    Column("place", BigInteger),
    Column("speaker", Verbatim("units.speaker")),
    PrimaryKeyConstraint("scope", "unit"),
    in_scope(),
)

postings = Table(
    "memoryos_postings",
    metadata,
    in_column(),
    Column("term", BigInteger, nullable=False),
    Column("unit", BigInteger, nullable=False),
    Column("count", Integer, nullable=False),
    PrimaryKeyConstraint("scope", "term", "unit"),
    # That the scope is there is checked once for the unit, and not for each of its words.
)

Index("memoryos_units_place", units.c.scope, units.c.session_id, units.c.place)
Index("memoryos_units_owner", units.c.scope, units.c.owner_id)
Index("memoryos_postings_unit", postings.c.scope, postings.c.unit)
