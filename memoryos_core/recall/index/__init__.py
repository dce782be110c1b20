"""The search for pages and facts: a resident index of vectors and BM25 that follows the store's rows, or the store.

Importing this package loads no index; `open_index` composes what a memory needs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

from memoryos_core.errors import ConfigError
from memoryos_core.ports.capabilities import SearchStore
from memoryos_core.rules.text.languages import counted_terms, weighted_terms
from memoryos_core.values.dialogue import Page, Scope, Vector
from memoryos_core.values.facts import Fact
from memoryos_core.values.queries import Analysed, Candidates, IndexChunk

if TYPE_CHECKING:
    from memoryos_core.ports import PageIndex, Store
    from memoryos_core.recall.index.resident import ResidentIndex


class DatabaseIndex:
    """Implements `ports.PageIndex` over a store whose `searches` is true; it holds no state, and so is thread-safe.

    `window` is how much the words round a text count for it, as for the resident index; the numbers of BM25 are the
    store's.
    """

    def __init__(self, store: SearchStore, *, window: float = 0.5) -> None:
        self._store = store
        self._window = window

    def candidates(self, scope: Scope, query: str, vector: Vector | None, k: int) -> Candidates:
        """The k best units by words and the k best by vector, oldest first.

        A vector of another dimension than the stored ones counts as none. Raises StoreError.
        """
        return self._store.ranked(
            scope, weighted_terms(query), vector, k, window=self._window, counted=counted_terms(query)
        )

    def speakers(self, scope: Scope) -> frozenset[str]:
        """The names that messages of the scope carry. Raises StoreError."""
        return self._store.speakers(scope)

    def forget(self, scope: Scope) -> None:
        """Do nothing: this index keeps nothing in memory."""

    def keep(self, scope: Scope, stopping: Callable[[], bool]) -> None:
        """Do nothing: the database keeps what it ranks by."""

    def disagreements(self, scope: Scope) -> tuple[str, ...]:
        """Return nothing: the laws of the database look at its units (stores/sql/checking.py)."""
        return ()


class IndexBySize:
    """Implements `ports.PageIndex` over a store that searches: each scope is searched where that is faster.

    A small scope is searched in the database, which has nothing to load, and so is one that is too large for RAM; any
    other is resident. The stored size alone decides, so all processes search a scope in the same way. Thread-safe.
    """

    def __init__(self, store: Store, database: DatabaseIndex, resident: ResidentIndex) -> None:
        self._store = store
        self._database = database
        self._resident = resident

    def candidates(self, scope: Scope, query: str, vector: Vector | None, k: int) -> Candidates:
        """The k best units by words and the k best by vector, oldest first. Raises StoreError."""
        return self._index_of(scope).candidates(scope, query, vector, k)

    def speakers(self, scope: Scope) -> frozenset[str]:
        """The names that messages of the scope carry. Raises StoreError."""
        return self._index_of(scope).speakers(scope)

    def forget(self, scope: Scope) -> None:
        """Drop what the store has no longer."""
        self._resident.forget(scope)

    def keep(self, scope: Scope, stopping: Callable[[], bool]) -> None:
        """Store what a later process starts from, of a scope that is resident there. Raises StoreError."""
        if self._is_resident(self._store.cursor(scope).version):
            self._resident.keep(scope, stopping)

    def disagreements(self, scope: Scope) -> tuple[str, ...]:
        """Return the pages and facts of which the stored index says something else than the rows. Raises StoreError."""
        return self._resident.disagreements(scope)

    def _index_of(self, scope: Scope) -> DatabaseIndex | ResidentIndex:
        # One that is resident here is asked how large it was, without a round trip.
        held = self._resident.version(scope)
        version = held or self._store.cursor(scope).version
        if self._is_resident(version):
            return self._resident
        if held:
            self._resident.drop(scope)  # it has outgrown its place
        return self._database

    @staticmethod
    def _is_resident(version: int) -> bool:
        return _RESIDENT_FROM <= version <= _RESIDENT_UP_TO


__all__ = ["IndexChoice", "analyse_item", "open_index", "prune_chunk"]

IndexChoice: TypeAlias = Literal["auto", "resident", "database"]

# Windows differ less in length than single utterances do: the textbook's 0.75 measures half a point lower on LoCoMo.
_LENGTH_NORM = 0.9
# Revs of the scopes that "auto" makes resident where the database could search: some 100 to 50,000 pages, of which each
# takes three or four. A smaller one is found as soon in the database; a larger one would take over 150 MB for itself.
_RESIDENT_FROM, _RESIDENT_UP_TO = 300, 200_000


def open_index(
    store: Store,
    *,
    window: float = 0.5,
    kind: IndexChoice = "auto",
    vectors: bool = True,
) -> PageIndex:
    """The index over a store: words and vectors, of whatever dimension the store holds.

    The words of what is said round a text count for it, too: `window` of them a step away, its square two steps away.
    Nothing is read until the first question. A resident index takes no vectors unless
    `vectors` are searched. Where the store can search, too (PostgreSQL), "auto" chooses for each scope by its size.

    Raises ConfigError for "database" where the store does not search.
    """
    from memoryos_core.recall.index.kept import KeptIndex
    from memoryos_core.recall.index.lexical import BM25Index
    from memoryos_core.recall.index.resident import ResidentIndex
    from memoryos_core.recall.index.vectors import FlatIndex

    able = isinstance(store, SearchStore) and store.searches
    if kind == "database" and not able:
        raise ConfigError(
            "recall.index='database' needs a store that searches by itself (PostgreSQL, opened by its URL); "
            "use 'auto' or 'resident'"
        )
    if isinstance(store, SearchStore) and kind == "database":
        return DatabaseIndex(store, window=window)
    words = partial(BM25Index, b=_LENGTH_NORM)
    keeper = KeptIndex(store, words)
    vector_index = FlatIndex if vectors else None
    resident = ResidentIndex(store, vector_index=vector_index, lexical_index=words, window=window, keeper=keeper)
    if isinstance(store, SearchStore) and able and kind == "auto":
        return IndexBySize(store, DatabaseIndex(store, window=window), resident)
    return resident


def analyse_item(item: Page | Fact) -> tuple[Analysed, ...]:
    """Return the searchable words of a page or a fact, for a store that ranks itself (`open_store(url, analyse=…)`)."""
    from memoryos_core.recall.index.scope_units import analyse_item

    return analyse_item(item)


def prune_chunk(scope: Scope, chunk: IndexChunk, pages: Collection[str], facts: Collection[str]) -> IndexChunk | None:
    """Return a chunk of the kept index without these pages and facts (`open_store(url, prune=…)`)."""
    from memoryos_core.recall.index import kept

    return kept.prune_chunk(scope, chunk, pages, facts)
