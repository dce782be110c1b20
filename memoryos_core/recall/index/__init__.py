"""The search for pages and facts: a resident index of vectors and BM25 that follows the store's rows, or the store.

Importing this package loads no index; `open_index` composes what a memory needs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from memoryos_core.errors import ConfigError
from memoryos_core.ports.capabilities import SearchStore
from memoryos_core.rules.dates import Span
from memoryos_core.rules.ranking.times_alone import PARTS_OF_A_TIME
from memoryos_core.rules.text.languages import counted_terms, weighted_terms
from memoryos_core.values.dialogue import Page, Scope, Vector
from memoryos_core.values.facts import Fact
from memoryos_core.values.queries import Analysed, Candidates, IndexChunk, PageQuery

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


__all__ = ["IndexChoice", "analyse_item", "open_index", "prune_chunk", "units_of_times"]

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


# So many pages of the times that a question names, the same number of each part.
_PAGES_OF_TIMES = 160


def units_of_times(store: Store, scope: Scope, times: Sequence[Span]) -> Candidates:
    """Return what was said in some times, as candidates that no word or vector speaks for. Raises StoreError.

    Of a long time these are the last pages of each of its parts. A message without a name tells as much of its speaker
    as one with a name: no word says which of them is worth more.
    """
    from memoryos_core.recall.index.units import units_of_page
    from memoryos_core.rules.ranking.disclosure import disclosure

    pages = {page.id: page for time in times for page in _pages_of(store, scope, time, _PAGES_OF_TIMES // len(times))}
    units = [unit for page in sorted(pages.values(), key=lambda page: page.seq) for unit in units_of_page(page)]
    nothing = np.zeros(len(units), dtype=np.float32)
    tells = [disclosure(replace(m := pages[u.owner].messages[u.place], name=m.name or m.role)) for u in units]
    return Candidates(
        owners=tuple(u.owner for u in units),
        parts=tuple(u.part for u in units),
        sessions=tuple(u.session for u in units),
        segments=tuple(u.segment for u in units),
        speakers=tuple(u.speaker for u in units),
        seqs=np.array([u.seq for u in units], dtype=np.int64),
        times=np.array([u.time for u in units], dtype=np.float64),
        lexical=nothing,
        dense=np.full_like(nothing, np.nan),
        coverage=nothing,
        sizes=np.array([u.size for u in units], dtype=np.int32),
        disclosures=np.array(tells, dtype=np.int16),
        places=np.array([u.place for u in units], dtype=np.int32),
        homes=(None,) * len(units),
    )


def _pages_of(store: Store, scope: Scope, time: Span, most: int) -> Sequence[Page]:
    """Return the pages of a time if they are few, else the last ones of each of its parts."""
    query = PageQuery(scope, since=time.start, until=time.end, newest_first=True, limit=most + 1)
    pages = store.pages(query)
    if len(pages) <= most:
        return pages
    step = (time.end - time.start) / PARTS_OF_A_TIME
    parts = [(time.start + n * step, time.start + (n + 1) * step) for n in range(PARTS_OF_A_TIME)]
    limit = max(1, most // PARTS_OF_A_TIME)
    return [page for a, b in parts for page in store.pages(replace(query, since=a, until=b, limit=limit))]


def analyse_item(item: Page | Fact) -> tuple[Analysed, ...]:
    """Return the searchable words of a page or a fact, for a store that ranks itself (`open_store(url, analyse=…)`)."""
    from memoryos_core.recall.index.scope_units import analyse_item

    return analyse_item(item)


def prune_chunk(scope: Scope, chunk: IndexChunk, pages: Collection[str], facts: Collection[str]) -> IndexChunk | None:
    """Return a chunk of the kept index without these pages and facts (`open_store(url, prune=…)`)."""
    from memoryos_core.recall.index import kept

    return kept.prune_chunk(scope, chunk, pages, facts)
