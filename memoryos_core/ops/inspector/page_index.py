"""Where and when each page is, without its messages: read once, and again when the counts or the epoch change."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from memoryos_core.api.user import UserMemory
from memoryos_core.ports.forks import Lock
from memoryos_core.values.dialogue import Scope, Tier
from memoryos_core.values.reports import Stats

_KEPT = 4
_State: TypeAlias = tuple[int, Stats]


@dataclass(frozen=True, slots=True)
class Place:
    """One page: its session, its segment, its tier and its time."""

    id: str
    session_id: str
    segment_id: str | None
    tier: Tier
    timestamp: datetime


class PageIndex:
    """The places of the pages of the users who were looked at last. The gate is asked each time."""

    def __init__(self) -> None:
        self._known: dict[Scope, tuple[_State, tuple[Place, ...]]] = {}
        self._lock = Lock()

    def places(self, user: UserMemory) -> tuple[Place, ...]:
        """Return the places of a user's pages, in the order in which they were written."""
        state = (user.epoch(), user.stats())  # each needs the role that `pages` needs
        with self._lock:
            known = self._known.get(user.scope)
        if known is not None and known[0] == state:
            return known[1]
        found = tuple(Place(p.id, p.session_id, p.segment_id, p.tier, p.timestamp) for p in user.pages())
        with self._lock:
            self._known.pop(user.scope, None)
            self._known[user.scope] = state, found
            while len(self._known) > _KEPT:
                del self._known[next(iter(self._known))]
        return found
