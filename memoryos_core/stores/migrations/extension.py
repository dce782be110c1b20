"""The extension that vectors need in PostgreSQL."""

from __future__ import annotations

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from memoryos_core.errors import StoreError


def require_vector(connection: Connection) -> None:
    """Have pgvector in this database: created where the role may, asked for where it may not. Raises StoreError."""
    # Only who may do it asks for it: IF NOT EXISTS alone would demand the right to create what is there already.
    if connection.scalar(text("SELECT 1 FROM pg_extension WHERE extname = 'vector'")):
        return
    try:
        with connection.begin_nested():
            connection.execute(text("CREATE EXTENSION vector"))
    except DBAPIError:
        raise StoreError(
            "the extension pgvector is not in this database; ask an administrator to install it on the server and to "
            "run CREATE EXTENSION vector in this database, then open the memory again"
        ) from None
