"""The face for coroutines: `MemoryOS` with every verb awaitable."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from types import TracebackType

from memoryos_core.api.aio.pool import Pool, pool_of
from memoryos_core.api.aio.user import AsyncTeam, AsyncUserMemory
from memoryos_core.api.audit_heads import AuditKey, ShippedHeads, Sink
from memoryos_core.api.governance import actor_name
from memoryos_core.api.memory import EmbedderChoice, MemoryOS, ModelChoice
from memoryos_core.config import MemoryConfig, RetentionPolicy
from memoryos_core.errors import ClosedError
from memoryos_core.ports import Clock, Reranker, Store, TokenCounter
from memoryos_core.ports.forks import Lock
from memoryos_core.rules.validation import identifier
from memoryos_core.values.audit import AuditSummary
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.encryption_keys import KeyChoice, Keys
from memoryos_core.values.events import Hook
from memoryos_core.values.reports import (
    Backlog,
    BackupReport,
    CheckReport,
    ConsolidationReport,
    ForgetReceipt,
    RestoreReport,
    RetentionReport,
    SalvageReport,
    Stats,
    Usage,
)


class AsyncMemoryOS:
    """`MemoryOS` for coroutines: the same arguments; the store is opened, off the loop, by the first awaited call."""

    def __init__(  # noqa: PLR0913 - the arguments of MemoryOS
        self,
        url: str | Store = "sqlite:///memoryos.db",
        *,
        embedder: EmbedderChoice = "auto",
        llm: ModelChoice = None,
        config: MemoryConfig | None = None,
        answer_llm: ModelChoice | Sequence[ModelChoice] = None,
        clock: Clock | None = None,
        token_counter: TokenCounter | str | None = "auto",  # noqa: S107 - a choice by name
        on_event: Hook | None = None,
        reranker: Reranker | None = None,
        key: KeyChoice = None,
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
            reranker=reranker,
            key=Keys.of(key),
        )
        self._lock = Lock()
        self._memory: MemoryOS | None = None
        self._pool = Pool()
        self._shares_pool = False
        self._closed = False

    @classmethod
    def of(cls, memory: MemoryOS) -> AsyncMemoryOS:
        """The coroutine face of a memory that is already open; closing either closes both."""
        face = cls()
        face._memory, face._pool, face._shares_pool = memory, pool_of(memory), True
        return face

    def _open_once(self) -> MemoryOS:
        with self._lock:
            if self._memory is None:
                if self._closed:
                    raise ClosedError(
                        "this memory was closed before its first use; open a new one with AsyncMemoryOS(url)"
                    )
                self._memory = self._make()
            return self._memory

    def user(
        self, user_id: str, *, assistant_id: str = "assistant", session_id: str = "default", actor: str | None = None
    ) -> AsyncUserMemory:
        """See `MemoryOS.user`: no input or output, so not awaited."""
        scope = Scope(identifier("user_id", user_id), identifier("assistant_id", assistant_id))
        session = identifier("session_id", session_id)
        whose = None if actor is None else actor_name(actor)
        named = partial(MemoryOS.user, user_id=user_id, assistant_id=assistant_id, session_id=session, actor=whose)
        handle = lambda: named(self._open_once())  # noqa: E731
        return AsyncUserMemory(self._pool, handle, scope, session)

    def team(self, name: str) -> AsyncTeam:
        """See `MemoryOS.team`: no input or output, so not awaited."""
        known = identifier("team", name)
        return AsyncTeam(self._pool, lambda: self._open_once().team(known))

    async def users(self) -> list[str]:
        """See `MemoryOS.users`."""
        return await self._pool.run(lambda: self._open_once().users())

    async def scopes(self) -> list[Scope]:
        """See `MemoryOS.scopes`."""
        return await self._pool.run(lambda: self._open_once().scopes())

    async def flush(self, timeout: float = 30.0) -> bool:
        """See `MemoryOS.flush`."""
        return await self._pool.run(lambda: self._open_once().flush(timeout))

    async def stats(self) -> Stats:
        """See `MemoryOS.stats`."""
        return await self._pool.run(lambda: self._open_once().stats())

    async def backlog(self) -> Backlog:
        """See `MemoryOS.backlog`."""
        return await self._pool.run(lambda: self._open_once().backlog())

    async def usage(self) -> Usage:
        """See `MemoryOS.usage`."""
        return await self._pool.run(lambda: self._open_once().usage())

    async def verify_audit(self, *, shipped: ShippedHeads | None = None, progress: bool = True) -> AuditSummary:
        """See `MemoryOS.verify_audit`."""
        return await self._pool.run(lambda: self._open_once().verify_audit(shipped=shipped, progress=progress))

    async def ship_audit(self, sink: Sink, *, key: AuditKey) -> int:
        """See `MemoryOS.ship_audit`."""
        return await self._pool.run(lambda: self._open_once().ship_audit(sink, key=key))

    async def check(self, *, deep: bool = False, progress: bool = True) -> CheckReport:
        """See `MemoryOS.check`."""
        return await self._pool.run(lambda: self._open_once().check(deep=deep, progress=progress))

    async def backup(self, path: str | Path, *, incremental: bool = False) -> None:
        """See `MemoryOS.backup`."""
        await self._pool.run(lambda: self._open_once().backup(path, incremental=incremental))

    @staticmethod
    async def restore_backup(
        source: str | Path,
        path: str | Path,
        *,
        forgotten: Iterable[Mapping[str, object]] | str | Path,
        at: datetime | None = None,
        key: KeyChoice = None,
    ) -> BackupReport:
        """See `MemoryOS.restore_backup`."""
        pool, hidden = Pool(1), Keys.of(key)  # hidden from a traceback's locals
        key = hidden
        try:
            return await pool.run(lambda: MemoryOS.restore_backup(source, path, forgotten=forgotten, at=at, key=hidden))
        finally:
            pool.close()

    async def forgotten(self, *, secret: bool = False) -> list[dict[str, object]]:
        """See `MemoryOS.forgotten`."""
        return await self._pool.run(lambda: self._open_once().forgotten(secret=secret))

    async def forget_again(self, forgotten: Iterable[Mapping[str, object]] | str | Path) -> ForgetReceipt:
        """See `MemoryOS.forget_again`."""
        return await self._pool.run(lambda: self._open_once().forget_again(forgotten))

    @staticmethod
    async def salvage(
        url: str, path: str | Path, *, key: KeyChoice = None, users: Sequence[Scope] = (), progress: bool = True
    ) -> SalvageReport:
        """See `MemoryOS.salvage`."""
        pool = Pool(1)
        try:
            return await pool.run(lambda: MemoryOS.salvage(url, path, key=key, users=users, progress=progress))
        finally:
            pool.close()

    async def restore(self, records: Iterable[Mapping[str, object]]) -> RestoreReport:
        """See `MemoryOS.restore`."""
        return await self._pool.run(lambda: self._open_once().restore(records))

    async def forget_user(self, user_id: str) -> ForgetReceipt:
        """See `MemoryOS.forget_user`."""
        return await self._pool.run(lambda: self._open_once().forget_user(user_id))

    async def retain(
        self, policies: Sequence[RetentionPolicy] | None = None, *, dry_run: bool = False, progress: bool = True
    ) -> RetentionReport:
        """See `MemoryOS.retain`."""
        return await self._pool.run(lambda: self._open_once().retain(policies, dry_run=dry_run, progress=progress))

    async def run_worker(
        self,
        *,
        threads: int | None = None,
        once: bool = False,
        poll_seconds: float = 1.0,
        stop: threading.Event | None = None,
    ) -> ConsolidationReport:
        """See `MemoryOS.run_worker`."""
        work = lambda: self._open_once().run_worker(threads=threads, once=once, poll_seconds=poll_seconds, stop=stop)  # noqa: E731
        return await self._pool.run(work)

    async def vacuum(self, *, full: bool = False) -> None:
        """See `MemoryOS.vacuum`."""
        await self._pool.run(lambda: self._open_once().vacuum(full=full))

    async def rekey(self, new_key: KeyChoice) -> None:
        """See `MemoryOS.rekey`."""
        new_key = hidden = Keys.of(new_key)  # hidden from a traceback's locals
        await self._pool.run(lambda: self._open_once().rekey(hidden))

    async def reindex(self, *, embedder: EmbedderChoice = "auto", progress: bool = True) -> int:
        """See `MemoryOS.reindex`."""
        return await self._pool.run(lambda: self._open_once().reindex(embedder=embedder, progress=progress))

    async def close(self) -> None:
        """See `MemoryOS.close`."""
        with self._lock:
            memory, self._closed = self._memory, True
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
