"""Vectors of one scope in blocks of rows: exact inner products, changed in place, no vector held twice."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

from memoryos_core.errors import InvalidInputError
from memoryos_core.ports.forks import Lock
from memoryos_core.recall.index.lexical import Column
from memoryos_core.values.dialogue import Vector

# Blocks are allocated whole and never grow: loading a scope does not double its memory for a moment. The first holds
# what comes first and no more, since most scopes are loaded once and seldom grow; a later one is a quarter of those
# before it, so that one part empty costs little. A large one lies nearly whole in memory pages of 2 MB, where the
# system has them: 200,000 vectors are compared in an eighth less time than in blocks of a quarter of its size.
_SMALLEST_BLOCK = 16
_LARGEST_BLOCK = 16_384
_SHARE = 4


class FlatIndex:
    """Implements `ports.VectorIndex`: every vector is compared, so results are exact up to float32 rounding.

    Ids are small whole numbers (memory grows with the largest one); adding an id again replaces its vector,
    removing one that is not there does nothing. Raises InvalidInputError for a wrong shape.
    """

    def __init__(self, dimension: int) -> None:
        if dimension < 1:
            raise InvalidInputError(f"dimension={dimension!r} is not allowed: it must be 1 or more")
        self._dimension = dimension
        self._lock = Lock()
        self._blocks: list[NDArray[np.float32]] = []
        self._starts: list[int] = []  # the row at which each block starts; all blocks but the last are full
        self._capacity = 0
        self._id_of_row = Column(np.int64(-1))
        self._row_of_id = Column(np.int32(-1))

    @property
    def dimension(self) -> int:
        """The number of dimensions of a vector."""
        return self._dimension

    def __len__(self) -> int:
        """Return the number of vectors."""
        return len(self._id_of_row)

    def add(self, ids: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        """Add or replace vectors of shape (len(ids), dimension); of an id given twice the last one stays."""
        rows = np.ascontiguousarray(vectors, dtype=np.float32)
        if rows.shape != (len(ids), self._dimension):
            wanted = (len(ids), self._dimension)
            raise InvalidInputError(f"shape {rows.shape!r} is not allowed: it must be {wanted!r}")
        if not len(ids):
            return
        if int(ids.min()) < 0:
            raise InvalidInputError(f"id {int(ids.min())!r} is not allowed: it must be 0 or more")
        ordered = np.sort(ids)
        if (ordered[1:] == ordered[:-1]).any():
            unique, last = np.unique(ids[::-1], return_index=True)  # it loads numpy.ma: 50 ms
            ids, rows = unique, rows[len(ids) - 1 - last]
        with self._lock:
            self._row_of_id.resize(max(len(self._row_of_id), int(ids.max()) + 1))
            places = self._row_of_id.values[ids]
            for place, vector in zip(places[places >= 0].tolist(), rows[places >= 0], strict=True):
                self._vector_at(place)[:] = vector
            new = places < 0
            self._append(ids[new], rows if new.all() else rows[new])

    def _append(self, ids: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        done = 0
        while done < len(ids):
            size = len(self)
            if size == self._capacity:
                self._open_block(len(ids) - done)
            taken = min(len(ids) - done, self._capacity - size)
            at = size - self._starts[-1]
            self._blocks[-1][at : at + taken] = vectors[done : done + taken]
            self._id_of_row.resize(size + taken)
            self._id_of_row.values[size:] = ids[done : done + taken]
            self._row_of_id.values[ids[done : done + taken]] = np.arange(size, size + taken)
            done += taken

    def _open_block(self, wanted: int) -> None:
        least = max(self._capacity // _SHARE, _SMALLEST_BLOCK) if self._blocks else 1
        room = min(max(wanted, least), _LARGEST_BLOCK)
        self._blocks.append(np.empty((room, self._dimension), dtype=np.float32))
        self._starts.append(self._capacity)
        self._capacity += room

    def _vector_at(self, row: int) -> Vector:
        number = bisect_right(self._starts, row) - 1
        vector: Vector = self._blocks[number][row - self._starts[number]]
        return vector

    def remove(self, ids: NDArray[np.int64]) -> None:
        """Remove vectors; the last one takes the place of each, so that no hole is left to search through."""
        with self._lock:
            for id_ in ids[(ids >= 0) & (ids < len(self._row_of_id))].tolist():
                row = int(self._row_of_id.values[id_])
                if row >= 0:
                    self._remove_row(id_, row)

    def _remove_row(self, id_: int, row: int) -> None:
        last = len(self) - 1
        if row < last:
            self._vector_at(row)[:] = self._vector_at(last)
            moved = int(self._id_of_row.values[last])
            self._id_of_row.values[row] = moved
            self._row_of_id.values[moved] = row
        self._row_of_id.values[id_] = -1
        self._id_of_row.resize(last)
        if last == self._starts[-1]:
            self._blocks.pop()
            self._capacity = self._starts.pop()

    def scores(self, query: Vector) -> NDArray[np.float32]:
        """Inner product of every id, indexed by id: shape (largest id + 1,); nan for an id without a vector.

        A vector has the same score wherever it is kept and whatever else is: BLAS alone does not promise that.
        """
        row = self._query(query)
        with self._lock:
            found = np.empty(len(self) + 1, dtype=np.float32)
            found[-1] = np.nan  # what row -1 has
            for rows, start in zip(self._blocks, self._starts, strict=True):
                part = found[start : min(start + len(rows), len(self))]
                _dot(rows[: len(part)], row, part)
            return found.take(self._row_of_id.values, mode="wrap")

    def _query(self, query: Vector) -> Vector:
        if query.shape != (self._dimension,):
            raise InvalidInputError(f"query.shape={query.shape!r} is not allowed: it must be ({self._dimension},)")
        return np.ascontiguousarray(query, dtype=np.float32)


def _dot(rows: NDArray[np.float32], row: Vector, out: NDArray[np.float32]) -> None:
    """Set the inner product of each of some rows with one row.

    NumPy calls BLAS once a row for either, in this thread, so each product is summed in one order; `einsum` takes half
    as long again. A product of a matrix and a vector sums in an order that depends on the number of rows.
    """
    if hasattr(np, "vecdot"):  # from NumPy 2 on
        np.vecdot(rows, row, out=out)
    else:
        np.matmul(rows[:, None, :], row[:, None], out=out[:, None, None])
