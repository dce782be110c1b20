"""PostgreSQL's planner keeps no samples of remembered text: they would outlive their rows. Frozen."""

from __future__ import annotations

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_SAID = {
    "scopes": ("user_id", "assistant_id"),
    "segments": ("summary", "keywords"),
    "chains": ("summary",),
    "pages": ("session_id", "messages"),
    "facts": ("text",),
    "persona": ("name", "value", "reason"),
    "notes": ("namespace", "key", "value", "text"),
    "units": ("session_id", "speaker"),
    "grants": ("actor",),
    "audit": ("actor", "detail"),
}


def upgrade() -> None:
    """To this version."""
    _sample(0)


def downgrade() -> None:
    """Back to the version before."""
    _sample(-1)


def _sample(target: int) -> None:
    """Set the number of samples that ANALYZE takes of these columns; -1 is the server's default."""
    if op.get_bind().dialect.name == "postgresql":
        for table, columns in _SAID.items():
            changes = ", ".join(f"ALTER COLUMN {column} SET STATISTICS {target}" for column in columns)
            op.execute(f"ALTER TABLE memoryos_{table} {changes}")
