"""Passages in place of halves of pages (ADR 0028): what is searched is analysed and embedded again, from the pages.

The vectors that are there serve until the worker has made the new ones.
"""

from __future__ import annotations

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


_NOW_SQLITE = "CAST((julianday('now') - 2440587.5) * 43200000000.0 AS INTEGER) * 2"
_NOW_POSTGRESQL = "CAST(extract(epoch FROM statement_timestamp()) * 500000 AS bigint) * 2"


def upgrade() -> None:
    """Number no units as before, have every page embedded again, and send the workers."""
    op.execute("UPDATE memoryos_pages SET embedded = false WHERE embedded")
    ranks = op.get_bind().dialect.name == "postgresql"
    # Even microseconds: odd ones are the ends of leases.
    now = _NOW_POSTGRESQL if ranks else _NOW_SQLITE
    op.execute(
        f"UPDATE memoryos_scopes SET due = {now} WHERE (due IS NULL OR due > {now}) "  # noqa: S608 - two texts of our own
        "AND scope IN (SELECT scope FROM memoryos_pages)"
    )
    if ranks:
        op.execute("DELETE FROM memoryos_postings")
        op.execute("DELETE FROM memoryos_units")
        # The mark that has the next question, or the worker, analyse its scope.
        op.execute(
            "INSERT INTO memoryos_units (scope, unit, owner_id, part, length) "
            "SELECT scope, 0, '', '', 0 FROM memoryos_scopes"
        )
