"""The search for pages and facts: a resident index over FAISS and BM25 that follows the store's rows, or the store.

Importing this package loads neither FAISS nor an index; `open_index` composes what a memory needs.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

from memoryos_core.errors import ConfigError
from memoryos_core.ports.capabilities import SearchStore
from memoryos_core.values.dialogue import Page
from memoryos_core.values.facts import Fact
from memoryos_core.values.queries import Analysed

if TYPE_CHECKING:
    from memoryos_core.ports import PageIndex, Store

__all__ = ["IndexChoice", "analyse_item", "open_index"]

IndexChoice: TypeAlias = Literal["auto", "resident", "database"]

# Windows differ less in length than single utterances do: the textbook's 0.75 measures half a point lower on LoCoMo.
_LENGTH_NORM = 0.9


def open_index(
    store: Store,
    *,
    window: float = 0.5,
    kind: IndexChoice = "auto",
) -> PageIndex:
    """The index over a store: words and vectors, of whatever dimension the store holds.

    The words of what is said round a text count for it, too: `window` of them a step away, its square two steps away.
    Nothing is read until the first question. FAISS is loaded with the first vector. "auto" leaves the search to a
    store that does it (PostgreSQL).

    Raises ConfigError for "database" where the store does not search.
    """
    from memoryos_core.recall.index.database import DatabaseIndex
    from memoryos_core.recall.index.faiss import FaissIndex
    from memoryos_core.recall.index.kept import KeptIndex
    from memoryos_core.recall.index.lexical import BM25Index
    from memoryos_core.recall.index.resident import ResidentIndex

    able = isinstance(store, SearchStore) and store.searches
    if kind == "database" and not able:
        raise ConfigError(
            "recall.index='database' needs a store that searches by itself (PostgreSQL, opened by its URL); "
            "use 'auto' or 'resident'"
        )
    if isinstance(store, SearchStore) and able and kind != "resident":
        return DatabaseIndex(store, window=window)
    words = partial(BM25Index, b=_LENGTH_NORM)
    keeper = KeptIndex(store, words)
    return ResidentIndex(store, vector_index=FaissIndex, lexical_index=words, window=window, keeper=keeper)


def analyse_item(item: Page | Fact) -> tuple[Analysed, ...]:
    """Return the searchable words of a page or a fact, for a store that ranks itself (`open_store(url, analyse=…)`)."""
    from memoryos_core.recall.index.units import analyse_item

    return analyse_item(item)
