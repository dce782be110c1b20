"""How the fault tests open a memory: small tiers, so that a few pages go all the way; nothing left open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sqlalchemy import create_engine, text

from memoryos_core import HeatConfig, MemoryConfig, MemoryOS, Message, ShortTermConfig, UserMemory, WorkerConfig
from memoryos_core.config import WorkerMode


def small(mode: WorkerMode = "manual", *, capacity: int = 2, batch: int = 2, threads: int = 2) -> MemoryConfig:
    """Pages leave short-term memory after `capacity` alone, all segments are hot, and failed runs wait for a call."""
    return MemoryConfig(
        short_term=ShortTermConfig(capacity_pages=capacity, batch_pages=batch, idle_hours=None),
        heat=HeatConfig(threshold=0.5),
        worker=WorkerConfig(mode=mode, threads=threads, attempts=1, backoff_seconds=30.0),
    )


def slow_to_promote(config: MemoryConfig) -> MemoryConfig:
    """The same, but nothing becomes hot."""
    return replace(config, heat=HeatConfig(threshold=1e6))


def url(path: Path) -> str:
    return f"sqlite:///{path}"


def talk(user: UserMemory, pages: int, *, first: int = 0) -> list[str]:
    """Add turns that are told apart by their numbers; returns the ids of their pages, in order."""
    lines = range(first, first + pages)
    return [user.add(f"I planted tree number {i} by the river.", f"Tree {i} will like the water.").id for i in lines]


def said(messages: Sequence[Message]) -> list[str]:
    return [m.text for m in messages]


# What holds of every database, whatever happened to it. Each query finds the rows that break a law.
LAWS = {
    "a page without a home in mid-term memory": """
        SELECT p.id FROM memoryos_pages p LEFT JOIN memoryos_segments s ON s.scope = p.scope AND s.id = p.segment_id
        WHERE p.tier IN ('mid_term', 'archive') AND (s.id IS NULL OR s.archived != (p.tier = 'archive'))""",
    "a page in short-term memory and in a segment": """
        SELECT id FROM memoryos_pages WHERE tier = 'short_term' AND (segment_id IS NOT NULL OR chain_id IS NOT NULL)""",
    "a tier that does not exist": """
        SELECT id FROM memoryos_pages WHERE tier NOT IN ('short_term', 'mid_term', 'archive')""",
    "a page twice": "SELECT id FROM memoryos_pages GROUP BY id HAVING COUNT(*) > 1",
    "a citation of no page": """
        SELECT c.page_id FROM memoryos_citations c
        LEFT JOIN memoryos_pages p ON p.scope = c.scope AND p.id = c.page_id WHERE p.id IS NULL""",
    "a segment without pages": """
        SELECT s.id FROM memoryos_segments s
        WHERE NOT EXISTS (SELECT 1 FROM memoryos_pages p WHERE p.scope = s.scope AND p.segment_id = s.id)""",
    "a current fact learnt twice": """
        SELECT f.text FROM memoryos_facts f WHERE f.status = 'current' AND EXISTS (
            SELECT 1 FROM memoryos_citations c WHERE c.scope = f.scope AND c.kind = 'fact' AND c.item_id = f.id)
        GROUP BY f.scope, f.about, f.text HAVING COUNT(*) > 1""",
    "a vector of nothing": """
        SELECT v.owner_id FROM memoryos_vectors v WHERE v.owner_id NOT IN (SELECT id FROM memoryos_pages)
        AND v.owner_id NOT IN (SELECT id FROM memoryos_facts)""",
}


def broken_laws(path: Path) -> dict[str, list[str]]:
    """What is wrong with a file, seen with SQL and not with our own eyes; empty when nothing is."""
    engine = create_engine(f"sqlite:///{path}")
    try:
        with engine.connect() as connection:
            found = {law: [str(row[0]) for row in connection.execute(text(sql))] for law, sql in LAWS.items()}
            found["a dangling reference"] = [str(r) for r in connection.execute(text("PRAGMA foreign_key_check"))]
            found["damage"] = [r[0] for r in connection.execute(text("PRAGMA integrity_check")) if r[0] != "ok"]
        return {law: rows for law, rows in found.items() if rows}
    finally:
        engine.dispose()


def page_ids(path: Path) -> list[str]:
    """The id of every page in a file, in order, as SQL sees it."""
    engine = create_engine(f"sqlite:///{path}")
    try:
        with engine.connect() as connection:
            return [str(r[0]) for r in connection.execute(text("SELECT id FROM memoryos_pages ORDER BY scope, seq"))]
    finally:
        engine.dispose()


def warm_up() -> None:
    """Do once in RAM what a process will do that is forked from this one: it finds patterns and statements compiled."""
    with MemoryOS("sqlite://", embedder=None, config=small()) as memory:
        user = memory.user("ann")
        talk(user, 8)
        user.remember("Likes trees")
        user.consolidate()
        user.recall("Where did I plant tree 2?")


def open_small(path: Path, mode: WorkerMode = "manual", **options: object) -> MemoryOS:
    return MemoryOS(url(path), embedder=None, config=small(mode), **options)  # type: ignore[arg-type]  # one of its own
