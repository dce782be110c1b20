"""The facts of each scope, kept at hand: they follow the store as it changes."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from memoryos_core.ports import Store
from memoryos_core.ports.forks import Lock
from memoryos_core.rules.knowledge.lines import Book
from memoryos_core.rules.knowledge.supersession import find_disputes
from memoryos_core.values.commands import Cursor
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.facts import Dispute, Fact

_SCOPES_AT_MOST = 64
# Behind by more changes than this, reading all facts anew is faster than following.
_CHANGES_AT_MOST = 300


@dataclass(slots=True)
class _Held:
    cursor: Cursor
    facts: dict[str, Fact]
    names: tuple[str, ...] = ()
    book: Book | None = None
    disputes: tuple[tuple[str, ...], tuple[Dispute, ...]] | None = None


class Knowledge:
    """The facts of each scope that was asked about lately. Thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self._held: OrderedDict[Scope, _Held] = OrderedDict()

    def facts(self, scope: Scope) -> tuple[Fact, ...]:
        """Return all facts as they are in the store now, those that were replaced too. Raises StoreError."""
        return tuple(self._follow(scope).facts.values())

    def book(self, scope: Scope, names: tuple[str, ...] = ()) -> Book:
        """Return the facts ready for questions, as they are in the store now. Raises StoreError.

        `names` are what the user is called.
        """
        held = self._follow(scope)
        book = held.book
        if book is None or held.names != names:
            book = Book(tuple(held.facts.values()), names)
            held.book, held.names = book, names
        return book

    def disputes(self, scope: Scope, names: tuple[str, ...] = ()) -> tuple[Dispute, ...]:
        """Return the facts that contradict each other, as they are in the store now. Raises StoreError.

        `names` are what the user is called.
        """
        held = self._follow(scope)
        known = held.disputes
        if known is None or known[0] != names:
            held.disputes = known = names, tuple(find_disputes(tuple(held.facts.values()), names))
        return known[1]

    def _follow(self, scope: Scope) -> _Held:
        with self._lock:
            held = self._held.get(scope)
        now = self._store.cursor(scope)
        if held is None or held.cursor != now:
            held = self._load(scope, now, held)
        with self._lock:
            self._held[scope] = held
            self._held.move_to_end(scope)
            while len(self._held) > _SCOPES_AT_MOST:
                self._held.popitem(last=False)
        return held

    def _load(self, scope: Scope, now: Cursor, held: _Held | None) -> _Held:
        if held is None or held.cursor.epoch != now.epoch:
            return _Held(now, {f.id: f for f in self._store.facts(scope, current=False)})
        feed = self._store.feed(scope, held.cursor, limit=_CHANGES_AT_MOST)
        if feed.cursor.epoch != held.cursor.epoch or feed.more:
            return self._load(scope, now, None)
        changed = {f.id: f for f in feed.facts}
        if feed.retired_fact_ids:
            gone = self._store.facts(scope, ids=feed.retired_fact_ids, current=False)
            changed |= {f.id: f for f in gone}
        if not changed:
            return _Held(feed.cursor, held.facts, held.names, held.book, held.disputes)
        return _Held(feed.cursor, held.facts | changed)
