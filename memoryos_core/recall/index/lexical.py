"""BM25 over the words of one scope: postings grow and shrink with its pages, nothing is rebuilt for a query.

The statistics are this scope's alone, so no user's scores depend on, or reveal, what another user stored.
"""

from __future__ import annotations

import itertools
import math
from array import array
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from memoryos_core.errors import InvalidInputError
from memoryos_core.ports.forks import Lock
from memoryos_core.rules.text.languages import counted_terms, index_terms, weighted_terms
from memoryos_core.rules.text.words import alike
from memoryos_core.values.queries import Near, Postings

Number = TypeVar("Number", bound=np.generic)

_FIRST = 64


class Column(Generic[Number]):
    """Numbers by position, with little room to grow; `fill` is what a position holds at first, and sets dtype."""

    __slots__ = ("_fill", "_length", "_room")

    def __init__(self, fill: Number) -> None:
        self._fill = fill
        self._length = 0
        self._room: NDArray[Number] = np.full(_FIRST, fill)

    @property
    def values(self) -> NDArray[Number]:
        """A view of shape (len(self),); it goes stale when the column is resized."""
        return self._room[: self._length]

    def __getitem__(self, position: int) -> Number:
        """Return the number at a position."""
        number: Number = self._room[position]
        return number

    def __setitem__(self, position: int, number: float) -> None:
        self._room[position] = number

    def resize(self, length: int) -> None:
        """Grow or shrink to `length`; new positions hold the fill value."""
        if length > len(self._room):
            room = np.full(max(length, len(self._room) * 3 // 2), self._fill)
            room[: self._length] = self._room[: self._length]
            self._room = room
        elif length < self._length:
            self._room[length : self._length] = self._fill
        self._length = length

    def __len__(self) -> int:
        """Return the number of positions."""
        return self._length


# Postings of removed documents are skipped at query time; beyond this share of them one pass clears them out.
_DEAD_SHARE = 0.25
_DEAD_LEAST = 256
# A question of 600 letters has fewer words in it, where words have spaces.
_MOST_TERMS = 128
_ALIKE_KEPT = 256
# From this share of all texts on, to look at every text takes less time than to pick those that have a term.
_FREQUENT = 0.04
# In terms; more text of a neighbour adds nothing.
_LONGEST_NEAR = 40


class Windows:
    """The lengths of all texts as windows: they stay the same from one query to the next until a text changes."""

    def __init__(self, lengths: NDArray[np.float32], held: NDArray[np.bool_], near: Sequence[Near]) -> None:
        self.near = near
        self.share = np.minimum(1, _LONGEST_NEAR / np.maximum(lengths, 1)).astype(np.float32)
        self.sizes = self.norm = np.array(lengths, dtype=np.float32)
        lent: NDArray[np.float32] = np.append(lengths * self.share, np.float32(0))  # the last is for -1: no text
        for others in near:
            self.sizes += lent[others.ids[: len(lengths)]] * others.weight
        # Texts of function words alone have no length. In float32 the mean would depend on the order.
        self.mean = max(float(self.sizes[held].mean(dtype=np.float64)), 1e-9) if held.any() else 1.0
        self._absent = np.flatnonzero(~held)
        self._takers = _takers_of(near, len(held))

    def counts(self, ids: NDArray[np.int32], own: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return how much a term counts in each text, 0 for nothing, from the texts that have it, and how often."""
        said = np.zeros(len(self.norm) + 1, dtype=np.float32)  # the last is for -1: no text
        at = ids.astype(np.intp)
        said[at] = own
        lent = own * self.share.take(at)
        for others, takers in zip(self.near, self._takers, strict=True):
            said[takers.take(at).astype(np.intp)] += lent * others.weight
        counted = said[:-1]
        counted[self._absent] = 0
        return counted


def _takers_of(near: Sequence[Near], size: int) -> list[NDArray[np.integer[Any]]]:
    """Return for each text the one whose neighbour it is, -1 for none; no text has the neighbour of another one.

    The neighbours before, seen from the other side, are the neighbours after: equal numbers are held once.
    """
    sides = [others.ids[:size] for others in near]
    found: list[NDArray[np.integer[Any]]] = []
    for ids in sides:
        takers = np.full(size, -1, dtype=np.int32)
        takers[ids[ids >= 0]] = np.flatnonzero(ids >= 0)
        found.append(next((side for side in sides if np.array_equal(side, takers)), takers))
    return found


# The documents that hold a term, and how often; with the term's idf and the term in front.
_Held: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.uint32]]
_Match: TypeAlias = tuple[float, str, NDArray[np.uint32], NDArray[np.uint32]]


def _split_postings(postings: array[int]) -> _Held:
    # A copy, not a view: a view that outlives an interrupted query would forbid the array to grow.
    pairs = np.array(postings, dtype=np.uint32)
    return pairs[0::2], pairs[1::2]


class BM25Index:
    """Implements `ports.LexicalIndex`: idf ln(1 + (N - df + 0.5) / (df + 0.5)), saturation k1, length norm b.

    Each text gets a document number that is not used again before a compaction, so the postings of a removed
    text need not be looked for: their number belongs to no id any more. Adding an id again replaces its text.
    """

    def __init__(self, k1: float = 1.2, b: float = 0.75) -> None:
        self._k1 = k1
        self._b = b
        self._lock = Lock()
        self._stored: list[Postings] = []
        self._postings: dict[str, array[int]] = {}  # of the other texts: term -> document, count, document, count, …
        self._id_of_document = Column(np.int32(-1))  # -1: removed
        self._length_of_document = Column(np.int32(0))
        self._document_of_id = Column(np.int32(-1))
        self._live = 0
        self._windows: Windows | None = None
        self._alike: dict[str, list[str]] = {}  # what unknown terms are read as, until a text changes

    def __len__(self) -> int:
        """Return the number of texts."""
        return self._live

    def add(self, id: int, text: str) -> None:
        """Add or replace the text of an id."""
        self.add_all({id: text})

    def add_all(self, texts: Mapping[int, str]) -> None:
        """Add or replace the texts of some ids: for many at once a third of the cost of one after the other."""
        if not texts:
            return
        if (least := min(texts)) < 0:
            raise InvalidInputError(f"id {least!r} is not allowed: it must be 0 or more")
        counts = [Counter(index_terms(text)) for text in texts.values()]
        with self._lock:
            self._windows = None
            self._alike.clear()
            for id_ in texts:
                self._remove(id_)
            first = len(self._id_of_document)
            for document, counted in enumerate(counts, first):
                for term, count in counted.items():
                    held = self._postings.get(term)
                    if held is None:
                        self._postings[term] = array("I", (document, count))
                    else:
                        held.append(document)
                        held.append(count)
            self._id_of_document.resize(first + len(counts))
            self._length_of_document.resize(first + len(counts))
            self._document_of_id.resize(max(len(self._document_of_id), max(texts) + 1))
            ids = np.fromiter(texts, dtype=np.int64, count=len(texts))
            self._id_of_document.values[first:] = ids
            self._length_of_document.values[first:] = [counted.total() for counted in counts]
            self._document_of_id.values[ids] = np.arange(first, first + len(counts))
            self._live += len(counts)
            if not first:
                self._pack()

    def _pack(self) -> None:
        """Hold the first texts in a few arrays: an array for each word takes five times the room."""
        codes, documents, counts = self._live_columns({})
        starts = np.append(0, np.cumsum(np.bincount(codes))).astype(np.uint32)
        narrow = counts.astype(np.min_scalar_type(counts.max(initial=0)))
        held = Postings(list(self._postings), starts, documents, narrow, starts[:0])
        self._stored.append(held.by_term().shifted(0))
        self._postings = {}

    def take(self, texts: Sequence[Postings], ids: NDArray[np.int64]) -> None:
        """Take over texts, the nth of all with the nth id, those with -1 as removed; the index is empty before."""
        with self._lock:
            first = 0
            for some in texts:
                self._stored.append(some.by_term().shifted(first))
                first += len(some.lengths)
            live = np.flatnonzero(ids >= 0)
            for column in (self._id_of_document, self._length_of_document):
                column.resize(first)
            self._id_of_document.values[:] = ids
            self._length_of_document.values[:] = np.concatenate([some.lengths for some in texts])
            self._document_of_id.resize(int(ids.max(initial=-1)) + 1)
            self._document_of_id.values[ids[live]] = live
            self._live = len(live)

    def rest(self) -> None:
        """Drop the windows: the next query makes them again."""
        with self._lock:
            self._windows = None

    def postings(self, ids: NDArray[np.int64]) -> Postings:
        """Return the words of these ids, numbered from 0 in this order."""
        with self._lock:
            documents = self._document_of_id.values[ids]
            number = np.full(len(self._id_of_document), -1, dtype=np.int64)
            number[documents] = np.arange(len(ids))
            places: dict[str, int] = {}
            held = [*(self._columns_of(some, places) for some in self._stored), self._live_columns(places)]
            terms, found, counts = (np.concatenate(column) for column in zip(*held, strict=True))
            wanted = number[found] >= 0
            terms, found, counts = terms[wanted], number[found[wanted]], counts[wanted]
            order = np.lexsort((found, terms))
            sizes = np.bincount(terms, minlength=len(places))
            starts = np.append(0, np.cumsum(sizes[sizes > 0]))
            names = [term for term, size in zip(places, sizes.tolist(), strict=True) if size]
            lengths = self._length_of_document.values[documents]
            return Postings(names, starts, found[order], counts[order], lengths).by_term()

    @staticmethod
    def _columns_of(some: Postings, places: dict[str, int]) -> tuple[NDArray[np.int64], ...]:
        codes = np.array([places.setdefault(term, len(places)) for term in some.terms], dtype=np.int64)
        return np.repeat(codes, np.diff(some.starts)), some.documents.astype(np.int64), some.counts.astype(np.int64)

    def _live_columns(self, places: dict[str, int]) -> tuple[NDArray[np.int64], ...]:
        codes = np.array([places.setdefault(term, len(places)) for term in self._postings], dtype=np.int64)
        sizes = np.array([len(held) // 2 for held in self._postings.values()], dtype=np.int64)
        pairs = np.frombuffer(b"".join(self._postings.values()), dtype=np.uint32).astype(np.int64)
        return np.repeat(codes, sizes), pairs[0::2], pairs[1::2]

    def remove(self, id: int) -> None:
        """Remove the text of an id; do nothing when it is not there."""
        with self._lock:
            self._windows = None
            self._remove(id)
            held, size = self._document_of_id.values, len(self._document_of_id)
            while size and held[size - 1] < 0:
                size -= 1
            self._document_of_id.resize(size)

    def _remove(self, id_: int) -> None:
        if not 0 <= id_ < len(self._document_of_id):
            return
        document = int(self._document_of_id.values[id_])
        if document < 0:
            return
        self._id_of_document.values[document] = -1
        self._document_of_id.values[id_] = -1
        self._live -= 1
        dead = len(self._id_of_document) - self._live
        if dead > _DEAD_LEAST and dead > _DEAD_SHARE * len(self._id_of_document):
            self._compact()

    def _compact(self) -> None:
        for term in dict.fromkeys(term for some in self._stored for term in some.terms):
            self._postings[term] = array("I", np.column_stack(self._postings_of(term)).tobytes())
        self._stored = []
        live = self._id_of_document.values >= 0
        number = np.cumsum(live, dtype=np.uint32) - 1
        for term in list(self._postings):
            documents, counts = _split_postings(self._postings[term])
            kept = live[documents]
            if not kept.any():
                del self._postings[term]
                continue
            pairs = np.column_stack((number[documents[kept]], counts[kept]))
            self._postings[term] = array("I", pairs.tobytes())
        ids, lengths = self._id_of_document.values[live], self._length_of_document.values[live]
        for column, kept in ((self._id_of_document, ids), (self._length_of_document, lengths)):
            column.resize(len(kept))
            column.values[:] = kept
        self._document_of_id.values[ids] = np.arange(len(ids))

    def _matches(self, asked: Mapping[str, float]) -> list[_Match]:
        """Return for each term of a query its idf, the term, the documents that hold it, and their counts.

        A term of full weight that no text holds is looked for as the one most like it.
        """
        found: list[_Match] = []
        for term, weight in asked.items():
            documents, counts = self._live_postings_of(term)
            if not len(documents) and weight == 1:
                documents, counts = self._postings_alike(term, asked)
            found.append((self._idf(len(documents)), term, documents, counts))
        return found

    def _idf(self, frequency: int) -> float:
        return math.log1p((self._live - frequency + 0.5) / (frequency + 0.5))

    def _postings_alike(self, term: str, asked: Collection[str]) -> _Held:
        if term not in self._alike:
            if len(self._alike) >= _ALIKE_KEPT:
                self._alike.clear()
            self._alike[term] = alike(term, itertools.chain(self._postings, *(some.terms for some in self._stored)))
        for like in self._alike[term]:
            documents, counts = self._live_postings_of(like)
            if len(documents):
                return (documents, counts) if like not in asked else (documents[:0], counts[:0])
        return _split_postings(array("I"))

    def _live_postings_of(self, term: str) -> _Held:
        documents, counts = self._postings_of(term)
        if self._live != len(self._id_of_document):
            live = self._id_of_document.values[documents] >= 0
            documents, counts = documents[live], counts[live]
        return documents, counts

    def _postings_of(self, term: str) -> _Held:
        held = [found for some in self._stored if (found := some.of(term)) is not None]
        if not held or term in self._postings:
            held.append(_split_postings(self._postings.get(term, array("I"))))
        if len(held) == 1:
            return held[0]
        return np.concatenate([pair[0] for pair in held]), np.concatenate([pair[1] for pair in held])

    def scores(self, query: str, near: Sequence[Near] = ()) -> NDArray[np.float32]:
        """BM25 of every id, indexed by id: shape (largest id + 1,), 0 where no word is shared.

        With `near` an id is scored as a window: its own words, and those of each near one by its weight. A near text
        that is long counts as if it were short, so that an essay does not drown the remark it answers. No two ids
        have the same neighbour in one `near`, whose numbers stay as they are.
        """
        with self._lock:
            total = np.zeros(len(self._document_of_id), dtype=np.float32)
            if not self._live:
                return total
            windows = self._windows_of(near)
            weights = weighted_terms(query)
            # Only the rarest words of a long question count: a page of Chinese has a thousand words.
            rarest = sorted(self._matches(weights), key=lambda match: (-weights[match[1]], -match[0]))
            matches = [match for match in rarest[:_MOST_TERMS] if len(match[2])]
            for _, term, documents, counts in matches:
                said = windows.counts(self._id_of_document.values.take(documents), counts.astype(np.float32))
                has_it = said != 0
                frequency = int(np.count_nonzero(has_it))
                worth = weights[term] * self._idf(frequency) * (self._k1 + 1)
                if frequency > _FREQUENT * len(said):  # where a text has none of it, 0 is added
                    total += worth * said / (said + windows.norm)
                else:
                    found = np.flatnonzero(has_it)
                    said = said[found]
                    total[found] += worth * said / (said + windows.norm[found])
            return total

    def _windows_of(self, near: Sequence[Near]) -> Windows:
        kept = self._windows
        if kept is None or kept.near is not near:
            held = self._document_of_id.values >= 0
            lengths = np.zeros(len(held), dtype=np.float32)
            lengths[held] = self._length_of_document.values[self._document_of_id.values[held]]
            kept = self._windows = Windows(lengths, held, near)
            kept.norm = (self._k1 * (1 - self._b + self._b / kept.mean * kept.sizes)).astype(np.float32)
        return kept

    def coverage(self, query: str, ids: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
        """Share of the query's idf mass that each of some ids matches, or each id; unheard words weigh the most.

        A synonym counts by its weight.
        """
        with self._lock:
            wanted = self._documents_of(ids)
            matched = np.zeros(len(wanted), dtype=np.float32)
            weights = counted_terms(query)
            matches = self._matches(weights)
            mass = sum(idf for idf, term, *_ in matches if weights[term] == 1)
            for idf, term, documents, _ in matches:
                if len(documents):  # in ascending order
                    places = np.minimum(np.searchsorted(documents, wanted), len(documents) - 1)
                    matched[documents[places] == wanted] += weights[term] * idf / mass
            return np.minimum(matched, 1)

    def _documents_of(self, ids: NDArray[np.int64] | None) -> NDArray[np.uint32]:
        """Return the document of each of some ids, or of each id; a number that no document has where there is none."""
        known = self._document_of_id.values
        if ids is None:
            return known.astype(np.uint32)
        found = np.full(len(ids), -1, dtype=np.int32)
        there = ids < len(known)
        found[there] = known[ids[there]]
        return found.astype(np.uint32)
