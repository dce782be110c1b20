"""The tables, once, for every database. Every row but the embedder's stamp belongs to one scope, and is found by it.

A change here needs a migration beside `0011_initial`; a test compares the two. The names carry a prefix so that a
memory may live in a database that an application already has.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ColumnElement,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
    Table,
    false,
    literal_column,
    true,
)

from memoryos_core.stores.sql.columns import Floats, Instant, Messages, Verbatim, Words
from memoryos_core.stores.sql.sealing import SealedBytes
from memoryos_core.stores.sql.vector_column import Embedding

metadata = MetaData()


def in_column() -> Column[str]:
    """Return the scope column, which every table but the embedder's stamp has."""
    return Column("scope", String(32), nullable=False)


def in_scope() -> ForeignKeyConstraint:
    """Return a foreign key to an existing scope."""
    return ForeignKeyConstraint(["scope"], ["memoryos_scopes.scope"])


scopes = Table(
    "memoryos_scopes",
    metadata,
    in_column(),
    Column("user_id", Verbatim, nullable=False),
    Column("assistant_id", Verbatim, nullable=False),
    # One counter orders every change of a scope: each changed page or fact gets a number of its own as its `rev`.
    Column("version", BigInteger, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("last_seq", BigInteger, nullable=False),
    Column("profile_version", BigInteger, nullable=False),
    # Since when the scope waits, and its lease holder with the end of the lease, by the database's clock (scopes.py).
    Column("due", Instant),
    Column("lease_holder", Verbatim),
    Column("lease_until", Instant),
    PrimaryKeyConstraint("scope"),
)

segments = Table(
    "memoryos_segments",
    metadata,
    in_column(),
    Column("id", Verbatim, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("summary", Verbatim("segments.summary"), nullable=False),
    Column("keywords", Words("segments.keywords"), nullable=False),
    Column("centroid", Floats, nullable=False),
    Column("n_visit", BigInteger, nullable=False),
    Column("l_interaction", BigInteger, nullable=False),
    Column("last_access", Instant),
    Column("archived", Boolean, nullable=False),
    Column("rev", BigInteger, nullable=False),
    PrimaryKeyConstraint("scope", "id"),
    in_scope(),
)

chains = Table(
    "memoryos_chains",
    metadata,
    in_column(),
    Column("id", Verbatim, nullable=False),
    Column("summary", Verbatim("chains.summary"), nullable=False),
    PrimaryKeyConstraint("scope", "id"),
    in_scope(),
)

pages = Table(
    "memoryos_pages",
    metadata,
    in_column(),
    Column("id", Verbatim, nullable=False),
    Column("session_id", Verbatim, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("messages", Messages("pages.messages"), nullable=False),
    Column("timestamp", Instant, nullable=False),
    Column("tier", String(16), nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("open", Boolean, nullable=False),
    Column("segment_id", Verbatim),
    Column("chain_id", Verbatim),
    Column("analysed", Boolean, nullable=False),
    Column("reread", Boolean, nullable=False),
    Column("ended", Boolean, nullable=False),
    Column("trust", String(16), nullable=False),
    Column("labels", Words, nullable=False),
    Column("embedded", Boolean, nullable=False),
    Column("rev", BigInteger, nullable=False),
    Column("written_at", Instant),
    PrimaryKeyConstraint("scope", "id"),
    in_scope(),
    ForeignKeyConstraint(["scope", "segment_id"], ["memoryos_segments.scope", "memoryos_segments.id"]),
    ForeignKeyConstraint(["scope", "chain_id"], ["memoryos_chains.scope", "memoryos_chains.id"]),
)

# Messages that a session takes once. A text can be guessed from its digest, so a row goes with the page that holds the
# message, `digest` is keyed with the store's secret, and `message`, the same without that key, is sealed (ADR 0021).
taken = Table(
    "memoryos_taken",
    metadata,
    in_column(),
    Column("digest", String(32), nullable=False),
    Column("page_id", Verbatim, nullable=False),
    Column("message", Verbatim("taken.message"), nullable=False),
    PrimaryKeyConstraint("scope", "digest"),
    in_scope(),
    ForeignKeyConstraint(["scope", "page_id"], ["memoryos_pages.scope", "memoryos_pages.id"]),
)

facts = Table(
    "memoryos_facts",
    metadata,
    in_column(),
    Column("id", Verbatim, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("about", String(16), nullable=False),
    Column("text", Verbatim("facts.text"), nullable=False),
    Column("learned_at", Instant, nullable=False),
    Column("valid_from", Instant, nullable=False),
    Column("valid_until", Instant),
    Column("event_time", Instant),
    Column("trust", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("superseded_by", Verbatim),
    Column("visits", BigInteger, nullable=False),
    Column("labels", Words, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("origin", String(16), nullable=False),
    Column("rev", BigInteger, nullable=False),
    # Keyed digest of its words, by which a fact is found.
    Column("digest", String(32)),
    PrimaryKeyConstraint("scope", "id"),
    in_scope(),
    CheckConstraint("valid_until >= valid_from", "memoryos_facts_in_time"),
)

# Traits and static profile fields: one named value at a time, with its history (`valid_until` is when it was replaced).
persona = Table(
    "memoryos_persona",
    metadata,
    in_column(),
    Column("id", String(32), nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("name", Verbatim, nullable=False),
    Column("value", Verbatim("persona.value"), nullable=False),
    Column("reason", Verbatim("persona.reason")),
    Column("since", Instant, nullable=False),
    Column("valid_until", Instant),
    PrimaryKeyConstraint("scope", "id"),
    in_scope(),
    CheckConstraint("valid_until >= since", "memoryos_persona_in_time"),
)

citations = Table(
    "memoryos_citations",
    metadata,
    in_column(),
    Column("kind", String(16), nullable=False),
    Column("item_id", Verbatim, nullable=False),
    Column("page_id", Verbatim, nullable=False),
    Column("place", Integer, nullable=False),
    PrimaryKeyConstraint("scope", "kind", "item_id", "page_id"),
    in_scope(),
    ForeignKeyConstraint(["scope", "page_id"], ["memoryos_pages.scope", "memoryos_pages.id"]),
)

vectors = Table(
    "memoryos_vectors",
    metadata,
    in_column(),
    Column("owner_id", Verbatim, nullable=False),
    Column("part", String(16), nullable=False),
    Column("vector", Embedding, nullable=False),
    PrimaryKeyConstraint("scope", "owner_id", "part"),
    in_scope(),
)

embedder = Table(
    "memoryos_embedder",
    metadata,
    Column("id", SmallInteger, nullable=False, autoincrement=False),
    Column("name", Verbatim, nullable=False),
    Column("dimension", Integer, nullable=False),
    PrimaryKeyConstraint("id"),
)

# Conditions of partial indexes. A statement finds such an index only by the very same words, with nothing bound.
in_short_term = pages.c.tier == literal_column("'short_term'")
unembedded = pages.c.embedded == false()
to_reread = pages.c.reread == true()
is_due = scopes.c.due.is_not(None)


def partial_index(name: str, *columns: Column[Any], where: ColumnElement[bool]) -> Index:
    """An index over the rows for which `where` holds.

    PostgreSQL's are made by the migrations alone: to say it here, too, would import its dialect in every process.
    """
    return Index(name, *columns, sqlite_where=where)


partial_index("memoryos_scopes_due", scopes.c.due, where=is_due)
Index("memoryos_pages_seq", pages.c.scope, pages.c.seq, unique=True)
Index("memoryos_pages_rev", pages.c.scope, pages.c.rev)
Index("memoryos_pages_session", pages.c.scope, pages.c.session_id, pages.c.seq)
# `analysed` and `tier` are there so that counting needs no row, and so that the planner prefers these to wider indexes.
partial_index(
    "memoryos_pages_segment",
    pages.c.scope,
    pages.c.segment_id,
    pages.c.analysed,
    where=pages.c.segment_id.is_not(None),
)
partial_index("memoryos_pages_chain", pages.c.scope, pages.c.chain_id, where=pages.c.chain_id.is_not(None))
partial_index(
    "memoryos_pages_short_term",
    pages.c.scope,
    pages.c.tier,
    pages.c.session_id,
    pages.c.seq,
    where=in_short_term,
)
partial_index("memoryos_pages_unembedded", pages.c.scope, pages.c.seq, where=unembedded)
partial_index("memoryos_pages_reread", pages.c.scope, pages.c.seq, where=to_reread)
Index("memoryos_taken_page", taken.c.scope, taken.c.page_id)
Index("memoryos_facts_rev", facts.c.scope, facts.c.rev)
Index("memoryos_facts_digest", facts.c.scope, facts.c.digest)
partial_index(
    "memoryos_facts_superseded", facts.c.scope, facts.c.superseded_by, where=facts.c.superseded_by.is_not(None)
)
Index("memoryos_persona_name", persona.c.scope, persona.c.kind, persona.c.name)
Index("memoryos_citations_page", citations.c.scope, citations.c.page_id)


keys = Table(
    "memoryos_keys",
    metadata,
    Column("id", Integer, nullable=False, autoincrement=False),
    # Salt of the owner's key, in hexadecimal digits.
    Column("salt", String(32), nullable=False),
    Column("wrapped", Verbatim, nullable=False),
    PrimaryKeyConstraint("id"),
)


grants = Table(
    "memoryos_grants",
    metadata,
    in_column(),
    Column("actor", Verbatim, nullable=False),
    Column("role", String(16), nullable=False),
    Column("granted_at", Instant, nullable=False),
    Column("until", Instant),
    PrimaryKeyConstraint("scope", "actor"),
    in_scope(),
)

# No foreign key to the scope: the log outlives forgetting everything. No content, only acts and counts.
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


# Notes of an application under its own names. `namespace` is written so that a prefix of labels is a prefix of the
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


units = Table(
    "memoryos_units",
    metadata,
    in_column(),
    # The number of a passage (`rules/paging/pages`); of a fact the negative of its seq.
    Column("unit", BigInteger, nullable=False),
    Column("owner_id", Verbatim, nullable=False),
    Column("part", String(16), nullable=False),
    # Number of index terms: the document length of BM25.
    Column("length", Integer, nullable=False),
    # None for a fact.
    Column("session_id", Verbatim),
    # Passages of a session stand one apart, without gaps, and far from those of any other; a fact stands alone.
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
    # The unit's foreign key checks the scope once, not for each of its words.
)

Index("memoryos_units_place", units.c.scope, units.c.session_id, units.c.place)
Index("memoryos_units_owner", units.c.scope, units.c.owner_id)
Index("memoryos_postings_unit", postings.c.scope, postings.c.unit)


# Chunks of the resident index (ADR 0032): copies of what the rows say, in words of the user.
chunks = Table(
    "memoryos_chunks",
    metadata,
    in_column(),
    Column("number", Integer, nullable=False),
    # The format, and what the words were analysed by.
    Column("made_by", String(64), nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("after", BigInteger, nullable=False),
    Column("last", BigInteger, nullable=False),
    Column("checksum", String(64), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("content", SealedBytes("chunks.content"), nullable=False),
    PrimaryKeyConstraint("scope", "number"),
    in_scope(),
)


# What was forgotten, for backups that were made before: keyed digests of ids (ADR 0035). It outlives the scope. `epoch`
# is there where everything of the scope was forgotten, and tells which of its lives that was.
tombstones = Table(
    "memoryos_tombstones",
    metadata,
    in_column(),
    Column("digest", String(32), nullable=False),
    Column("at", Instant, nullable=False),
    Column("epoch", BigInteger),
    PrimaryKeyConstraint("scope", "digest"),
)

# The random secret of those digests, one row, in every backup.
secret = Table(
    "memoryos_secret",
    metadata,
    Column("id", SmallInteger, nullable=False, autoincrement=False),
    Column("secret", String(64), nullable=False),
    PrimaryKeyConstraint("id"),
)
