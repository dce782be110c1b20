"""Passages in place of halves of pages (ADR 0028): what is searched is analysed and embedded again, from the pages.

The vectors that are there serve until the worker has made the new ones.
"""

from __future__ import annotations

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Number no units as before, and have every page embedded again."""
    op.execute("UPDATE memoryos_pages SET embedded = false WHERE embedded")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DELETE FROM memoryos_postings")
        op.execute("DELETE FROM memoryos_units")
        # The mark that has the next question analyse its scope.
        op.execute(
            "INSERT INTO memoryos_units (scope, unit, owner_id, part, length) "
            "SELECT scope, 0, '', '', 0 FROM memoryos_scopes"
        )
