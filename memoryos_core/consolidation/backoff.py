"""The requested work of each scope, and the failed work, which is tried again after longer and longer pauses."""

from __future__ import annotations

from enum import IntEnum
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

_MOST_DOUBLINGS = 20
# Without a pause, work that fails at once would be tried again without end.
_LEAST_PAUSE_SECONDS = 0.1


class Want(IntEnum):
    """The requested part of a scope's pending work; a greater want includes the smaller ones."""

    VISITS = 0
    BATCHES = 1
    WHOLE = 2


class Postponed(Generic[K, V]):
    """Keys with their requested work and its time. Not thread-safe: its owner holds a lock."""

    def __init__(self, pause_seconds: float, ceiling_seconds: float) -> None:
        self._pause = pause_seconds
        self._ceiling = ceiling_seconds
        self._tries: dict[K, int] = {}
        self._waiting: dict[K, tuple[float, V]] = {}

    def add(self, key: K, want: V, now: float) -> None:
        """Add a key to try again, after a longer pause than last time."""
        self._waiting[key] = (now + self.count(key), want)

    def count(self, key: K) -> float:
        """Count one more failure; return the pause in seconds."""
        tries = self._tries[key] = self._tries.get(key, 0) + 1
        pause = self._pause * 2.0 ** min(tries, _MOST_DOUBLINGS)
        return max(min(pause, self._ceiling), _LEAST_PAUSE_SECONDS)

    def succeeded(self, key: K) -> None:
        """Reset the pause: the next failure starts from the first pause again."""
        self._tries.pop(key, None)

    def due(self, now: float) -> list[tuple[K, V]]:
        """Remove and return the keys that have waited long enough."""
        ready = [(key, want) for key, (at, want) in self._waiting.items() if at <= now]
        for key, _ in ready:
            del self._waiting[key]
        return ready

    def pause(self, now: float) -> float | None:
        """Return the seconds until a key is due; None while no key waits."""
        return min((at - now for at, _ in self._waiting.values()), default=None)

    def clear(self) -> None:
        """Drop all keys: nothing is tried again."""
        self._waiting.clear()
