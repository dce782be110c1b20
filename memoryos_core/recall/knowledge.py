"""What is known about a user, kept at hand for recalls: it follows the facts of a scope as they change."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from memoryos_core.ports import Store
from memoryos_core.ports.forks import Lock
from memoryos_core.rules.knowledge.lines import Book
from memoryos_core.values.commands import Cursor
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.facts import Fact

_SCOPES_AT_MOST = 64
# Behind by more changes than this, reading all facts anew is faster than following.
_CHANGES_AT_MOST = 300


@dataclass(frozen=True, slots=True)
class _Held:
    cursor: Cursor
    facts: dict[str, Fact]
    names: tuple[str, ...]
    book: Book


class Knowledge:
    """The book of each scope that was asked about lately. Thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self._held: OrderedDict[Scope, _Held] = OrderedDict()

    def book(self, scope: Scope, names: tuple[str, ...] = ()) -> Book:
        """Return what is known, as it is in the store now. Raises StoreError."""
        with self._lock:
            held = self._held.get(scope)
        now = self._store.cursor(scope)
        if held is None or held.cursor != now or held.names != names:
            held = self._read(scope, now, held, names)
        with self._lock:
            self._held[scope] = held
            self._held.move_to_end(scope)
            while len(self._held) > _SCOPES_AT_MOST:
                self._held.popitem(last=False)
        return held.book

    def _read(self, scope: Scope, now: Cursor, held: _Held | None, names: tuple[str, ...]) -> _Held:
        if held is None or held.cursor.epoch != now.epoch or now.version - held.cursor.version > _CHANGES_AT_MOST:
            facts = {f.id: f for f in self._store.facts(scope, current=False)}
            return _Held(now, facts, names, Book(tuple(facts.values()), names))
        feed = self._store.feed(scope, held.cursor, limit=_CHANGES_AT_MOST)
        if feed.cursor.epoch != held.cursor.epoch or feed.more:
            return self._read(scope, now, None, names)
        changed = {f.id: f for f in feed.facts}
        if feed.retired_fact_ids:
            gone = self._store.facts(scope, ids=feed.retired_fact_ids, current=False)
            changed |= {f.id: f for f in gone}
        if not changed and names == held.names:
            return _Held(feed.cursor, held.facts, names, held.book)
        facts = held.facts | changed
        return _Held(feed.cursor, facts, names, Book(tuple(facts.values()), names))
