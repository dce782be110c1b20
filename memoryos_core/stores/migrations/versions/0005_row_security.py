"""Row-level security limits each transaction to the scope it has named (ADR 0012). Frozen."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_TABLES = (
    "scopes",
    "segments",
    "chains",
    "pages",
    "taken",
    "facts",
    "persona",
    "citations",
    "vectors",
    "notes",
    "grants",
    "audit",
    "units",
    "postings",
)

# In a sub-select it is evaluated once per statement, not once per row.
_NAMED = "(SELECT current_setting('memoryos.scope', true))"
# For an OR the planner expects one row in a hundred, and then sorts rows that an index already has in order.
_ALLOWED = f"CASE WHEN scope = {_NAMED} THEN true ELSE {_NAMED} = '*' END"


def upgrade() -> None:
    """To this version."""
    if op.get_bind().dialect.name != "postgresql":
        return
    for table in _TABLES:
        # FORCE: the policy also holds for the owner of the table, the role of the application.
        op.execute(f"ALTER TABLE memoryos_{table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY memoryos_scope ON memoryos_{table} USING ({_ALLOWED}) WITH CHECK ({_ALLOWED})")


def downgrade() -> None:
    """Back to the version before."""
    if op.get_bind().dialect.name != "postgresql":
        return
    for table in _TABLES:
        op.execute(f"DROP POLICY memoryos_scope ON memoryos_{table}")
        op.execute(f"ALTER TABLE memoryos_{table} NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY")
