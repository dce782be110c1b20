"""Keyed digests of what was forgotten, which reach backups that were made before (ADR 0035), and their secret."""

from __future__ import annotations

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

# As in 0011: evaluated once per statement, and without an OR.
_NAMED = "(SELECT current_setting('memoryos.scope', true))"
_ALLOWED = f"CASE WHEN scope = {_NAMED} THEN true ELSE {_NAMED} = '*' END"


def upgrade() -> None:
    """Create the tables: no digest, and a new secret."""
    op.create_table(
        "memoryos_tombstones",
        sa.Column("scope", sa.String(32), nullable=False),
        sa.Column("digest", sa.String(32), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("epoch", sa.BigInteger),
        sa.PrimaryKeyConstraint("scope", "digest"),
    )
    made = op.create_table(
        "memoryos_secret",
        sa.Column("id", sa.SmallInteger, nullable=False, autoincrement=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.bulk_insert(made, [{"id": 1, "secret": secrets.token_hex(32)}])
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE memoryos_tombstones ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY memoryos_scope ON memoryos_tombstones USING ({_ALLOWED}) WITH CHECK ({_ALLOWED})")
