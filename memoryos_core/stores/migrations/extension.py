"""The extension pgvector, which PostgreSQL needs for vectors."""

from __future__ import annotations

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from memoryos_core.errors import StoreError


def require_vector(connection: Connection) -> None:
    """Create pgvector in this database if it is missing. Raises StoreError when the role may not create it."""
    # Check first: IF NOT EXISTS needs the right to create an extension even when it exists.
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
