"""The keys that seal the values of a database. Frozen."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """To this version."""
    op.create_table(
        "memoryos_keys",
        sa.Column("id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("salt", sa.String(32), nullable=False),
        sa.Column("wrapped", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )


def downgrade() -> None:
    """Back to the version before."""
    op.drop_table("memoryos_keys")
