"""Columns of numbers that grow with the texts and vectors of a scope."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

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
