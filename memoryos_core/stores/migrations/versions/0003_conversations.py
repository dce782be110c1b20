"""Conversations that end, and messages that a session takes once. Frozen."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """To this version."""
    op.add_column("memoryos_pages", sa.Column("ended", sa.Boolean, nullable=False, server_default=sa.false()))
    op.create_table(
        "memoryos_taken",
        sa.Column("scope", sa.String(32), nullable=False),
        sa.Column("digest", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("scope", "digest"),
        sa.ForeignKeyConstraint(["scope"], ["memoryos_scopes.scope"]),
    )


def downgrade() -> None:
    """Back to the version before."""
    op.drop_table("memoryos_taken")
    with op.batch_alter_table("memoryos_pages") as pages:
        pages.drop_column("ended")
