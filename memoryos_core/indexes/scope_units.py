"""Everything resident for one scope: its units with their words, vectors and neighbours, as of one cursor."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from memoryos_core.indexes.units import FACT, Unit, UnitTable, unit_of_fact, units_of_page
from memoryos_core.models import HALVES, Vector
from memoryos_core.moves import Cursor, Feed
from memoryos_core.ports import LexicalIndex, VectorIndex
from memoryos_core.queries import Candidates

_log = logging.getLogger(__name__)


class ScopeUnits:
    """The resident state of one scope. Not thread-safe: `ResidentIndex` holds a lock round each one."""

    def __init__(
        self, vector_index: Callable[[int], VectorIndex] | None, lexical_index: Callable[[], LexicalIndex]
    ) -> None:
        self.cursor = Cursor()
        self._vector_index = vector_index
        self._units = UnitTable()
        self._words = lexical_index()
        self._vectors: VectorIndex | None = None
        self._dimension = 0

    def __len__(self) -> int:
        """How many units."""
        return len(self._units)

    def apply(self, feed: Feed) -> None:
        """Bring in what changed; applying a feed twice is the same as once."""
        for page in feed.pages:
            said = units_of_page(page)
            for unit in said:
                self._put(unit)
            for part in set(HALVES) - {unit.part for unit in said}:
                self._drop(page.id, part)
        for fact in feed.facts:
            if fact.status == "current":
                self._put(unit_of_fact(fact))
            else:
                self._drop(fact.id, FACT)
        for fact_id in feed.retired_fact_ids:
            self._drop(fact_id, FACT)
        if self._vector_index is not None:
            self._follow_vectors(feed, self._vector_index)
        self.cursor = feed.cursor

    def _put(self, unit: Unit) -> None:
        slot, changed = self._units.put(unit)
        if changed:
            self._words.add(slot, unit.text)

    def _drop(self, owner: str, part: str) -> None:
        slot = self._units.drop(owner, part)
        if slot >= 0:
            self._words.remove(slot)
            if self._vectors is not None:
                self._vectors.remove(_ids([slot]))

    def _follow_vectors(self, feed: Feed, vector_index: Callable[[int], VectorIndex]) -> None:
        held = {
            slot: np.asarray(vector, dtype=np.float32)
            for owner, parts in feed.vectors.items()
            for part, vector in parts.items()
            if (slot := self._units.slot(owner, part)) >= 0
        }
        if held:
            # A scope's vectors all come from one embedder, so another dimension says that the store was
            # embedded anew, and that what is resident in the old one is in the store no more.
            dimension = len(next(reversed(held.values())))
            if self._vectors is None or dimension != self._dimension:
                self._vectors, self._dimension = vector_index(dimension), dimension
            held = {slot: vector for slot, vector in held.items() if len(vector) == dimension}
        if self._vectors is not None:
            # A changed page or fact brings all the vectors it has: one that it does not bring is gone.
            self._vectors.remove(_ids([slot for slot in self._changed(feed) if slot not in held]))
        if self._vectors is not None and held:
            self._vectors.add(_ids(list(held)), np.stack(list(held.values())))

    def _changed(self, feed: Feed) -> Iterator[int]:
        owned = [(page.id, half) for page in feed.pages for half in HALVES]
        for owner, part in (*owned, *((fact.id, FACT) for fact in feed.facts)):
            slot = self._units.slot(owner, part)
            if slot >= 0:
                yield slot

    def candidates(self, query: str, vector: Vector | None, k: int) -> Candidates:
        """What `ports.PageIndex.candidates` promises, oldest first."""
        lexical = self._by_slot(self._words.scores(query))
        index = self._usable(vector)
        found = [_best(lexical, k)]
        if index is not None and vector is not None and k > 0:
            found.append(index.search(vector, k)[0])
        slots = self._units.with_neighbours(self._units.distinct(*found))
        before, after = self._units.before.values[slots], self._units.after.values[slots]
        dense = np.full(self._units.size, np.nan, dtype=np.float32)
        if index is not None and vector is not None:
            scored = self._units.distinct(slots, before, after)
            dense[scored] = index.scores(vector, scored)
        named = self._units.named(slots)
        return Candidates(
            owners=named.owners,
            parts=named.parts,
            sessions=named.sessions,
            segments=named.segments,
            speakers=named.speakers,
            seqs=self._units.keys.values[slots] >> 1,
            times=self._units.times.values[slots],
            lexical=lexical[slots],
            lexical_before=_at(lexical, before, 0),
            lexical_after=_at(lexical, after, 0),
            dense=dense[slots],
            dense_before=_at(dense, before, np.nan),
            dense_after=_at(dense, after, np.nan),
            coverage=self._by_slot(self._words.coverage(query))[slots],
        )

    def _usable(self, vector: Vector | None) -> VectorIndex | None:
        if vector is None or self._vectors is None:
            return None
        if len(vector) != self._dimension:
            _log.warning("query vector has %d numbers, stored ones %d: words alone", len(vector), self._dimension)
            return None
        return self._vectors

    def _by_slot(self, scores: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.pad(scores, (0, self._units.size - len(scores)))


def _ids(slots: list[int]) -> NDArray[np.int64]:
    return np.array(slots, dtype=np.int64)


def _best(scores: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    positive = np.flatnonzero(scores > 0)
    if len(positive) > k > 0:
        positive = positive[np.argpartition(scores[positive], -k)[-k:]]
    return positive if k > 0 else positive[:0]


def _at(scores: NDArray[np.float32], slots: NDArray[np.int64], missing: float) -> NDArray[np.float32]:
    # What is appended is what slot -1, no neighbour, picks.
    return np.append(scores, np.float32(missing))[slots]
