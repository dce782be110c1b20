"""An application's notes for coroutines: one-line twins of `Notes`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from memoryos_core.api.aio.pool import Pool
from memoryos_core.api.notes import Notes
from memoryos_core.values.commands import NoteWrite
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.notes import Note

T = TypeVar("T")
_Listed: TypeAlias = list[Note]  # inside the class, `list` is a verb


class AsyncNotes:
    """`Notes` for coroutines: the same verbs and arguments."""

    def __init__(self, pool: Pool, notes: Callable[[], Notes], scope: Scope) -> None:
        self._pool = pool
        self._notes = notes
        self.scope = scope

    async def _run(self, call: Callable[[Notes], T]) -> T:
        return await self._pool.run(lambda: call(self._notes()))

    async def write(self, changes: Sequence[NoteWrite]) -> None:
        """See `Notes.write`."""
        await self._run(lambda n: n.write(changes))

    async def get(self, namespace: Sequence[str], key: str) -> Note | None:
        """See `Notes.get`."""
        return await self._run(lambda n: n.get(namespace, key))

    async def search(self, prefix: Sequence[str], query: str, *, min_score: float = 0.0) -> list[tuple[Note, float]]:
        """See `Notes.search`."""
        return await self._run(lambda n: n.search(prefix, query, min_score=min_score))

    async def namespaces(self) -> list[tuple[str, ...]]:
        """See `Notes.namespaces`."""
        return await self._run(Notes.namespaces)

    async def list(self, prefix: Sequence[str] = ()) -> _Listed:
        """See `Notes.list`."""
        return await self._run(lambda n: n.list(prefix))

    async def of_facts(self, fact_ids: Sequence[str]) -> _Listed:
        """See `Notes.of_facts`."""
        return await self._run(lambda n: n.of_facts(fact_ids))
