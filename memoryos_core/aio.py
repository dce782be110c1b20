"""The same verbs, awaitable: every call runs in a small pool of our own, with the caller's context variables.

The only file that knows event loops. A pool of our own, because work in the default executor would wait behind, and
hold up, what else the application runs there. Work that has begun is not cancelled with its task.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import ParamSpec, TypeVar

from memoryos_core.config import MemoryConfig
from memoryos_core.events import Hook
from memoryos_core.memory import EmbedderChoice, MemoryOS, ModelChoice
from memoryos_core.models import About, Fact, Hit, Message, Page, Profile, Recall, Scope, Segment, Tier
from memoryos_core.ports import Clock, Store, TokenCounter
from memoryos_core.reports import ConsolidationReport, ForgetReceipt, RestoreReport, Stats, Usage
from memoryos_core.rules.accepting import identifier
from memoryos_core.user import UserMemory

P = ParamSpec("P")
T = TypeVar("T")

_THREADS = 8


class _Pool:
    """Our own bounded pool; made at the first call, so that construction starts no thread."""

    def __init__(self, threads: int) -> None:
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="memoryos-aio")

    async def run(self, call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        work = partial(copy_context().run, call, *args, **kwargs)
        return await asyncio.shield(asyncio.get_running_loop().run_in_executor(self._executor, work))

    def close(self) -> None:
        self._executor.shutdown(wait=False)


class AsyncUserMemory:
    """`UserMemory` for coroutines: the same verbs and arguments."""

    def __init__(self, pool: _Pool, user: Callable[[], UserMemory], scope: Scope, session_id: str) -> None:
        self._pool = pool
        self._user = user
        self.scope = scope
        self.session_id = session_id

    async def _run(self, call: Callable[[UserMemory], T]) -> T:
        return await self._pool.run(lambda: call(self._user()))

    async def add(
        self,
        user: str,
        assistant: str | None = None,
        *,
        timestamp: datetime | None = None,
        user_name: str | None = None,
        assistant_name: str | None = None,
    ) -> Page:
        """See `UserMemory.add`."""
        said = partial(UserMemory.add, user=user, assistant=assistant, timestamp=timestamp)
        return await self._run(lambda u: said(u, user_name=user_name, assistant_name=assistant_name))

    async def add_messages(self, messages: Sequence[Message]) -> tuple[Page, ...]:
        """See `UserMemory.add_messages`."""
        return await self._run(lambda u: u.add_messages(messages))

    async def messages(self) -> tuple[Message, ...]:
        """See `UserMemory.messages`."""
        return await self._run(UserMemory.messages)

    async def transcript(self) -> tuple[Message, ...]:
        """See `UserMemory.transcript`."""
        return await self._run(UserMemory.transcript)

    async def recall(self, query: str, *, budget_tokens: int | None = None, include_recent: bool = True) -> Recall:
        """See `UserMemory.recall`."""
        return await self._run(lambda u: u.recall(query, budget_tokens=budget_tokens, include_recent=include_recent))

    async def search(
        self,
        query: str,
        k: int = 5,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        session_id: str | None = None,
        tiers: Sequence[Tier | str] = (),
    ) -> list[Hit]:
        """See `UserMemory.search`."""
        return await self._run(
            lambda u: u.search(query, k, since=since, until=until, session_id=session_id, tiers=tiers)
        )

    async def chat(self, question: str) -> str:
        """See `UserMemory.chat`."""
        return await self._run(lambda u: u.chat(question))

    async def profile(self) -> Profile:
        """See `UserMemory.profile`."""
        return await self._run(UserMemory.profile)

    async def facts(self, about: About | None = None, *, current: bool = True) -> list[Fact]:
        """See `UserMemory.facts`."""
        return await self._run(lambda u: u.facts(about, current=current))

    async def segments(self, *, archived: bool = False) -> list[Segment]:
        """See `UserMemory.segments`."""
        return await self._run(lambda u: u.segments(archived=archived))

    async def heat(self, segment: Segment) -> float:
        """See `UserMemory.heat`."""
        return await self._run(lambda u: u.heat(segment))

    async def stats(self) -> Stats:
        """See `UserMemory.stats`."""
        return await self._run(UserMemory.stats)

    async def remember(self, text: str, *, about: About = "user") -> Fact:
        """See `UserMemory.remember`."""
        return await self._run(lambda u: u.remember(text, about=about))

    async def correct(self, fact_id: str, text: str) -> Fact:
        """See `UserMemory.correct`."""
        return await self._run(lambda u: u.correct(fact_id, text))

    async def forget(
        self,
        *,
        pages: Sequence[str | Page] = (),
        facts: Sequence[str | Fact] = (),
        session: bool = False,
        everything: bool = False,
    ) -> ForgetReceipt:
        """See `UserMemory.forget`."""
        return await self._run(lambda u: u.forget(pages=pages, facts=facts, session=session, everything=everything))

    async def export(self) -> AsyncIterator[dict[str, object]]:
        """See `UserMemory.export`."""
        records = await self._run(UserMemory.export)
        while (record := await self._pool.run(next, records, None)) is not None:
            yield record

    async def consolidate(self) -> ConsolidationReport:
        """See `UserMemory.consolidate`."""
        return await self._run(UserMemory.consolidate)


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
        )
        self._lock = threading.Lock()
        self._memory: MemoryOS | None = None
        self._pool = _Pool(_THREADS)

    @classmethod
    def of(cls, memory: MemoryOS) -> AsyncMemoryOS:
        """The coroutine face of a memory that is already open; closing either closes both."""
        face = cls()
        face._memory = memory
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
        self._pool.close()

    async def __aenter__(self) -> AsyncMemoryOS:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
