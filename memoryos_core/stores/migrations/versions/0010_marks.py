"""A file bears a random mark (file_guard.py), and a fact the keyed digest of its words, to be found by. Frozen."""

from __future__ import annotations

import hmac
import json
import secrets

import sqlalchemy as sa
from alembic import op
from sqlalchemy.exc import OperationalError

from memoryos_core.errors import StoreError
from memoryos_core.stores.sql.columns import DIGEST_KEY, Verbatim
from memoryos_core.stores.sql.sealing import Within
from memoryos_core.values.dialogue import Scope

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_FACTS_A_READ = 500

_scopes = sa.table(
    "memoryos_scopes", sa.column("scope"), sa.column("user_id", Verbatim), sa.column("assistant_id", Verbatim)
)
_facts = sa.table(  # pyright: ignore[reportUnknownArgumentType]
    "memoryos_facts",
    *(sa.column("scope"), sa.column("id"), sa.column("seq"), sa.column("digest")),
    sa.column("text", Verbatim("facts.text")),
)
_f = _facts.c


def upgrade() -> None:
    """To this version. The id of an application that shares the file is left; a damaged fact gets no digest."""
    connection = op.get_bind()
    op.add_column("memoryos_facts", sa.Column("digest", sa.String(32)))
    superseded = sa.text("superseded_by IS NOT NULL")
    op.create_index("memoryos_facts_digest", "memoryos_facts", ["scope", "digest"])
    op.create_index(
        *("memoryos_facts_superseded", "memoryos_facts", ["scope", "superseded_by"]),
        sqlite_where=superseded,
        postgresql_where=superseded,
    )
    secret: bytes = getattr(connection.dialect, DIGEST_KEY, b"")
    found = connection.execute(sa.select(_scopes).where(_scopes.c.scope.in_(sa.select(_f.scope)))).all()
    for key, user_id, assistant_id in found:
        with Within(Scope(user_id, assistant_id)):
            _mark_facts(connection, secret, key)
    if connection.dialect.name == "postgresql":
        op.execute("ALTER TABLE memoryos_facts ALTER COLUMN digest SET STATISTICS 0")
    elif not connection.exec_driver_sql("PRAGMA application_id").scalar():
        op.execute(f"PRAGMA application_id = {1 + secrets.randbelow(2**31 - 1)}")


def downgrade() -> None:
    """Back to the version before."""
    op.drop_index("memoryos_facts_superseded", "memoryos_facts")
    op.drop_index("memoryos_facts_digest", "memoryos_facts")
    op.drop_column("memoryos_facts", "digest")


_after = (
    sa.select(_f.id, _f.seq)
    .where(_f.scope == sa.bindparam("of"), _f.seq > sa.bindparam("last"))
    .order_by(_f.seq)
    .limit(_FACTS_A_READ)
)
_one = (_f.scope == sa.bindparam("of"), _f.id == sa.bindparam("fact"))
_text = sa.select(_f.text).where(*_one)
_mark = sa.update(_facts).where(*_one).values(digest=sa.bindparam("words"))


def _mark_facts(connection: sa.Connection, secret: bytes, key: str) -> None:
    last = -1
    while rows := connection.execute(_after, {"of": key, "last": last}).all():
        last = rows[-1].seq
        for fact_id, _ in rows:
            named = {"of": key, "fact": fact_id}
            try:
                text = connection.execute(_text, named).scalar_one()
            except (StoreError, OperationalError):
                continue  # a damaged fact: reading it reports the damage
            said = f"memoryos fact {key} {json.dumps(text.split())}".encode()
            connection.execute(_mark, {**named, "words": hmac.digest(secret, said, "sha256").hex()[:32]})
