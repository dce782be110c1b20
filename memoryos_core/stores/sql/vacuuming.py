"""Giving back the room of what was erased, so that no old image of it stays in the database's files."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, Engine

from memoryos_core.errors import StoreBusyError


def vacuum(engine: Engine, tables: Sequence[str], *, full: bool) -> None:
    """Do it outside of any transaction. Raises StoreBusyError while others are in the way."""
    # The file's own BEGIN would be a transaction; a server's connection has none before it is asked for one.
    with engine.execution_options(memoryos_begin="SELECT 1").connect() as connection:
        if engine.dialect.name == "sqlite":
            _rewrite(connection)
        else:
            _of_server(connection, tables, full=full)


def _rewrite(connection: Connection) -> None:
    """Write a SQLite file anew, and empty its log. `secure_delete` has overwritten what was erased before this."""
    connection.exec_driver_sql("VACUUM")
    held_up = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar_one()
    if held_up:
        raise StoreBusyError("somebody reads from the file, so its log could not be emptied; vacuum again")


def _of_server(connection: Connection, tables: Sequence[str], *, full: bool) -> None:
    """PostgreSQL: plain, it frees what autovacuum would free later; `full`, it writes each table anew under a lock.

    ANALYZE comes with both: the planner's statistics are samples of what is there.
    """
    waits = connection.get_execution_options().get("memoryos_lock", "30s")
    connection.detach()  # its settings go with it
    connection.exec_driver_sql("SELECT set_config('lock_timeout', %s, false)", (waits,))
    connection.exec_driver_sql("SET statement_timeout = 0")
    for table in tables:  # one by one: a lock is held no longer than its own table takes
        connection.exec_driver_sql(f"VACUUM ({'FULL, ' if full else ''}ANALYZE) {table}")
