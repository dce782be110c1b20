"""Notes, which an application keeps under its own names. Frozen."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """To this version."""
    op.create_table(
        "memoryos_notes",
        sa.Column("scope", sa.String(32), nullable=False),
        sa.Column("namespace", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("vector", sa.LargeBinary),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.Column("rev", sa.BigInteger, nullable=False),
        sa.Column("fact_id", sa.Text),
        sa.PrimaryKeyConstraint("scope", "namespace", "key"),
        sa.ForeignKeyConstraint(["scope"], ["memoryos_scopes.scope"]),
    )
    op.create_index("memoryos_notes_rev", "memoryos_notes", ["scope", "rev"])
    of_a_fact = sa.text("fact_id IS NOT NULL")
    op.create_index(
        "memoryos_notes_fact",
        "memoryos_notes",
        ["scope", "fact_id"],
        sqlite_where=of_a_fact,
        postgresql_where=of_a_fact,
    )


def downgrade() -> None:
    """Back to the version before."""
    op.drop_table("memoryos_notes")
