"""The page index of a store that ranks by itself: nothing of a user's memory is kept in this process."""

from __future__ import annotations

from collections.abc import Callable

from memoryos_core.ports.capabilities import SearchStore
from memoryos_core.rules.text.languages import question_terms, search_terms
from memoryos_core.values.dialogue import Scope, Vector
from memoryos_core.values.queries import Candidates


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
        asked = tuple(dict.fromkeys(search_terms(query)))
        counted = tuple(dict.fromkeys(question_terms(query)))
        return self._store.ranked(scope, asked, vector, k, window=self._window, counted=counted)

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
