"""The resident state of one scope: its units with their words and vectors, and the search over them.

The searchable words of a page or a fact, for stores that rank themselves.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from memoryos_core.ports import LexicalIndex, Store, VectorIndex
from memoryos_core.recall.index.content import Content, combine
from memoryos_core.recall.index.units import Unit, UnitTable, unit_of_fact, units_of_page
from memoryos_core.rules.paging.pages import Said
from memoryos_core.rules.text.languages import index_terms
from memoryos_core.values.commands import Cursor, Feed, PageQuery
from memoryos_core.values.dialogue import FACT, Page, Scope, Vector
from memoryos_core.values.facts import Fact
from memoryos_core.values.queries import Analysed, Candidates, IndexOwners, VectorBlock

_log = logging.getLogger(__name__)

# Where there are so many scores for each that is asked for, the better of two is taken so many times first.
_MANY = 64
_TIMES = 4


def cited_pages(store: Store, scope: Scope, feed: Feed) -> tuple[Page, ...]:
    """Return the pages that the facts of a feed stand in and that it does not bring. Raises StoreError."""
    here = {page.id for page in feed.pages}
    firsts = dict.fromkeys(fact.page_ids[0] for fact in feed.facts if fact.page_ids)
    wanted = tuple(page_id for page_id in firsts if page_id not in here)
    return store.pages(PageQuery(scope, ids=wanted)) if wanted else ()


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
        self.takes_vectors = vector_index is not None
        self.resting = False
        self._units = UnitTable()
        self._window = window
        self._words = lexical_index()
        self._vectors: VectorIndex | None = None
        self._dimension = 0

    def __len__(self) -> int:
        """Return the number of units."""
        return len(self._units)

    def apply(self, feed: Feed, cited: Sequence[Page] = ()) -> None:
        """Apply the changes of a feed; applying it twice has the same result.

        `cited` are pages that its facts stand in, as `cited_pages` returns them.
        """
        known = {page.id: parts for page in feed.pages if (parts := self._units.parts_of(page.id))}
        texts: dict[int, str] = {}
        for page in feed.pages:
            units = units_of_page(page)
            for unit in units:
                self._put(unit, texts)
            for part in set(known.get(page.id, ())) - {unit.part for unit in units}:
                self._drop(page.id, part, texts)
        # What left short-term memory never changes: a fact that is quoted from it stays so.
        said = {page.id: Said(page) for page in (*feed.pages, *cited) if page.tier != "short_term"}
        for fact in feed.facts:
            if fact.status == "current":
                self._put(unit_of_fact(fact, said), texts)
            else:
                self._drop(fact.id, FACT, texts)
        for fact_id in feed.retired_fact_ids:
            self._drop(fact_id, FACT, texts)
        self._words.add_all(texts)
        self._follow_vectors(feed, known)
        self.cursor = feed.cursor

    def keep_only(self, there: IndexOwners) -> None:
        """Drop the units of all other pages and facts, and take over the epoch; the feed goes on where it was."""
        for owner, part in self._units.others(there.pages, there.facts):
            self._drop(owner, part, {})
        self._units.forget_homes(there.pages)
        self.cursor = Cursor(there.cursor.epoch, self.cursor.version)

    def rest(self) -> None:
        """Drop the vectors, which `take_vectors` brings back, and what the next question makes again."""
        self.resting = self.resting or self._vectors is not None
        self._vectors = None
        self._units.kept_windows.clear()
        self._words.rest()

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
        if self._vector_index is None:
            return
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
        codes = [[places.setdefault(name, len(places)) for name in of] for of in (pages, facts)]
        units = replace(units, names=list(places))
        return Content(units, self._words.postings(_ids(slots)), *(np.array(of, np.int32) for of in codes))

    def candidates(self, query: str, vector: Vector | None, k: int) -> Candidates:
        """Return the candidates of `ports.PageIndex.candidates`, oldest first."""
        near = self._units.windows(self._window)
        lexical = self._by_slot(self._words.scores(query, near))
        index = self._usable(vector)
        keys = self._units.keys.values
        found = [best(lexical, keys, k, 0)]
        dense = np.full(self._units.size, np.nan, dtype=np.float32)
        if index is not None and vector is not None:
            dense = self._by_slot(index.scores(vector), np.nan)
            found.append(best(dense, keys, k))
        slots = self._units.oldest_first(self._units.distinct(*found))
        mean, spread = find_moments(dense)
        named = self._units.named(slots)
        return Candidates(
            owners=named.owners,
            parts=named.parts,
            sessions=named.sessions,
            segments=named.segments,
            speakers=named.speakers,
            seqs=self._units.seqs(slots),
            times=self._units.times.values[slots],
            sizes=self._units.sizes.values[slots],
            disclosures=self._units.disclosures.values[slots],
            places=self._units.places.values[slots],
            homes=named.homes,
            lexical=lexical[slots],
            dense=dense[slots],
            coverage=self._words.coverage(query, slots),
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
            said = "the query vector has %d numbers, the stored ones have %d: recall uses words only"
            _log.warning(said, len(vector), self._dimension)
            return None
        return self._vectors

    def _by_slot(self, scores: NDArray[np.float32], absent: float = 0) -> NDArray[np.float32]:
        if len(scores) == self._units.size:
            return scores
        out = np.full(self._units.size, absent, dtype=np.float32)
        out[: len(scores)] = scores
        return out


def _ids(slots: list[int]) -> NDArray[np.int64]:
    return np.array(slots, dtype=np.int64)


def best(scores: NDArray[np.float32], keys: NDArray[np.int64], k: int, least: float = -np.inf) -> NDArray[np.int64]:
    """Return the places of the k best scores above `least`, in no order; of equal ones those with the lowest keys."""
    if k <= 0:
        return np.zeros(0, dtype=np.int64)
    bound = _bound(scores, k) if len(scores) >= _MANY * k else -np.inf
    above = scores >= bound if bound > least else scores > least
    places = np.flatnonzero(above & (scores < np.inf))  # nan is no score
    if len(places) <= k:
        return places
    held = scores[places]
    kth = np.partition(held, -k)[-k]
    better, level = places[held > kth], places[held == kth]
    first = level[np.argsort(keys[level], kind="stable")]
    return np.concatenate((better, first[: k - len(better)]))


def _bound(scores: NDArray[np.float32], k: int) -> float:
    """Return a score that at least k others reach: the kth of the best of groups."""
    tops = scores
    for _ in range(_TIMES):
        half = len(tops) // 2
        tops = np.fmax(tops[:half], tops[half : 2 * half])
    tops[~(tops < np.inf)] = -np.inf
    return float(np.partition(tops, -k)[-k])


def find_moments(cosines: NDArray[np.float32]) -> tuple[float, float]:
    """Return mean and standard deviation of all present values: not of a sample, and independent of the order."""
    present = np.isfinite(cosines)
    known = (cosines if present.all() else cosines[present]).astype(np.float64)
    if not len(known):
        return 0.0, 0.0
    mean = _sum_in_any_order(known) / len(known)
    known -= mean
    known *= known
    return mean, float(np.sqrt(_sum_in_any_order(known) / len(known)))


def _sum_in_any_order(values: NDArray[np.float64]) -> float:
    """Return the sum of values as whole numbers of one small unit, which are added without rounding."""
    most = float(np.abs(values).max())
    if not most:
        return 0.0
    # The sum of n numbers below 2 ** (52 - b), where n < 2 ** b, is exact in 52 bits, and so is the unit.
    unit = 2.0 ** (math.frexp(most)[1] + len(values).bit_length() - 52)
    return float(np.rint(values / unit).sum()) * unit


def analyse_item(item: Page | Fact) -> tuple[Analysed, ...]:
    """The passages of a page, or a fact, as the resident index takes them; implements `Analyse`."""
    units = units_of_page(item) if isinstance(item, Page) else (unit_of_fact(item),)
    return tuple(Analysed(unit.part, tuple(index_terms(unit.text)), unit.speaker) for unit in units)
