"""When a page was written; those that there are count as written when they were said."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; only pages of short-term memory are asked for it."""
    op.add_column("memoryos_pages", sa.Column("written_at", sa.BigInteger))
    op.execute("""UPDATE memoryos_pages SET written_at = "timestamp" WHERE tier = 'short_term'""")
