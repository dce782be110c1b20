"""The page index in memory: it follows the store's change feed, so it sees what other processes write.

A scope is loaded when it is first asked about; the least recently used ones are let go.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memoryos_core.ports import LexicalIndex, Store, VectorIndex
from memoryos_core.ports.forks import Lock
from memoryos_core.recall.index.content import Content, combine
from memoryos_core.recall.index.units import Unit, UnitTable, unit_of_fact, units_of_page
from memoryos_core.values.commands import Cursor, Feed
from memoryos_core.values.dialogue import FACT, Scope, Vector
from memoryos_core.values.queries import Candidates, VectorBlock

_FEED_LIMIT = 500


class Keeper(Protocol):
    """Reads and writes what is stored of scopes (kept.py)."""

    def load(self, scope: Scope, now: Cursor, start: Callable[[], ScopeUnits]) -> ScopeUnits | None:
        """Return what is stored of this epoch, in a state that `start` makes empty; None for nothing."""
        ...

    def keep(self, scope: Scope, stopping: Callable[[], bool]) -> None:
        """Write what is new, if it is much."""
        ...

    def disagreements(self, scope: Scope) -> tuple[str, ...]:
        """Return the pages and facts of which something else is stored than the rows say."""
        ...


class _Resident:
    """A scope's units, and the lock that whoever reads or follows them holds."""

    __slots__ = ("lock", "settled", "size", "units")

    def __init__(self, units: ScopeUnits) -> None:
        self.lock = Lock()
        self.units = units
        self.settled = True
        self.size = 0


class ResidentIndex:
    """Implements `ports.PageIndex` over any Store.

    `vector_index` makes an index of a given dimension, `lexical_index` an empty one; `window` is
    how much the words round a text count for it (`UnitTable.windows`).
    `capacity_units` bounds what all scopes together keep resident, in passages and facts; the scope in
    use stays whatever its size. A scope starts from what the `keeper` has stored of it.
    Thread-safe: threads wait for one another only within one scope.
    """

    def __init__(
        self,
        store: Store,
        *,
        vector_index: Callable[[int], VectorIndex],
        lexical_index: Callable[[], LexicalIndex],
        window: float = 0.5,
        capacity_units: int = 200_000,
        keeper: Keeper | None = None,
    ) -> None:
        self._store = store
        self._vector_index = vector_index
        self._lexical_index = lexical_index
        self._window = window
        self._capacity_units = capacity_units
        self._keeper = keeper
        self._lock = Lock()
        self._residents: OrderedDict[Scope, _Resident] = OrderedDict()
        self._total = 0

    def __len__(self) -> int:
        """Return the number of resident units, over all scopes."""
        return self._total

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The resident scopes, least recently used first."""
        with self._lock:
            return tuple(self._residents)

    def candidates(self, scope: Scope, query: str, vector: Vector | None, k: int) -> Candidates:
        """Return the k best units by words and the k best by vector, oldest first.

        A vector of another dimension than the stored ones counts as none. Raises StoreError.
        """
        resident = self._resident(scope)
        with resident.lock:
            self._follow(scope, resident)
            found = resident.units.candidates(query, vector, k)
            size = len(resident.units)
        self._weigh(scope, resident, size)
        return found

    def speakers(self, scope: Scope) -> frozenset[str]:
        """The names that messages of the scope carry. Raises StoreError."""
        resident = self._resident(scope)
        with resident.lock:
            self._follow(scope, resident)
            return resident.units.speakers()

    def forget(self, scope: Scope) -> None:
        """Drop the resident units of a scope; the next query loads them again."""
        with self._lock:
            self._drop(scope)

    def keep(self, scope: Scope, stopping: Callable[[], bool]) -> None:
        """Store what a later process starts from, if the store can. Raises StoreError."""
        if self._keeper is not None:
            self._keeper.keep(scope, stopping)

    def disagreements(self, scope: Scope) -> tuple[str, ...]:
        """Return the pages and facts of which the stored index says something else than the rows. Raises StoreError."""
        return () if self._keeper is None else self._keeper.disagreements(scope)

    def _resident(self, scope: Scope) -> _Resident:
        with self._lock:
            resident = self._residents.get(scope)
            if resident is None:
                resident = self._residents[scope] = _Resident(self._units())
            self._residents.move_to_end(scope)
            return resident

    def _units(self) -> ScopeUnits:
        return ScopeUnits(self._vector_index, self._lexical_index, window=self._window)

    def _follow(self, scope: Scope, resident: _Resident) -> None:
        now = self._store.cursor(scope)
        started = not resident.settled or now.epoch != resident.units.cursor.epoch
        if started:
            self._start_again(scope, resident, now)
        # The scope may have changed while it was loaded.
        more = started or now != resident.units.cursor
        while more:
            feed = self._store.feed(scope, resident.units.cursor, limit=_FEED_LIMIT)
            if feed.cursor.epoch != resident.units.cursor.epoch:
                self._start_again(scope, resident, feed.cursor)
                continue
            # An interrupt in `apply` leaves the units half changed; then the next caller starts again.
            resident.settled = False
            resident.units.apply(feed)
            resident.settled = True
            more = feed.more

    def _start_again(self, scope: Scope, resident: _Resident, now: Cursor) -> None:
        """Start from what is stored of this epoch, else from nothing."""
        resident.settled = False
        units = None if self._keeper is None else self._keeper.load(scope, now, self._units)
        if units is None:
            units = self._units()
            units.cursor = Cursor(epoch=now.epoch)
        resident.units = units
        resident.settled = True

    def _weigh(self, scope: Scope, resident: _Resident, size: int) -> None:
        with self._lock:
            if self._residents.get(scope) is not resident:
                return
            self._total += size - resident.size
            resident.size = size
            for other in tuple(self._residents):
                if self._total <= self._capacity_units:
                    break
                if other != scope:
                    self._drop(other)

    def _drop(self, scope: Scope) -> None:
        resident = self._residents.pop(scope, None)
        if resident is not None:
            self._total -= resident.size


_log = logging.getLogger(__name__)


class ScopeUnits:
    """The resident state of one scope. Not thread-safe: `ResidentIndex` holds a lock round each one.

    Without a `vector_index` it takes no vectors.
    """

    def __init__(
        self,
        vector_index: Callable[[int], VectorIndex] | None,
        lexical_index: Callable[[], LexicalIndex],
        *,
        window: float = 0.5,
    ) -> None:
        self.cursor = Cursor()
        self._vector_index = vector_index
        self._units = UnitTable()
        self._window = window
        self._words = lexical_index()
        self._vectors: VectorIndex | None = None
        self._dimension = 0

    def __len__(self) -> int:
        """Return the number of units."""
        return len(self._units)

    def apply(self, feed: Feed) -> None:
        """Apply the changes of a feed; applying it twice has the same result."""
        known = {page.id: parts for page in feed.pages if (parts := self._units.parts_of(page.id))}
        texts: dict[int, str] = {}
        for page in feed.pages:
            said = units_of_page(page)
            for unit in said:
                self._put(unit, texts)
            for part in set(known.get(page.id, ())) - {unit.part for unit in said}:
                self._drop(page.id, part, texts)
        for fact in feed.facts:
            if fact.status == "current":
                self._put(unit_of_fact(fact), texts)
            else:
                self._drop(fact.id, FACT, texts)
        for fact_id in feed.retired_fact_ids:
            self._drop(fact_id, FACT, texts)
        self._words.add_all(texts)
        self._follow_vectors(feed, known)
        self.cursor = feed.cursor

    def _put(self, unit: Unit, texts: dict[int, str]) -> None:
        slot, changed = self._units.put(unit)
        if changed:
            texts[slot] = unit.text

    def _drop(self, owner: str, part: str, texts: dict[int, str]) -> None:
        slot = self._units.drop(owner, part)
        if slot >= 0:
            texts.pop(slot, None)
            self._words.remove(slot)
            if self._vectors is not None:
                self._vectors.remove(_ids([slot]))

    def _follow_vectors(self, feed: Feed, known: Mapping[str, Sequence[str]]) -> None:
        """Take over the vectors of a feed; `known` are the pages that were here before, with their passages."""
        held = {
            slot: np.asarray(vector, dtype=np.float32)
            for owner, parts in feed.vectors.items()
            for part, vector in parts.items()
            if (slot := self._units.slot(owner, part)) >= 0
        }
        if self._vector_index is None:
            return
        if held:
            # A scope's vectors all come from one embedder, so another dimension says that the store was
            # embedded anew, and that what is resident in the old one is in the store no more.
            dimension = len(next(reversed(held.values())))
            if self._vectors is None or dimension != self._dimension:
                self._vectors, self._dimension = self._vector_index(dimension), dimension
            held = {slot: vector for slot, vector in held.items() if len(vector) == dimension}
        if self._vectors is not None:
            # A changed page or fact comes with all its vectors: a missing one was removed.
            self._vectors.remove(_ids([slot for slot in self._changed_slots(feed, known) if slot not in held]))
        if self._vectors is not None and held:
            self._vectors.add(_ids(list(held)), np.stack(list(held.values())))

    def _changed_slots(self, feed: Feed, known: Mapping[str, Sequence[str]]) -> Iterator[int]:
        owned = [(page_id, part) for page_id, parts in known.items() for part in parts]
        for owner, part in (*owned, *((fact.id, FACT) for fact in feed.facts)):
            slot = self._units.slot(owner, part)
            if slot >= 0:
                yield slot

    def take(self, contents: Sequence[Content], cursor: Cursor) -> None:
        """Take over units and words that were stored, up to this cursor; nothing is held before."""
        units, slots = combine(contents)
        self._units.take(units)
        self._words.take([content.words for content in contents], slots)
        self.cursor = cursor

    def take_vectors(self, block: VectorBlock) -> None:
        """Take over vectors; those of other owners are left out: the feed brings them with their owners."""
        slots = self._units.slots_of(block.owners, block.parts)
        held = slots >= 0
        if self._vector_index is None or not held.any():
            return
        if self._vectors is None:
            self._dimension = block.vectors.shape[1]
            self._vectors = self._vector_index(self._dimension)
        self._vectors.add(slots[held], block.vectors if held.all() else block.vectors[held])

    def content(self, pages: Iterable[str], facts: Iterable[str]) -> Content:
        """Return the units of these pages and facts; those that have none are named only."""
        pages, facts = list(pages), list(facts)
        slots = [self._units.slot(page, part) for page in pages for part in self._units.parts_of(page)]
        slots = sorted(slots + [slot for fact in facts if (slot := self._units.slot(fact, FACT)) >= 0])
        units = self._units.columns(slots)
        places = {name: place for place, name in enumerate(units.names)}
        of_pages, of_facts = (_codes(places, names) for names in (pages, facts))
        units = replace(units, names=list(places))
        return Content(units, self._words.postings(_ids(slots)), of_pages, of_facts)

    def described(self) -> dict[tuple[str, str], object]:
        """Return by owner and part all that is held of a unit, but for its vector."""
        units, slots = self._units, self._units.slots()
        words = self._words.postings(_ids(slots))
        terms: list[list[tuple[str, int]]] = [list[tuple[str, int]]() for _ in slots]
        ends = words.starts.tolist()
        for term, start, end in zip(words.terms, ends, ends[1:], strict=False):
            found: list[int] = words.documents[start:end].tolist()
            counts: list[int] = words.counts[start:end].tolist()
            for document, count in zip(found, counts, strict=True):
                terms[document].append((term, count))
        return {
            (units.owners[slot], units.parts[slot]): (
                *(units.sessions[slot], units.segments[slot], units.speakers[slot]),
                *(int(units.keys[slot]), float(units.times[slot]), frozenset(said)),
            )
            for slot, said in zip(slots, terms, strict=True)
        }

    def candidates(self, query: str, vector: Vector | None, k: int) -> Candidates:
        """Return the candidates of `ports.PageIndex.candidates`, oldest first."""
        near = self._units.windows(self._window)
        lexical = self._by_slot(self._words.scores(query, near))
        index = self._usable(vector)
        found = [self._units.best(_positive(lexical), k)]
        dense = np.full(self._units.size, np.nan, dtype=np.float32)
        if index is not None and vector is not None:
            dense = self._by_slot(index.scores(vector), np.nan)
            found.append(self._units.best(dense, k))
        slots = self._units.oldest_first(self._units.distinct(*found))
        mean, spread = _moments(dense)
        named = self._units.named(slots)
        return Candidates(
            owners=named.owners,
            parts=named.parts,
            sessions=named.sessions,
            segments=named.segments,
            speakers=named.speakers,
            seqs=self._units.seqs(slots),
            times=self._units.times.values[slots],
            lexical=lexical[slots],
            dense=dense[slots],
            coverage=self._by_slot(self._words.coverage(query))[slots],
            dense_mean=mean,
            dense_spread=spread,
        )

    def speakers(self) -> frozenset[str]:
        """The names that messages carry."""
        return self._units.said_by()

    def _usable(self, vector: Vector | None) -> VectorIndex | None:
        if vector is None or self._vectors is None:
            return None
        if len(vector) != self._dimension:
            _log.warning(
                "the query vector has %d numbers, the stored ones have %d: recall uses words only",
                len(vector),
                self._dimension,
            )
            return None
        return self._vectors

    def _by_slot(self, scores: NDArray[np.float32], absent: float = 0) -> NDArray[np.float32]:
        out = np.full(self._units.size, absent, dtype=np.float32)
        out[: len(scores)] = scores
        return out


def _codes(places: dict[str | None, int], names: Iterable[str]) -> NDArray[np.int32]:
    return np.array([places.setdefault(name, len(places)) for name in names], dtype=np.int32)


def _ids(slots: list[int]) -> NDArray[np.int64]:
    return np.array(slots, dtype=np.int64)


def _positive(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """The scores above 0; what shares nothing with the question has none."""
    return np.where(scores > 0, scores, np.float32(np.nan))


def _moments(cosines: NDArray[np.float32]) -> tuple[float, float]:
    """Return mean and standard deviation of all present values: not of a sample, and independent of the order."""
    known = np.sort(cosines[np.isfinite(cosines)]).astype(np.float64)
    return (float(known.mean()), float(known.std())) if len(known) else (0.0, 0.0)
