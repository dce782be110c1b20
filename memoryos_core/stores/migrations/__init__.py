"""The schema's history: named, ordered Alembic revisions that are run when a store is opened.

A released revision is never edited; the newest is last in `REVISIONS`, which lets an up-to-date file be opened
without loading Alembic. Their names ascend as text. Those before the first of them were never released.
A new SQLite file is made without Alembic, too: `new.sql` holds what all revisions make of an empty file.
"""

from __future__ import annotations

import secrets
import sqlite3
from pathlib import Path
from typing import cast

from sqlalchemy import Connection

from memoryos_core.ports.forks import Lock

__all__ = ["REVISIONS", "VERSION_TABLE", "create", "upgrade"]

REVISIONS = ("0011", "0012", "0013", "0014", "0015", "0016")

# Not Alembic's default name: the application may have its own tables and history in this database.
VERSION_TABLE = "memoryos_version"

# Alembic keeps the running migration in module globals.
_one_at_a_time = Lock()


def create(connection: Connection) -> None:
    """Make the newest schema in a SQLite file that holds no memory, inside the connection's transaction."""
    # On the driver itself: SQLAlchemy takes longer for each of these statements than SQLite.
    execute = cast("sqlite3.Connection", connection.connection.dbapi_connection).execute
    for statement in (Path(__file__).parent / "new.sql").read_text("utf-8").split(";\n")[:-1]:
        execute(statement)
    execute(f"INSERT INTO {VERSION_TABLE} VALUES ('{REVISIONS[-1]}')")  # noqa: S608 - our own texts
    execute("INSERT INTO memoryos_secret VALUES (1, ?)", (secrets.token_hex(32),))
    if not execute("PRAGMA application_id").fetchone()[0]:
        execute(f"PRAGMA application_id = {1 + secrets.randbelow(2**31 - 1)}")


def upgrade(connection: Connection, *, partitions: int = 0) -> None:
    """Bring the schema to the newest revision, inside the connection's transaction; `partitions` are for a new one."""
    from alembic import command  # noqa: PLC0415 - 0.2 s that an up-to-date file does not need
    from alembic.config import Config  # noqa: PLC0415

    from memoryos_core.stores.migrations.postgres import divide  # noqa: PLC0415

    divide(connection, partitions)
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    with _one_at_a_time:
        command.upgrade(config, "head")
