"""Chunks of the resident index, so that a process starts from them (ADR 0032). They are made from the rows, later."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

# As in 0011: evaluated once per statement, and without an OR.
_NAMED = "(SELECT current_setting('memoryos.scope', true))"
_ALLOWED = f"CASE WHEN scope = {_NAMED} THEN true ELSE {_NAMED} = '*' END"


def upgrade() -> None:
    """Create the table, empty."""
    op.create_table(
        "memoryos_chunks",
        sa.Column("scope", sa.String(32), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("made_by", sa.String(64), nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("after", sa.BigInteger, nullable=False),
        sa.Column("last", sa.BigInteger, nullable=False),
        sa.Column("checksum", sa.String(64), nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("scope", "number"),
        sa.ForeignKeyConstraint(["scope"], ["memoryos_scopes.scope"]),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE memoryos_chunks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY memoryos_scope ON memoryos_chunks USING ({_ALLOWED}) WITH CHECK ({_ALLOWED})")
        # The planner must not sample what was said: its samples would outlive the rows.
        op.execute("ALTER TABLE memoryos_chunks ALTER COLUMN content SET STATISTICS 0")
