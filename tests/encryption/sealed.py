"""What a server shows of a sealed database."""

from __future__ import annotations

from memoryos_core.stores.sql.keyring import sealed_columns
from memoryos_core.stores.sql.tables import metadata
from memoryos_core.testing.postgres import LocalPostgres


def rows(server: LocalPostgres, name: str) -> str:
    """Every row of every table as its owner's superior sees it."""
    return "\n".join(server.sql(f"SELECT t::text FROM {table} t", database=name) for table in metadata.tables)


def shown(text: str, words: dict[str, str]) -> set[str]:
    return {place for place, word in words.items() if word in text}


def key_ids(server: LocalPostgres, name: str) -> set[str]:
    """Which keys the values of all sealed columns are sealed with."""
    found = set()
    for table, columns in sealed_columns().items():
        for column in columns:
            wanted = (
                f"SELECT DISTINCT split_part({column.name}, '.', 2) FROM {table.name} WHERE {column.name} IS NOT NULL"
            )
            found.update(server.sql(wanted, database=name).split())
    return found
