"""The first schema. Frozen: `tables.py` may change, this file may not."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _scope() -> sa.Column[str]:
    return sa.Column("scope", sa.String(32), nullable=False)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=False)


def _moment(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=nullable)


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable)


def _word(name: str, length: int = 16) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), nullable=False)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False)


def _table(name: str, *items: sa.Column[Any] | sa.Constraint, key: tuple[str, ...]) -> None:
    in_scope = sa.ForeignKeyConstraint(["scope"], ["memoryos_scopes.scope"])
    op.create_table(name, _scope(), *items, sa.PrimaryKeyConstraint("scope", *key), in_scope)


def upgrade() -> None:
    """Create every table and index."""
    _create_scopes()
    _create_mid_term()
    _create_long_term()
    _create_vectors()
    _create_indexes()


def _create_scopes() -> None:
    op.create_table(
        "memoryos_scopes",
        _scope(),
        _text("user_id"),
        _text("assistant_id"),
        _number("version"),
        _number("epoch"),
        _number("last_seq"),
        _number("profile_version"),
        sa.PrimaryKeyConstraint("scope"),
    )


def _create_mid_term() -> None:
    _table(
        "memoryos_segments",
        _text("id"),
        _number("seq"),
        _text("summary"),
        _text("keywords"),
        sa.Column("centroid", sa.LargeBinary, nullable=False),
        _number("n_visit"),
        _number("l_interaction"),
        _moment("last_access", nullable=True),
        _flag("archived"),
        _number("rev"),
        key=("id",),
    )
    _table("memoryos_chains", _text("id"), _text("summary"), key=("id",))
    _table(
        "memoryos_pages",
        _text("id"),
        _text("session_id"),
        _number("seq"),
        _text("messages"),
        _moment("timestamp"),
        _word("tier"),
        _number("tokens"),
        _flag("open"),
        _text("segment_id", nullable=True),
        _text("chain_id", nullable=True),
        _flag("analysed"),
        _flag("reread"),
        _flag("embedded"),
        _number("rev"),
        sa.ForeignKeyConstraint(["scope", "segment_id"], ["memoryos_segments.scope", "memoryos_segments.id"]),
        sa.ForeignKeyConstraint(["scope", "chain_id"], ["memoryos_chains.scope", "memoryos_chains.id"]),
        key=("id",),
    )


def _create_long_term() -> None:
    _table(
        "memoryos_facts",
        _text("id"),
        _number("seq"),
        _word("about"),
        _text("text"),
        _moment("learned_at"),
        _moment("valid_from"),
        _moment("valid_until", nullable=True),
        _moment("event_time", nullable=True),
        _word("trust"),
        _word("status"),
        _text("superseded_by", nullable=True),
        _number("visits"),
        _number("rev"),
        key=("id",),
    )
    _table(
        "memoryos_persona",
        _word("id", 32),
        _number("seq"),
        _word("kind"),
        _text("name"),
        _text("value"),
        _text("reason", nullable=True),
        _moment("since"),
        _moment("valid_until", nullable=True),
        key=("id",),
    )
    _table(
        "memoryos_citations",
        _word("kind"),
        _text("item_id"),
        _text("page_id"),
        sa.Column("place", sa.Integer, nullable=False),
        sa.ForeignKeyConstraint(["scope", "page_id"], ["memoryos_pages.scope", "memoryos_pages.id"]),
        key=("kind", "item_id", "page_id"),
    )


def _create_vectors() -> None:
    _table(
        "memoryos_vectors",
        _text("owner_id"),
        _word("part"),
        sa.Column("vector", sa.LargeBinary, nullable=False),
        key=("owner_id", "part"),
    )
    op.create_table(
        "memoryos_embedder",
        sa.Column("id", sa.SmallInteger, nullable=False, autoincrement=False),
        _text("name"),
        sa.Column("dimension", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )


def _create_indexes() -> None:
    segment_id, chain_id, tier = (sa.column(n, sa.Text) for n in ("segment_id", "chain_id", "tier"))
    embedded, reread = (sa.column(n, sa.Boolean) for n in ("embedded", "reread"))
    partial = {
        "segment": (["segment_id", "analysed"], segment_id.is_not(None)),
        "chain": (["chain_id"], chain_id.is_not(None)),
        "short_term": (["tier", "session_id", "seq"], tier == sa.literal_column("'short_term'")),
        "unembedded": (["seq"], embedded == sa.false()),
        "reread": (["seq"], reread == sa.true()),
    }
    for name, (columns, where) in partial.items():
        op.create_index(
            f"memoryos_pages_{name}", "memoryos_pages", ["scope", *columns], sqlite_where=where, postgresql_where=where
        )
    op.create_index("memoryos_pages_seq", "memoryos_pages", ["scope", "seq"], unique=True)
    op.create_index("memoryos_pages_rev", "memoryos_pages", ["scope", "rev"])
    op.create_index("memoryos_pages_session", "memoryos_pages", ["scope", "session_id", "seq"])
    op.create_index("memoryos_facts_rev", "memoryos_facts", ["scope", "rev"])
    op.create_index("memoryos_persona_name", "memoryos_persona", ["scope", "kind", "name"])
    op.create_index("memoryos_citations_page", "memoryos_citations", ["scope", "page_id"])
