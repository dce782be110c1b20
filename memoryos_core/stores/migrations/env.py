"""Alembic's entry: runs revisions on the connection it is given, in the transaction that is already open there."""

from __future__ import annotations

from alembic import context

from memoryos_core.stores.migrations import VERSION_TABLE

context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
context.run_migrations()
