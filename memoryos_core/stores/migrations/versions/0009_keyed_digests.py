"""Digests of messages taken once are keyed, and go with the page that holds the message (ADR 0021). Frozen."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

from memoryos_core.errors import StoreCorruptError
from memoryos_core.stores.sql.columns import DIGEST_KEY, Verbatim
from memoryos_core.stores.sql.sealing import Within
from memoryos_core.values.dialogue import Scope

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_PAGES_A_READ = 500
_NAMED = "(SELECT current_setting('memoryos.scope', true))"
_ALLOWED = f"CASE WHEN scope = {_NAMED} THEN true ELSE {_NAMED} = '*' END"

_scopes = sa.table(
    "memoryos_scopes", sa.column("scope"), sa.column("user_id", Verbatim), sa.column("assistant_id", Verbatim)
)
_pages = sa.table(  # pyright: ignore[reportUnknownArgumentType]
    "memoryos_pages",
    *(sa.column("scope"), sa.column("id", Verbatim), sa.column("session_id", Verbatim), sa.column("seq")),
    sa.column("messages", Verbatim("pages.messages")),
)
_old = sa.table("memoryos_taken", sa.column("scope"), sa.column("digest"))
_new = sa.table(  # pyright: ignore[reportUnknownArgumentType]
    "memoryos_taken",
    *(sa.column("scope"), sa.column("digest"), sa.column("page_id", Verbatim)),
    sa.column("message", Verbatim("taken.message")),
)


def upgrade() -> None:
    """To this version: digests of messages that no page holds any more are dropped."""
    connection = op.get_bind()
    found = connection.execute(sa.select(_scopes).where(_scopes.c.scope.in_(sa.select(_old.c.scope)))).all()
    old = {
        row.scope: set(connection.scalars(sa.select(_old.c.digest).where(_old.c.scope == row.scope))) for row in found
    }
    op.drop_table("memoryos_taken")
    _create()
    secret: bytes = getattr(connection.dialect, DIGEST_KEY, b"")
    for key, user_id, assistant_id in found:
        with Within(Scope(user_id, assistant_id)):
            rows = [
                {"scope": key, "digest": _keyed_digest(secret, key, digest), "page_id": page_id, "message": digest}
                for digest, page_id in _read_digests(connection, key)
                if digest in old[key]
            ]
            if rows:
                connection.execute(sa.insert(_new), list({row["digest"]: row for row in reversed(rows)}.values()))


def downgrade() -> None:
    """Back to the version before, whose digests are not made again."""
    op.drop_table("memoryos_taken")
    op.create_table("memoryos_taken", *_columns())
    _restrict()


def _create() -> None:
    op.create_table(
        "memoryos_taken",
        *_columns(),
        sa.Column("page_id", sa.Text, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["scope", "page_id"], ["memoryos_pages.scope", "memoryos_pages.id"]),
    )
    op.create_index("memoryos_taken_page", "memoryos_taken", ["scope", "page_id"])
    _restrict()
    if op.get_bind().dialect.name == "postgresql":
        # The planner's samples would outlive the rows.
        op.execute(
            "ALTER TABLE memoryos_taken ALTER COLUMN digest SET STATISTICS 0, ALTER COLUMN message SET STATISTICS 0"
        )


def _columns() -> tuple[sa.schema.SchemaItem, ...]:
    return (
        sa.Column("scope", sa.String(32), nullable=False),
        sa.Column("digest", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("scope", "digest"),
        sa.ForeignKeyConstraint(["scope"], ["memoryos_scopes.scope"]),
    )


def _restrict() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE memoryos_taken ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY memoryos_scope ON memoryos_taken USING ({_ALLOWED}) WITH CHECK ({_ALLOWED})")


def _read_digests(connection: sa.Connection, key: str) -> Iterator[tuple[str, str]]:
    """Yield the old digest of each message that a page of the scope holds, with the page's id."""
    after = -1
    wanted = (
        sa.select(_pages.c.id, _pages.c.seq).where(_pages.c.scope == key).order_by(_pages.c.seq).limit(_PAGES_A_READ)
    )
    while pages := connection.execute(wanted.where(_pages.c.seq > after)).all():
        after = pages[-1].seq
        for page_id, _ in pages:
            one = sa.select(_pages.c.session_id, _pages.c.messages).where(_pages.c.scope == key, _pages.c.id == page_id)
            try:
                session_id, messages = connection.execute(one).one()
                yield from ((_old_digest(session_id, message), page_id) for message in json.loads(messages))
            except (StoreCorruptError, AttributeError, KeyError, TypeError, ValueError):
                continue  # a damaged page: reading it reports the damage


def _old_digest(session_id: str, message: dict[str, object]) -> str:
    named = (
        *(message.get("id"), message["role"], message["text"]),
        *(message.get("calls", ()), message.get("answers")),
    )
    of_message = hashlib.sha256(json.dumps(named).encode()).hexdigest()
    return hashlib.sha256(json.dumps((session_id, of_message)).encode()).hexdigest()[:32]


def _keyed_digest(secret: bytes, key: str, digest: str) -> str:
    return hmac.digest(secret, f"memoryos taken {key} {digest}".encode(), "sha256").hex()[:32]
