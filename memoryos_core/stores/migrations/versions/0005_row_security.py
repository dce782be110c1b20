"""PostgreSQL itself holds each transaction to the scope it has named: a second wall (ADR 0012). Frozen."""

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

# In a sub-select it is asked for once a statement, and not once a row.
_NAMED = "(SELECT current_setting('memoryos.scope', true))"
# Of an OR the planner believes that it leaves one row of a hundred, and then sorts what an index has in order already.
_ALLOWED = f"CASE WHEN scope = {_NAMED} THEN true ELSE {_NAMED} = '*' END"


def upgrade() -> None:
    """To this version."""
    if op.get_bind().dialect.name != "postgresql":
        return
    for table in _TABLES:
        # FORCE: its owner, which is who an application connects as, is held to it, too.
        op.execute(f"ALTER TABLE memoryos_{table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY memoryos_scope ON memoryos_{table} USING ({_ALLOWED}) WITH CHECK ({_ALLOWED})")


def downgrade() -> None:
    """Back to the version before."""
    if op.get_bind().dialect.name != "postgresql":
        return
    for table in _TABLES:
        op.execute(f"DROP POLICY memoryos_scope ON memoryos_{table}")
        op.execute(f"ALTER TABLE memoryos_{table} NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY")
