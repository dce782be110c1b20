"""A store that only feeds: pages, facts and vectors by scope in a dict, with the change feed the ports promise."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone

import numpy as np

from memoryos_core.values.commands import Cursor, Feed
from memoryos_core.values.dialogue import Message, Page, Scope, Vector
from memoryos_core.values.facts import Fact

START = datetime(2024, 5, 1, tzinfo=timezone.utc)


def page(number: int, user: str, assistant: str = "", **changes: object) -> Page:
    """Page `number` of session "s": half an hour after the one before."""
    when = START + timedelta(minutes=30 * number)
    messages = (Message("user", user), Message("assistant", assistant))
    return replace(Page(f"p{number}", "s", number, messages, when), **changes)  # type: ignore[arg-type]


def fact(number: int, text: str, **changes: object) -> Fact:
    when = START + timedelta(days=number)
    return replace(Fact(f"f{number}", "user", text, when, when), **changes)  # type: ignore[arg-type]


def unit_vector(*numbers: float) -> Vector:
    row = np.array(numbers, dtype=np.float32)
    row /= np.linalg.norm(row)
    return row


@dataclass
class _Rows:
    epoch: int = 0
    version: int = 0
    pages: dict[str, Page] = field(default_factory=dict)
    facts: dict[str, Fact] = field(default_factory=dict)
    vectors: dict[str, dict[str, Vector]] = field(default_factory=dict)
    changed: dict[str, int] = field(default_factory=dict)  # owner -> version, oldest change first

    def touch(self, owner: str) -> None:
        self.version += 1
        self.changed.pop(owner, None)
        self.changed[owner] = self.version


class FeedingStore:
    """`cursor` and `feed` of ports.Store; thread-safe; `reads` counts the feeds by scope."""

    def __init__(self, chunk: int = 500) -> None:
        self._rows: dict[Scope, _Rows] = {}
        self._lock = threading.Lock()
        self._chunk = chunk
        self.reads: dict[Scope, int] = {}

    def put(self, scope: Scope, row: Page | Fact, vectors: Mapping[str, Vector] | None = None) -> None:
        """Write a page or a fact; the vectors it had go, `vectors` come."""
        with self._lock:
            rows = self._rows.setdefault(scope, _Rows())
            table: dict = rows.pages if isinstance(row, Page) else rows.facts
            table[row.id] = row
            rows.vectors[row.id] = dict(vectors or {})
            rows.touch(row.id)

    def save_vectors(self, scope: Scope, owner: str, vectors: Mapping[str, Vector]) -> None:
        with self._lock:
            rows = self._rows[scope]
            rows.vectors[owner] = dict(vectors)
            rows.touch(owner)

    def retire(self, scope: Scope, owner: str) -> None:
        with self._lock:
            rows = self._rows[scope]
            rows.facts[owner] = replace(rows.facts[owner], status="retired")
            rows.touch(owner)

    def delete(self, scope: Scope, owner: str) -> None:
        with self._lock:
            rows = self._rows[scope]
            for table in (rows.pages, rows.facts, rows.vectors, rows.changed):
                table.pop(owner, None)
            rows.epoch += 1

    def cursor(self, scope: Scope) -> Cursor:
        with self._lock:
            rows = self._rows.get(scope, _Rows())
            return Cursor(rows.epoch, rows.version)

    def feed(self, scope: Scope, after: Cursor, *, limit: int = 500) -> Feed:
        with self._lock:
            self.reads[scope] = self.reads.get(scope, 0) + 1
            rows = self._rows.get(scope, _Rows())
            newer = [owner for owner, version in rows.changed.items() if version > after.version]
            owners = newer[: min(limit, self._chunk)]
            more = len(newer) > len(owners)
            facts = [rows.facts[owner] for owner in owners if owner in rows.facts]
            return Feed(
                cursor=Cursor(rows.epoch, rows.changed[owners[-1]] if more else rows.version),
                pages=tuple(rows.pages[owner] for owner in owners if owner in rows.pages),
                facts=tuple(f for f in facts if f.status == "current"),
                retired_fact_ids=tuple(f.id for f in facts if f.status != "current"),
                vectors={owner: rows.vectors[owner] for owner in owners if rows.vectors.get(owner)},
                more=more,
            )
