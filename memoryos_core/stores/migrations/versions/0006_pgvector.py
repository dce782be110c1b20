"""Vectors in pgvector's own type, which PostgreSQL can compare. Frozen."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from memoryos_core.stores.migrations.extension import require_vector

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """To this version."""
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        return
    require_vector(connection)
    # A change of type keeps no vector: no release of this library wrote any to PostgreSQL before this one.
    op.execute("DELETE FROM memoryos_vectors")
    op.execute("UPDATE memoryos_pages SET embedded = false WHERE embedded")
    op.drop_column("memoryos_vectors", "vector")
    op.execute("ALTER TABLE memoryos_vectors ADD COLUMN vector vector NOT NULL")


def downgrade() -> None:
    """Back to the version before."""
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":
        op.execute("DELETE FROM memoryos_vectors")
        op.execute("UPDATE memoryos_pages SET embedded = false WHERE embedded")
        op.drop_column("memoryos_vectors", "vector")
        op.add_column("memoryos_vectors", sa.Column("vector", sa.LargeBinary, nullable=False))
