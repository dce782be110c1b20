"""Grants that end at a moment; those that there are have no end."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column, empty."""
    op.add_column("memoryos_grants", sa.Column("until", sa.BigInteger))
