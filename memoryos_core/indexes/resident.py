"""The page index in memory: it follows the store's change feed, so it sees what other processes write.

A scope is loaded when it is first asked about; the least recently used ones are let go.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from memoryos_core.forking import Lock
from memoryos_core.indexes.scope_units import ScopeUnits
from memoryos_core.indexes.sparse import asked_of, encoded_by
from memoryos_core.models import Scope, Vector
from memoryos_core.moves import Cursor
from memoryos_core.ports import LexicalIndex, SparseEncoder, Store, VectorIndex
from memoryos_core.queries import Candidates

_FEED_LIMIT = 500
# So many texts are encoded at once, and kept should a later one fail.
_ENCODED_AT_ONCE = 512


class _Resident:
    """A scope's units, the lock that whoever reads or follows them holds, and that of whoever encodes for them."""

    __slots__ = ("encoding", "lock", "settled", "size", "units")

    def __init__(self, units: ScopeUnits) -> None:
        self.lock = Lock()
        self.encoding = Lock()
        self.units = units
        self.settled = True
        self.size = 0


class ResidentIndex:
    """Implements `ports.PageIndex` over any Store.

    `vector_index` makes an index of a given dimension (None: words alone), `lexical_index` an empty one; `window` is
    how much the words round a text count for it (`UnitTable.windows`). What a `sparse` encoder says of the texts is
    kept here alone, not in the store: a scope's first question has it read all of the scope, later ones what is new;
    a question that it fails on goes without it, and what it failed to read is tried again with the next one.
    `capacity_units` bounds what all scopes together keep resident, in halves of pages and facts; the scope in
    use stays whatever its size. Thread-safe: threads wait for one another only within one scope.
    """

    def __init__(
        self,
        store: Store,
        *,
        vector_index: Callable[[int], VectorIndex] | None,
        lexical_index: Callable[[], LexicalIndex],
        window: float = 0.5,
        sparse: SparseEncoder | None = None,
        capacity_units: int = 200_000,
    ) -> None:
        self._store = store
        self._vector_index = vector_index
        self._lexical_index = lexical_index
        self._window = window
        self._sparse = sparse
        self._capacity_units = capacity_units
        self._lock = Lock()
        self._residents: OrderedDict[Scope, _Resident] = OrderedDict()
        self._total = 0

    def __len__(self) -> int:
        """How many units are resident, over all scopes."""
        return self._total

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The resident scopes, least recently used first."""
        with self._lock:
            return tuple(self._residents)

    def candidates(self, scope: Scope, query: str, vector: Vector | None, k: int) -> Candidates:
        """The k best units by words, the k best by vector and, with a sparse encoder, the k best by it, oldest first.

        A vector of another dimension than the stored ones counts as none. Raises StoreError.
        """
        resident = self._resident(scope)
        terms = None
        if self._sparse is not None and (terms := asked_of(self._sparse, query)) is not None:
            self._encode(scope, resident, self._sparse)
        with resident.lock:
            self._follow(scope, resident)
            found = resident.units.candidates(query, vector, k, terms)
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
        """Drop what is resident for a scope; it is loaded again when next asked about."""
        with self._lock:
            self._drop(scope)

    def _resident(self, scope: Scope) -> _Resident:
        with self._lock:
            resident = self._residents.get(scope)
            if resident is None:
                resident = self._residents[scope] = _Resident(self._units())
            self._residents.move_to_end(scope)
            return resident

    def _units(self) -> ScopeUnits:
        sparse = self._sparse is not None
        return ScopeUnits(self._vector_index, self._lexical_index, window=self._window, sparse=sparse)

    def _encode(self, scope: Scope, resident: _Resident, encoder: SparseEncoder) -> None:
        """Have the encoder read what is new; whoever asks meanwhile waits for that rather than doing it, too."""
        with resident.encoding:
            while True:
                with resident.lock:
                    self._follow(scope, resident)
                    units, texts = resident.units, resident.units.unread(_ENCODED_AT_ONCE)
                # The encoder is not asked under the lock of the units: who does without it need not wait.
                terms = encoded_by(encoder, list(texts.values())) if texts else None
                if terms is None:
                    return
                with resident.lock:
                    units.take(texts, terms)

    def _follow(self, scope: Scope, resident: _Resident) -> None:
        now = self._store.cursor(scope)
        if not resident.settled or now.epoch != resident.units.cursor.epoch:
            self._start_again(resident, now.epoch)
        more = now != resident.units.cursor
        while more:
            feed = self._store.feed(scope, resident.units.cursor, limit=_FEED_LIMIT)
            if feed.cursor.epoch != resident.units.cursor.epoch:
                self._start_again(resident, feed.cursor.epoch)
                continue
            # An interrupt in `apply` leaves the units half changed; then the next caller starts again.
            resident.settled = False
            resident.units.apply(feed)
            resident.settled = True
            more = feed.more

    def _start_again(self, resident: _Resident, epoch: int) -> None:
        resident.units = self._units()
        resident.units.cursor = Cursor(epoch=epoch)
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
