"""The face for coroutines: `MemoryOS` with every verb awaitable."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from functools import partial
from types import TracebackType

from memoryos_core.aio.pool import Pool, pool_of
from memoryos_core.aio.user import AsyncUserMemory
from memoryos_core.config import MemoryConfig
from memoryos_core.events import Hook
from memoryos_core.memory import EmbedderChoice, MemoryOS, ModelChoice
from memoryos_core.models import Scope
from memoryos_core.ports import Clock, Reranker, SparseEncoder, Store, TokenCounter
from memoryos_core.reports import RestoreReport, Stats, Usage
from memoryos_core.rules.accepting import identifier


class AsyncMemoryOS:
    """`MemoryOS` for coroutines: the same arguments; the store is opened, off the loop, by the first awaited call."""

    def __init__(  # noqa: PLR0913 - the arguments of MemoryOS
        self,
        url: str | Store = "sqlite:///memoryos.db",
        *,
        embedder: EmbedderChoice = "auto",
        llm: ModelChoice = None,
        config: MemoryConfig | None = None,
        answer_llm: ModelChoice = None,
        clock: Clock | None = None,
        token_counter: TokenCounter | str | None = "auto",  # noqa: S107 - a choice by name
        on_event: Hook | None = None,
        sparse: SparseEncoder | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self._make = partial(
            MemoryOS,
            url,
            embedder=embedder,
            llm=llm,
            config=config,
            answer_llm=answer_llm,
            clock=clock,
            token_counter=token_counter,
            on_event=on_event,
            sparse=sparse,
            reranker=reranker,
        )
        self._lock = threading.Lock()
        self._memory: MemoryOS | None = None
        self._pool = Pool()
        self._shares_pool = False

    @classmethod
    def of(cls, memory: MemoryOS) -> AsyncMemoryOS:
        """The coroutine face of a memory that is already open; closing either closes both."""
        face = cls()
        face._memory, face._pool, face._shares_pool = memory, pool_of(memory), True
        return face

    def _opened(self) -> MemoryOS:
        with self._lock:
            if self._memory is None:
                self._memory = self._make()
            return self._memory

    def user(self, user_id: str, *, assistant_id: str = "assistant", session_id: str = "default") -> AsyncUserMemory:
        """See `MemoryOS.user`: no input or output, so not awaited."""
        scope = Scope(identifier("user_id", user_id), identifier("assistant_id", assistant_id))
        session = identifier("session_id", session_id)
        handle = lambda: self._opened().user(user_id, assistant_id=assistant_id, session_id=session)  # noqa: E731
        return AsyncUserMemory(self._pool, handle, scope, session)

    async def users(self) -> list[str]:
        """See `MemoryOS.users`."""
        return await self._pool.run(lambda: self._opened().users())

    async def scopes(self) -> list[Scope]:
        """See `MemoryOS.scopes`."""
        return await self._pool.run(lambda: self._opened().scopes())

    async def flush(self, timeout: float = 30.0) -> bool:
        """See `MemoryOS.flush`."""
        return await self._pool.run(lambda: self._opened().flush(timeout))

    async def stats(self) -> Stats:
        """See `MemoryOS.stats`."""
        return await self._pool.run(lambda: self._opened().stats())

    async def usage(self) -> Usage:
        """See `MemoryOS.usage`."""
        return await self._pool.run(lambda: self._opened().usage())

    async def restore(self, records: Iterable[Mapping[str, object]]) -> RestoreReport:
        """See `MemoryOS.restore`."""
        return await self._pool.run(lambda: self._opened().restore(records))

    async def reindex(self, *, embedder: EmbedderChoice = "auto", progress: bool = True) -> int:
        """See `MemoryOS.reindex`."""
        return await self._pool.run(lambda: self._opened().reindex(embedder=embedder, progress=progress))

    async def close(self) -> None:
        """See `MemoryOS.close`."""
        with self._lock:
            memory = self._memory
        if memory is not None:
            await self._pool.run(memory.close)
        if not self._shares_pool:
            self._pool.close()

    async def __aenter__(self) -> AsyncMemoryOS:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
