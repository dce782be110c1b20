"""URLs of databases: parsing, and a canonical form that tells when two URLs name the same database."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from memoryos_core.errors import InvalidInputError
from memoryos_core.stores.sql.sqlite import in_memory

_DRIVERS = {"postgres": "postgresql+psycopg", "postgresql": "postgresql+psycopg"}
# Other drivers need packages that no extra of ours installs, or work with coroutines only.
_OURS = ("sqlite", "sqlite+pysqlite", "postgresql+psycopg")
_SECRET = ("pass", "key", "secret", "token")


def parse(url: str) -> URL:
    """The URL with the driver we use. Raises InvalidInputError."""
    # The URL is not shown: it may hold a password.
    unreadable = InvalidInputError("the store's URL cannot be read; write one like 'sqlite:///memory.db'")
    if not isinstance(cast("object", url), str) or "\x00" in url or any("\ud800" <= c <= "\udfff" for c in url):
        raise unreadable
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # an invalid port is a ValueError that quotes the URL
        raise unreadable from None
    parsed = parsed.set(drivername=_DRIVERS.get(parsed.drivername, parsed.drivername))
    if parsed.drivername not in _OURS:
        raise InvalidInputError(
            f"{parsed.drivername!r} is not supported; use sqlite:///file.db or postgresql+psycopg://host/database"
        )
    return parsed


def file_of(url: str) -> Path | None:
    """The file of a SQLite URL; None for a server, for RAM, and for a `file:` URI. Raises InvalidInputError."""
    parsed = parse(url)
    name = parsed.database or ""
    if parsed.get_backend_name() != "sqlite" or in_memory(parsed) or name.startswith("file:"):
        return None
    return Path(name)


def address_of(url: str) -> str | None:
    """The URL of a database that other processes can open, a file by its whole path, without anything secret."""
    parsed = parse(url)
    if parsed.get_backend_name() == "sqlite":
        if in_memory(parsed):
            return None
        if parsed.database and not parsed.database.startswith("file:"):
            parsed = parsed.set(database=str(Path(parsed.database).resolve()))
    secret = [name for name in parsed.query if any(word in name.lower() for word in _SECRET)]
    where = (parsed.host or None, parsed.port, parsed.database, parsed.difference_update_query(secret).query)
    return URL.create(parsed.drivername, parsed.username, None, *where).render_as_string()
