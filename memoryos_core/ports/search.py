"""Protocols of the index of a scope and of its two parts, vectors and words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memoryos_core.values.dialogue import Scope, Vector
from memoryos_core.values.queries import Candidates, Near, Postings


class PageIndex(Protocol):
    """Finds candidates among all pages and current facts of one scope; follows every writer of the store."""

    def candidates(self, scope: Scope, query: str, vector: Vector | None, k: int) -> Candidates:
        """The k best units by words and the k best by vector."""
        ...

    def speakers(self, scope: Scope) -> frozenset[str]:
        """The names that messages of the scope carry."""
        ...

    def forget(self, scope: Scope) -> None:
        """Drop the resident data of a scope."""
        ...

    def keep(self, scope: Scope, stopping: Callable[[], bool]) -> None:
        """Store what a later process starts from, where much of it is not stored yet; give up once `stopping`."""
        ...

    def disagreements(self, scope: Scope) -> tuple[str, ...]:
        """Return the pages and facts of which the stored index says something else than the rows."""
        ...


class VectorIndex(Protocol):
    """Resident nearest-neighbour search over small integer ids; inner product of normalised vectors."""

    def add(self, ids: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        """Add vectors; they replace the earlier vectors of these ids."""
        ...

    def remove(self, ids: NDArray[np.int64]) -> None:
        """Remove ids; unknown ids are ignored."""
        ...

    def scores(self, query: Vector) -> NDArray[np.float32]:
        """Inner product of every id, indexed by id; nan for an id without a vector.

        The score of a vector depends on it and the query alone, not on what else is held or in which order it came.
        """
        ...

    def __len__(self) -> int: ...


class LexicalIndex(Protocol):
    """Resident BM25 over small integer ids, with the statistics of this scope alone."""

    def add(self, id: int, text: str) -> None:
        """Add a text; it replaces the earlier text of this id."""
        ...

    def add_all(self, texts: Mapping[int, str]) -> None:
        """Add texts by id; each replaces the earlier one."""
        ...

    def remove(self, id: int) -> None:
        """Remove an id; an unknown id is ignored."""
        ...

    def scores(self, query: str, near: Sequence[Near] = ()) -> NDArray[np.float32]:
        """BM25 of every id, indexed by id; `near` names the neighbours of an id whose words count too, with weights.

        In one `near` no two ids have the same neighbour. Its numbers do not change: an index may keep what follows.
        """
        ...

    def take(self, texts: Sequence[Postings], ids: NDArray[np.int64]) -> None:
        """Take over texts, the nth of all with the nth id, those with -1 as removed; the index is empty before."""
        ...

    def postings(self, ids: NDArray[np.int64]) -> Postings:
        """Return the words of these ids, numbered from 0 in this order."""
        ...

    def coverage(self, query: str) -> NDArray[np.float32]:
        """Share of the query's idf mass that each id matches, indexed by id."""
        ...

    def __len__(self) -> int: ...
