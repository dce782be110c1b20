"""Leases, labels and trust, grants, the audit log, and the tables that a database ranks by. Frozen."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_DUE_NOW = {
    "sqlite": "UPDATE memoryos_scopes SET due = CAST(strftime('%s', 'now') AS INTEGER) * 1000000",
    "postgresql": "UPDATE memoryos_scopes SET due = CAST(floor(extract(epoch FROM now())) AS bigint) * 1000000",
}


def _scope() -> sa.Column[str]:
    return sa.Column("scope", sa.String(32), nullable=False)


def _in_scope() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["scope"], ["memoryos_scopes.scope"])


def upgrade() -> None:
    """To this version."""
    op.add_column("memoryos_scopes", sa.Column("due", sa.BigInteger))
    op.add_column("memoryos_scopes", sa.Column("lease_holder", sa.Text))
    op.add_column("memoryos_scopes", sa.Column("lease_until", sa.BigInteger))
    waiting = sa.text("due IS NOT NULL")
    op.create_index("memoryos_scopes_due", "memoryos_scopes", ["due"], sqlite_where=waiting, postgresql_where=waiting)
    # What an older version stored may be unfinished: a worker looks at all of it once.
    op.execute(_DUE_NOW[op.get_bind().dialect.name])
    op.add_column("memoryos_pages", sa.Column("trust", sa.String(16), nullable=False, server_default="assistant"))
    for table in ("memoryos_pages", "memoryos_facts"):
        op.add_column(table, sa.Column("labels", sa.Text, nullable=False, server_default="[]"))
    _ledger()
    _search()


def _ledger() -> None:
    op.create_table(
        "memoryos_grants",
        _scope(),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("granted_at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("scope", "actor"),
        _in_scope(),
    )
    op.create_table(
        "memoryos_audit",
        _scope(),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("actor", sa.Text),
        sa.Column("action", sa.String(32), nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("scope", "seq"),
    )


def _search() -> None:
    op.create_table(
        "memoryos_units",
        _scope(),
        sa.Column("unit", sa.BigInteger, nullable=False),
        sa.Column("owner_id", sa.Text, nullable=False),
        sa.Column("part", sa.String(16), nullable=False),
        sa.Column("length", sa.Integer, nullable=False),
        sa.Column("session_id", sa.Text),
        sa.Column("place", sa.BigInteger),
        sa.Column("speaker", sa.Text),
        sa.PrimaryKeyConstraint("scope", "unit"),
        _in_scope(),
    )
    op.create_table(
        "memoryos_postings",
        _scope(),
        sa.Column("term", sa.BigInteger, nullable=False),
        sa.Column("unit", sa.BigInteger, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("scope", "term", "unit"),
    )
    op.create_index("memoryos_units_place", "memoryos_units", ["scope", "session_id", "place"])
    op.create_index("memoryos_units_owner", "memoryos_units", ["scope", "owner_id"])
    op.create_index("memoryos_postings_unit", "memoryos_postings", ["scope", "unit"])


def downgrade() -> None:
    """Back to the version before."""
    for table in ("memoryos_postings", "memoryos_units", "memoryos_audit", "memoryos_grants"):
        op.drop_table(table)
    op.drop_index("memoryos_scopes_due", "memoryos_scopes")
    for table, columns in (
        ("memoryos_facts", ("labels",)),
        ("memoryos_pages", ("labels", "trust")),
        ("memoryos_scopes", ("lease_until", "lease_holder", "due")),
    ):
        with op.batch_alter_table(table) as changed:
            for column in columns:
                changed.drop_column(column)
