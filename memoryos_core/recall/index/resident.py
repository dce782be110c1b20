"""The page index in memory: it follows the store's change feed, so it sees what other processes write.

A scope is loaded when it is first asked about; the least recently used ones are let go.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

from memoryos_core.errors import StoreError
from memoryos_core.ports import LexicalIndex, Store, VectorIndex
from memoryos_core.ports.capabilities import IndexStore
from memoryos_core.ports.forks import Lock
from memoryos_core.recall.index.scope_units import ScopeUnits, cited_pages
from memoryos_core.values.commands import Cursor, EmbedderStamp
from memoryos_core.values.dialogue import Scope, Vector
from memoryos_core.values.queries import Candidates

_FEED_LIMIT = 500
# The vectors are most of what a small scope takes, and are soon read again: 40 in some 0.4 ms. So all scopes of up to
# so many units keep vectors for so many units together.
_SMALL = 256
_MOST_AWAKE = 3_072
SAME_LIFE = 1 << 16
"""A scope's epoch is random, and each erasure counts it up: so little above means that the scope was not begun anew."""


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

    __slots__ = ("embedder", "lock", "settled", "size", "units")

    def __init__(self, units: ScopeUnits) -> None:
        self.lock = Lock()
        self.units = units
        self.embedder: EmbedderStamp | None = None
        self.settled = True
        self.size = 0


class ResidentIndex:
    """Implements `ports.PageIndex` over any Store.

    `vector_index` makes an index of a given dimension, None to take no vectors, `lexical_index` an empty one;
    `window` is how much the words round a text count for it (`UnitTable.windows`).
    `capacity_units` bounds what all scopes together keep resident, in passages and facts; the scope in
    use stays whatever its size. A scope starts from what the `keeper` has stored of it.
    Of many small scopes only the last used keep their vectors; another one reads them again when it is asked.
    Thread-safe: threads wait for one another only within one scope, or where a small one that is in use is to rest.
    """

    def __init__(
        self,
        store: Store,
        *,
        vector_index: Callable[[int], VectorIndex] | None,
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
        self._awake: OrderedDict[Scope, int] = OrderedDict()  # the small scopes that hold vectors, with their units
        self._total_awake = 0

    def __len__(self) -> int:
        """Return the number of resident units, over all scopes."""
        return self._total

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The resident scopes, least recently used first."""
        with self._lock:
            return tuple(self._residents)

    def version(self, scope: Scope) -> int:
        """Return up to which version of the scope its rows were followed; 0 for one that is not resident."""
        with self._lock:
            resident = self._residents.get(scope)
        return 0 if resident is None else resident.units.cursor.version

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
            found = resident.units.speakers()
            size = len(resident.units)
        self._weigh(scope, resident, size)
        return found

    def forget(self, scope: Scope) -> None:
        """Drop what the store has no longer; or all of the scope, and the next query loads it again."""
        with self._lock:
            resident = self._residents.get(scope)
        if resident is None:
            return
        with resident.lock:
            pruned = self._prune(scope, resident)
            size = len(resident.units)
        if pruned:
            self._weigh(scope, resident, size)
        else:
            self.drop(scope)

    def drop(self, scope: Scope) -> None:
        """Take a scope out of RAM; the next query loads it again."""
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
        if resident.units.resting:
            settled, resident.settled = resident.settled, False  # an interrupt leaves vectors that are read anew
            resident.settled = settled and self._wake(scope, resident)
        started = not resident.settled or now.epoch != resident.units.cursor.epoch
        if started and not self._prune(scope, resident):
            self._start_again(scope, resident, now)
        # The scope may have changed while it was loaded.
        more = started or now != resident.units.cursor
        while more:
            feed = self._store.feed(scope, resident.units.cursor, limit=_FEED_LIMIT)
            if feed.cursor.epoch != resident.units.cursor.epoch:
                self._start_again(scope, resident, feed.cursor)
                continue
            # An interrupt in `apply` leaves the units half changed; then the next caller starts again.
            cited = cited_pages(self._store, scope, feed)
            resident.settled = False
            resident.units.apply(feed, cited)
            resident.settled = True
            more = feed.more

    def _prune(self, scope: Scope, resident: _Resident) -> bool:
        """Drop what was erased since the last question; False where that is not known, or not all that happened."""
        store, before = self._store, resident.units.cursor
        if not resident.settled or not before.epoch or not isinstance(store, IndexStore):
            return False
        try:
            there = store.index_owners(scope)
        except StoreError:  # an id that cannot be read: whatever loads the scope leaves out its row
            return False
        later = 0 <= there.cursor.epoch - before.epoch < SAME_LIFE and there.cursor.version >= before.version
        if not later or there.embedder != resident.embedder:
            return False
        resident.settled = False
        resident.units.keep_only(there)
        resident.settled = True
        return True

    def _wake(self, scope: Scope, resident: _Resident) -> bool:
        """Read the vectors of a scope at rest; the feed brings what changed since. False where all is to be read."""
        store = self._store
        if not isinstance(store, IndexStore) or not store.read_index_vectors(scope, resident.units.take_vectors):
            return False
        resident.units.resting = False
        return True

    def _start_again(self, scope: Scope, resident: _Resident, now: Cursor) -> None:
        """Start from what is stored of this epoch, else from nothing."""
        resident.settled = False
        resident.embedder = self._store.embedder() if isinstance(self._store, IndexStore) else None
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
            tired = self._pick_resting(scope, resident)
        for one in tired:
            with one.lock:
                one.units.rest()

    def _pick_resting(self, scope: Scope, resident: _Resident) -> list[_Resident]:
        """Return the small scopes whose turn it is to rest, now that this one was asked or has changed."""
        self._total_awake -= self._awake.pop(scope, 0)
        if resident.size <= _SMALL and not resident.units.resting and isinstance(self._store, IndexStore):
            self._awake[scope] = resident.size
            self._total_awake += resident.size
        tired: list[_Resident] = []
        while self._total_awake > _MOST_AWAKE and len(self._awake) > 1:
            other, units = self._awake.popitem(last=False)
            self._total_awake -= units
            tired.append(self._residents[other])
        return tired

    def _drop(self, scope: Scope) -> None:
        resident = self._residents.pop(scope, None)
        if resident is not None:
            self._total -= resident.size
            self._total_awake -= self._awake.pop(scope, 0)
