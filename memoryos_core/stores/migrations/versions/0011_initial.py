"""The first schema. Frozen: `tables.py` may change, this file may not. Earlier numbers were never released."""

from __future__ import annotations

import secrets
from typing import Any

import sqlalchemy as sa
from alembic import op

from memoryos_core.stores.migrations.postgres import require_vector

revision = "0011"
down_revision = None
branch_labels = None
depends_on = None

# Columns whose values the planner of PostgreSQL must not sample: its samples would outlive their rows.
_UNSAMPLED = {
    "scopes": ("user_id", "assistant_id"),
    "segments": ("summary", "keywords"),
    "chains": ("summary",),
    "pages": ("session_id", "messages"),
    "taken": ("digest", "message"),
    "facts": ("text", "digest"),
    "persona": ("name", "value", "reason"),
    "notes": ("namespace", "key", "value", "text"),
    "units": ("session_id", "speaker"),
    "grants": ("actor",),
    "audit": ("actor", "detail"),
}
_WITHOUT_SAID = ("citations", "vectors", "postings")

# In a sub-select it is evaluated once per statement, not once per row.
_NAMED = "(SELECT current_setting('memoryos.scope', true))"
# For an OR the planner expects one row in a hundred, and then sorts rows that an index already has in order.
_ALLOWED = f"CASE WHEN scope = {_NAMED} THEN true ELSE {_NAMED} = '*' END"


class _Vector(sa.types.UserDefinedType[bytes]):
    """The type of pgvector, which PostgreSQL can compare; of any dimension."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:  # noqa: ANN401 - SQLAlchemy's business
        """Return the name of the type."""
        return "vector"


def _number(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=nullable)


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable)


def _word(name: str, length: int = 16) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), nullable=False)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False)


def _labels() -> sa.Column[str]:
    return sa.Column("labels", sa.Text, nullable=False, server_default="[]")


def _belongs(table: str, column: str) -> sa.ForeignKeyConstraint:
    """Return a foreign key to a row of the same scope."""
    return sa.ForeignKeyConstraint(["scope", column], [f"memoryos_{table}.scope", f"memoryos_{table}.id"])


def _create(
    name: str, *items: sa.Column[Any] | sa.Constraint, key: tuple[str, ...] = (), in_scope: bool = True
) -> None:
    """Create a table whose rows are found by their scope and `key`."""
    known = [sa.ForeignKeyConstraint(["scope"], ["memoryos_scopes.scope"])] if in_scope else []
    op.create_table(f"memoryos_{name}", _word("scope", 32), *items, sa.PrimaryKeyConstraint("scope", *key), *known)


def _index(
    table: str, name: str, *columns: str, unique: bool = False, where: sa.ColumnElement[bool] | None = None
) -> None:
    op.create_index(
        f"memoryos_{table}_{name}",
        f"memoryos_{table}",
        list(columns),
        unique=unique,
        sqlite_where=where,
        postgresql_where=where,
    )


def _present(column: str) -> sa.ColumnElement[bool]:
    return sa.column(column).is_not(None)


def upgrade() -> None:
    """Create every table and index."""
    on_postgresql = op.get_bind().dialect.name == "postgresql"
    if on_postgresql:
        require_vector(op.get_bind())
    _create_scopes()
    _create_mid_term()
    _create_pages()
    _create_long_term()
    _create_notes()
    _create_governance()
    _create_vectors()
    _create_search()
    _index_pages()
    if on_postgresql:
        _restrict()
    elif not op.get_bind().exec_driver_sql("PRAGMA application_id").scalar():
        # A file is told from others by a random mark (file_guard.py); the id of an application that shares it is left.
        op.execute(f"PRAGMA application_id = {1 + secrets.randbelow(2**31 - 1)}")


def _create_scopes() -> None:
    _create(
        "scopes",
        _text("user_id"),
        _text("assistant_id"),
        _number("version"),
        _number("epoch"),
        _number("last_seq"),
        _number("profile_version"),
        _number("due", nullable=True),
        _text("lease_holder", nullable=True),
        _number("lease_until", nullable=True),
        in_scope=False,
    )
    _index("scopes", "due", "due", where=_present("due"))


def _create_mid_term() -> None:
    _create(
        "segments",
        _text("id"),
        _number("seq"),
        _text("summary"),
        _text("keywords"),
        sa.Column("centroid", sa.LargeBinary, nullable=False),
        _number("n_visit"),
        _number("l_interaction"),
        _number("last_access", nullable=True),
        _flag("archived"),
        _number("rev"),
        key=("id",),
    )
    _create("chains", _text("id"), _text("summary"), key=("id",))


def _create_pages() -> None:
    _create(
        "pages",
        _text("id"),
        _text("session_id"),
        _number("seq"),
        _text("messages"),
        _number("timestamp"),
        _word("tier"),
        _number("tokens"),
        _flag("open"),
        _text("segment_id", nullable=True),
        _text("chain_id", nullable=True),
        _flag("analysed"),
        _flag("reread"),
        _flag("embedded"),
        _number("rev"),
        sa.Column("ended", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("trust", sa.String(16), nullable=False, server_default="assistant"),
        _labels(),
        _belongs("segments", "segment_id"),
        _belongs("chains", "chain_id"),
        key=("id",),
    )
    _create(
        "taken", _word("digest", 32), _text("page_id"), _text("message"), _belongs("pages", "page_id"), key=("digest",)
    )
    _index("taken", "page", "scope", "page_id")


def _create_long_term() -> None:
    _create(
        "facts",
        _text("id"),
        _number("seq"),
        _word("about"),
        _text("text"),
        _number("learned_at"),
        _number("valid_from"),
        _number("valid_until", nullable=True),
        _number("event_time", nullable=True),
        _word("trust"),
        _word("status"),
        _text("superseded_by", nullable=True),
        _number("visits"),
        _number("rev"),
        _labels(),
        _word("kind"),
        _word("origin"),
        sa.Column("digest", sa.String(32)),
        sa.CheckConstraint("valid_until >= valid_from", "memoryos_facts_in_time"),
        key=("id",),
    )
    _index("facts", "rev", "scope", "rev")
    _index("facts", "digest", "scope", "digest")
    _index("facts", "superseded", "scope", "superseded_by", where=_present("superseded_by"))
    _create(
        "persona",
        _word("id", 32),
        _number("seq"),
        _word("kind"),
        _text("name"),
        _text("value"),
        _text("reason", nullable=True),
        _number("since"),
        _number("valid_until", nullable=True),
        sa.CheckConstraint("valid_until >= since", "memoryos_persona_in_time"),
        key=("id",),
    )
    _index("persona", "name", "scope", "kind", "name")
    place = sa.Column("place", sa.Integer, nullable=False)
    page = _belongs("pages", "page_id")
    _create(
        "citations", _word("kind"), _text("item_id"), _text("page_id"), place, page, key=("kind", "item_id", "page_id")
    )
    _index("citations", "page", "scope", "page_id")


def _create_notes() -> None:
    _create(
        "notes",
        _text("namespace"),
        _text("key"),
        _text("value"),
        _text("text"),
        sa.Column("vector", sa.LargeBinary),
        _number("created_at"),
        _number("updated_at"),
        _number("rev"),
        _text("fact_id", nullable=True),
        key=("namespace", "key"),
    )
    _index("notes", "rev", "scope", "rev")
    _index("notes", "fact", "scope", "fact_id", where=_present("fact_id"))


def _create_governance() -> None:
    _create("grants", _text("actor"), _word("role"), _number("granted_at"), key=("actor",))
    _create(
        "audit",
        _number("seq"),
        _number("at"),
        _text("actor", nullable=True),
        _word("action", 32),
        _text("detail"),
        _word("previous", 64),
        _word("digest", 64),
        key=("seq",),
        in_scope=False,
    )
    op.create_table(
        "memoryos_keys",
        sa.Column("id", sa.Integer, nullable=False, autoincrement=False),
        _word("salt", 32),
        _text("wrapped"),
        sa.PrimaryKeyConstraint("id"),
    )


def _create_vectors() -> None:
    vector = sa.Column("vector", sa.LargeBinary().with_variant(_Vector(), "postgresql"), nullable=False)
    _create("vectors", _text("owner_id"), _word("part"), vector, key=("owner_id", "part"))
    op.create_table(
        "memoryos_embedder",
        sa.Column("id", sa.SmallInteger, nullable=False, autoincrement=False),
        _text("name"),
        sa.Column("dimension", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )


def _create_search() -> None:
    """Create what a database ranks by: passages of pages and facts, and the terms in them."""
    _create(
        "units",
        _number("unit"),
        _text("owner_id"),
        _word("part"),
        sa.Column("length", sa.Integer, nullable=False),
        _text("session_id", nullable=True),
        _number("place", nullable=True),
        _text("speaker", nullable=True),
        key=("unit",),
    )
    _index("units", "place", "scope", "session_id", "place")
    _index("units", "owner", "scope", "owner_id")
    count = sa.Column("count", sa.Integer, nullable=False)
    _create("postings", _number("term"), _number("unit"), count, key=("term", "unit"), in_scope=False)
    _index("postings", "unit", "scope", "unit")


def _index_pages() -> None:
    embedded, reread = (sa.column(n, sa.Boolean) for n in ("embedded", "reread"))
    _index("pages", "segment", "scope", "segment_id", "analysed", where=_present("segment_id"))
    _index("pages", "chain", "scope", "chain_id", where=_present("chain_id"))
    in_short_term = sa.column("tier", sa.Text) == sa.literal_column("'short_term'")
    _index("pages", "short_term", "scope", "tier", "session_id", "seq", where=in_short_term)
    _index("pages", "unembedded", "scope", "seq", where=embedded == sa.false())
    _index("pages", "reread", "scope", "seq", where=reread == sa.true())
    _index("pages", "seq", "scope", "seq", unique=True)
    _index("pages", "rev", "scope", "rev")
    _index("pages", "session", "scope", "session_id", "seq")


def _restrict() -> None:
    """Limit each transaction to the scope it has named (ADR 0012), and take no samples of what was said."""
    for table in (*_UNSAMPLED, *_WITHOUT_SAID):
        # FORCE: the policy also holds for the owner of the table, the role of the application.
        op.execute(f"ALTER TABLE memoryos_{table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY memoryos_scope ON memoryos_{table} USING ({_ALLOWED}) WITH CHECK ({_ALLOWED})")
    for table, columns in _UNSAMPLED.items():
        changes = ", ".join(f"ALTER COLUMN {column} SET STATISTICS 0" for column in columns)
        op.execute(f"ALTER TABLE memoryos_{table} {changes}")
